"""What goes back about an answer that is right where it was tried and not proved: the goal that failed, with values."""

from __future__ import annotations

import re
from collections.abc import Mapping

from metalift.check.proving import Evidence
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Expr, Fold, Operator, Var
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Value, evaluate
from metalift.ir.text import show
from metalift.run.inputs.inputs import show_value
from metalift.synth.propose.summaries import state_against
from metalift.vcgen.obligation import Goal

LONGEST = 4_000  # characters of a goal that is shown; a longer one is named, not cut
LEMMAS = "A fact on sums that it needs may be stated beside: `def lemma_1(x, n): return ...`, for all `x` and `n`."
LIMIT = 20_000  # steps of one evaluation
SIDES = {Operator.EQ: "==", Operator.LE: "<=", Operator.LT: "<"}


def unproved(failing: Evidence, names: Mapping[str, str]) -> str:
    """The one goal that failed, whole, by the names of the answer (`names`: those that the source has otherwise), and a state in
    which it fails where one is found.
    """
    obligation = failing.obligation
    goals = failed_goals(failing)
    shown = "; ".join(f"{goal.subject}: `{told(goal.formula, names)}`" for goal in goals)
    line = f" (line {obligation.location.line} of the source)" if obligation.location.line else ""
    parts = [f'What is not proved is "{obligation.name}"{line}, of it {shown}. The solver ended with: {untimed(failing)}.']
    state = state_against(obligation)
    if state is None:
        parts.append("No state was found in which it fails: a part may be missing.")
    else:
        values = ", ".join(f"{called(name, names)}={show_value(value)}" for name, value in sorted(state.items()))
        parts.append(f"In this state, which no run need reach, all that is known holds and the goal does not: {values}.")
        parts += [f"There, {text}." for goal in goals for text in sides(goal, state, names)]
    if not obligation.instances and any(isinstance(part, Fold) for goal in goals for part in subexpressions(goal.formula)):
        parts.append(LEMMAS)
    return " ".join(parts)


def failed_goals(failing: Evidence) -> tuple[Goal, ...]:
    """The goal that was not proved; all of them where they were tried together."""
    goals, reason = failing.obligation.goals, failing.settled.reason
    one = tuple(goal for goal in goals if len(goals) > 1 and reason.startswith(f"{goal.subject}: "))
    return one[:1] or goals


def sides(goal: Goal, state: Mapping[str, Value], names: Mapping[str, str]) -> list[str]:
    """The values of both sides of each comparison in a goal that does not hold."""
    found = []
    for part in conjuncts(goal.formula):
        match part:
            case Apply(op, (left, right)) if op in SIDES:
                one, other = value_of(left, state), value_of(right, state)
                if one is not None and other is not None and one != other:
                    texts = (f"`{told(each, names)}` is {show_value(value)}" for each, value in ((left, one), (right, other)))
                    found.append(" and ".join(texts))
    return found


def value_of(expr: Expr, state: Mapping[str, Value]) -> Value | None:
    """A term's value in a state; None where it has none."""
    try:
        return evaluate(expr, {var.name: state[var.name] for var in free_vars(expr)}, limit=LIMIT)
    except (SourceUndefined, LimitExceeded, KeyError):
        return None


def told(formula: Expr, names: Mapping[str, str]) -> str:
    """A formula by the names that people know; one that is too long to read is not shown in part."""
    renamed = {var: Var(called(var.name, names), var.type) for var in free_vars(formula)}
    text = show(substitute(formula, dict(renamed)))
    return text if len(text) <= LONGEST else f"(a formula of {len(text)} characters)"


def called(name: str, names: Mapping[str, str]) -> str:
    """The name of a value without the loop at whose header it is, and without what marks it as a result."""
    if name in names:
        return names[name]
    stem, _, _ = name.partition("@")
    stem, mark, _ = stem.partition("!")
    return f"{names.get(stem, stem)}{'_out' if mark else ''}"


def untimed(failing: Evidence) -> str:
    """Why an obligation is not proved, without the times in it: the same answers lead to the same prompts."""
    return re.sub(r" after -?[\d.e-]+ s", "", failing.settled.reason)

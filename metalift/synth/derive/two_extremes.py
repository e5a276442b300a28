"""The least and the greatest value in one pass: `if (x[i] < low) low = x[i]; else if (x[i] > high) high = x[i];`.

Where both start alike, `low <= high` in every iteration: what is below `low` is not above `high`, and each is an accumulator on
its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import Apply, Expr, Ite, Operator, Var
from metalift.ir.expr.walk import alpha_equal, free_vars
from metalift.synth.derive.recurrences import Step, plain
from metalift.synth.derive.symbolic import evaluate

OPPOSITE = {Operator.MIN: Operator.MAX, Operator.MAX: Operator.MIN}


@dataclass(frozen=True, slots=True)
class Extremes:
    """Two accumulators of one type; neither step depends on the other accumulator any more."""

    low: Var
    high: Var

    def fact(self, closed: Mapping[Var, Expr]) -> Expr:
        """What holds in each iteration."""
        return at_most(closed[self.low], closed[self.high])


def taken_apart(
    steps: tuple[Step, ...], starts: Mapping[Var, Expr], pure: Mapping[Var, Expr]
) -> tuple[tuple[Step, ...], tuple[Extremes, ...]]:
    """The steps of which none asks first whether the value is the other extreme, and the extremes that this is true of."""
    found: list[Extremes] = []
    result: list[Step] = []
    for step in steps:
        extreme = _second(step)
        other = next((one for one in steps if extreme is not None and _goes_with(one, step, extreme)), None)
        if extreme is None or other is None or not _start_alike(step.arg, other.arg, starts, pure):
            result.append(step)
            continue
        low, high = (step.arg, other.arg) if extreme.op is Operator.MIN else (other.arg, step.arg)
        found.append(Extremes(low, high))
        result.append(replace(step, following=extreme))
    return tuple(result), tuple(found)


def _second(step: Step) -> Apply | None:
    """The least or greatest of the accumulator and a value, that is taken where a condition does not hold."""
    match step.following:
        case Ite(_, then, other) if step.arg in (then, other):
            extreme = other if then == step.arg else then
            if isinstance(extreme, Apply) and extreme.op in OPPOSITE and step.arg in extreme.args:
                return extreme
    return None


def _goes_with(first: Step, second: Step, extreme: Apply) -> bool:
    """Whether the first is the opposite extreme of the same values, and the second stays where the value is beyond it."""
    following, kept = first.following, second.following
    assert isinstance(kept, Ite)
    if first is second or first.arg.type != second.arg.type:
        return False
    if not isinstance(following, Apply) or following.op is not OPPOSITE[extreme.op] or first.arg not in following.args:
        return False
    value = _other(following, first.arg)
    if value != _other(extreme, second.arg) or not free_vars(value).isdisjoint({first.arg, second.arg}):
        return False
    stays = kept.then == second.arg
    beyond = (value, first.arg) if (following.op is Operator.MIN) == stays else (first.arg, value)
    return isinstance(kept.cond, Apply) and kept.cond.op in (Operator.LT, Operator.LE) and kept.cond.args == beyond


def _other(extreme: Apply, arg: Var) -> Expr:
    return extreme.args[1] if extreme.args[0] == arg else extreme.args[0]


def _start_alike(one: Var, two: Var, starts: Mapping[Var, Expr], pure: Mapping[Var, Expr]) -> bool:
    if not {one, two} <= starts.keys():
        return False
    return alpha_equal(*(evaluate(evaluate(starts[each], pure, plain), pure, plain) for each in (one, two)))

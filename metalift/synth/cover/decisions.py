"""The ways in which a scalar term is a choice between two others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Const, Expr, Ite, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, MachineInt, is_integer
from metalift.ir.expr.walk import free_vars, map_children, subexpressions
from metalift.synth.cover.normal import normal
from metalift.synth.cover.normal_operators import cast_form, negated
from metalift.synth.cover.regrouped import joined_parts, number

Choice = tuple[Expr, Expr, Expr]  # a condition, what the term is where it holds, and what it is elsewhere


@lru_cache(maxsize=1 << 12)
def choices(term: Expr, apart: frozenset[Var] = frozenset()) -> tuple[Choice, ...]:
    """Every reading of the term as a choice: by its own condition, by a part of it, by a condition further inside.

    Each reading is an equation: what is chosen is the term where its condition is known to hold, or not to. Of conditions that
    are joined, those that do not speak of the variables in `apart` are also taken together.
    """
    found: dict[Choice, None] = {}
    for cond, then, other in _readings(term, apart):
        if then != other:
            found.setdefault((cond, then, other))
            found.setdefault((normal(negated(cond)), other, then))
    return tuple(found)


def _readings(term: Expr, apart: frozenset[Var]) -> Iterator[Choice]:
    whole = _as_choice(term)
    if whole is not None:
        yield whole
        yield from _joined(whole)
    for cond in _conditions(term, apart):
        yield cond, assuming(term, cond, True), assuming(term, cond, False)


def _as_choice(term: Expr) -> Choice | None:
    """The term by the condition at its top; a minimum is one of its operands, a truth value as a number is 1 or 0."""
    match term:
        case Ite(cond, then, other):
            return cond, then, other
        case Apply(Operator.MIN, (a, b)):
            return Apply(Operator.LT, (a, b)), a, b
        case Apply(Operator.MAX, (a, b)):
            return Apply(Operator.LT, (b, a)), a, b
        case Cast(arg, type_) if type_of(arg) == BOOL and is_integer(type_):
            return arg, number(1, type_), number(0, type_)
        case Cast(arg, MachineInt() as type_) if is_integer(type_of(arg)):
            inner = _as_choice(arg)
            return None if inner is None else (inner[0], cast_form(inner[1], type_), cast_form(inner[2], type_))
        case _:
            return None


def _joined(choice: Choice) -> Iterator[Choice]:
    """Two choices in a row, of which one arm is the same, as one."""
    cond, then, other = choice
    inner = _as_choice(then)
    if inner is not None and inner[2] == other:
        yield Apply(Operator.AND, (cond, inner[0])), inner[1], other
    if inner is not None and inner[1] == other:
        yield Apply(Operator.AND, (cond, normal(negated(inner[0])))), inner[2], other
    inner = _as_choice(other)
    if inner is not None and inner[1] == then:
        yield Apply(Operator.OR, (cond, inner[0])), then, inner[2]
    if inner is not None and inner[2] == then:
        yield Apply(Operator.OR, (cond, normal(negated(inner[0])))), then, inner[1]


def _conditions(term: Expr, apart: frozenset[Var]) -> Iterator[Expr]:
    """The conditions in the choices of a term: joined ones that do not speak of what is apart, and single comparisons."""
    found: dict[Expr, None] = {}
    for sub in subexpressions(term):
        choice = _as_choice(sub)
        if choice is not None:
            found.update(dict.fromkeys(_together(choice[0], apart)))
            found.update(dict.fromkeys(_parts(choice[0])))
    yield from found


def _together(cond: Expr, apart: frozenset[Var]) -> Iterator[Expr]:
    """Of each conjunction and disjunction, what does not speak of the variables."""
    for sub in subexpressions(cond):
        if apart and isinstance(sub, Apply) and sub.op in (Operator.AND, Operator.OR):
            free = [part for part in joined_parts(sub, sub.op) if free_vars(part).isdisjoint(apart)]
            if len(free) > 1:
                joined = free[0]
                for part in free[1:]:
                    joined = Apply(sub.op, (joined, part))
                yield joined


def _parts(cond: Expr) -> Iterator[Expr]:
    match cond:
        case Apply(Operator.AND | Operator.OR | Operator.NOT, args):
            for arg in args:
                yield from _parts(arg)
        case Const():
            return
        case _:
            yield cond


def assuming(term: Expr, cond: Expr, holds: bool) -> Expr:
    """The term where a condition is known to hold, or not to."""
    return normal(_Known(cond, holds).applied(term))


class _Known:
    """What follows from a condition: conditions that hold, and conditions of which one holds at least."""

    def __init__(self, cond: Expr, holds: bool) -> None:
        self.truths: dict[Expr, Expr] = {}
        self.one_of: frozenset[Expr] = frozenset()
        self.learn(cond, holds)
        joined = Operator.OR if holds else Operator.AND
        parts = joined_parts(cond, joined)
        if len(parts) > 1:
            self.one_of = frozenset(part if holds else normal(negated(part)) for part in parts)

    def learn(self, cond: Expr, holds: bool) -> None:
        """A condition holds, or not."""
        self.truths[cond] = TRUE if holds else FALSE
        self.truths[normal(negated(cond))] = FALSE if holds else TRUE
        if isinstance(cond, Apply) and cond.op is (Operator.AND if holds else Operator.OR):
            for part in cond.args:
                self.learn(part, holds)

    def applied(self, term: Expr) -> Expr:
        """The term with what is known put in."""
        if term in self.truths:
            return self.truths[term]
        match term:
            case Apply(Operator.OR, _) if self.one_of and self.one_of <= frozenset(joined_parts(term, Operator.OR)):
                return TRUE
            case Apply(Operator.AND, _) if self.one_of:
                if self.one_of <= frozenset(normal(negated(part)) for part in joined_parts(term, Operator.AND)):
                    return FALSE
            case Apply(Operator.MIN | Operator.MAX, _):
                choice = _as_choice(term)
                if choice is not None and choice[0] in self.truths:
                    return self.applied(choice[1] if self.truths[choice[0]] == TRUE else choice[2])
        return map_children(self.applied, term)

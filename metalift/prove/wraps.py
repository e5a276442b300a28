"""Conversions to machine types that change nothing because of what is known, as where an index was computed without a sign."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from metalift.ir.arith.intervals import NO_RANGES, Ranges, interval, refine, type_range, without
from metalift.ir.expr.build import in_range
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Ite, Operator, Var, type_of
from metalift.ir.expr.types import INT, MachineInt
from metalift.ir.expr.walk import distinct_parts, free_vars, rebuild, scoped_children
from metalift.prove.indices import DIVISIONS

PARTIAL = DIVISIONS | {Operator.SHL, Operator.SHR}


def without_wraps(hypotheses: Sequence[Expr], goal: Expr) -> tuple[tuple[Expr, ...], Expr]:
    """The hypotheses and the goal without conversions of integers that are in the range of the type.

    The ranges are those that the hypotheses give, each by itself, so that under them nothing changes: what is implied stays the
    same.
    """
    formulas = (*hypotheses, goal)
    if not any(map(_wraps, formulas)):
        return tuple(hypotheses), goal
    ranges: Ranges = NO_RANGES
    for hypothesis in hypotheses:
        ranges = _knowing(ranges, hypothesis, True)
    here = _Place(ranges)
    *known, wanted = map(here.rewritten, formulas)
    return tuple(known), wanted


@lru_cache(maxsize=1 << 12)
def _wraps(formula: Expr) -> bool:
    """Whether there is a conversion that may change an integer."""
    return any(_converted(part) is not None for part in distinct_parts(formula))


def _converted(expr: Expr) -> tuple[Expr, MachineInt] | None:
    """The integer, and the type that it is brought to."""
    match expr:
        case Cast(Cast(value, MachineInt() as type_), target) if target == INT and type_of(value) == INT:
            return value, type_
        case _:
            return None


def _knowing(ranges: Ranges, cond: Expr, holds: bool) -> Ranges:
    """What is known where the condition holds, or does not."""
    return refine(ranges, cond, holds) if _is_total(cond) else ranges


@lru_cache(maxsize=1 << 12)
def _is_total(expr: Expr) -> bool:
    """Whether nothing in it is without a value for some operands: solvers take any number there."""
    partial = (part for part in distinct_parts(expr) if isinstance(part, Apply) and part.op in PARTIAL)
    return all(isinstance(part.args[1], Const) and part.args[1].value > 0 for part in partial)


class _Place:
    """Where the ranges hold: what terms are there, each found once, and the places in their arms and scopes."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self.made: dict[Expr, Expr] = {}
        self.inner: dict[tuple[Expr, bool], _Place] = {}

    def knowing(self, cond: Expr, holds: bool) -> _Place:
        """Where the condition holds, too, or does not."""
        if (cond, holds) not in self.inner:
            ranges = _knowing(self.ranges, cond, holds)
            self.inner[cond, holds] = self if ranges is self.ranges else _Place(ranges)
        return self.inner[cond, holds]

    def inside(self, expr: Expr, scope: tuple[Var, ...]) -> _Place:
        """In a part of a term in which these are bound: the steps of a fold are those below its extent."""
        if not scope:
            return self
        known = without(self.ranges, *scope)
        if not isinstance(expr, Fold) or not free_vars(expr.extent).isdisjoint(scope):
            return _Place(known)
        return _Place(_knowing(known, in_range(expr.index, expr.extent), True))

    def rewritten(self, expr: Expr) -> Expr:
        """An equal term here."""
        if not _wraps(expr):
            return expr
        if expr not in self.made:
            self.made[expr] = self._rewritten(expr)
        return self.made[expr]

    def _rewritten(self, expr: Expr) -> Expr:
        match expr:
            case Apply(Operator.AND | Operator.OR as op, parts):
                found, here = [], self
                for part in parts:  # it only matters where those before it do not decide
                    found.append(here.rewritten(part))
                    here = here.knowing(part, op is Operator.AND)
                return Apply(op, tuple(found))
            case Ite(cond, then, other):
                yes, no = self.knowing(cond, True), self.knowing(cond, False)
                return Ite(self.rewritten(cond), yes.rewritten(then), no.rewritten(other))
            case _:
                pass
        old = scoped_children(expr)
        new = tuple(self.inside(expr, scope).rewritten(child) for child, scope in old)
        made = expr if all(a is b for (a, _), b in zip(old, new, strict=True)) else rebuild(expr, new)
        match _converted(made):
            case (value, type_) if _is_total(value) and interval(value, self.ranges).within(type_range(type_)):
                return value
            case _:
                return made

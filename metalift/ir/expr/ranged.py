"""Quantifiers whose bodies say over which numbers each binder runs: `forall b: not (0 <= b and b < n and ...) or ...`."""

from __future__ import annotations

from metalift.ir.expr.nodes import Apply, Const, Exists, Expr, Forall, Operator, Var, integer
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import free_vars


def limits(formula: Forall | Exists) -> tuple[Expr, ...] | None:
    """For each binder the number below which its values lie, from 0; it may mention earlier binders. None if not all have one.

    For all other values the body of a Forall is true, that of an Exists false.
    """
    parts = _stated(formula)
    found = [_limit(binder, parts, frozenset(formula.binders[place:])) for place, binder in enumerate(formula.binders)]
    known = tuple(limit for limit in found if limit is not None)
    return known if len(known) == len(found) else None


def _stated(formula: Forall | Exists) -> tuple[Expr, ...]:
    """The conditions outside of which the body says nothing."""
    match formula:
        case Forall(_, Apply(Operator.OR, (Apply(Operator.NOT, (premise,)), *_))):
            return _parts(premise)
        case Exists(_, body):
            return _parts(body)
        case _:
            return ()


def _parts(formula: Expr) -> tuple[Expr, ...]:
    return formula.args if isinstance(formula, Apply) and formula.op is Operator.AND else (formula,)


def _limit(binder: Var, parts: tuple[Expr, ...], later: frozenset[Var]) -> Expr | None:
    """n where the parts say 0 <= binder < n."""
    if binder.type != INT or Apply(Operator.LE, (integer(0), binder)) not in parts:
        return None
    for part in parts:
        match part:
            case Apply(Operator.LT, (Var() as var, limit)) if var == binder and free_vars(limit).isdisjoint(later):
                return limit
    return None


def within_limits(formula: Expr) -> tuple[Expr, Expr, Expr] | None:
    """The number and the constants that it has to lie between."""
    match formula:
        case Apply(Operator.AND, (Apply(Operator.LE, (Const() as low, value)), Apply(Operator.LE, (again, Const() as high)))) if (
            value == again
        ):
            return value, low, high
        case _:
            return None

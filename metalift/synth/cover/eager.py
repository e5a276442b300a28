"""Making terms safe for eager evaluation.

A tensor operator computes all its arguments for all elements, so a division that the source makes only under a condition would
be made everywhere. Its divisor becomes 1 where the condition does not hold; the choice around it drops those results.
"""

from __future__ import annotations

from metalift.ir.arith.intervals import NO_RANGES, interval, refine
from metalift.ir.expr.nodes import Apply, Expr, Ite, Operator, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import map_children
from metalift.synth.cover.normal import normal
from metalift.synth.cover.regrouped import number

DIVISIONS = frozenset({Operator.TDIV, Operator.TREM, Operator.FDIV, Operator.FMOD})
Path = tuple[tuple[Expr, bool], ...]  # conditions, and whether they hold


def safe_divisors(expr: Expr) -> Expr:
    """The term, equal wherever it is defined, without integer division by what only a condition keeps from being zero."""
    return normal(_safe(expr, ()))


def _safe(expr: Expr, path: Path) -> Expr:
    match expr:
        case Ite(cond, then, other):
            return Ite(
                _safe(cond, path),
                _safe(then, (*path, (cond, True))),
                _safe(other, (*path, (cond, False))),
            )
        case Apply(op, (left, right)) if op in DIVISIONS and path and is_integer(type_of(right)):
            divisor = _safe(right, path)
            if interval(right).has_zero:
                divisor = _guarded(divisor, path)
            return Apply(op, (_safe(left, path), divisor))
        case _:
            return map_children(lambda child: _safe(child, path), expr)


def _guarded(divisor: Expr, path: Path) -> Expr:
    """The divisor where the path's conditions hold, 1 elsewhere; one condition alone where its ranges exclude zero."""
    needed = path
    for step in path:
        if not interval(divisor, refine(NO_RANGES, *step)).has_zero:
            needed = (step,)
            break
    result = divisor
    one = number(1, type_of(divisor))
    for cond, holds in reversed(needed):
        result = Ite(cond, result, one) if holds else Ite(cond, one, result)
    return result

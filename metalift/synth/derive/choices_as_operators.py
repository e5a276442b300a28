"""Choices that are an extremum or a magnitude, as these operators."""

from __future__ import annotations

from fractions import Fraction

from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, integer, is_number, type_of
from metalift.ir.expr.types import RealType, Type


def zero(type_: Type) -> Expr:
    """The number 0 of a numeric type."""
    return Const(Fraction(0), type_) if isinstance(type_, RealType) else integer(0, type_)


def _bare(expr: Expr) -> Expr:
    """The number without conversions that keep it; a literal without its type."""
    expr = strip_casts(expr)
    if isinstance(expr, Const):
        return Const(Fraction(expr.value), RealType())
    if isinstance(expr, Cast) and isinstance(expr.type, RealType) and isinstance(type_of(expr.arg), RealType):
        return _bare(expr.arg)
    return expr


def extremum(cond: Expr, then: Expr, other: Expr) -> Expr | None:
    """`a < b ? a : b` and its relatives."""
    match cond:
        case Apply(Operator.LT | Operator.LE, (left, right)):
            small, large, first, second = _bare(left), _bare(right), _bare(then), _bare(other)
            if (first, second) == (small, large):
                return Apply(Operator.MIN, (then, other))
            if (first, second) == (large, small):
                return Apply(Operator.MAX, (other, then))
            return _clamp(small, large, then, other)
    return None


def _clamp(small: Expr, large: Expr, then: Expr, other: Expr) -> Expr | None:
    """`x < low ? low : min(x, high)` and its mirror image, for literals low <= high."""
    match other:
        case Apply(Operator.MIN | Operator.MAX as op, (left, right)) if isinstance(then, Const):
            bare = [_bare(left), _bare(right)]
            limit = next((each for each in bare if isinstance(each, Const)), None)
            bound, value = (large, small) if op is Operator.MIN else (small, large)
            if limit is None or value not in bare or bound != _bare(then) or not isinstance(bound, Const):
                return None
            ordered = bound.value <= limit.value if op is Operator.MIN else limit.value <= bound.value
            return Apply(Operator.MAX if op is Operator.MIN else Operator.MIN, (other, then)) if ordered else None
        case _:
            return None


def absolute(cond: Expr, then: Expr, other: Expr) -> Expr | None:
    """`x < 0 ? -x : x` and its relatives."""
    match cond:
        case Apply(Operator.LT | Operator.LE, (left, right)) if is_number(right, 0):
            value, positive, negative = left, other, then
        case Apply(Operator.LT | Operator.LE, (left, right)) if is_number(left, 0):
            value, positive, negative = right, then, other
        case _:
            return None
    minus = Apply(Operator.SUB, (zero(type_of(positive)), positive))
    opposite = negative in (Apply(Operator.NEG, (positive,)), minus)
    return Apply(Operator.ABS, (positive,)) if opposite and _bare(value) == _bare(positive) else None

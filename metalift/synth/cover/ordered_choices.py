"""Choices between two values by the order of two others, read as absolute values, differences, minima and maxima."""

from __future__ import annotations

from metalift.ir.arith.intervals import interval, type_range
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, is_number, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.synth.cover.regrouped import same_value


def chosen_by_order(op: Operator, compared: tuple[Expr, Expr], then: Expr, other: Expr) -> Expr | None:
    """`then` where the first of those compared is less (or, as `op` says, no more) than the second, else `other`."""
    a, b = compared
    return (
        _absolute(a, b, then, other)
        or _difference(a, b, then, other)
        or _clamped(a, b, then, other)
        or (next_to(op, a, b, then, other) if type_of(then) == type_of(a) == INT else None)
    )


def _absolute(a: Expr, b: Expr, then: Expr, other: Expr) -> Expr | None:
    """|x| where the condition is a < b and the arms are x and -x."""
    if is_number(b, 0) and same_value(a, other) and then == Apply(Operator.NEG, (other,)):
        return Apply(Operator.ABS, (other,))
    if is_number(a, 0) and same_value(b, then) and other == Apply(Operator.NEG, (then,)):
        return Apply(Operator.ABS, (then,))
    return None


def _difference(a: Expr, b: Expr, then: Expr, other: Expr) -> Expr | None:
    """|b - a| and what b is more than a, where the condition is a < b."""

    def is_difference(expr: Expr, left: Expr, right: Expr) -> bool:
        match expr:
            case Apply(Operator.SUB, (first, second)):
                return same_value(first, left) and same_value(second, right)
            case _:
                return False

    if is_difference(then, b, a) and is_difference(other, a, b):
        return Apply(Operator.ABS, (then,))
    if is_difference(then, b, a) and is_number(other, 0):
        return Apply(Operator.MAX, (then, other))
    if is_number(then, 0) and is_difference(other, a, b):
        return Apply(Operator.MAX, (other, then))
    return None


def _clamped(a: Expr, b: Expr, then: Expr, other: Expr) -> Expr | None:
    """A bound where the value is beyond it, otherwise the value, bounded on the other side."""
    match other:
        case Apply(Operator.MIN | Operator.MAX as op, (value, Const() as far)) if isinstance(then, Const):
            beyond, limit = (a, b) if op is Operator.MIN else (b, a)
            ordered = then.value <= far.value if op is Operator.MIN else far.value <= then.value
            if same_value(beyond, value) and same_value(limit, then) and ordered:
                return _bounded(value, then, far) if op is Operator.MIN else _bounded(value, far, then)
        case Apply(Operator.MIN | Operator.MAX as op, (Const() as far, value)):
            return _clamped(a, b, then, Apply(op, (value, far)))
    return None


def next_to(op: Operator, a: Expr, b: Expr, then: Expr, other: Expr) -> Expr | None:
    """The lesser or the greater of two integers, where the condition says which it is: `n <= x ? n - 1 : x`, and others."""
    if not is_integer(type_of(then)) or not is_integer(type_of(a)):
        return None
    low, high, first, second = (Polynomial.of(each) for each in (a, b, then, other))
    if not all(interval(arm.to_expr()).within(type_range(type_of(then))) for arm in (first, second)):
        return None  # an arm that is not chosen may wrap
    holds = high - low - (1 if op is Operator.LT else 0)  # where this is not negative
    if second - first in (holds, holds + 1):
        return extremes(Apply(Operator.MIN, (then, other)))
    if first - second in (holds, holds + 1):
        return extremes(Apply(Operator.MAX, (then, other)))
    return None


def _bounded(value: Expr, low: Const, high: Const) -> Expr:
    """The value kept between two literals, in the one form that is used for that."""
    return Apply(Operator.MIN, (Apply(Operator.MAX, (value, low)), high))


def _keeps(op: Operator, value: Expr, bound: int) -> bool:
    """Whether an integer is never beyond a bound, by the ranges of what it is made of."""
    known = interval(value)
    end = known.low if op is Operator.MAX else known.high
    return end is not None and (bound <= end if op is Operator.MAX else end <= bound)


def extremes(expr: Apply) -> Expr:
    """A literal bound comes second, and is left out where the value keeps it; two literal bounds come in one order."""
    match expr:
        case Apply(_, (left, right)) if left == right:
            return left
        case Apply(op, (value, Const(int() as bound))) if is_integer(type_of(value)) and _keeps(op, value, bound):
            return value
        case Apply(op, (Const() as bound, value)) if not isinstance(value, Const):
            return extremes(Apply(op, (value, bound)))
        case Apply(Operator.MAX, (Apply(Operator.MIN, (value, Const() as high)), Const() as low)) if low.value <= high.value:
            return _bounded(value, low, high)
        case _:
            return expr

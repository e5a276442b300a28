"""What the ranges of integers tell of a term: whether it fits, whether a condition holds, and other ways to write it."""

from __future__ import annotations

from metalift.ir.arith.intervals import Ranges, interval, type_range
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Select, type_of
from metalift.ir.expr.types import MachineInt, is_integer
from metalift.ir.expr.walk import map_children


def fits(expr: Expr, type_: MachineInt) -> bool:
    """Whether an integer term is visibly always one of the type's."""
    return is_integer(type_of(expr)) and interval(expr).within(type_range(type_))


def with_shifts(expr: Expr) -> Expr:
    """The term with shifts for divisions of what is never negative by powers of two."""
    match map_children(with_shifts, expr):
        case Apply(Operator.TDIV | Operator.FDIV, (value, Const(int() as divisor, type_))) as division if divisor > 0:
            if divisor & (divisor - 1) == 0 and interval(value).nonnegative:
                return Apply(Operator.SHR, (value, Const(divisor.bit_length() - 1, type_)))
            return division
        case other:
            return other


def with_left_shifts(expr: Expr) -> Expr:
    """The term with shifts for products of machine integers with powers of two, but in places of elements."""
    if isinstance(expr, Select):
        return expr
    match map_children(with_left_shifts, expr):
        case Apply(Operator.MUL, (value, Const(int() as factor, MachineInt() as type_))) | Apply(
            Operator.MUL, (Const(int() as factor, MachineInt() as type_), value)
        ) if factor > 1 and factor & (factor - 1) == 0:
            return Apply(Operator.SHL, (value, Const(factor.bit_length() - 1, type_)))
        case other:
            return other


def with_bounds_of(pattern: Expr, expr: Expr) -> Expr:
    """The term with both of the pattern's bounds, where it has one of them and never passes the other; else as it stands."""
    match (pattern, expr):
        case (
            Apply(Operator.MIN, (Apply(Operator.MAX, (_, Const() as low)), Const() as high)),
            Apply(op, (value, Const() as bound)),
        ):
            if not is_integer(type_of(value)) or low.type != bound.type:
                return expr
            passes = interval(value)
            above = op is Operator.MIN and bound == high and passes.low is not None and passes.low >= low.value
            below = op is Operator.MAX and bound == low and passes.high is not None and passes.high <= high.value
            written = isinstance(value, Apply) and value.op is Operator.MAX and value.args[1] == low
            if (above and not written) or below:
                return Apply(Operator.MIN, (Apply(Operator.MAX, (value, low)), high))
            return expr
        case _:
            return expr


def decided(cond: Expr, ranges: Ranges) -> bool:
    """Whether the condition holds for all values in the ranges; false also where that is not known."""
    match cond:
        case Const(value, _):
            return bool(value)
        case Apply(Operator.AND, args):
            return all(decided(arg, ranges) for arg in args)
        case Apply(Operator.OR, args):
            return any(decided(arg, ranges) for arg in args)
        case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)) if is_integer(type_of(left)):
            return interval(left, ranges).meet(interval(right, ranges)).empty
        case Apply(Operator.LT | Operator.LE as op, (left, right)) if is_integer(type_of(left)):
            a, b = interval(left, ranges), interval(right, ranges)
            return a.high is not None and b.low is not None and a.high + (op is Operator.LT) <= b.low
        case _:
            return False

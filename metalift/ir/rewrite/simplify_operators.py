"""Simplification of one operator or cast, whose operands are simple already."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from metalift.ir.arith.intervals import Interval, Ranges, interval, type_range
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Const, Expr, Operator, is_number, type_of
from metalift.ir.expr.types import INT, BoolType, IntType, MachineInt, RealType, Type, is_integer
from metalift.ir.expr.walk import alpha_equal


def literal(value: int, type_: Type) -> Const:
    """The number as a literal of the type."""
    return Const(Fraction(value), type_) if isinstance(type_, RealType) else Const(value, type_)


def unary(op: Operator, arg: Expr, expr: Apply, ranges: Ranges) -> Expr:
    """A negation or absolute value."""
    match op, arg:
        case Operator.NEG, Apply(Operator.NEG, (inner,)):
            return inner
        case Operator.NEG, Apply(Operator.SUB, (left, right)):
            return Apply(Operator.SUB, (right, left))
        case Operator.ABS, Apply(Operator.ABS, _):
            return arg
        case Operator.ABS, Apply(Operator.NEG, (inner,)):
            return Apply(Operator.ABS, (inner,))
        case Operator.ABS, _ if is_integer(type_of(arg)) and interval(arg, ranges).nonnegative:
            return arg
        case _:
            return expr


def comparison(op: Operator, left: Expr, right: Expr, expr: Apply, ranges: Ranges) -> Expr:
    """A comparison: decided, or in a normal form."""
    if alpha_equal(left, right):
        return FALSE if op is Operator.LT else TRUE
    if isinstance(type_of(left), BoolType):
        return _bool_equality(left, right, expr)
    if op is Operator.EQ and isinstance(left, Const) and not isinstance(right, Const):
        return Apply(op, (right, left))
    if op is Operator.EQ and isinstance(left, Cast) and isinstance(type_of(left.arg), BoolType) and isinstance(right, Const):
        return _bool_as_number(left, right)
    if not is_integer(type_of(left)):
        return expr
    decided = _decide(op, left, right, ranges)
    if decided is not None:
        return TRUE if decided else FALSE
    return _compare_uncast(op, left, right) or expr


def _bool_equality(left: Expr, right: Expr, expr: Apply) -> Expr:
    for known, other in ((left, right), (right, left)):
        if isinstance(known, Const):
            return other if known.value else neg(other)
    return expr


def _bool_as_number(left: Cast, right: Const) -> Expr:
    """Cast(b) == literal."""
    one = left.type.wrap(1) if isinstance(left.type, MachineInt) else 1
    if right.value == one:
        return left.arg
    return neg(left.arg) if right.value == 0 else FALSE


def _decide(op: Operator, left: Expr, right: Expr, ranges: Ranges) -> bool | None:
    """Whether an integer comparison holds for all values in the ranges, or for none."""
    a, b = interval(left, ranges), interval(right, ranges)
    if op is Operator.EQ:
        apart = _below(a, b, 1) or _below(b, a, 1)
        if apart:
            return False
        return True if a.constant is not None and a.constant == b.constant else _decide_difference(op, left, right)
    gap = 1 if op is Operator.LT else 0
    if _below(a, b, gap):
        return True
    return False if _below(b, a, 1 - gap) else _decide_difference(op, left, right)


def _below(low: Interval, high: Interval, gap: int) -> bool:
    """Whether every number of `low` is at least `gap` less than every one of `high`."""
    return low.high is not None and high.low is not None and low.high + gap <= high.low


def _decide_difference(op: Operator, left: Expr, right: Expr) -> bool | None:
    """The same by the difference of both sides as polynomials, where that is a number."""
    difference = (Polynomial.of(left) - Polynomial.of(right)).constant_value
    if difference is None:
        return None
    match op:
        case Operator.LT:
            return difference < 0
        case Operator.LE:
            return difference <= 0
        case _:
            return difference == 0


def _compare_uncast(op: Operator, left: Expr, right: Expr) -> Expr | None:
    """A comparison of index casts of one type, without the casts."""
    if not (isinstance(left, Cast) and isinstance(right, Cast) and left.type == right.type == INT):
        return None
    inner_left, inner_right = strip_casts(left), strip_casts(right)
    if type_of(inner_left) != type_of(inner_right) or not is_integer(type_of(inner_left)):
        return None
    return Apply(op, (inner_left, inner_right))


def cast(arg: Expr, type_: Type, expr: Cast, ranges: Ranges) -> Expr:
    """A conversion that is not needed is dropped."""
    source = type_of(arg)
    if source == type_:
        return arg
    if not is_integer(source) or not isinstance(type_, IntType | MachineInt):
        return expr
    if isinstance(type_, IntType):
        return _index_cast(arg, ranges) or expr
    return _exact_where_it_fits(arg, type_, ranges) or expr


def _index_cast(arg: Expr, ranges: Ranges) -> Expr | None:
    """Cast(Cast(e, T), INT) where T keeps the value of e."""
    if not isinstance(arg, Cast) or not is_integer(type_of(arg.arg)):
        return None
    if not interval(arg.arg, ranges).within(type_range(arg.type)):
        return None
    return arg.arg if type_of(arg.arg) == INT else Cast(arg.arg, INT)


def _exact_where_it_fits(arg: Expr, type_: MachineInt, ranges: Ranges) -> Expr | None:
    """Wrapping arithmetic of one machine type, where it cannot wrap."""
    match arg:
        case Apply(Operator.ADD | Operator.SUB | Operator.MUL as op, (Cast(left, _), Cast(right, _))) if type_of(left) == type_of(
            right
        ) == type_ and interval(arg, ranges).within(type_range(type_)):
            return Apply(op, (left, right))
        case Cast(inner, _) if type_of(inner) == type_ and interval(inner, ranges).within(type_range(arg.type)):
            return inner
        case _:
            return None


def _sum(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    if is_number(left, 0):
        return right
    return left if is_number(right, 0) else None


def _difference(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    if is_number(right, 0):
        return left
    return literal(0, type_of(left)) if alpha_equal(left, right) else None


def _product(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    for factor, other in ((left, right), (right, left)):
        if is_number(factor, 0):
            return factor
        if is_number(factor, 1):
            return other
    return None


def _quotient(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    if is_number(right, 1) or is_number(left, 0):
        return left
    return None


def _shift(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    return left if is_number(right, 0) else None


def _remainder(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    """The dividend itself where it is smaller than the divisor."""
    a, b = interval(left, ranges), interval(right, ranges)
    return left if a.nonnegative and _below(a, b, 1) else None


def _bit_and(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    """A mask of ones that is as long as the value, or -1, changes nothing."""
    if alpha_equal(left, right):
        return left
    for mask, other in ((left, right), (right, left)):
        if not isinstance(mask, Const):
            continue
        ones = int(mask.value)
        if ones == -1 or (ones & (ones + 1) == 0 and interval(other, ranges).within(Interval(0, ones))):
            return other
    return None


def _bit_or(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    return left if alpha_equal(left, right) else _sum(left, right, ranges)


def _least(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    return _extreme(left, right, ranges)


def _greatest(left: Expr, right: Expr, ranges: Ranges) -> Expr | None:
    return _extreme(right, left, ranges, swapped=True)


def _extreme(low: Expr, high: Expr, ranges: Ranges, swapped: bool = False) -> Expr | None:
    """min(low, high), or with `swapped` max(high, low), where the ranges tell which one it is."""
    if alpha_equal(low, high):
        return low
    if not is_integer(type_of(low)):
        return None
    if _decide(Operator.LE, low, high, ranges) is True:
        return high if swapped else low
    if _decide(Operator.LE, high, low, ranges) is True:
        return low if swapped else high
    return None


RULES: dict[Operator, Callable[[Expr, Expr, Ranges], Expr | None]] = {
    Operator.ADD: _sum,
    Operator.SUB: _difference,
    Operator.MUL: _product,
    Operator.DIV: _quotient,
    Operator.TDIV: _quotient,
    Operator.FDIV: _quotient,
    Operator.TREM: _remainder,
    Operator.FMOD: _remainder,
    Operator.SHL: _shift,
    Operator.SHR: _shift,
    Operator.BITAND: _bit_and,
    Operator.BITOR: _bit_or,
    Operator.BITXOR: _sum,
    Operator.MIN: _least,
    Operator.MAX: _greatest,
}

"""Real numbers that are whole ones divided by a whole one, where floats compute them exactly, or round them to nothing whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, integer, type_of
from metalift.ir.expr.types import RealType, is_integer

Terms = Sequence[tuple[Expr, Fraction]]  # whole numbers, and what they are multiplied with
Ratio = tuple[Sequence[tuple[Expr, int]], int]  # whole numbers with whole factors, and what their sum is divided by


def ratio(value: Expr) -> Ratio | None:
    """The number as a ratio: of whole numbers and constants with few binary digits, or of a whole number and another one.
    None for other numbers: 0.7 * 10 is 7, but with floats it may be less.
    """
    match value:
        case Apply(Operator.DIV, (left, Const(by))) if by > 0 and by == int(by):
            terms = dyadic(left)
            if terms is not None and all(number.denominator == 1 for _, number in terms):
                return [(term, int(number)) for term, number in terms], int(by)
        case _:
            pass
    terms = dyadic(value)
    return None if terms is None else over_one(terms)


def over_one(terms: Terms) -> Ratio:
    """The sum over the least common denominator."""
    by = lcm(*(number.denominator for _, number in terms))
    return [(term, int(number * by)) for term, number in terms], by


def dyadic(value: Expr) -> Terms | None:
    """A real number as a sum of whole ones, each multiplied with one that has few binary digits; None where it is no such sum."""
    try:
        return list(_dyadic(value, Fraction(1)))
    except _NoSuchSum:
        return None


class _NoSuchSum(Exception):
    """It has another part."""


def _dyadic(value: Expr, times: Fraction) -> Iterator[tuple[Expr, Fraction]]:
    match value:
        case Const(number, RealType()):
            yield integer(1), times * _short(Fraction(number))
        case Cast(arg, _) if is_integer(type_of(arg)):
            yield arg, times
        case Cast(arg, _) if isinstance(type_of(arg), RealType):
            yield from _dyadic(arg, times)
        case Apply(Operator.NEG, (arg,)):
            yield from _dyadic(arg, -times)
        case Apply(Operator.ADD | Operator.SUB as op, (left, right)):
            yield from _dyadic(left, times)
            yield from _dyadic(right, times if op is Operator.ADD else -times)
        case Apply(Operator.MUL, (Const(number), arg) | (arg, Const(number))):
            yield from _dyadic(arg, times * _short(Fraction(number)))
        case Apply(Operator.DIV, (arg, Const(number))) if number:
            yield from _dyadic(arg, times * _short(1 / Fraction(number)))
        case _:
            raise _NoSuchSum


def _short(number: Fraction) -> Fraction:
    """The number, where a float has it with digits to spare."""
    if number.denominator & (number.denominator - 1) or max(abs(number.numerator), number.denominator) > 1 << 16:
        raise _NoSuchSum
    return number

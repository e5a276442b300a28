"""Real numbers that are whole ones divided by a whole one, where floats compute them exactly, or round them to nothing whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import lcm

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Length, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt, RealType, is_integer

Terms = Sequence[tuple[Expr, Fraction]]  # whole numbers, and what they are multiplied with
Ratio = tuple[Sequence[tuple[Expr, int]], int]  # whole numbers with whole factors, and what their sum is divided by

MOST = 8  # terms of a sum
FACTOR = 1 << 8  # the largest one that a term has, and what the smallest is one of
DIVISOR = 1 << 16  # with whole numbers of 32 bits these leave room in the 53 bits of a double


def ratio(value: Expr) -> Ratio | None:
    """The number as a ratio: of whole numbers and constants with few binary digits, or of a whole number and another one.
    None for other numbers: 0.7 * 10 is 7, but with floats it may be less.
    """
    match value:
        case Apply(Operator.DIV, (left, Const(by))) if by == int(by) and 0 < by <= DIVISOR:
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


def dyadic(value: Expr, counter: Var | None = None) -> Terms | None:
    """A double as a sum of whole numbers, each multiplied with one that has few binary digits; None where it is no such sum, or
    floats may round it. The counter of a loop is no larger than what loops come to, nor the `int` of Python that it starts from.
    """
    try:
        found = list(_dyadic(value, Fraction(1), lambda term: _is_small(term, counter)))
    except _NoSuchSum:
        return None
    return found if len(found) <= MOST else None


class _NoSuchSum(Exception):
    """It has another part."""


def _dyadic(value: Expr, times: Fraction, small: Callable[[Expr], bool]) -> Iterator[tuple[Expr, Fraction]]:
    match value:
        case Const(number, RealType()):
            yield integer(1), _short(times * _short(Fraction(number)))
        case Cast(arg, RealType(bits)) if is_integer(type_of(arg)) and bits != 32 and small(arg):
            yield arg, _short(times)
        case Cast(arg, RealType(bits)) if isinstance(type_of(arg), RealType) and bits != 32:
            yield from _dyadic(arg, times, small)
        case Apply(Operator.NEG, (arg,)):
            yield from _dyadic(arg, -times, small)
        case Apply(Operator.ADD | Operator.SUB as op, (left, right)):
            yield from _dyadic(left, times, small)
            yield from _dyadic(right, times if op is Operator.ADD else -times, small)
        case Apply(Operator.MUL, (Const(number), arg) | (arg, Const(number))):
            yield from _dyadic(arg, times * _short(Fraction(number)), small)
        case Apply(Operator.DIV, (arg, Const(number))) if number:
            yield from _dyadic(arg, times * _short(1 / Fraction(number)), small)
        case _:
            raise _NoSuchSum


def _short(number: Fraction) -> Fraction:
    """The number, where a float has it with digits to spare."""
    if number.denominator & (number.denominator - 1) or max(abs(number.numerator), number.denominator) > FACTOR:
        raise _NoSuchSum
    return number


def _is_small(term: Expr, counter: Var | None) -> bool:
    """Whether it has some 32 bits: a sum of sizes, and what a loop counts."""
    whole = Polynomial.of(term)
    linear = len(whole.terms) <= MOST and all(len(atoms) <= 1 and abs(factor) <= 1 << 32 for atoms, factor in whole.terms)
    few = all(abs(factor) <= FACTOR for atoms, factor in whole.terms if atoms)
    counts = counter is not None and counter in whole.atoms
    return linear and few and all(_has_few_bits(atom) or (counts and type_of(atom) == INT) for atom in whole.atoms)


def _has_few_bits(atom: Expr) -> bool:
    match atom:
        case Length():
            return True
        case Cast(arg, type_) if type_ == INT:
            return _has_few_bits(arg)
        case _:
            kind = type_of(atom)
            return isinstance(kind, MachineInt) and kind.bits <= 32

"""Real numbers as sums of products of what is neither a sum nor a product."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, type_of
from metalift.ir.expr.types import REAL, RealType

MAX_TERMS = 40  # products that are added
ONE = Const(Fraction(1), REAL)

Products = Mapping[tuple[Expr, ...], Fraction]  # by factors in an order, the number they are multiplied with


class TooMany(Exception):
    """More products than are looked at."""


def products(term: Expr) -> Products:
    """A real number as a sum of products. Raises TooMany."""
    match term:
        case Const(value):
            return {(): Fraction(value)} if value else {}
        case Cast(arg) if isinstance(type_of(arg), RealType):
            return products(arg)
        case Apply(Operator.NEG, (arg,)):
            return _multiplied({(): Fraction(-1)}, products(arg))
        case Apply(Operator.ADD | Operator.SUB as op, (left, right)):
            sign = Fraction(1 if op is Operator.ADD else -1)
            found = dict(products(left))
            for factors, number in products(right).items():
                found[factors] = found.get(factors, Fraction(0)) + sign * number
            return _kept(found)
        case Apply(Operator.MUL, (left, right)):
            return _multiplied(products(left), products(right))
        case Apply(Operator.DIV, (left, Const(value))) if value:
            return _multiplied({(): 1 / Fraction(value)}, products(left))
        case Apply(Operator.DIV, (left, right)):
            return _multiplied(products(left), {(inverse(right),): Fraction(1)})
        case _:
            return {(real(term),): Fraction(1)}


def _multiplied(left: Products, right: Products) -> Products:
    found: dict[tuple[Expr, ...], Fraction] = {}
    for some, one in left.items():
        for others, two in right.items():
            factors = tuple(sorted((*some, *others), key=repr))
            found[factors] = found.get(factors, Fraction(0)) + one * two
    return _kept(found)


def _kept(found: Products) -> Products:
    if len(found) > MAX_TERMS:
        raise TooMany
    return {factors: number for factors, number in found.items() if number}


def real(term: Expr) -> Expr:
    """The same number, of the one type that all of these sums have."""
    while isinstance(term, Cast) and isinstance(type_of(term.arg), RealType):
        term = term.arg
    if isinstance(term, Const):
        return Const(Fraction(term.value), REAL)
    term = term.arg if isinstance(term, Cast) else term
    return term if type_of(term) == REAL else Cast(term, REAL)


def inverse(term: Expr) -> Expr:
    """1 / term."""
    return Apply(Operator.DIV, (ONE, real(term)))


def times(factor: Expr, value: Expr) -> Expr:
    """The product, without factors 1."""
    if ONE in (factor, value):
        return value if factor == ONE else factor
    return Apply(Operator.MUL, (factor, value))


def product(factors: tuple[Expr, ...]) -> Expr:
    """The product of all."""
    result: Expr = ONE
    for factor in factors:
        result = times(result, factor)
    return result


def added(terms: list[Expr]) -> Expr:
    """The sum of all, the last two first."""
    *others, result = terms
    for term in reversed(others):
        result = Apply(Operator.ADD, (term, result))
    return result

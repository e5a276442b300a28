"""Integers as a person writes them: `((c * k + i) * k + j) * (h - k + 1) + y`, where the sum of products takes lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Expr, Operator
from metalift.ir.expr.walk import subexpressions

LONG = 4  # terms of a sum that is worth it


def factored(expr: Expr, least: int = LONG) -> Expr:
    """An equal integer of type INT: factors stand once, where that is shorter; the expression itself where it is not, or where it
    has fewer terms than `least`.
    """
    whole = Polynomial.of(expr)
    if len(whole.terms) < least:
        return expr
    found = _sum(whole)
    return found if _size(found) < _size(expr) else expr


@lru_cache(maxsize=1 << 12)
def _sum(poly: Polynomial) -> Expr:
    """The sum; it begins with what is added, where there is such a term."""
    summands = list(_summands(poly))
    first = next((each for each in summands if not each[1]), None)
    if first is None:
        return poly.to_expr()
    summands.remove(first)
    result = first[0]
    for term, negative in summands:
        result = Apply(Operator.SUB if negative else Operator.ADD, (result, term))
    return result


def _summands(poly: Polynomial) -> Iterator[tuple[Expr, bool]]:
    """Terms whose sum it is, each with whether it is taken off; one of them is added, unless all are taken off."""
    parts = _parts(poly)
    while parts is not None:
        quotient, factor, poly = parts
        negative = not quotient.signs[0].terms
        yield _product(-quotient if negative else quotient, factor), negative
        parts = _parts(poly)
    for monomial, times in poly.terms:
        yield Polynomial(((monomial, abs(times)),)).to_expr(), times < 0


def _product(one: Polynomial, other: Polynomial) -> Expr:
    if one.is_constant or len(one.terms) == len(other.terms) == 1:
        return (one * other).to_expr() if len(other.terms) == 1 else Apply(Operator.MUL, (one.to_expr(), _sum(other)))
    return Apply(Operator.MUL, (_sum(one), _sum(other)))


def _parts(poly: Polynomial) -> tuple[Polynomial, Polynomial, Polynomial] | None:
    """What the sum is: quotient * factor + rest, the factor an atom and what is added to it everywhere; the shortest."""
    best, least = None, _length(poly)
    for atom in sorted(poly.atoms, key=repr):
        for factor in _factors(poly, atom):
            quotient, rest = poly.divide(factor)
            length = sum(map(_length, (quotient, factor, rest)))
            if length < least:
                best, least = (quotient, factor, rest), length
    return best


def _factors(poly: Polynomial, atom: Expr) -> Iterator[Polynomial]:
    """The atom; where it has one power only, with what is added to it or taken from it in each product, too."""
    single = Polynomial.atom(atom)
    yield single
    times = poly.coefficient(atom)
    if poly.degree(atom) == 1:
        added, _ = (poly - times * single).divide(times)
        whole = single + added
        if added.terms:
            yield -whole if len(whole.signs[1].terms) > len(whole.signs[0].terms) else whole


def _length(poly: Polynomial) -> int:
    return sum(max(1, len(monomial) + (abs(times) != 1)) for monomial, times in poly.terms)


def _size(expr: Expr) -> int:
    return sum(1 for _ in subexpressions(expr))

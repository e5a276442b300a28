"""Conditions on real numbers that count: `i < n / 2.0` goes on as long as a whole number is not negative."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.arith.products import TooMany, products
from metalift.ir.expr.nodes import Apply, Call, Cast, Expr, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import free_vars
from metalift.synth.derive.normal_terms import exact, index

Terms = Sequence[tuple[Expr, Fraction]]  # whole numbers, and what they are multiplied with


def whole_slack(op: Operator, left: Expr, right: Expr, counter: Var) -> Polynomial | None:
    """What is not negative as long as left < right, or left <= right, holds, with the part rounded in which the counter is not.
    None where it is not found.
    """
    try:
        return _of_counter(op, left, right, counter) or _of_whole_numbers(op, left, right)
    except TooMany:
        return None


def _of_counter(op: Operator, left: Expr, right: Expr, counter: Var) -> Polynomial | None:
    """Of one whole number on one side, and anything on the other."""
    rest, moved = (right, left) if counter in free_vars(left) else (left, right)
    moving = _terms(moved)
    if moving is None or len(moving) != 1 or abs(moving[0][1]) != 1 or counter in free_vars(rest):
        return None
    (term, sign), strict = moving[0], op is Operator.LT
    rises = (moved is right) == (sign > 0)  # it has to stay above the rest
    bound = _rounded(rest if sign > 0 else Apply(Operator.NEG, (rest,)), up=rises != strict)
    gap = index(term) - index(bound) if rises else index(bound) - index(term)
    return gap - 1 if strict else gap


def _of_whole_numbers(op: Operator, left: Expr, right: Expr) -> Polynomial | None:
    """All of both sides by what it takes to make them whole."""
    terms = _terms(Apply(Operator.SUB, (right, left)))
    if terms is None:
        return None
    return _sum(terms, lcm(*(number.denominator for _, number in terms))) - (1 if op is Operator.LT else 0)


def _rounded(value: Expr, *, up: bool) -> Expr:
    """The least whole number that is not below a real one, or the greatest not above it."""
    match value:
        case Call("floor" | "ceil" as name, (arg,), _):
            return _rounded(arg, up=name == "ceil")
        case _:
            pass
    terms = _terms(value)
    if terms is None:
        return Cast(Call("ceil" if up else "floor", (value,), type_of(value)), INT)
    by = lcm(*(number.denominator for _, number in terms))
    total = _sum(terms, by)
    if by == 1:
        return total.to_expr()
    quotient = index(exact(Apply(Operator.FDIV, ((-total if up else total).to_expr(), integer(by)))))
    return (-quotient if up else quotient).to_expr()


def _terms(value: Expr) -> Terms | None:
    """A real number as a sum of multiples of whole ones; None where it is no such sum. Raises TooMany."""
    found: list[tuple[Expr, Fraction]] = []
    for factors, number in products(value).items():
        match factors:
            case ():
                found.append((integer(1), number))
            case (Cast(arg, _),) if is_integer(type_of(arg)):
                found.append((arg, number))
            case _:
                return None
    return found


def _sum(terms: Terms, by: int) -> Polynomial:
    return sum((index(term) * int(number * by) for term, number in terms), Polynomial())

"""Conditions on real numbers that count: `i < n / 2.0` goes on as long as a whole number is not negative."""

from __future__ import annotations

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.arith.rounding import dyadic, over_one
from metalift.ir.expr.nodes import Apply, Call, Cast, Expr, Operator, Var, type_of
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import free_vars
from metalift.synth.derive.normal_terms import index, rounded, total


def whole_slack(op: Operator, left: Expr, right: Expr, counter: Var) -> Polynomial | None:
    """What is not negative as long as left < right, or left <= right, holds, with the part rounded in which the counter is not.
    None where it is not found.
    """
    return _of_counter(op, left, right, counter) or _of_whole_numbers(op, left, right, counter)


def _of_counter(op: Operator, left: Expr, right: Expr, counter: Var) -> Polynomial | None:
    """Of one whole number on one side, and anything on the other."""
    rest, moved = (right, left) if counter in free_vars(left) else (left, right)
    moving = dyadic(moved, counter)
    if moving is None or len(moving) != 1 or abs(moving[0][1]) != 1 or counter in free_vars(rest):
        return None
    (term, sign), strict = moving[0], op is Operator.LT
    rises = (moved is right) == (sign > 0)  # it has to stay above the rest
    bound = _bound(rest if sign > 0 else Apply(Operator.NEG, (rest,)), "ceil" if rises != strict else "floor")
    gap = index(term) - bound if rises else bound - index(term)
    return gap - 1 if strict else gap


def _of_whole_numbers(op: Operator, left: Expr, right: Expr, counter: Var) -> Polynomial | None:
    """All of both sides by what it takes to make them whole."""
    terms = dyadic(Apply(Operator.SUB, (right, left)), counter)
    return None if terms is None else total(over_one(terms)[0]) - (1 if op is Operator.LT else 0)


def _bound(value: Expr, how: str) -> Polynomial:
    found = rounded(value, how)
    return index(Cast(Call(how, (value,), type_of(value)), INT)) if found is None else found

"""How often a loop goes round, from the condition under which it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from metalift.ir.nodes import Apply, Expr, Operator, Var, integer, type_of
from metalift.ir.polynomial import Polynomial
from metalift.ir.types import is_integer
from metalift.ir.walk import free_vars
from metalift.synth.derive.bounds import certain, not_negative
from metalift.synth.derive.terms import compare, exact, index, ite, parts_of


class DoesNotCount(Exception):
    """The condition does not tell how often the loop goes round."""


@dataclass(frozen=True, slots=True)
class Trips:
    """How often a loop goes round: not at all where `count` is negative. It is only so where all of `needs` hold."""

    count: Expr
    needs: tuple[Expr, ...] = ()


def trip_count(goes_on: Expr, counter: Var) -> Trips:
    """The first value of `counter` from 0 on for which the condition fails."""
    parts = parts_of(goes_on)
    counts = [_count(part, counter) for part in parts if counter in free_vars(part)]
    if not counts:
        raise DoesNotCount("the loop's condition does not depend on a counter")
    result = counts[0].count
    for other in counts[1:]:
        result = exact(Apply(Operator.MIN, (result, other.count)))
    for part in parts:
        if counter not in free_vars(part):
            result = ite(part, result, Polynomial().to_expr())
    return Trips(result, counts[0].needs if len(parts) == 1 else ())


def _count(cond: Expr, counter: Var) -> Trips:
    match cond:
        case Apply(Operator.LT, (left, right)) if is_integer(type_of(left)):
            return _until_negative(index(right) - index(left) - 1, counter)
        case Apply(Operator.LE, (left, right)) if is_integer(type_of(left)):
            return _until_negative(index(right) - index(left), counter)
        case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)) if is_integer(type_of(left)):
            return _until_zero(index(right) - index(left), counter)
        case _:
            raise DoesNotCount("the loop goes on for as long as a condition on data holds; loops that count are supported")


def _slope(value: Polynomial, counter: Var) -> tuple[Polynomial, Polynomial]:
    """value = start - fall * counter, with fall > 0 as far as one can see."""
    parts = value.affine_in((counter,))
    if parts is None:
        raise DoesNotCount("the loop's condition is not linear in a counter")
    return parts[1], -parts[0][counter]


def _until_negative(value: Polynomial, counter: Var) -> Trips:
    start, fall = _slope(value, counter)
    if not not_negative(fall - 1, {}) and not not_negative(fall, {}):
        raise DoesNotCount("the loop's counter moves away from its bound")
    return Trips(_ratio(start + fall, fall), _at_least_0(fall - 1))


def _until_zero(value: Polynomial, counter: Var) -> Trips:
    """A loop that ends when a value is exactly 0: it has to start on the right side of it, a whole number of steps away."""
    start, fall = _slope(value, counter)
    if not not_negative(fall, {}):
        start, fall = -start, -fall
    needs = _at_least_0(start) + _at_least_0(fall - 1)
    if fall.constant_value != 1:
        needs += (compare(Operator.EQ, exact(Apply(Operator.FMOD, (start.to_expr(), fall.to_expr()))), integer(0)),)
    return Trips(_ratio(start, fall), needs)


def _at_least_0(value: Polynomial) -> tuple[Expr, ...]:
    least = max(0, -value.constant_term)
    return () if certain(value) else (Apply(Operator.LE, (integer(least), (value + least).to_expr())),)


def _ratio(size: Polynomial, step: Polynomial) -> Expr:
    if step.constant_value == 1:
        return size.to_expr()
    return exact(Apply(Operator.FDIV, (size.to_expr(), step.to_expr())))

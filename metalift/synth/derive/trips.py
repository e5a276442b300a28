"""How often a loop goes round, from the condition under which it goes on."""

from __future__ import annotations

from metalift.ir.nodes import Apply, Expr, Operator, Var, type_of
from metalift.ir.polynomial import Polynomial
from metalift.ir.types import is_integer
from metalift.ir.walk import free_vars
from metalift.synth.derive.bounds import not_negative
from metalift.synth.derive.terms import exact, index, ite


class DoesNotCount(Exception):
    """The condition does not tell how often the loop goes round."""


def trip_count(goes_on: Expr, counter: Var) -> Expr:
    """The first value of `counter` from 0 on for which the condition fails; negative or 0 where it fails at once."""
    parts = goes_on.args if isinstance(goes_on, Apply) and goes_on.op is Operator.AND else (goes_on,)
    counts = [_count(part, counter) for part in parts if counter in free_vars(part)]
    if not counts:
        raise DoesNotCount("the loop's condition does not depend on a counter")
    result = counts[0]
    for other in counts[1:]:
        result = exact(Apply(Operator.MIN, (result, other)))
    for part in parts:
        if counter not in free_vars(part):
            result = ite(part, result, Polynomial().to_expr())
    return result


def _count(cond: Expr, counter: Var) -> Expr:
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


def _until_negative(value: Polynomial, counter: Var) -> Expr:
    start, fall = _slope(value, counter)
    if not not_negative(fall - 1, {}) and not not_negative(fall, {}):
        raise DoesNotCount("the loop's counter moves away from its bound")
    return _ratio(start + fall, fall)


def _until_zero(value: Polynomial, counter: Var) -> Expr:
    start, fall = _slope(value, counter)
    if not_negative(fall, {}):
        return _ratio(start, fall)
    return _ratio(-start, -fall)


def _ratio(size: Polynomial, step: Polynomial) -> Expr:
    if step.constant_value == 1:
        return size.to_expr()
    return exact(Apply(Operator.FDIV, (size.to_expr(), step.to_expr())))

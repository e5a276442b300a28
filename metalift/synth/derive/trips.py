"""How often a loop goes round, from the condition under which it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metalift.ir.arith.intervals import interval
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import TRUE, Apply, Cast, Expr, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, INT32, INT64, RealType, is_integer
from metalift.ir.expr.walk import free_vars
from metalift.synth.derive.bounds import certain, not_negative
from metalift.synth.derive.normal_terms import both, compare, exact, index, ite, parts_of
from metalift.synth.derive.recurrences import fold
from metalift.synth.derive.whole_bounds import whole_slack


class DoesNotCount(Exception):
    """The condition does not tell how often the loop goes round."""


NO_COUNT = (
    "whether the loop goes on is decided by data, or by a number that does not change in equal steps; "
    "counted loops, or a bound beside it, are supported"
)


@dataclass(frozen=True, slots=True)
class Trips:
    """How often a loop goes round: not at all where `count` is negative. It is only so where all of `needs` hold.

    `count` follows from `counted`, a part of the condition. Where the rest of it, `data`, fails first the loop is left earlier.
    """

    count: Expr
    needs: tuple[Expr, ...] = ()
    counted: Expr = TRUE
    data: Expr = TRUE


def trip_count(goes_on: Expr, counter: Var) -> Trips:
    """The first value of `counter` from 0 on for which the condition fails."""
    parts = parts_of(goes_on)
    moving = [part for part in parts if counter in free_vars(part)]
    if not moving:
        raise DoesNotCount("the loop's condition does not depend on a counter")
    bounds = _bounds(moving, counter)
    result = bounds[0][1].count
    for _, other in bounds[1:]:
        result = exact(Apply(Operator.MIN, (result, other.count)))
    counted = [part for part, _ in bounds]
    for part in parts:
        if counter not in free_vars(part):
            result = ite(part, result, Polynomial().to_expr())
            counted.append(part)
    needs = bounds[0][1].needs if len(counted) == 1 else ()
    return Trips(result, needs, both(*counted), both(*(part for part in parts if part not in counted)))


def leading(trips: Trips, acc: Var, binder: Var) -> Expr:
    """How often the loop goes round until `data` fails: a fold that grows as long as it is the number of the iteration.

    It counts in a machine type, as results of operators do: in that of the sizes in the bound.
    """
    if trips.data == TRUE:
        return trips.count
    small = all(interval(var).within(interval(Var("", INT32))) for var in free_vars(trips.count) if is_integer(var.type))
    acc = Var(acc.name, INT32 if small else INT64)
    goes_on = both(Apply(Operator.EQ, (Cast(acc, INT), binder)), trips.data)
    step = ite(goes_on, integer(1, acc.type), integer(0, acc.type))
    return fold(trips.count, integer(0, acc.type), acc, binder, Apply(Operator.ADD, (acc, step)))


def _bounds(parts: Sequence[Expr], counter: Var) -> list[tuple[Expr, Trips]]:
    """The parts of a condition that say how often a loop goes round: those that the counter comes to break, whatever else
    happens, or else one that it has to meet. Raises DoesNotCount where there are none."""
    found: list[tuple[Expr, Trips]] = []
    problem = DoesNotCount(NO_COUNT)
    for part in parts:
        try:
            found.append((part, _count(part, counter)))
        except DoesNotCount as why:
            problem = why
    certain_ones = [each for each in found if not _is_inequality(each[0])]
    if not found:
        raise problem
    return certain_ones or found[:1]


def _is_inequality(part: Expr) -> bool:
    return isinstance(part, Apply) and part.op is Operator.NOT


def _count(cond: Expr, counter: Var) -> Trips:
    match cond:
        case Apply(Operator.LT, (left, right)) if is_integer(type_of(left)):
            return _until_negative(index(right) - index(left) - 1, counter)
        case Apply(Operator.LE, (left, right)) if is_integer(type_of(left)):
            return _until_negative(index(right) - index(left), counter)
        case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)) if is_integer(type_of(left)):
            return _until_zero(index(right) - index(left), counter)
        case Apply(Operator.LT | Operator.LE as op, (left, right)) if isinstance(type_of(left), RealType):
            slack = whole_slack(op, left, right, counter)
            if slack is None:
                raise DoesNotCount(NO_COUNT)
            return _until_negative(slack, counter)
        case _:
            raise DoesNotCount(NO_COUNT)


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

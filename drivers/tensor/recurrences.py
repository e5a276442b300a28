"""Linear recurrences: each value of what there is at its place, and of values before it by fixed factors.

Their meanings are definitions, like all others: no proof assumes anything of a library's filter. What the spellings call beside
the library is in `drivers.tensor.preambles`.
"""

from __future__ import annotations

from metalift.driver import Real, Vec

from .base import driver, spelled


def both(template: str) -> dict[str, str]:
    """The spelling for the libraries that have recurrences."""
    return spelled(numpy=template, jax=template)


# y[i] = x[i] + factor * y[i - 1]


@driver.define(emit=both("_recurrence({x}, [{factor}], [{start}])"), numbers=("factor", "start"), cost=2.0)
def recurrence(x: Vec[Real], factor: Real, start: Real) -> Vec[Real]:
    return [recurrence_end(x[: i + 1], factor, start) for i in range(len(x))]


@driver.define(emit=both("_recurrence({x}, [{factor}], [{start}])[::-1]"), numbers=("factor", "start"), cost=2.5)
def recurrence_turned(x: Vec[Real], factor: Real, start: Real) -> Vec[Real]:
    return [recurrence_end(x[: len(x) - i], factor, start) for i in range(len(x))]


@driver.define(emit=both("_delayed(_recurrence({x}, [{factor}], [{start}]), {start})"), numbers=("factor", "start"), cost=2.5)
def recurrence_before(x: Vec[Real], factor: Real, start: Real) -> Vec[Real]:
    return [recurrence_end(x[:i], factor, start) for i in range(len(x))]


@driver.define(emit=both("_last(_recurrence({x}, [{factor}], [{start}]), {start})"), numbers=("factor", "start"), cost=2.0)
def recurrence_end(x: Vec[Real], factor: Real, start: Real) -> Real:
    for value in x:
        start = value + factor * start
    return start


# y[i] = y[i - 1] + rate * (x[i] - y[i - 1])


@driver.define(emit=both("_approach({x}, {rate}, {start})"), numbers=("rate", "start"), cost=2.0)
def approach(x: Vec[Real], rate: Real, start: Real) -> Vec[Real]:
    return [approach_end(x[: i + 1], rate, start) for i in range(len(x))]


@driver.define(emit=both("_last(_approach({x}, {rate}, {start}), {start})"), numbers=("rate", "start"), cost=2.0)
def approach_end(x: Vec[Real], rate: Real, start: Real) -> Real:
    for value in x:
        start = start + rate * (value - start)
    return start


# y[i] = x[i] + p * y[i - 1] + q * y[i - 2]


@driver.define(emit=both("_recurrence({x}, [{p}, {q}], [{y1}, {y2}])"), numbers=("p", "q", "y1", "y2"), cost=2.0)
def second_order(x: Vec[Real], p: Real, q: Real, y1: Real, y2: Real) -> Vec[Real]:
    return [second_order_end(x[: i + 1], p, q, y1, y2) for i in range(len(x))]


@driver.define(emit=both("_delayed(_recurrence({x}, [{p}, {q}], [{y1}, {y2}]), {y1})"), numbers=("p", "q", "y1", "y2"), cost=2.5)
def second_order_before(x: Vec[Real], p: Real, q: Real, y1: Real, y2: Real) -> Vec[Real]:
    return [second_order_end(x[:i], p, q, y1, y2) for i in range(len(x))]


@driver.define(
    emit=both("_delayed(_delayed(_recurrence({x}, [{p}, {q}], [{y1}, {y2}]), {y1}), {y2})"),
    numbers=("p", "q", "y1", "y2"),
    cost=3.0,
)
def second_order_long_before(x: Vec[Real], p: Real, q: Real, y1: Real, y2: Real) -> Vec[Real]:
    return [second_order_before_end(x[:i], p, q, y1, y2) for i in range(len(x))]


@driver.define(emit=both("_last(_recurrence({x}, [{p}, {q}], [{y1}, {y2}]), {y1})"), numbers=("p", "q", "y1", "y2"), cost=2.0)
def second_order_end(x: Vec[Real], p: Real, q: Real, y1: Real, y2: Real) -> Real:
    for value in x:
        y1, y2 = value + p * y1 + q * y2, y1
    return y1


@driver.define(
    emit=both("_last(_delayed(_recurrence({x}, [{p}, {q}], [{y1}, {y2}]), {y1}), {y2})"),
    numbers=("p", "q", "y1", "y2"),
    cost=2.5,
)
def second_order_before_end(x: Vec[Real], p: Real, q: Real, y1: Real, y2: Real) -> Real:
    for value in x:
        y1, y2 = value + p * y1 + q * y2, y1
    return y2


# Filters in direct form I, which keep inputs and outputs: u has what there is of the input at each place


@driver.define(
    emit=both("_recurrence({u} + {b} * _delayed({x}, {x1}), [{p}], [{y1}])"),
    numbers=("b", "p", "x1", "y1"),
    requires=lambda u, x, b, p, x1, y1: len(x) == len(u),
    cost=2.5,
)
def direct_form(u: Vec[Real], x: Vec[Real], b: Real, p: Real, x1: Real, y1: Real) -> Vec[Real]:
    return [direct_form_end(u[: i + 1], x[: i + 1], b, p, x1, y1) for i in range(len(u))]


def direct_form_end(u: Vec[Real], x: Vec[Real], b: Real, p: Real, x1: Real, y1: Real) -> Real:
    for i in range(len(u)):
        x1, y1 = x[i], u[i] + b * x1 + p * y1
    return y1


@driver.define(
    emit=both(
        "_recurrence({u} + {b} * _delayed({x}, {x1}) + {c} * _delayed(_delayed({x}, {x1}), {x2}), [{p}, {q}], [{y1}, {y2}])"
    ),
    numbers=("b", "c", "p", "q", "x1", "x2", "y1", "y2"),
    requires=lambda u, x, b, c, p, q, x1, x2, y1, y2: len(x) == len(u),
    cost=2.5,
)
def second_order_direct_form(
    u: Vec[Real], x: Vec[Real], b: Real, c: Real, p: Real, q: Real, x1: Real, x2: Real, y1: Real, y2: Real
) -> Vec[Real]:
    return [second_order_direct_form_end(u[: i + 1], x[: i + 1], b, c, p, q, x1, x2, y1, y2) for i in range(len(u))]


def second_order_direct_form_end(
    u: Vec[Real], x: Vec[Real], b: Real, c: Real, p: Real, q: Real, x1: Real, x2: Real, y1: Real, y2: Real
) -> Real:
    for i in range(len(u)):
        x1, x2, y1, y2 = x[i], x1, u[i] + b * x1 + c * x2 + p * y1 + q * y2, y1
    return y1


# Filters in transposed direct form II, which keep two delays: the first one before each step, and both in the end


def first_delay(u: Vec[Real], v: Vec[Real], p: Real, q: Real, z1: Real, z2: Real) -> Real:
    for i in range(len(u)):
        z1, z2 = p * z1 + z2 + u[i], q * z1 + v[i]
    return z1


def second_delay(u: Vec[Real], v: Vec[Real], p: Real, q: Real, z1: Real, z2: Real) -> Real:
    for i in range(len(u)):
        z1, z2 = p * z1 + z2 + u[i], q * z1 + v[i]
    return z2


DELAYS = "_delays({u}, {v}, [{p}, {q}], [{z1}, {z2}])"


@driver.define(
    emit=both(DELAYS + "[0][:-1]"),
    numbers=("p", "q", "z1", "z2"),
    requires=lambda u, v, p, q, z1, z2: len(v) == len(u),
    cost=2.5,
)
def delays(u: Vec[Real], v: Vec[Real], p: Real, q: Real, z1: Real, z2: Real) -> Vec[Real]:
    return [first_delay(u[:i], v[:i], p, q, z1, z2) for i in range(len(u))]


@driver.define(
    emit=both(DELAYS + "[0][-1]"),
    numbers=("p", "q", "z1", "z2"),
    requires=lambda u, v, p, q, z1, z2: len(v) == len(u),
    cost=2.5,
)
def first_delay_end(u: Vec[Real], v: Vec[Real], p: Real, q: Real, z1: Real, z2: Real) -> Real:
    return first_delay(u, v, p, q, z1, z2)


@driver.define(
    emit=both(DELAYS + "[1][-1]"),
    numbers=("p", "q", "z1", "z2"),
    requires=lambda u, v, p, q, z1, z2: len(v) == len(u),
    cost=2.5,
)
def second_delay_end(u: Vec[Real], v: Vec[Real], p: Real, q: Real, z1: Real, z2: Real) -> Real:
    return second_delay(u, v, p, q, z1, z2)

"""Choice, comparison and logic, element by element."""

from __future__ import annotations

from metalift.driver import Bool, Elem, Scalar

from .base import called, driver, spelled


@driver.elementwise(emit=called("where", "{c}, {a}, {b}"), scalars="{a} if {c} else {b}", numbers=("a", "b"))
def where(c: Bool, a: Scalar, b: Scalar) -> Scalar:
    return a if c else b


@driver.elementwise(emit="{a} < {b}", scalars="{a} < {b}")
def less(a: Elem, b: Elem) -> Bool:
    return a < b


@driver.elementwise(emit="{a} > {b}", scalars="{a} > {b}")
def greater(a: Elem, b: Elem) -> Bool:
    return a > b


@driver.elementwise(emit="{a} <= {b}", scalars="{a} <= {b}")
def at_most(a: Elem, b: Elem) -> Bool:
    return a <= b


@driver.elementwise(emit="{a} >= {b}", scalars="{a} >= {b}")
def at_least(a: Elem, b: Elem) -> Bool:
    return a >= b


@driver.elementwise(emit="{a} == {b}", scalars="{a} == {b}")
def equal(a: Scalar, b: Scalar) -> Bool:
    return a == b


@driver.elementwise(emit="{a} != {b}", scalars="{a} != {b}")
def differs(a: Scalar, b: Scalar) -> Bool:
    return a != b


@driver.elementwise(
    emit=spelled(numpy="{a} & {b}", pytorch="{a} & {b}", jax="{a} & {b}", tensorflow="{a} & {b}", mlx="mx.logical_and({a}, {b})"),
    scalars="{a} and {b}",
)
def both_hold(a: Bool, b: Bool) -> Bool:
    return a and b


@driver.elementwise(
    emit=spelled(numpy="{a} | {b}", pytorch="{a} | {b}", jax="{a} | {b}", tensorflow="{a} | {b}", mlx="mx.logical_or({a}, {b})"),
    scalars="{a} or {b}",
)
def either_holds(a: Bool, b: Bool) -> Bool:
    return a or b


@driver.elementwise(emit="~{a}", scalars="not {a}")
def negation(a: Bool) -> Bool:
    return not a

"""Linear recurrences: each value of what there is at its place, and of the values before it by fixed factors.

Their meanings are definitions by recursion on the list, like all others: what a library's filter does is nowhere assumed in a proof.
"""

from __future__ import annotations

from metalift.driver import Real, Vec

from .base import driver, spelled


@driver.define(
    emit=spelled(numpy="_recurrence({x}, {factor}, {start})", jax="_recurrence({x}, {factor}, {start})"),
    numbers=("factor", "start"),
    cost=2.0,
)
def recurrence(x: Vec[Real], factor: Real, start: Real) -> Vec[Real]:
    return [recurrence_end(x[: i + 1], factor, start) for i in range(len(x))]


@driver.define(
    emit=spelled(numpy="_recurrence({x}, {factor}, {start})[::-1]", jax="_recurrence({x}, {factor}, {start})[::-1]"),
    numbers=("factor", "start"),
    cost=2.5,
)
def recurrence_turned(x: Vec[Real], factor: Real, start: Real) -> Vec[Real]:
    return [recurrence_end(x[: len(x) - i], factor, start) for i in range(len(x))]


@driver.define(
    emit=spelled(numpy="_recurrence_end({x}, {factor}, {start})", jax="_recurrence_end({x}, {factor}, {start})"),
    numbers=("factor", "start"),
    cost=2.0,
)
def recurrence_end(x: Vec[Real], factor: Real, start: Real) -> Real:
    for value in x:
        start = value + factor * start
    return start

"""For each element of a collection the place, or the value, of the one of another that has the least of a number.

The other collection goes to every element: it is collected for RDDs, and broadcast for DataFrames.
"""

from __future__ import annotations

from metalift.driver import Beside, Elem, Fn, Integer, Item, To, Vec, convert

from .base import OTHER, VALUE, on, spark

OF_PAIR = f"{{f({VALUE}, {OTHER})}}"


def closest(so_far: Elem, at: To, f: Fn[[Item, Beside], Elem], a: Item, places: Vec[To], y: Vec[Beside]) -> To:
    if not places or not y:
        return at
    better = f(a, y[0]) < so_far
    return closest(min(f(a, y[0]), so_far), places[0] if better else at, f, a, places[1:], y[1:])


@spark.define(
    emit=on("nearest({x}, {y}, {f}, {limit}, {otherwise})", f"nearest({{x}}, {{y}}, {OF_PAIR}, {{limit}}, {{otherwise}})"),
    cost=1.5,
)
def nearest(f: Fn[[Item, Beside], Elem], limit: Elem, otherwise: Integer, x: Vec[Item], y: Vec[Beside]) -> Vec[Integer]:
    return [closest(limit, otherwise, f, a, [convert(j) for j in range(len(y))], y) for a in x]


@spark.define(
    emit=on("nearest_of({x}, {y}, {f})", f"nearest_of({{x}}, {{y}}, {OF_PAIR})"),
    requires=lambda y: len(y) > 0,
    cost=1.4,
)
def nearest_of(f: Fn[[Item, Beside], Elem], x: Vec[Item], y: Vec[Beside]) -> Vec[Integer]:
    return [closest(f(a, y[0]), convert(0), f, a, [convert(j) for j in range(len(y))], y) for a in x]


def lower(f: Fn[[Item, Beside], Elem], a: Item, so_far: Elem, y: Vec[Beside]) -> Elem:
    return so_far if not y else lower(f, a, min(so_far, f(a, y[0])), y[1:])


@spark.define(
    emit=on("lowest_among({x}, {y}, {f}, {limit})", f"lowest_among({{x}}, {{y}}, {OF_PAIR}, {{limit}})"),
    cost=1.5,
)
def lowest_among(f: Fn[[Item, Beside], Elem], limit: Elem, x: Vec[Item], y: Vec[Beside]) -> Vec[Elem]:
    return [lower(f, a, limit, y) for a in x]


@spark.define(
    emit=on("least_among({x}, {y}, {f})", f"least_among({{x}}, {{y}}, {OF_PAIR})"),
    requires=lambda y: len(y) > 0,
    cost=1.5,
)
def least_among(f: Fn[[Item, Beside], Elem], x: Vec[Item], y: Vec[Beside]) -> Vec[Elem]:
    return [lower(f, a, f(a, y[0]), y[1:]) for a in x]

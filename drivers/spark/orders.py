"""Lists in order: sorted by their values or by keys, whole or the first so many of them.

The element at a place is the one that has so many others before it. Of those with equal keys the first comes first, in either
direction, so elements come with their places where they are more than their keys.
"""

from __future__ import annotations

from metalift.driver import Elem, Fn, Item, Other, Size, Vec

from .base import VALUE, on, spark

UP, DOWN = f"F.asc({{f({VALUE})}})", f"F.desc({{f({VALUE})}})"
THEN_UP, THEN_DOWN = f"F.asc({{g({VALUE})}})", f"F.desc({{g({VALUE})}})"
BOTH, FIRST_NEGATED, SECOND_NEGATED = (f"lambda v: ({keys})" for keys in ("{f(v)}, {g(v)}", "-{f(v)}, {g(v)}", "{f(v)}, -{g(v)}"))


def by(*order: str) -> str:
    """Rows in an order of columns, and then in the one that they have."""
    return f"renumbered({{x}}.orderBy({', '.join(order)}, 'i'))"


def first_by(*order: str) -> str:
    """The first rows in such an order."""
    return f"renumbered({{x}}.orderBy({', '.join(order)}, 'i').limit({{count}}))"


# Numbers by themselves


def least_first(x: Vec[Elem], place: Size) -> Elem:
    found = x[place]
    for j in range(len(x)):
        if sum([1 if x[i] < x[j] or (x[i] == x[j] and i < j) else 0 for i in range(len(x))]) == place:
            found = x[j]
    return found


def greatest_first(x: Vec[Elem], place: Size) -> Elem:
    found = x[place]
    for j in range(len(x)):
        if sum([1 if x[i] > x[j] or (x[i] == x[j] and i < j) else 0 for i in range(len(x))]) == place:
            found = x[j]
    return found


@spark.define(emit=on("{x}.sortBy(lambda v: v)", by(VALUE)), cost=4.0)
def ascending(x: Vec[Elem]) -> Vec[Elem]:
    return [least_first(x, place) for place in range(len(x))]


@spark.define(emit=on("{x}.sortBy(lambda v: v, ascending=False)", by(f"F.desc({VALUE})")), cost=4.0)
def descending(x: Vec[Elem]) -> Vec[Elem]:
    return [greatest_first(x, place) for place in range(len(x))]


# By a key


def least_key_first(f: Fn[[Item], Elem], x: Vec[Item], place: Size) -> Item:
    found = x[place]
    for j in range(len(x)):
        if sum([1 if f(x[i]) < f(x[j]) or (f(x[i]) == f(x[j]) and i < j) else 0 for i in range(len(x))]) == place:
            found = x[j]
    return found


def greatest_key_first(f: Fn[[Item], Elem], x: Vec[Item], place: Size) -> Item:
    found = x[place]
    for j in range(len(x)):
        if sum([1 if f(x[i]) > f(x[j]) or (f(x[i]) == f(x[j]) and i < j) else 0 for i in range(len(x))]) == place:
            found = x[j]
    return found


@spark.define(emit=on("ordered({x}, {f})", by(UP)), cost=5.0)
def ascending_by(f: Fn[[Item], Elem], x: Vec[Item]) -> Vec[Item]:
    return [least_key_first(f, x, place) for place in range(len(x))]


@spark.define(
    emit=on("foremost({x}, {count}, {f})", first_by(UP)),
    requires=lambda count: count >= 0,
    cost=3.0,
)
def least_by(f: Fn[[Item], Elem], count: Size, x: Vec[Item]) -> Vec[Item]:
    return [least_key_first(f, x, place) for place in range(min(count, len(x)))]


@spark.define(emit=on("ordered({x}, {f}, ascending=False)", by(DOWN)), cost=5.0)
def descending_by(f: Fn[[Item], Elem], x: Vec[Item]) -> Vec[Item]:
    return [greatest_key_first(f, x, place) for place in range(len(x))]


@spark.define(
    emit=on("foremost({x}, {count}, {f}, ascending=False)", first_by(DOWN)),
    requires=lambda count: count >= 0,
    cost=3.0,
)
def greatest_by(f: Fn[[Item], Elem], count: Size, x: Vec[Item]) -> Vec[Item]:
    return [greatest_key_first(f, x, place) for place in range(min(count, len(x)))]


# By two keys: of those with the same first one, by the second one


def up_up(f: Fn[[Item], Elem], g: Fn[[Item], Other], a: Item, b: Item, closer: bool) -> bool:
    return f(a) < f(b) or (f(a) == f(b) and (g(a) < g(b) or (g(a) == g(b) and closer)))


def up_up_first(f: Fn[[Item], Elem], g: Fn[[Item], Other], x: Vec[Item], place: Size) -> Item:
    found = x[place]
    for j in range(len(x)):
        if sum([1 if up_up(f, g, x[i], x[j], i < j) else 0 for i in range(len(x))]) == place:
            found = x[j]
    return found


@spark.define(emit=on(f"ordered({{x}}, {BOTH})", by(UP, THEN_UP)), cost=5.5)
def by_up_up(f: Fn[[Item], Elem], g: Fn[[Item], Other], x: Vec[Item]) -> Vec[Item]:
    return [up_up_first(f, g, x, place) for place in range(len(x))]


@spark.define(
    emit=on(f"foremost({{x}}, {{count}}, {BOTH})", first_by(UP, THEN_UP)),
    requires=lambda count: count >= 0,
    cost=3.5,
)
def first_by_up_up(f: Fn[[Item], Elem], g: Fn[[Item], Other], count: Size, x: Vec[Item]) -> Vec[Item]:
    return [up_up_first(f, g, x, place) for place in range(min(count, len(x)))]


def up_down(f: Fn[[Item], Elem], g: Fn[[Item], Other], a: Item, b: Item, closer: bool) -> bool:
    return f(a) < f(b) or (f(a) == f(b) and (g(a) > g(b) or (g(a) == g(b) and closer)))


def up_down_first(f: Fn[[Item], Elem], g: Fn[[Item], Other], x: Vec[Item], place: Size) -> Item:
    found = x[place]
    for j in range(len(x)):
        if sum([1 if up_down(f, g, x[i], x[j], i < j) else 0 for i in range(len(x))]) == place:
            found = x[j]
    return found


@spark.define(emit=on(f"ordered({{x}}, {SECOND_NEGATED})", by(UP, THEN_DOWN)), cost=5.5)
def by_up_down(f: Fn[[Item], Elem], g: Fn[[Item], Other], x: Vec[Item]) -> Vec[Item]:
    return [up_down_first(f, g, x, place) for place in range(len(x))]


@spark.define(
    emit=on(f"foremost({{x}}, {{count}}, {SECOND_NEGATED})", first_by(UP, THEN_DOWN)),
    requires=lambda count: count >= 0,
    cost=3.5,
)
def first_by_up_down(f: Fn[[Item], Elem], g: Fn[[Item], Other], count: Size, x: Vec[Item]) -> Vec[Item]:
    return [up_down_first(f, g, x, place) for place in range(min(count, len(x)))]


def down_up(f: Fn[[Item], Elem], g: Fn[[Item], Other], a: Item, b: Item, closer: bool) -> bool:
    return f(a) > f(b) or (f(a) == f(b) and (g(a) < g(b) or (g(a) == g(b) and closer)))


def down_up_first(f: Fn[[Item], Elem], g: Fn[[Item], Other], x: Vec[Item], place: Size) -> Item:
    found = x[place]
    for j in range(len(x)):
        if sum([1 if down_up(f, g, x[i], x[j], i < j) else 0 for i in range(len(x))]) == place:
            found = x[j]
    return found


@spark.define(emit=on(f"ordered({{x}}, {FIRST_NEGATED})", by(DOWN, THEN_UP)), cost=5.5)
def by_down_up(f: Fn[[Item], Elem], g: Fn[[Item], Other], x: Vec[Item]) -> Vec[Item]:
    return [down_up_first(f, g, x, place) for place in range(len(x))]


@spark.define(
    emit=on(f"foremost({{x}}, {{count}}, {FIRST_NEGATED})", first_by(DOWN, THEN_UP)),
    requires=lambda count: count >= 0,
    cost=3.5,
)
def first_by_down_up(f: Fn[[Item], Elem], g: Fn[[Item], Other], count: Size, x: Vec[Item]) -> Vec[Item]:
    return [down_up_first(f, g, x, place) for place in range(min(count, len(x)))]


def down_down(f: Fn[[Item], Elem], g: Fn[[Item], Other], a: Item, b: Item, closer: bool) -> bool:
    return f(a) > f(b) or (f(a) == f(b) and (g(a) > g(b) or (g(a) == g(b) and closer)))


def down_down_first(f: Fn[[Item], Elem], g: Fn[[Item], Other], x: Vec[Item], place: Size) -> Item:
    found = x[place]
    for j in range(len(x)):
        if sum([1 if down_down(f, g, x[i], x[j], i < j) else 0 for i in range(len(x))]) == place:
            found = x[j]
    return found


@spark.define(emit=on(f"ordered({{x}}, {BOTH}, ascending=False)", by(DOWN, THEN_DOWN)), cost=5.5)
def by_down_down(f: Fn[[Item], Elem], g: Fn[[Item], Other], x: Vec[Item]) -> Vec[Item]:
    return [down_down_first(f, g, x, place) for place in range(len(x))]


@spark.define(
    emit=on(f"foremost({{x}}, {{count}}, {BOTH}, ascending=False)", first_by(DOWN, THEN_DOWN)),
    requires=lambda count: count >= 0,
    cost=3.5,
)
def first_by_down_down(f: Fn[[Item], Elem], g: Fn[[Item], Other], count: Size, x: Vec[Item]) -> Vec[Item]:
    return [down_down_first(f, g, x, place) for place in range(min(count, len(x)))]

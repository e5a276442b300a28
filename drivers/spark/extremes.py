"""The greatest and the least of the elements that count, 0 where there are none."""

from __future__ import annotations

from metalift.driver import Beside, Fn, Item, To, Vec, convert

from .base import first, on, partials, spark

MAX_OF = "F.coalesce(F.max(F.when({p(v)}, {f(v)})), F.lit(0))"
MIN_OF = "F.coalesce(F.min(F.when({p(v)}, {f(v)})), F.lit(0))"
MAX_OF_PAIRS = "F.coalesce(F.max(F.when({p(v, w)}, {f(v, w)})), F.lit(0))"
MIN_OF_PAIRS = "F.coalesce(F.min(F.when({p(v, w)}, {f(v, w)})), F.lit(0))"

EVERY_MAX_OF, EVERY_MIN_OF = "F.coalesce(F.max({f(v)}), F.lit(0))", "F.coalesce(F.min({f(v)}), F.lit(0))"
EVERY_MAX_OF_PAIRS, EVERY_MIN_OF_PAIRS = "F.coalesce(F.max({f(v, w)}), F.lit(0))", "F.coalesce(F.min({f(v, w)}), F.lit(0))"

def largest_so_far(seen: bool, so_far: To, p: Fn[[Item], bool], f: Fn[[Item], To], x: Vec[Item]) -> To:
    if not x:
        return so_far
    better = max(so_far, f(x[0])) if seen else f(x[0])
    return largest_so_far(seen or p(x[0]), better if p(x[0]) else so_far, p, f, x[1:])


@spark.define(
    emit=on("largest({x}.filter({p}).map({f}))", first(MAX_OF)),
    partial=partials(
        MAX_OF,
        "-math.inf",
        "max(acc, {f(v)}) if {p(v)} else acc",
        "max(a, b)",
        False,
        nonempty=True,
        always=EVERY_MAX_OF,
        joined="or",
    ),
    cost=1.2,
)
def largest_of(p: Fn[[Item], bool], f: Fn[[Item], To], x: Vec[Item]) -> To:
    return largest_so_far(False, convert(0), p, f, x)


def largest_pair_so_far(
    seen: bool, so_far: To, p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], To], x: Vec[Item], y: Vec[Beside]
) -> To:
    if not x or not y:
        return so_far
    better = max(so_far, f(x[0], y[0])) if seen else f(x[0], y[0])
    return largest_pair_so_far(seen or p(x[0], y[0]), better if p(x[0], y[0]) else so_far, p, f, x[1:], y[1:])


@spark.define(
    emit=on(
        "largest(matched({x}, {y}).values().filter(lambda pair: {p(pair[0], pair[1])}).map(lambda pair: {f(pair[0], pair[1])}))",
        first(MAX_OF_PAIRS),
    ),
    partial=partials(
        MAX_OF_PAIRS,
        "-math.inf",
        "max(acc, {f(v, w)}) if {p(v, w)} else acc",
        "max(a, b)",
        False,
        nonempty=True,
        always=EVERY_MAX_OF_PAIRS,
        joined="or",
    ),
    requires=lambda x, y: len(x) == len(y),
    cost=4.2,
)
def largest_of_pairs(p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], To], x: Vec[Item], y: Vec[Beside]) -> To:
    return largest_pair_so_far(False, convert(0), p, f, x, y)


def smallest_so_far(seen: bool, so_far: To, p: Fn[[Item], bool], f: Fn[[Item], To], x: Vec[Item]) -> To:
    if not x:
        return so_far
    better = min(so_far, f(x[0])) if seen else f(x[0])
    return smallest_so_far(seen or p(x[0]), better if p(x[0]) else so_far, p, f, x[1:])


@spark.define(
    emit=on("smallest({x}.filter({p}).map({f}))", first(MIN_OF)),
    partial=partials(
        MIN_OF,
        "math.inf",
        "min(acc, {f(v)}) if {p(v)} else acc",
        "min(a, b)",
        False,
        nonempty=True,
        always=EVERY_MIN_OF,
        joined="or",
    ),
    cost=1.2,
)
def smallest_of(p: Fn[[Item], bool], f: Fn[[Item], To], x: Vec[Item]) -> To:
    return smallest_so_far(False, convert(0), p, f, x)


def smallest_pair_so_far(
    seen: bool, so_far: To, p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], To], x: Vec[Item], y: Vec[Beside]
) -> To:
    if not x or not y:
        return so_far
    better = min(so_far, f(x[0], y[0])) if seen else f(x[0], y[0])
    return smallest_pair_so_far(seen or p(x[0], y[0]), better if p(x[0], y[0]) else so_far, p, f, x[1:], y[1:])


@spark.define(
    emit=on(
        "smallest(matched({x}, {y}).values().filter(lambda pair: {p(pair[0], pair[1])}).map(lambda pair: {f(pair[0], pair[1])}))",
        first(MIN_OF_PAIRS),
    ),
    partial=partials(
        MIN_OF_PAIRS,
        "math.inf",
        "min(acc, {f(v, w)}) if {p(v, w)} else acc",
        "min(a, b)",
        False,
        nonempty=True,
        always=EVERY_MIN_OF_PAIRS,
        joined="or",
    ),
    requires=lambda x, y: len(x) == len(y),
    cost=4.2,
)
def smallest_of_pairs(p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], To], x: Vec[Item], y: Vec[Beside]) -> To:
    return smallest_pair_so_far(False, convert(0), p, f, x, y)

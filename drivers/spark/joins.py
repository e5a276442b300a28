"""What is computed of two collections by keys: of all pairs with equal keys, and of the elements whose key the other one has.

Without these, what is asked of one collection for each element of another has no spelling: a function of elements cannot reach a
collection. Their costs are below those of what would be nested.
"""

from __future__ import annotations

from metalift.driver import Beside, Fn, Item, Key, Scalar, To, Vec

from .base import on, spark

PAIR, OF_VALUE = "F.col('value'), F.col('other')", "{f(F.col('value'))}"
MATCHES = "matching({x}, {y}, {g(F.col('value'))} == {h(F.col('other'))})"
AMONG = "among({x}, {y}, {g(F.col('value'))} == {h(F.col('other'))})"
BEYOND = "beyond({x}, {y}, {g(F.col('value'))} == {h(F.col('other'))})"
JOINED = "{x}.keyBy({g}).join({y}.keyBy({h})).values()"


def summed(f: str) -> str:
    """The sum of a column."""
    return f"agg(F.coalesce(F.sum({f}), F.lit(0))).first()[0]"


@spark.define(
    emit=on(f"{JOINED}.map(lambda pair: {{f(pair[0], pair[1])}}).sum()", f"{MATCHES}.{summed(f'{{f({PAIR})}}')}"),
)
def total_of_matches(
    f: Fn[[Item, Beside], To], g: Fn[[Item], Scalar], h: Fn[[Beside], Scalar], x: Vec[Item], y: Vec[Beside]
) -> To:
    return sum([sum([f(a, b) if g(a) == h(b) else 0 for b in y]) for a in x])


@spark.define(
    emit=on(
        f"{JOINED}.filter(lambda pair: {{p(pair[0], pair[1])}}).map(lambda pair: {{f(pair[0], pair[1])}}).sum()",
        f"{MATCHES}.filter({{p({PAIR})}}).{summed(f'{{f({PAIR})}}')}",
    ),
    cost=1.1,
)
def total_of_some_matches(
    f: Fn[[Item, Beside], To],
    p: Fn[[Item, Beside], bool],
    g: Fn[[Item], Scalar],
    h: Fn[[Beside], Scalar],
    x: Vec[Item],
    y: Vec[Beside],
) -> To:
    return sum([sum([f(a, b) if p(a, b) and g(a) == h(b) else 0 for b in y]) for a in x])


@spark.define(emit=on(f"{JOINED}.count()", f"{MATCHES}.count()"), cost=0.9)
def count_matches(g: Fn[[Item], Scalar], h: Fn[[Beside], Scalar], x: Vec[Item], y: Vec[Beside]) -> To:
    return sum([sum([1 if g(a) == h(b) else 0 for b in y]) for a in x])


@spark.define(
    emit=on("among({x}, {g}, {y}.map({h})).map({f}).sum()", f"{AMONG}.{summed(OF_VALUE)}"),
)
def total_among(f: Fn[[Item], To], g: Fn[[Item], Scalar], h: Fn[[Beside], Scalar], x: Vec[Item], y: Vec[Beside]) -> To:
    return sum([f(a) if any([h(b) == g(a) for b in y]) else 0 for a in x])


@spark.define(
    emit=on("beyond({x}, {g}, {y}.map({h})).map({f}).sum()", f"{BEYOND}.{summed(OF_VALUE)}"),
)
def total_beyond(f: Fn[[Item], To], g: Fn[[Item], Scalar], h: Fn[[Beside], Scalar], x: Vec[Item], y: Vec[Beside]) -> To:
    return sum([0 if any([h(b) == g(a) for b in y]) else f(a) for a in x])


@spark.define(emit=on("among({x}, {g}, {y}.map({h})).count()", f"{AMONG}.count()"), cost=0.9)
def count_among(g: Fn[[Item], Scalar], h: Fn[[Beside], Scalar], x: Vec[Item], y: Vec[Beside]) -> To:
    return sum([1 if any([h(b) == g(a) for b in y]) else 0 for a in x])


@spark.define(emit=on("beyond({x}, {g}, {y}.map({h})).count()", f"{BEYOND}.count()"), cost=0.9)
def count_beyond(g: Fn[[Item], Scalar], h: Fn[[Beside], Scalar], x: Vec[Item], y: Vec[Beside]) -> To:
    return sum([0 if any([h(b) == g(a) for b in y]) else 1 for a in x])


@spark.define(emit=on("among({x}, {g}, {y}.map({h}))", AMONG))
def filter_among(g: Fn[[Item], Scalar], h: Fn[[Beside], Scalar], x: Vec[Item], y: Vec[Beside]) -> Vec[Item]:
    return [a for a in x if any([h(b) == g(a) for b in y])]


@spark.define(emit=on("beyond({x}, {g}, {y}.map({h}))", BEYOND))
def filter_beyond(g: Fn[[Item], Scalar], h: Fn[[Beside], Scalar], x: Vec[Item], y: Vec[Beside]) -> Vec[Item]:
    return [a for a in x if not any([h(b) == g(a) for b in y])]


@spark.define(
    emit=on("among({x}, {g}, {y}.map({h})).map({f})", f"{AMONG}.select('i', {OF_VALUE}.alias('value'))"),
    cost=1.1,
)
def map_among(f: Fn[[Item], Scalar], g: Fn[[Item], Key], h: Fn[[Beside], Key], x: Vec[Item], y: Vec[Beside]) -> Vec[Scalar]:
    return [f(a) for a in x if any([h(b) == g(a) for b in y])]


@spark.define(
    emit=on("beyond({x}, {g}, {y}.map({h})).map({f})", f"{BEYOND}.select('i', {OF_VALUE}.alias('value'))"),
    cost=1.1,
)
def map_beyond(f: Fn[[Item], Scalar], g: Fn[[Item], Key], h: Fn[[Beside], Key], x: Vec[Item], y: Vec[Beside]) -> Vec[Scalar]:
    return [f(a) for a in x if not any([h(b) == g(a) for b in y])]

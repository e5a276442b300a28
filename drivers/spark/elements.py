"""Collections from collections: each element by itself, and in its place."""

from __future__ import annotations

from metalift.driver import Beside, Fn, Item, Scalar, Size, Vec

from .base import OTHER, PLACE, VALUE, on, spark


@spark.define(emit=on("{x}.map({f})", f"{{x}}.select('i', {{f({VALUE})}}.alias('value'))"))
def map_(f: Fn[[Item], Scalar], x: Vec[Item]) -> Vec[Scalar]:
    return [] if not x else [f(x[0]), *map_(f, x[1:])]


@spark.define(
    emit=on(
        "paired({x}, {y}).map(lambda pair: {f(pair[0], pair[1])})",
        f"paired({{x}}, {{y}}).select('i', {{f({VALUE}, {OTHER})}}.alias('value'))",
    ),
    requires=lambda x, y: len(x) == len(y),
    cost=4.0,
)
def zip_with(f: Fn[[Item, Beside], Scalar], x: Vec[Item], y: Vec[Beside]) -> Vec[Scalar]:
    return [] if not x or not y else [f(x[0], y[0]), *zip_with(f, x[1:], y[1:])]


@spark.define(
    emit=on(
        "{x}.zipWithIndex().map(lambda pair: {f(pair[0], pair[1])})",
        f"{{x}}.select('i', {{f({VALUE}, {PLACE})}}.alias('value'))",
    ),
    counted=("x",),
    cost=2.0,
)
def map_with_place(f: Fn[[Item, Size], Scalar], x: Vec[Item]) -> Vec[Scalar]:
    return [f(x[i], i) for i in range(len(x))]


@spark.define(
    emit=on(
        "{x}.zipWithIndex().filter(lambda pair: {p(pair[0], pair[1])}).map(lambda pair: {f(pair[0], pair[1])})",
        f"{{x}}.filter({{p({VALUE}, {PLACE})}}).select('i', {{f({VALUE}, {PLACE})}}.alias('value'))",
    ),
    counted=("x",),
    cost=2.1,
)
def filter_map_with_place(f: Fn[[Item, Size], Scalar], p: Fn[[Item, Size], bool], x: Vec[Item]) -> Vec[Scalar]:
    return [f(x[i], i) for i in range(len(x)) if p(x[i], i)]


@spark.define(emit=on("{x}.filter({p})", f"{{x}}.filter({{p({VALUE})}})"))
def filter_(p: Fn[[Item], bool], x: Vec[Item]) -> Vec[Item]:
    return [v for v in x if p(v)]


@spark.define(
    emit=on("{x}.filter({p}).map({f})", f"{{x}}.filter({{p({VALUE})}}).select('i', {{f({VALUE})}}.alias('value'))"),
    cost=1.1,
)
def filter_map(f: Fn[[Item], Scalar], p: Fn[[Item], bool], x: Vec[Item]) -> Vec[Scalar]:
    return [f(v) for v in x if p(v)]


@spark.define(
    emit=on("{x}.flatMap(lambda v: [{f(v)}, {g(v)}])", f"flat({{x}}, {{f({VALUE})}}, {{g({VALUE})}})"),
    counted=("x",),
    cost=2.2,
)
def flat_map(f: Fn[[Item], Scalar], g: Fn[[Item], Scalar], x: Vec[Item]) -> Vec[Scalar]:
    return [f(x[i // 2]) if i % 2 == 0 else g(x[i // 2]) for i in range(2 * len(x))]


@spark.define(
    emit=on("{x}.flatMap(lambda v: [{f(v)}, {g(v)}, {h(v)}])", f"flat({{x}}, {{f({VALUE})}}, {{g({VALUE})}}, {{h({VALUE})}})"),
    counted=("x",),
    cost=2.3,
)
def flat_map_of_three(f: Fn[[Item], Scalar], g: Fn[[Item], Scalar], h: Fn[[Item], Scalar], x: Vec[Item]) -> Vec[Scalar]:
    return [f(x[i // 3]) if i % 3 == 0 else g(x[i // 3]) if i % 3 == 1 else h(x[i // 3]) for i in range(3 * len(x))]


@spark.define(
    emit=on(
        "{x}.flatMap(lambda v: [{f(v)}, {g(v)}, {h(v)}, {k(v)}])",
        f"flat({{x}}, {{f({VALUE})}}, {{g({VALUE})}}, {{h({VALUE})}}, {{k({VALUE})}})",
    ),
    counted=("x",),
    cost=2.4,
)
def flat_map_of_four(
    f: Fn[[Item], Scalar], g: Fn[[Item], Scalar], h: Fn[[Item], Scalar], k: Fn[[Item], Scalar], x: Vec[Item]
) -> Vec[Scalar]:
    return [
        f(x[i // 4]) if i % 4 == 0 else g(x[i // 4]) if i % 4 == 1 else h(x[i // 4]) if i % 4 == 2 else k(x[i // 4])
        for i in range(4 * len(x))
    ]

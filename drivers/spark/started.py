"""The greatest and the least of a value to start with and of the elements that count."""

from __future__ import annotations

from metalift.driver import Beside, Fn, Item, Partial, To, Vec

from .base import first, on, spark

OF_PAIRS = "matched({x}, {y}).values().filter(lambda pair: {p(pair[0], pair[1])}).map(lambda pair: {f(pair[0], pair[1])})"


def column(bound: str, aggregate: str, values: str, *, every: bool = False) -> str:
    """The aggregate of columns: of no elements it is NULL, which bounds nothing."""
    counting = f"{{f({values})}}" if every else f"F.when({{p({values})}}, {{f({values})}})"
    return f"F.{bound}(F.{aggregate}({counting}), F.lit({{start}}))"


def from_start(bound: str, aggregate: str, values: str) -> dict[str, Partial]:
    """How it is computed together with others: a bound may be met any number of times."""
    step = f"{aggregate}(acc, {{f({values})}}) if {{p({values})}} else acc"
    every = column(bound, aggregate, values, every=True)
    return {
        "rdd": Partial(step, "{start}", f"{aggregate}(a, b)", False, joined="or"),
        "dataframe": Partial(column(bound, aggregate, values), neutral=False, always=every, joined="or"),
    }


@spark.define(
    emit=on("{x}.filter({p}).map({f}).fold({start}, max)", first(column("greatest", "max", "v"))),
    partial=from_start("greatest", "max", "v"),
    cost=1.2,
)
def greatest_from(p: Fn[[Item], bool], f: Fn[[Item], To], start: To, x: Vec[Item]) -> To:
    return start if not x else greatest_from(p, f, max(start, f(x[0])) if p(x[0]) else start, x[1:])


@spark.define(
    emit=on(f"{OF_PAIRS}.fold({{start}}, max)", first(column("greatest", "max", "v, w"))),
    partial=from_start("greatest", "max", "v, w"),
    requires=lambda x, y: len(x) == len(y),
    cost=4.2,
)
def greatest_pair_from(p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], To], start: To, x: Vec[Item], y: Vec[Beside]) -> To:
    if not x or not y:
        return start
    return greatest_pair_from(p, f, max(start, f(x[0], y[0])) if p(x[0], y[0]) else start, x[1:], y[1:])


@spark.define(
    emit=on("{x}.filter({p}).map({f}).fold({start}, min)", first(column("least", "min", "v"))),
    partial=from_start("least", "min", "v"),
    cost=1.2,
)
def least_from(p: Fn[[Item], bool], f: Fn[[Item], To], start: To, x: Vec[Item]) -> To:
    return start if not x else least_from(p, f, min(start, f(x[0])) if p(x[0]) else start, x[1:])


@spark.define(
    emit=on(f"{OF_PAIRS}.fold({{start}}, min)", first(column("least", "min", "v, w"))),
    partial=from_start("least", "min", "v, w"),
    requires=lambda x, y: len(x) == len(y),
    cost=4.2,
)
def least_pair_from(p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], To], start: To, x: Vec[Item], y: Vec[Beside]) -> To:
    if not x or not y:
        return start
    return least_pair_from(p, f, min(start, f(x[0], y[0])) if p(x[0], y[0]) else start, x[1:], y[1:])

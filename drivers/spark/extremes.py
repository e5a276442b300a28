"""The greatest and the least of the elements that count, 0 where there are none."""

from __future__ import annotations

from metalift.driver import Beside, Fn, Item, Partial, To, Vec, convert

from .base import first, on, partials, spark
from .started import OF_PAIRS


def column(extreme: str, values: str, *, every: bool = False) -> str:
    """The aggregate of columns: of no elements it is NULL."""
    counting = f"{{f({values})}}" if every else f"F.when({{p({values})}}, {{f({values})}})"
    return f"F.coalesce(F.{extreme}({counting}), F.lit(0))"


def together(extreme: str, zero: str, values: str) -> dict[str, Partial]:
    """How it is computed together with others."""
    step = f"{extreme}(acc, {{f({values})}}) if {{p({values})}} else acc"
    always = column(extreme, values, every=True)
    return partials(column(extreme, values), zero, step, f"{extreme}(a, b)", False, nonempty=True, always=always, joined="or")


def largest_so_far(seen: bool, so_far: To, p: Fn[[Item], bool], f: Fn[[Item], To], x: Vec[Item]) -> To:
    if not x:
        return so_far
    better = max(so_far, f(x[0])) if seen else f(x[0])
    return largest_so_far(seen or p(x[0]), better if p(x[0]) else so_far, p, f, x[1:])


@spark.define(
    emit=on("largest({x}.filter({p}).map({f}))", first(column("max", "v"))),
    partial=together("max", "-math.inf", "v"),
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
    emit=on(f"largest({OF_PAIRS})", first(column("max", "v, w"))),
    partial=together("max", "-math.inf", "v, w"),
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
    emit=on("smallest({x}.filter({p}).map({f}))", first(column("min", "v"))),
    partial=together("min", "math.inf", "v"),
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
    emit=on(f"smallest({OF_PAIRS})", first(column("min", "v, w"))),
    partial=together("min", "math.inf", "v, w"),
    requires=lambda x, y: len(x) == len(y),
    cost=4.2,
)
def smallest_of_pairs(p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], To], x: Vec[Item], y: Vec[Beside]) -> To:
    return smallest_pair_so_far(False, convert(0), p, f, x, y)

"""The first and the last of the elements that count, `start` where there are none: their order is that of their places."""

from __future__ import annotations

from metalift.driver import Beside, Fn, Item, Scalar, Vec

from .base import first, on, placed, spark


def alone(function: str, values: str) -> str:
    """The aggregate of a whole list."""
    counting = f"{{p({values})}}"
    return first(f"F.coalesce(F.{function}(F.when({counting}, {{f({values})}}), F.when({counting}, place)), F.lit({{start}}))")


OF_PAIRS = "paired({x}, {y}).filter(lambda pair: {p(pair[0], pair[1])}).map(lambda pair: {f(pair[0], pair[1])})"


def last_so_far(so_far: Scalar, p: Fn[[Item], bool], f: Fn[[Item], Scalar], x: Vec[Item]) -> Scalar:
    return so_far if not x else last_so_far(f(x[0]) if p(x[0]) else so_far, p, f, x[1:])


@spark.define(
    emit=on("latest({x}.filter({p}).map({f}), {start})", alone("max_by", "v")),
    partial=placed("max_by", "-1", "max", "v"),
    cost=1.3,
)
def last_of(p: Fn[[Item], bool], f: Fn[[Item], Scalar], start: Scalar, x: Vec[Item]) -> Scalar:
    return last_so_far(start, p, f, x)


def last_pair_so_far(
    so_far: Scalar, p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], Scalar], x: Vec[Item], y: Vec[Beside]
) -> Scalar:
    return so_far if not x or not y else last_pair_so_far(f(x[0], y[0]) if p(x[0], y[0]) else so_far, p, f, x[1:], y[1:])


@spark.define(
    emit=on(f"latest({OF_PAIRS}, {{start}})", alone("max_by", "v, w")),
    partial=placed("max_by", "-1", "max", "v, w"),
    requires=lambda x, y: len(x) == len(y),
    cost=4.3,
)
def last_of_pairs(
    p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], Scalar], start: Scalar, x: Vec[Item], y: Vec[Beside]
) -> Scalar:
    return last_pair_so_far(start, p, f, x, y)


def first_so_far(seen: bool, so_far: Scalar, p: Fn[[Item], bool], f: Fn[[Item], Scalar], x: Vec[Item]) -> Scalar:
    if not x:
        return so_far
    kept = so_far if seen else f(x[0])
    return first_so_far(seen or p(x[0]), kept if p(x[0]) else so_far, p, f, x[1:])


@spark.define(
    emit=on("earliest({x}.filter({p}).map({f}), {start})", alone("min_by", "v")),
    partial=placed("min_by", "math.inf", "min", "v"),
    cost=1.3,
)
def first_of(p: Fn[[Item], bool], f: Fn[[Item], Scalar], start: Scalar, x: Vec[Item]) -> Scalar:
    return first_so_far(False, start, p, f, x)


def first_pair_so_far(
    seen: bool, so_far: Scalar, p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], Scalar], x: Vec[Item], y: Vec[Beside]
) -> Scalar:
    if not x or not y:
        return so_far
    kept = so_far if seen else f(x[0], y[0])
    return first_pair_so_far(seen or p(x[0], y[0]), kept if p(x[0], y[0]) else so_far, p, f, x[1:], y[1:])


@spark.define(
    emit=on(f"earliest({OF_PAIRS}, {{start}})", alone("min_by", "v, w")),
    partial=placed("min_by", "math.inf", "min", "v, w"),
    requires=lambda x, y: len(x) == len(y),
    cost=4.3,
)
def first_of_pairs(
    p: Fn[[Item, Beside], bool], f: Fn[[Item, Beside], Scalar], start: Scalar, x: Vec[Item], y: Vec[Beside]
) -> Scalar:
    return first_pair_so_far(False, start, p, f, x, y)

"""How many values elements have: those of elements before which none has the same one."""

from __future__ import annotations

from metalift.driver import Fn, Item, Scalar, To, Vec

from .base import VALUE, on, spark


@spark.define(
    emit=on("{x}.map({f}).distinct().count()", f"{{x}}.select({{f({VALUE})}}).distinct().count()"),
    cost=1.2,
)
def count_distinct(f: Fn[[Item], Scalar], x: Vec[Item]) -> To:
    return sum([0 if any([f(x[j]) == f(x[i]) for j in range(i)]) else 1 for i in range(len(x))])

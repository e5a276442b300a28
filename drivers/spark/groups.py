"""One value of all groups of a collection, which are its elements with equal keys.

`k` is the key of an element, `p` says whether the group with its key counts, and `f` is the value of that group: both are values
of the collection that depend on the element by its key alone. Of the elements with one key the first stands for the group.
"""

from __future__ import annotations

from metalift.driver import Fn, Item, Scalar, To, Vec, convert

from .base import on, spark

GROUPS = ("k", "p", "f")


def aggregated(aggregate: str) -> str:
    """An aggregate of the column of the groups' values, by itself."""
    return f"{{x}}.agg({aggregate}).first()[0]"


@spark.define(
    emit=on("{x}.sum()", aggregated("F.coalesce(F.sum('value'), F.lit(0))")),
    groups=GROUPS,
    cost=1.1,
)
def total_of_groups(k: Fn[[Item], Scalar], p: Fn[[Item], bool], f: Fn[[Item], To], x: Vec[Item]) -> To:
    return sum([0 if any([k(x[j]) == k(x[i]) for j in range(i)]) else f(x[i]) if p(x[i]) else 0 for i in range(len(x))])


@spark.define(emit=on("{x}.count()", "{x}.count()"), groups=GROUPS[:2])
def count_groups(k: Fn[[Item], Scalar], p: Fn[[Item], bool], x: Vec[Item]) -> To:
    return sum([0 if any([k(x[j]) == k(x[i]) for j in range(i)]) else 1 if p(x[i]) else 0 for i in range(len(x))])


@spark.define(
    emit=on("{x}.fold({start}, max)", aggregated("F.greatest(F.max('value'), F.lit({start}))")),
    groups=GROUPS,
)
def greatest_of_groups(k: Fn[[Item], Scalar], p: Fn[[Item], bool], f: Fn[[Item], To], start: To, x: Vec[Item]) -> To:
    for i in range(len(x)):
        if not any([k(x[j]) == k(x[i]) for j in range(i)]):
            start = max(start, f(x[i])) if p(x[i]) else start
    return start


@spark.define(
    emit=on("{x}.fold({start}, min)", aggregated("F.least(F.min('value'), F.lit({start}))")),
    groups=GROUPS,
)
def least_of_groups(k: Fn[[Item], Scalar], p: Fn[[Item], bool], f: Fn[[Item], To], start: To, x: Vec[Item]) -> To:
    for i in range(len(x)):
        if not any([k(x[j]) == k(x[i]) for j in range(i)]):
            start = min(start, f(x[i])) if p(x[i]) else start
    return start


@spark.define(
    emit=on("largest({x})", aggregated("F.coalesce(F.max('value'), F.lit(0))")),
    groups=GROUPS,
)
def largest_of_groups(k: Fn[[Item], Scalar], p: Fn[[Item], bool], f: Fn[[Item], To], x: Vec[Item]) -> To:
    seen, so_far = False, convert(0)
    for i in range(len(x)):
        if not any([k(x[j]) == k(x[i]) for j in range(i)]):
            if p(x[i]):
                so_far = max(so_far, f(x[i])) if seen else f(x[i])
                seen = True
    return so_far


@spark.define(
    emit=on("smallest({x})", aggregated("F.coalesce(F.min('value'), F.lit(0))")),
    groups=GROUPS,
)
def smallest_of_groups(k: Fn[[Item], Scalar], p: Fn[[Item], bool], f: Fn[[Item], To], x: Vec[Item]) -> To:
    seen, so_far = False, convert(0)
    for i in range(len(x)):
        if not any([k(x[j]) == k(x[i]) for j in range(i)]):
            if p(x[i]):
                so_far = min(so_far, f(x[i])) if seen else f(x[i])
                seen = True
    return so_far


@spark.define(
    emit=on("not {x}.isEmpty()", "not {x}.isEmpty()"),
    groups=GROUPS[:2],
    cost=1.1,
)
def some_group(k: Fn[[Item], Scalar], p: Fn[[Item], bool], x: Vec[Item]) -> bool:
    return any([not any([k(x[j]) == k(x[i]) for j in range(i)]) and p(x[i]) for i in range(len(x))])

"""Lists that have a value at each place, of the elements that belong there: histograms, and sums by small numbers.

Elements that belong to no place are left out.
"""

from __future__ import annotations

from metalift.driver import Beside, Fn, Int, Item, Size, To, Vec

from .base import OTHER, VALUE, on, spark


@spark.define(
    emit=on(
        "by_place({x}.map(lambda v: ({p(v)}, 1)), {size})",
        f"by_place({{x}}, {{p({VALUE})}}, F.count(F.lit(1)), {{size}})",
    ),
)
def histogram(p: Fn[[Item], Int], x: Vec[Item], size: Size) -> Vec[To]:
    return [sum([1 if p(v) == place else 0 for v in x]) for place in range(size)]


@spark.define(
    emit=on(
        "by_place({x}.map(lambda v: ({p(v)}, {f(v)})), {size})",
        f"by_place({{x}}, {{p({VALUE})}}, F.sum({{f({VALUE})}}), {{size}})",
    ),
    cost=1.1,
)
def totals_by_place(f: Fn[[Item], To], p: Fn[[Item], Int], x: Vec[Item], size: Size) -> Vec[To]:
    return [sum([f(v) if p(v) == place else 0 for v in x]) for place in range(size)]


@spark.define(
    emit=on(
        "by_place({x}.filter({q}).map(lambda v: ({p(v)}, {f(v)})), {size})",
        f"by_place({{x}}.filter({{q({VALUE})}}), {{p({VALUE})}}, F.sum({{f({VALUE})}}), {{size}})",
    ),
    cost=1.2,
)
def totals_of_some_by_place(f: Fn[[Item], To], q: Fn[[Item], bool], p: Fn[[Item], Int], x: Vec[Item], size: Size) -> Vec[To]:
    return [sum([f(v) if q(v) and p(v) == place else 0 for v in x]) for place in range(size)]


@spark.define(
    emit=on(
        "by_place(matched({x}, {y}).values().map(lambda pair: ({p(pair[0], pair[1])}, {f(pair[0], pair[1])})), {size})",
        f"by_place(paired({{x}}, {{y}}), {{p({VALUE}, {OTHER})}}, F.sum({{f({VALUE}, {OTHER})}}), {{size}})",
    ),
    requires=lambda x, y: len(x) == len(y),
    cost=4.1,
)
def totals_of_pairs_by_place(
    f: Fn[[Item, Beside], To], p: Fn[[Item, Beside], Int], x: Vec[Item], y: Vec[Beside], size: Size
) -> Vec[To]:
    return [sum([f(x[i], y[i]) if p(x[i], y[i]) == place else 0 for i in range(len(x))]) for place in range(size)]


@spark.define(
    emit=on(
        "added_by_place({start}, {x}.map(lambda v: ({p(v)}, {f(v)})))",
        f"added_by_place({{start}}, {{x}}, {{p({VALUE})}}, F.sum({{f({VALUE})}}))",
    ),
    cost=2.0,
)
def added_by_place(f: Fn[[Item], To], p: Fn[[Item], Int], x: Vec[Item], start: Vec[To]) -> Vec[To]:
    return [start[place] + sum([f(v) if p(v) == place else 0 for v in x]) for place in range(len(start))]

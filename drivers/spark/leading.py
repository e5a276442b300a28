"""A value of the element that counts and has the greatest or the least of another value, the first or the last of these.

`bound` is what the other value is compared with before there is one, which decides nothing.
"""

from __future__ import annotations

from metalift.driver import Fn, Item, Other, Partial, Scalar, Vec

from .base import first, on, spark


def leader(extreme: str, place: str) -> dict[str, Partial]:
    """The value of the element with the extreme pair of the other value and of its `place`, which no two elements share."""
    bound = "-math.inf" if extreme == "max" else "math.inf"
    kept = f"{extreme}(acc, ({{g(v)}}, {place}, {{f(v)}})) if {{p(v)}} else acc"
    rdd = Partial(kept, f"({bound}, 0, 0)", f"{extreme}(a, b)", False, nonempty=True, placed=True, shown="{x}[2]", joined="or")
    column, every = f"F.{extreme}_by({counting(place)})", f"F.{extreme}_by({{f(v)}}, F.struct({{g(v)}}, {place}))"
    return {"rdd": rdd, "dataframe": Partial(column, neutral=False, nonempty=True, always=every, placed=True, joined="or")}


def counting(place: str) -> str:
    """The value and the pair in columns, NULL where an element does not count."""
    return f"F.when({{p(v)}}, {{f(v)}}), F.when({{p(v)}}, F.struct({{g(v)}}, {place}))"


def alone(extreme: str, place: str) -> dict[str, str]:
    """The value for a whole list."""
    aggregate = first(f"F.coalesce(F.{extreme}_by({counting(place)}), F.lit({{start}}))")
    sign = "-1" if place.startswith("-") else "1"
    return on(f"with_{extreme}({{x}}.filter({{p}}).map(lambda v: ({{g(v)}}, {{f(v)}})), {sign}, {{start}})", aggregate)


def greatest_first(
    seen: bool, bound: Other, so_far: Scalar, p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], x: Vec[Item]
) -> Scalar:
    if not x:
        return so_far
    best = max(bound, g(x[0])) if seen else g(x[0])
    leads = (f(x[0]) if bound < g(x[0]) else so_far) if seen else f(x[0])
    return greatest_first(seen or p(x[0]), best if p(x[0]) else bound, leads if p(x[0]) else so_far, p, f, g, x[1:])


@spark.define(emit=alone("max", "-place"), partial=leader("max", "-place"), cost=1.4)
def with_greatest(
    p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], bound: Other, start: Scalar, x: Vec[Item]
) -> Scalar:
    return greatest_first(False, bound, start, p, f, g, x)


def greatest_last(
    seen: bool, bound: Other, so_far: Scalar, p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], x: Vec[Item]
) -> Scalar:
    if not x:
        return so_far
    best = max(bound, g(x[0])) if seen else g(x[0])
    leads = (f(x[0]) if bound <= g(x[0]) else so_far) if seen else f(x[0])
    return greatest_last(seen or p(x[0]), best if p(x[0]) else bound, leads if p(x[0]) else so_far, p, f, g, x[1:])


@spark.define(emit=alone("max", "place"), partial=leader("max", "place"), cost=1.4)
def with_greatest_last(
    p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], bound: Other, start: Scalar, x: Vec[Item]
) -> Scalar:
    return greatest_last(False, bound, start, p, f, g, x)


def least_first(
    seen: bool, bound: Other, so_far: Scalar, p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], x: Vec[Item]
) -> Scalar:
    if not x:
        return so_far
    best = min(bound, g(x[0])) if seen else g(x[0])
    leads = (f(x[0]) if g(x[0]) < bound else so_far) if seen else f(x[0])
    return least_first(seen or p(x[0]), best if p(x[0]) else bound, leads if p(x[0]) else so_far, p, f, g, x[1:])


@spark.define(emit=alone("min", "place"), partial=leader("min", "place"), cost=1.4)
def with_least(
    p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], bound: Other, start: Scalar, x: Vec[Item]
) -> Scalar:
    return least_first(False, bound, start, p, f, g, x)


def least_last(
    seen: bool, bound: Other, so_far: Scalar, p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], x: Vec[Item]
) -> Scalar:
    if not x:
        return so_far
    best = min(bound, g(x[0])) if seen else g(x[0])
    leads = (f(x[0]) if g(x[0]) <= bound else so_far) if seen else f(x[0])
    return least_last(seen or p(x[0]), best if p(x[0]) else bound, leads if p(x[0]) else so_far, p, f, g, x[1:])


@spark.define(emit=alone("min", "-place"), partial=leader("min", "-place"), cost=1.4)
def with_least_last(
    p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], bound: Other, start: Scalar, x: Vec[Item]
) -> Scalar:
    return least_last(False, bound, start, p, f, g, x)


# With a bound that an element has to be better than, or as good as, to count


def bounded(extreme: str, better: str, place: str) -> dict[str, Partial]:
    """The same where the bound and the value to start with are those of one more element, before the others or behind them."""
    before = "1" if place.startswith("-") else "-1"
    kept = f"{extreme}(acc, ({{g(v)}}, {place}, {{f(v)}})) if {{p(v)}} else acc"
    rdd = Partial(kept, f"({{bound}}, {before}, {{start}})", f"{extreme}(a, b)", False, placed=True, shown="{x}[2]", joined="or")
    column, every = leads(extreme, better, place), leads(extreme, better, place, every=True)
    return {"rdd": rdd, "dataframe": Partial(column, neutral=False, always=every, placed=True, joined="or")}


def leads(extreme: str, better: str, place: str, *, every: bool = False) -> str:
    """The value in columns, `start` where no element is better than the bound."""
    counts = f"{{g(v)}} {better} F.lit({{bound}})"
    counts = counts if every else f"{{p(v)}} & ({counts})"
    found = f"F.{extreme}_by(F.when({counts}, {{f(v)}}), F.when({counts}, F.struct({{g(v)}}, {place})))"
    return f"F.coalesce({found}, F.lit({{start}}))"


def alone_bounded(extreme: str, better: str, place: str) -> dict[str, str]:
    """The value for a whole list."""
    sign = "-1" if place.startswith("-") else "1"
    counting = f"{{x}}.filter(lambda v: {{p(v)}} and {{g(v)}} {better} {{bound}})"
    values = f"with_{extreme}({counting}.map(lambda v: ({{g(v)}}, {{f(v)}})), {sign}, {{start}})"
    return on(values, first(leads(extreme, better, place)))


@spark.define(emit=alone_bounded("max", ">", "-place"), partial=bounded("max", ">", "-place"), cost=1.4)
def with_greatest_from(
    p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], bound: Other, start: Scalar, x: Vec[Item]
) -> Scalar:
    if not x:
        return start
    best = max(bound, g(x[0]))
    leads = f(x[0]) if bound < g(x[0]) else start
    return with_greatest_from(p, f, g, best if p(x[0]) else bound, leads if p(x[0]) else start, x[1:])


@spark.define(emit=alone_bounded("max", ">=", "place"), partial=bounded("max", ">=", "place"), cost=1.4)
def with_greatest_last_from(
    p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], bound: Other, start: Scalar, x: Vec[Item]
) -> Scalar:
    if not x:
        return start
    best = max(bound, g(x[0]))
    leads = f(x[0]) if bound <= g(x[0]) else start
    return with_greatest_last_from(p, f, g, best if p(x[0]) else bound, leads if p(x[0]) else start, x[1:])


@spark.define(emit=alone_bounded("min", "<", "place"), partial=bounded("min", "<", "place"), cost=1.4)
def with_least_from(
    p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], bound: Other, start: Scalar, x: Vec[Item]
) -> Scalar:
    if not x:
        return start
    best = min(bound, g(x[0]))
    leads = f(x[0]) if g(x[0]) < bound else start
    return with_least_from(p, f, g, best if p(x[0]) else bound, leads if p(x[0]) else start, x[1:])


@spark.define(emit=alone_bounded("min", "<=", "-place"), partial=bounded("min", "<=", "-place"), cost=1.4)
def with_least_last_from(
    p: Fn[[Item], bool], f: Fn[[Item], Scalar], g: Fn[[Item], Other], bound: Other, start: Scalar, x: Vec[Item]
) -> Scalar:
    if not x:
        return start
    best = min(bound, g(x[0]))
    leads = f(x[0]) if g(x[0]) <= bound else start
    return with_least_last_from(p, f, g, best if p(x[0]) else bound, leads if p(x[0]) else start, x[1:])

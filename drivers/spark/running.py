"""What elements are beside those before them that have the same key: the first with each, running totals, the previous one."""

from __future__ import annotations

from metalift.driver import Beside, Fn, Item, Key, Scalar, Size, To, Vec

from .base import OTHER, VALUE, on, spark

OVER = f"{{g({VALUE})}}"
WINDOW = f"Window.partitionBy({OVER}).orderBy('i')"
EARLIER = f"{WINDOW}.rowsBetween(Window.unboundedPreceding, -1)"
TOTAL = f"F.sum({{f({VALUE})}})"
BEFORE = f"F.lag({{f({VALUE})}}).over({WINDOW})"


def along(values: str, column: str) -> dict[str, str]:
    """A value of each element `v` and of what is there: `t` in `values` of the elements `vs` with its key, and a column."""
    pairs = f"({{h(v, t)}} for v, t in zip(vs, {values}))"
    there = f"{{x}}.withColumn('there', {column}).select('i', {{h({VALUE}, F.col('there'))}}.alias('value'))"
    return on(f"along({{x}}, {{g}}, lambda vs: {pairs})", there)


def along_both(values: str, column: str) -> dict[str, str]:
    """The same of elements of two lists side by side, which `v` is a pair of."""
    pairs = f"({{h(v[0], v[1], t)}} for v, t in zip(vs, {values}))"
    both = "paired({x}, {y})"
    there = f"{both}.withColumn('there', {column}).select('i', {{h({VALUE}, {OTHER}, F.col('there'))}}.alias('value'))"
    return on(f"along({both}, lambda v: {{g(v[0], v[1])}}, lambda vs: {pairs})", there)


# The first element with each key


@spark.define(emit=on("first_of_each({x}, {g})", f"first_of_each({{x}}, {OVER})"), cost=1.5)
def first_of_each(g: Fn[[Item], Key], x: Vec[Item]) -> Vec[Item]:
    return [x[i] for i in range(len(x)) if not any([g(x[j]) == g(x[i]) for j in range(i)])]


@spark.define(
    emit=on("first_of_each({x}, {g}).map({f})", f"first_of_each({{x}}, {OVER}).select('i', {{f({VALUE})}}.alias('value'))"),
    cost=1.6,
)
def map_first_of_each(f: Fn[[Item], Scalar], g: Fn[[Item], Key], x: Vec[Item]) -> Vec[Scalar]:
    return [f(x[i]) for i in range(len(x)) if not any([g(x[j]) == g(x[i]) for j in range(i)])]


@spark.define(
    emit=on(
        "first_of_each({x}.filter({p}), {g}).map({f})",
        f"first_of_each({{x}}.filter({{p({VALUE})}}), {OVER}).select('i', {{f({VALUE})}}.alias('value'))",
    ),
    cost=1.7,
)
def map_first_of_each_of_some(f: Fn[[Item], Scalar], p: Fn[[Item], bool], g: Fn[[Item], Key], x: Vec[Item]) -> Vec[Scalar]:
    return [f(x[i]) for i in range(len(x)) if p(x[i]) and not any([p(x[j]) and g(x[j]) == g(x[i]) for j in range(i)])]


# Running totals, with the element itself and without it


@spark.define(
    emit=on(
        "along({x}, {g}, lambda vs: accumulate({f(v)} for v in vs))",
        f"{{x}}.select('i', {TOTAL}.over({WINDOW}).alias('value'))",
    ),
    cost=1.3,
)
def totals_so_far(f: Fn[[Item], To], g: Fn[[Item], Key], x: Vec[Item]) -> Vec[To]:
    return [sum([f(x[j]) if g(x[j]) == g(x[i]) else 0 for j in range(i + 1)]) for i in range(len(x))]


@spark.define(emit=along("accumulate({f(v)} for v in vs)", f"{TOTAL}.over({WINDOW})"), cost=1.4)
def map_with_totals_so_far(h: Fn[[Item, To], Scalar], f: Fn[[Item], To], g: Fn[[Item], Key], x: Vec[Item]) -> Vec[Scalar]:
    return [h(x[i], sum([f(x[j]) if g(x[j]) == g(x[i]) else 0 for j in range(i + 1)])) for i in range(len(x))]


@spark.define(
    emit=along("accumulate(({f(v)} for v in vs), initial=0)", f"F.coalesce({TOTAL}.over({EARLIER}), F.lit(0))"),
    cost=1.4,
)
def map_with_totals_before(h: Fn[[Item, To], Scalar], f: Fn[[Item], To], g: Fn[[Item], Key], x: Vec[Item]) -> Vec[Scalar]:
    return [h(x[i], sum([f(x[j]) if g(x[j]) == g(x[i]) else 0 for j in range(i)])) for i in range(len(x))]


@spark.define(
    emit=along(
        "(max({start}, t) for t in accumulate(({f(v)} for v in vs), max))",
        f"F.greatest(F.max({{f({VALUE})}}).over({WINDOW}), F.lit({{start}}))",
    ),
    cost=1.4,
)
def map_with_greatest_so_far(
    h: Fn[[Item, To], Scalar], f: Fn[[Item], To], g: Fn[[Item], Key], start: To, x: Vec[Item]
) -> Vec[Scalar]:
    return [h(x[i], greatest(f, g, start, x, i + 1)) for i in range(len(x))]


def greatest(f: Fn[[Item], To], g: Fn[[Item], Key], start: To, x: Vec[Item], count: Size) -> To:
    found = start
    for j in range(count):
        if g(x[j]) == g(x[count - 1]):
            found = max(found, f(x[j]))
    return found


# The previous element with the same key


def previous(f: Fn[[Item], To], g: Fn[[Item], Key], start: To, x: Vec[Item], place: Size) -> To:
    found = start
    for j in range(place):
        if g(x[j]) == g(x[place]):
            found = f(x[j])
    return found


@spark.define(emit=along("[{start}, *({f(v)} for v in vs)]", f"F.coalesce({BEFORE}, F.lit({{start}}))"), cost=1.5)
def map_with_previous(
    h: Fn[[Item, To], Scalar], f: Fn[[Item], To], g: Fn[[Item], Key], start: To, x: Vec[Item]
) -> Vec[Scalar]:
    return [h(x[i], previous(f, g, start, x, i)) for i in range(len(x))]


@spark.define(
    emit=on(
        "along({x}, {g}, lambda vs: [(False, 0), *((True, {h(v, t)}) for v, t in zip(vs[1:], ({f(v)} for v in vs)))])"
        ".filter(lambda pair: pair[0]).values()",
        f"{{x}}.withColumn('before', {BEFORE}).filter(F.col('before').isNotNull())"
        f".select('i', {{h({VALUE}, F.col('before'))}}.alias('value'))",
    ),
    cost=1.6,
)
def map_those_with_previous(
    h: Fn[[Item, To], Scalar], f: Fn[[Item], To], g: Fn[[Item], Key], start: To, x: Vec[Item]
) -> Vec[Scalar]:
    return [h(x[i], previous(f, g, start, x, i)) for i in range(len(x)) if any([g(x[j]) == g(x[i]) for j in range(i)])]


@spark.define(
    emit=on(
        "along({x}, {g}, lambda vs: [{e(vs[0])}, *({h(v, t)} for v, t in zip(vs[1:], ({f(v)} for v in vs)))])",
        f"{{x}}.withColumn('before', {BEFORE}).select('i', F.when(F.col('before').isNotNull(), {{h({VALUE}, F.col('before'))}})"
        f".otherwise({{e({VALUE})}}).alias('value'))",
    ),
    cost=1.6,
)
def map_by_previous(
    h: Fn[[Item, To], Scalar], e: Fn[[Item], Scalar], f: Fn[[Item], To], g: Fn[[Item], Key], start: To, x: Vec[Item]
) -> Vec[Scalar]:
    return [
        h(x[i], previous(f, g, start, x, i)) if any([g(x[j]) == g(x[i]) for j in range(i)]) else e(x[i]) for i in range(len(x))
    ]


# Of two lists side by side

BOTH_OVER = f"Window.partitionBy({{g({VALUE}, {OTHER})}}).orderBy('i')"
BOTH_TOTAL = f"F.sum({{f({VALUE}, {OTHER})}}).over({BOTH_OVER})"
BOTH_BEFORE = f"F.coalesce(F.lag({{f({VALUE}, {OTHER})}}).over({BOTH_OVER}), F.lit({{start}}))"
BOTH_VALUES = "({f(v[0], v[1])} for v in vs)"


@spark.define(
    emit=on(
        f"along(paired({{x}}, {{y}}), lambda v: {{g(v[0], v[1])}}, lambda vs: accumulate({BOTH_VALUES}))",
        f"paired({{x}}, {{y}}).select('i', {BOTH_TOTAL}.alias('value'))",
    ),
    requires=lambda x, y: len(x) == len(y),
    cost=1.3,
)
def totals_so_far_of_pairs(f: Fn[[Item, Beside], To], g: Fn[[Item, Beside], Key], x: Vec[Item], y: Vec[Beside]) -> Vec[To]:
    return [sum([f(x[j], y[j]) if g(x[j], y[j]) == g(x[i], y[i]) else 0 for j in range(i + 1)]) for i in range(len(x))]


@spark.define(
    emit=along_both(f"accumulate({BOTH_VALUES})", BOTH_TOTAL),
    requires=lambda x, y: len(x) == len(y),
    cost=1.4,
)
def map_pairs_with_totals_so_far(
    h: Fn[[Item, Beside, To], Scalar], f: Fn[[Item, Beside], To], g: Fn[[Item, Beside], Key], x: Vec[Item], y: Vec[Beside]
) -> Vec[Scalar]:
    return [
        h(x[i], y[i], sum([f(x[j], y[j]) if g(x[j], y[j]) == g(x[i], y[i]) else 0 for j in range(i + 1)]))
        for i in range(len(x))
    ]


def previous_pair(
    f: Fn[[Item, Beside], To], g: Fn[[Item, Beside], Key], start: To, x: Vec[Item], y: Vec[Beside], place: Size
) -> To:
    found = start
    for j in range(place):
        if g(x[j], y[j]) == g(x[place], y[place]):
            found = f(x[j], y[j])
    return found


@spark.define(
    emit=along_both("[{start}, *({f(v[0], v[1])} for v in vs)]", BOTH_BEFORE),
    requires=lambda x, y: len(x) == len(y),
    cost=1.5,
)
def map_pairs_with_previous(
    h: Fn[[Item, Beside, To], Scalar],
    f: Fn[[Item, Beside], To],
    g: Fn[[Item, Beside], Key],
    start: To,
    x: Vec[Item],
    y: Vec[Beside],
) -> Vec[Scalar]:
    return [h(x[i], y[i], previous_pair(f, g, start, x, y, i)) for i in range(len(x))]

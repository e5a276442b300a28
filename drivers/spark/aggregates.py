"""One value of a whole collection: what Spark computes for each partition and then combines, in whatever order."""

from __future__ import annotations

from metalift.driver import Beside, Elem, Fn, Item, Other, To, Vec

from .base import first, on, partials, spark

# What has no elements gives NULL in an aggregate of columns.
SUM = "F.coalesce(F.sum(v), F.lit(0))"
SUM_OF = "F.coalesce(F.sum({f(v)}), F.lit(0))"
SUM_OF_PAIRS = "F.coalesce(F.sum({f(v, w)}), F.lit(0))"
COUNT, ROWS = "F.count_if({p(v)})", "F.count(F.lit(1))"
GREATEST, LEAST = "F.max(v)", "F.min(v)"
COUNT_PAIRS = "F.count_if({p(v, w)})"
SOME_PAIRS = "F.coalesce(F.bool_or({p(v, w)}), F.lit(False))"
EVERY_PAIR = "F.coalesce(F.bool_and({p(v, w)}), F.lit(True))"
SOME, EVERY = "F.coalesce(F.bool_or({p(v)}), F.lit(False))", "F.coalesce(F.bool_and({p(v)}), F.lit(True))"


def greater(so_far: Elem, x: Vec[Elem]) -> Elem:
    return so_far if not x else greater(max(so_far, x[0]), x[1:])


def lesser(so_far: Elem, x: Vec[Elem]) -> Elem:
    return so_far if not x else lesser(min(so_far, x[0]), x[1:])


@spark.define(emit=on("{x}.sum()", first(SUM)), partial=partials(SUM, "0", "acc + v", "a + b"))
def total(x: Vec[Elem]) -> Elem:
    return sum(x)


@spark.define(
    emit=on("{x}.map({f}).sum()", first(SUM_OF)),
    partial=partials(SUM_OF, "0", "acc + {f(v)}", "a + b", 0, joined="+"),
    cost=1.1,
)
def total_of(f: Fn[[Item], Other], x: Vec[Item]) -> Other:
    return sum([f(v) for v in x])


@spark.define(
    emit=on("matched({x}, {y}).values().map(lambda pair: {f(pair[0], pair[1])}).sum()", first(SUM_OF_PAIRS)),
    partial=partials(SUM_OF_PAIRS, "0", "acc + {f(v, w)}", "a + b", 0, joined="+"),
    requires=lambda x, y: len(x) == len(y),
    cost=4.1,
)
def total_of_pairs(f: Fn[[Item, Beside], To], x: Vec[Item], y: Vec[Beside]) -> To:
    return sum([f(x[i], y[i]) for i in range(len(x))])


@spark.define(
    emit=on("{x}.filter({p}).count()", first(COUNT)),
    partial=partials(COUNT, "0", "acc + (1 if {p(v)} else 0)", "a + b", False, always=ROWS),
)
def count(p: Fn[[Item], bool], x: Vec[Item]) -> To:
    return sum([1 if p(v) else 0 for v in x])


@spark.define(
    emit=on("{x}.max()", first(GREATEST)),
    partial=partials(GREATEST, "-math.inf", "max(acc, v)", "max(a, b)"),
    requires=lambda x: len(x) > 0,
)
def greatest(x: Vec[Elem]) -> Elem:
    return greater(x[0], x[1:])


@spark.define(
    emit=on("{x}.min()", first(LEAST)),
    partial=partials(LEAST, "math.inf", "min(acc, v)", "min(a, b)"),
    requires=lambda x: len(x) > 0,
)
def least(x: Vec[Elem]) -> Elem:
    return lesser(x[0], x[1:])


@spark.define(
    emit=on("not {x}.filter({p}).isEmpty()", first(SOME)),
    partial=partials(SOME, "False", "acc or {p(v)}", "a or b", False, joined="or"),
)
def some(p: Fn[[Item], bool], x: Vec[Item]) -> bool:
    return any([p(v) for v in x])


@spark.define(
    emit=on("{x}.filter(lambda v: not {p(v)}).isEmpty()", first(EVERY)),
    partial=partials(EVERY, "True", "acc and {p(v)}", "a and b", True, joined="and"),
)
def every(p: Fn[[Item], bool], x: Vec[Item]) -> bool:
    return all([p(v) for v in x])


@spark.define(
    emit=on("not matched({x}, {y}).values().filter(lambda pair: {p(pair[0], pair[1])}).isEmpty()", first(SOME_PAIRS)),
    partial=partials(SOME_PAIRS, "False", "acc or {p(v, w)}", "a or b", False, joined="or"),
    requires=lambda x, y: len(x) == len(y),
    cost=4.0,
)
def some_pair(p: Fn[[Item, Beside], bool], x: Vec[Item], y: Vec[Beside]) -> bool:
    return any([p(x[i], y[i]) for i in range(len(x))])


@spark.define(
    emit=on("matched({x}, {y}).values().filter(lambda pair: not {p(pair[0], pair[1])}).isEmpty()", first(EVERY_PAIR)),
    partial=partials(EVERY_PAIR, "True", "acc and {p(v, w)}", "a and b", True, joined="and"),
    requires=lambda x, y: len(x) == len(y),
    cost=4.0,
)
def every_pair(p: Fn[[Item, Beside], bool], x: Vec[Item], y: Vec[Beside]) -> bool:
    return all([p(x[i], y[i]) for i in range(len(x))])


@spark.define(
    emit=on("matched({x}, {y}).values().filter(lambda pair: {p(pair[0], pair[1])}).count()", first(COUNT_PAIRS)),
    partial=partials(COUNT_PAIRS, "0", "acc + (1 if {p(v, w)} else 0)", "a + b", False, always=ROWS),
    requires=lambda x, y: len(x) == len(y),
    cost=4.0,
)
def count_pairs(p: Fn[[Item, Beside], bool], x: Vec[Item], y: Vec[Beside]) -> To:
    return sum([1 if p(x[i], y[i]) else 0 for i in range(len(x))])


@spark.define(emit={"rdd": "{x}.fold({start}, {f})"}, reducer=("f", "start"), cost=4.0)
def combined(f: Fn[[Elem, Elem], Elem], x: Vec[Elem], start: Elem) -> Elem:
    return start if not x else combined(f, x[1:], f(start, x[0]))

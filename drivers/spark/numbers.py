"""Operators on numbers and truth values, of which functions of elements consist: on Python's numbers, and on columns."""

from __future__ import annotations

import math

from metalift.driver import Elem, Int, Item, Real, Scalar, trunc_div, trunc_rem

from .base import on, spark


@spark.define(emit="{a} + {b}")
def add(a: Elem, b: Elem) -> Elem:
    return a + b


@spark.define(emit="{a} - {b}")
def subtract(a: Elem, b: Elem) -> Elem:
    return a - b


@spark.define(emit="{a} * {b}")
def multiply(a: Elem, b: Elem) -> Elem:
    return a * b


@spark.define(emit="{a} / {b}")
def divide(a: Real, b: Real) -> Real:
    return a / b


@spark.define(
    emit=on("truncated({a}, {b})", "F.call_function('div', F.lit({a}), F.lit({b}))"),
    scalars="truncated({a}, {b})",
    requires=lambda a, b: b != 0,
)
def quotient(a: Int, b: Int) -> Int:
    return trunc_div(a, b)


@spark.define(
    emit=on("{a} - {b} * truncated({a}, {b})", "{a} % {b}"),
    scalars="{a} - {b} * truncated({a}, {b})",
    requires=lambda a, b: b != 0,
)
def remainder(a: Int, b: Int) -> Int:
    return trunc_rem(a, b)


@spark.define(emit=on("{a} % {b}", "F.pmod(F.lit({a}), F.lit({b}))"), scalars="{a} % {b}", requires=lambda a, b: b > 0)
def floor_remainder(a: Int, b: Int) -> Int:
    return a % b


@spark.define(
    emit=on("{a} // {b}", "F.call_function('div', F.lit({a}) - F.pmod(F.lit({a}), F.lit({b})), F.lit({b}))"),
    scalars="{a} // {b}",
    requires=lambda a, b: b > 0,
)
def floor_quotient(a: Int, b: Int) -> Int:
    return a // b


@spark.define(emit=on("math.sqrt({a})", "F.sqrt({a})"), scalars="math.sqrt({a})", name="sqrt")
def square_root(a: Real) -> Real:
    return math.sqrt(a)


@spark.define(emit=on("math.exp({a})", "F.exp({a})"), scalars="math.exp({a})", name="exp")
def exponential(a: Real) -> Real:
    return math.exp(a)


@spark.define(emit="-{a}")
def negative(a: Elem) -> Elem:
    return -a


@spark.define(emit=on("abs({a})", "F.abs({a})"), scalars="abs({a})")
def absolute(a: Elem) -> Elem:
    return abs(a)


@spark.define(emit=on("max({a}, {b})", "F.greatest(F.lit({a}), F.lit({b}))"), scalars="max({a}, {b})")
def larger(a: Elem, b: Elem) -> Elem:
    return max(a, b)


@spark.define(emit=on("min({a}, {b})", "F.least(F.lit({a}), F.lit({b}))"), scalars="min({a}, {b})")
def smaller(a: Elem, b: Elem) -> Elem:
    return min(a, b)


@spark.define(emit="{a} < {b}")
def less(a: Elem, b: Elem) -> bool:
    return a < b


@spark.define(emit="{a} > {b}")
def greater_than(a: Elem, b: Elem) -> bool:
    return a > b


@spark.define(emit="{a} >= {b}")
def at_least(a: Elem, b: Elem) -> bool:
    return a >= b


@spark.define(emit="{a} <= {b}")
def at_most(a: Elem, b: Elem) -> bool:
    return a <= b


@spark.define(emit="{a} == {b}")
def same(a: Item, b: Item) -> bool:
    return a == b


@spark.define(emit=on("{a} and {b}", "{a} & {b}"), scalars="{a} and {b}")
def both(a: bool, b: bool) -> bool:
    return a and b


@spark.define(emit=on("{a} or {b}", "{a} | {b}"), scalars="{a} or {b}")
def either(a: bool, b: bool) -> bool:
    return a or b


@spark.define(emit=on("not {a}", "~{a}"), scalars="not {a}")
def opposite(a: bool) -> bool:
    return not a


@spark.define(
    emit=on("{then} if {cond} else {other}", "F.when(F.lit({cond}), {then}).otherwise({other})"),
    scalars="{then} if {cond} else {other}",
)
def choose(cond: bool, then: Scalar, other: Scalar) -> Scalar:
    return then if cond else other

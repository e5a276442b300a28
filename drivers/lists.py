"""Python's lists: operators by what they do to the first element and the rest, spelled as comprehensions."""

from __future__ import annotations

import math
from dataclasses import replace

from metalift.driver import LISTS, Driver, Elem, Fn, Int, Other, Real, Scalar, Size, To, Vec, trunc_div, trunc_rem

PREAMBLE = """\
def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient
"""
IMPORTS = {"functools": "import functools", "itertools": "import itertools", "math": "import math"}
lists = Driver("lists", targets=(replace(LISTS, imports=IMPORTS, preamble=PREAMBLE),))

# Functions on every element


@lists.define(emit="[{f(v)} for v in {x}]")
def map_(f: Fn[[Elem], Scalar], x: Vec[Elem]) -> Vec[Scalar]:
    return [] if not x else [f(x[0]), *map_(f, x[1:])]


@lists.define(emit="[{f(a, b)} for a, b in zip({x}, {y})]", requires=lambda f, x, y: len(x) == len(y), cost=1.2)
def zip_with(f: Fn[[Elem, Other], Scalar], x: Vec[Elem], y: Vec[Other]) -> Vec[Scalar]:
    return [] if not x or not y else [f(x[0], y[0]), *zip_with(f, x[1:], y[1:])]


@lists.define(emit="[{f(i)} for i in range({n})]", cost=2.0)
def tabulate(f: Fn[[Size], Scalar], n: Size) -> Vec[Scalar]:
    return [f(i) for i in range(n)]


@lists.define(emit="[v for v in {x} if {p(v)}]")
def filter_(p: Fn[[Elem], bool], x: Vec[Elem]) -> Vec[Elem]:
    return [v for v in x if p(v)]


@lists.define(emit="[{f(v)} for v in {x} if {p(v)}]", cost=1.1)
def filter_map(f: Fn[[Elem], Scalar], p: Fn[[Elem], bool], x: Vec[Elem]) -> Vec[Scalar]:
    return [f(v) for v in x if p(v)]


# One value from all elements


def greater(so_far: Elem, x: Vec[Elem]) -> Elem:
    return so_far if not x else greater(max(so_far, x[0]), x[1:])


def lesser(so_far: Elem, x: Vec[Elem]) -> Elem:
    return so_far if not x else lesser(min(so_far, x[0]), x[1:])


@lists.define(emit="functools.reduce({f}, {x}, {init})", cost=4.0)
def reduce_(f: Fn[[Other, Elem], Other], x: Vec[Elem], init: Other) -> Other:
    return init if not x else reduce_(f, x[1:], f(init, x[0]))


@lists.define(emit="list(itertools.accumulate({x}, {f}, initial={init}))[1:]", cost=4.0)
def scan(f: Fn[[Other, Elem], Other], x: Vec[Elem], init: Other) -> Vec[Other]:
    return [] if not x else [f(init, x[0]), *scan(f, x[1:], f(init, x[0]))]


@lists.define(emit="sum({x})")
def total(x: Vec[Elem]) -> Elem:
    return 0 if not x else x[0] + total(x[1:])


@lists.define(emit="list(itertools.accumulate({x}))")
def running_total(x: Vec[Elem]) -> Vec[Elem]:
    return [sum(x[: i + 1]) for i in range(len(x))]


@lists.define(emit="math.prod({x})")
def product(x: Vec[Elem]) -> Elem:
    return 1 if not x else x[0] * product(x[1:])


@lists.define(emit="sum({p(v)} for v in {x})")
def count(p: Fn[[Elem], bool], x: Vec[Elem]) -> To:
    return 0 if not x else (1 if p(x[0]) else 0) + count(p, x[1:])


@lists.define(emit="max({x})", requires=lambda x: len(x) > 0)
def greatest(x: Vec[Elem]) -> Elem:
    return greater(x[0], x[1:])


@lists.define(emit="min({x})", requires=lambda x: len(x) > 0)
def least(x: Vec[Elem]) -> Elem:
    return lesser(x[0], x[1:])


@lists.define(emit="any({p(v)} for v in {x})")
def some(p: Fn[[Elem], bool], x: Vec[Elem]) -> bool:
    return False if not x else p(x[0]) or some(p, x[1:])


@lists.define(emit="all({p(v)} for v in {x})")
def every(p: Fn[[Elem], bool], x: Vec[Elem]) -> bool:
    return True if not x else p(x[0]) and every(p, x[1:])


# Numbers, of which the functions consist


@lists.define(emit="{a} + {b}")
def add(a: Elem, b: Elem) -> Elem:
    return a + b


@lists.define(emit="{a} - {b}")
def subtract(a: Elem, b: Elem) -> Elem:
    return a - b


@lists.define(emit="{a} * {b}")
def multiply(a: Elem, b: Elem) -> Elem:
    return a * b


@lists.define(emit="{a} / {b}")
def divide(a: Real, b: Real) -> Real:
    return a / b


@lists.define(emit="truncated({a}, {b})", requires=lambda a, b: b != 0)
def quotient(a: Int, b: Int) -> Int:
    return trunc_div(a, b)


@lists.define(emit="{a} - {b} * truncated({a}, {b})", requires=lambda a, b: b != 0)
def remainder(a: Int, b: Int) -> Int:
    return trunc_rem(a, b)


@lists.define(emit="{a} // {b}", requires=lambda a, b: b != 0)
def floor_quotient(a: Int, b: Int) -> Int:
    return a // b


@lists.define(emit="{a} % {b}", requires=lambda a, b: b != 0)
def floor_remainder(a: Int, b: Int) -> Int:
    return a % b


@lists.define(emit="{a} & {b}")
def bits_of_both(a: Int, b: Int) -> Int:
    return a & b


@lists.define(emit="{a} | {b}")
def bits_of_either(a: Int, b: Int) -> Int:
    return a | b


@lists.define(emit="{a} ^ {b}")
def bits_of_one(a: Int, b: Int) -> Int:
    return a ^ b


@lists.define(emit="{a} << {b}", requires=lambda b: b >= 0)
def shift_left(a: Int, b: Int) -> Int:
    return a << b


@lists.define(emit="{a} >> {b}", requires=lambda b: b >= 0)
def shift_right(a: Int, b: Int) -> Int:
    return a >> b


@lists.define(emit="math.sqrt({a})", name="sqrt")
def square_root(a: Real) -> Real:
    return math.sqrt(a)


@lists.define(emit="math.exp({a})", name="exp")
def exponential(a: Real) -> Real:
    return math.exp(a)


@lists.define(emit="-{a}")
def negative(a: Elem) -> Elem:
    return -a


@lists.define(emit="abs({a})")
def absolute(a: Elem) -> Elem:
    return abs(a)


@lists.define(emit="max({a}, {b})")
def larger(a: Elem, b: Elem) -> Elem:
    return max(a, b)


@lists.define(emit="min({a}, {b})")
def smaller(a: Elem, b: Elem) -> Elem:
    return min(a, b)


@lists.define(emit="{a} < {b}")
def less(a: Elem, b: Elem) -> bool:
    return a < b


@lists.define(emit="{a} > {b}")
def greater_than(a: Elem, b: Elem) -> bool:
    return a > b


@lists.define(emit="{a} >= {b}")
def at_least(a: Elem, b: Elem) -> bool:
    return a >= b


@lists.define(emit="{a} <= {b}")
def at_most(a: Elem, b: Elem) -> bool:
    return a <= b


@lists.define(emit="{a} == {b}")
def same(a: Elem, b: Elem) -> bool:
    return a == b


@lists.define(emit="{a} and {b}")
def both(a: bool, b: bool) -> bool:
    return a and b


@lists.define(emit="{a} or {b}")
def either(a: bool, b: bool) -> bool:
    return a or b


@lists.define(emit="not {a}")
def opposite(a: bool) -> bool:
    return not a


@lists.define(emit="{then} if {cond} else {other}")
def choose(cond: bool, then: Scalar, other: Scalar) -> Scalar:
    return then if cond else other

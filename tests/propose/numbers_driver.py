"""A driver of functions that loops compute whose iterations are not counted beforehand."""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Driver, Elem, Int, Integer, Real, Size, Vec, convert
from metalift_drivers.tensor.targets import NUMPY

TARGET = replace(NUMPY, imports={**NUMPY.imports, "heapq": "import heapq"})
dsl = Driver("numbers", targets=(TARGET,))


@dsl.define(emit="math.gcd({a}, {b})", plain=("a", "b"))
def gcd(a: Int, b: Int) -> Int:
    for _ in range(a + b):
        a, b = a - b if a > b else a, b - a if b > a else b
    return a


@dsl.define(emit="math.gcd({a}, {b}) + {c} * max({n}, 0)", plain=("a", "b", "c", "n"))
def gcd_and_more(a: Int, b: Int, c: Int, n: Int) -> Int:
    for _ in range(a + b):
        a, b = a - b if a > b else a, b - a if b > a else b
    return a + c * max(n, 0)


@dsl.define(emit="sum(map(int, str({n})))", plain=("n",), requires=lambda n: n >= 0)
def digit_sum(n: Int) -> Int:
    s = 0
    for _ in range(n):
        s, n = s + n % 10, n // 10
    return s


@dsl.define(emit="{b} ** {e}", plain=("b", "e"))
def power(b: Real, e: Int) -> Real:
    r = 1.0
    for _ in range(e):
        r = r * b
    return r


@dsl.define(
    emit="np.searchsorted({x}, {v}).astype({dtype})",
    plain=("v",),
    requires=lambda x, v: all(x[i] <= x[i + 1] for i in range(len(x) - 1)),
)
def bisect_left(x: Vec[Elem], v: Elem) -> Integer:
    k = 0
    for i in range(len(x)):
        k = convert(i + 1) if x[i] < v else k
    return k


@dsl.define(emit="np.array(list(heapq.merge({x}, {y})), dtype={dtype})")
def merge(x: Vec[Elem], y: Vec[Elem]) -> Vec[Elem]:
    return [picked(x, y, taken(x, y, k), k) for k in range(len(x) + len(y))]


def taken(x: Vec[Elem], y: Vec[Elem], steps: int) -> Size:
    i = 0
    for k in range(steps):
        i = i + 1 if i < len(x) and (k - i >= len(y) or x[i] <= y[k - i]) else i
    return i


def picked(x: Vec[Elem], y: Vec[Elem], i: int, k: int) -> Elem:
    return x[i] if i < len(x) and (k - i >= len(y) or x[i] <= y[k - i]) else y[k - i]

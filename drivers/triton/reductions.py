"""What is computed of whole vectors and matrices. None of these stands in a kernel: they become loops, and reads of elements."""

from __future__ import annotations

from metalift.driver import Bool, Elem, Int, Int64, Matrix, Real, Scalar, To, Vec, size

from .base import driver


@driver.axiswise(emit="total({x}, {axis})", several=True)
def total(x: Vec[Real]) -> Real:
    return sum(x)


@driver.axiswise(emit="integer_total({x}, {axis})", several=True)
def integer_total(x: Vec[Int]) -> Int:
    return sum(x)


@driver.axiswise(emit="count({x}, {axis})")
def count(x: Vec[Bool]) -> To:
    return sum(1 if v else 0 for v in x)


@driver.axiswise(emit="greatest({x}, {axis})", requires=lambda x: len(x) > 0, several=True)
def greatest(x: Vec[Elem]) -> Elem:
    return max(x)


@driver.axiswise(emit="least({x}, {axis})", requires=lambda x: len(x) > 0, several=True)
def least(x: Vec[Elem]) -> Elem:
    return min(x)


@driver.axiswise(emit="greatest_from({x}, {start}, {axis})")
def greatest_from(x: Vec[Elem], start: Elem) -> Elem:
    for v in x:
        start = max(start, v)
    return start


@driver.axiswise(emit="least_from({x}, {start}, {axis})")
def least_from(x: Vec[Elem], start: Elem) -> Elem:
    for v in x:
        start = min(start, v)
    return start


@driver.define(requires=lambda x, y: len(x) == len(y))
def dot(x: Vec[Elem], y: Vec[Elem]) -> Elem:
    return sum(x[i] * y[i] for i in range(len(x)))


@driver.define(requires=lambda a, x: size(a, 1) == len(x))
def mv(a: Matrix[Elem], x: Vec[Elem]) -> Vec[Elem]:
    return [sum(a[i][j] * x[j] for j in range(len(x))) for i in range(len(a))]


@driver.define(requires=lambda x, a: len(x) == len(a))
def vm(x: Vec[Elem], a: Matrix[Elem]) -> Vec[Elem]:
    return [sum(x[i] * a[i][j] for i in range(len(x))) for j in range(size(a, 1))]


@driver.define(requires=lambda a, b: size(a, 1) == len(b))
def mm(a: Matrix[Elem], b: Matrix[Elem]) -> Matrix[Elem]:
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(size(b, 1))] for i in range(len(a))]


@driver.define
def outer(x: Vec[Elem], y: Vec[Elem]) -> Matrix[Elem]:
    return [[x[i] * y[j] for j in range(len(y))] for i in range(len(x))]


@driver.define(requires=lambda x, index: all(0 <= i < len(x) for i in index), cost=1.5)
def take(x: Vec[Scalar], index: Vec[Int64]) -> Vec[Scalar]:
    return [x[i] for i in index]


@driver.define(requires=lambda x, index: all(0 <= i < len(x) for row in index for i in row), cost=1.5)
def take_2d(x: Vec[Scalar], index: Matrix[Int64]) -> Matrix[Scalar]:
    return [[x[i] for i in row] for row in index]

"""What chips with tiles compute, on tensors of any size; each driver declares those groups that its chip has."""

from __future__ import annotations

import math

from metalift.driver import (
    Bool,
    Driver,
    Elem,
    Float,
    Int,
    Integer,
    Matrix,
    Real,
    Scalar,
    Size,
    Tensor3,
    To,
    Vec,
    convert,
    size,
    trunc_div,
    trunc_rem,
)


def arithmetic(driver: Driver) -> None:
    """Sums, products and extremes, of any numbers."""

    @driver.elementwise()
    def add(a: Elem, b: Elem) -> Elem:
        return a + b

    @driver.elementwise()
    def subtract(a: Elem, b: Elem) -> Elem:
        return a - b

    @driver.elementwise()
    def multiply(a: Elem, b: Elem) -> Elem:
        return a * b

    @driver.elementwise()
    def negate(a: Elem) -> Elem:
        return -a

    @driver.elementwise()
    def minimum(a: Elem, b: Elem) -> Elem:
        return min(a, b)

    @driver.elementwise()
    def maximum(a: Elem, b: Elem) -> Elem:
        return max(a, b)

    @driver.elementwise()
    def absolute(a: Elem) -> Elem:
        return abs(a)


def choices(driver: Driver) -> None:
    """Comparisons, and what depends on them."""

    @driver.elementwise()
    def less(a: Elem, b: Elem) -> Bool:
        return a < b

    @driver.elementwise()
    def less_equal(a: Elem, b: Elem) -> Bool:
        return a <= b

    @driver.elementwise()
    def equal(a: Scalar, b: Scalar) -> Bool:
        return a == b

    @driver.elementwise()
    def logical_and(a: Bool, b: Bool) -> Bool:
        return a and b

    @driver.elementwise()
    def logical_or(a: Bool, b: Bool) -> Bool:
        return a or b

    @driver.elementwise()
    def logical_not(a: Bool) -> Bool:
        return not a

    @driver.elementwise(cost=2)
    def select(c: Bool, a: Scalar, b: Scalar) -> Scalar:
        return a if c else b

    @driver.elementwise(cost=0.5, numbers=("a",))
    def fill(a: Scalar) -> Scalar:
        return a

    @driver.elementwise(cost=0.5)
    def flag(c: Bool) -> To:
        return 1 if c else 0


def integers(driver: Driver) -> None:
    """Conversions, and what integers have; quotients are made of other instructions by the lowering."""

    @driver.elementwise(cost=0.5)
    def copy(a: Scalar) -> To:
        return convert(a)

    @driver.elementwise()
    def bitwise_and(a: Int, b: Int) -> Int:
        return a & b

    @driver.elementwise(cost=1.5)
    def indicate_less_equal(a: Int, b: Int) -> Int:
        return 1 if a <= b else 0

    @driver.elementwise(requires=lambda a, b: b != 0, cost=30)
    def quotient(a: Int, b: Int) -> Int:
        return trunc_div(a, b)

    @driver.elementwise(requires=lambda a, b: b != 0, cost=32)
    def remainder(a: Int, b: Int) -> Int:
        return trunc_rem(a, b)


def functions(driver: Driver) -> None:
    """Functions of real numbers."""

    @driver.elementwise(cost=5)
    def divide(a: Float, b: Float) -> Float:
        return a / b

    @driver.elementwise(cost=4)
    def reciprocal(a: Float) -> Float:
        return 1 / a

    @driver.elementwise()
    def sqrt(a: Float) -> Float:
        return math.sqrt(a)

    @driver.elementwise()
    def rsqrt(a: Float) -> Float:
        return 1 / math.sqrt(a)

    @driver.elementwise()
    def exp(a: Float) -> Float:
        return math.exp(a)

    @driver.elementwise()
    def log(a: Float) -> Float:
        return math.log(a)


def reductions(driver: Driver) -> None:
    """Sums of vectors, of rows, and of the groups that rows consist of."""

    @driver.define
    def total(x: Vec[Real]) -> Real:
        return sum(x)

    @driver.define
    def total_rows(x: Matrix[Real]) -> Vec[Real]:
        return [sum(row) for row in x]

    @driver.define
    def integer_total(x: Vec[Int]) -> Int:
        return sum(x)

    @driver.define
    def integer_total_rows(x: Matrix[Int]) -> Vec[Int]:
        return [sum(row) for row in x]

    @driver.define
    def total_groups(x: Tensor3[Real]) -> Matrix[Real]:
        return [[sum(group) for group in row] for row in x]

    @driver.define
    def integer_total_groups(x: Tensor3[Int]) -> Matrix[Int]:
        return [[sum(group) for group in row] for row in x]


def extremes(driver: Driver) -> None:
    """Extremes of vectors, of rows, and of the groups that rows consist of."""

    @driver.define(requires=lambda x: size(x, 1) > 0)
    def greatest_rows(x: Matrix[Elem]) -> Vec[Elem]:
        return [max(row) for row in x]

    @driver.define(requires=lambda x: len(x) > 0)
    def greatest(x: Vec[Elem]) -> Elem:
        return max(x)

    @driver.define(requires=lambda x: size(x, 2) > 0)
    def greatest_groups(x: Tensor3[Elem]) -> Matrix[Elem]:
        return [[max(group) for group in row] for row in x]

    @driver.define(requires=lambda x: len(x) > 0, cost=1.5)
    def least(x: Vec[Elem]) -> Elem:
        return min(x)

    @driver.define(requires=lambda x: size(x, 1) > 0, cost=1.5)
    def least_rows(x: Matrix[Elem]) -> Vec[Elem]:
        return [min(row) for row in x]

    @driver.define(requires=lambda x: size(x, 2) > 0, cost=1.5)
    def least_groups(x: Tensor3[Elem]) -> Matrix[Elem]:
        return [[min(group) for group in row] for row in x]


def gathers(driver: Driver) -> None:
    """Elements by groups."""

    @driver.define(requires=lambda x, group, count: group > 0 and count <= group * len(x))
    def repeated(x: Vec[Scalar], group: Size, count: Size) -> Vec[Scalar]:
        return [x[trunc_div(i, group)] for i in range(count)]

    @driver.define(requires=lambda x, group, count: group > 0 and count <= group * len(x))
    def repeated_evenly(x: Vec[Scalar], group: Size, count: Size) -> Vec[Scalar]:
        return [x[i // group] for i in range(count)]


def places(driver: Driver) -> None:
    """The places of extremes, the first or the last of them, of vectors and of rows."""

    @driver.axiswise(emit="", requires=lambda x: len(x) > 0)
    def place_of_greatest(x: Vec[Elem]) -> Integer:
        best = 0
        for i in range(1, len(x)):
            best = convert(i) if x[i] > x[best] else best
        return best

    @driver.axiswise(emit="", requires=lambda x: len(x) > 0)
    def place_of_least(x: Vec[Elem]) -> Integer:
        best = 0
        for i in range(1, len(x)):
            best = convert(i) if x[i] < x[best] else best
        return best

    @driver.axiswise(emit="", requires=lambda x: len(x) > 0)
    def last_place_of_greatest(x: Vec[Elem]) -> Integer:
        best = 0
        for i in range(1, len(x)):
            best = convert(i) if x[i] >= x[best] else best
        return best

    @driver.axiswise(emit="", requires=lambda x: len(x) > 0)
    def last_place_of_least(x: Vec[Elem]) -> Integer:
        best = 0
        for i in range(1, len(x)):
            best = convert(i) if x[i] <= x[best] else best
        return best

    _along_rows_alone(driver)


def _along_rows_alone(driver: Driver) -> None:
    """Of operators along an axis those are left that go along the rows of a tile."""
    for name, each in list(driver.operators.items()):
        if each.axes is not None and (each.axes.rank, each.axes.along) != (2, (1,)):
            del driver.operators[name]


def scans(driver: Driver) -> None:
    """What there is up to each element."""

    @driver.define
    def running_totals(x: Vec[Real]) -> Vec[Real]:
        return [sum(x[j] for j in range(i + 1)) for i in range(len(x))]

    @driver.define
    def integer_running_totals(x: Vec[Int]) -> Vec[Int]:
        return [sum(x[j] for j in range(i + 1)) for i in range(len(x))]

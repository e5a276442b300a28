"""What the chip computes, on tensors of any size: elementwise instructions, reductions of rows, the product of matrices.

Integers are 32 bits wide and pass through fp32: the lowering states where that is exact. There is no division of integers;
quotients are made of other instructions by the lowering.
"""

from __future__ import annotations

import math

from metalift.driver import (
    Bool,
    Driver,
    Elem,
    Float,
    Int,
    Layout,
    Matrix,
    Real,
    Scalar,
    Target,
    To,
    Vec,
    convert,
    size,
    trunc_div,
    trunc_rem,
)
from metalift.ir.types import BOOL, FLOAT, MachineInt

nki = Target(
    "nki",
    imports={"np": "import numpy as np"},
    dtypes={
        BOOL: "np.bool_",
        FLOAT: "np.float32",
        **{MachineInt(bits, signed): f"np.{'' if signed else 'u'}int{bits}" for bits in (8, 16, 32) for signed in (True, False)},
    },
    layout=Layout(
        array_type="np.ndarray",
        array="np.array({value}, dtype={dtype})",
        reshape="{x}.reshape(*{shape})",
        clone="{x}.copy()",
    ),
    numbers=True,
    language="NKI",
)
driver = Driver("trainium", targets=(nki,))


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


@driver.elementwise(cost=0.5)
def copy(a: Scalar) -> To:
    return convert(a)


@driver.elementwise(cost=0.5)
def flag(c: Bool) -> To:
    return 1 if c else 0


@driver.elementwise()
def absolute(a: Elem) -> Elem:
    return abs(a)


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


@driver.elementwise(requires=lambda bits: 0 <= bits and bits < 32)
def shift_right(a: Int, bits: Int) -> Int:
    return a >> bits


@driver.elementwise()
def bitwise_and(a: Int, b: Int) -> Int:
    return a & b


@driver.elementwise(cost=1.5)
def indicate_less_equal(a: Int, b: Int) -> Int:
    return 1 if a <= b else 0


@driver.elementwise(cost=30)
def quotient(a: Int, b: Int) -> Int:
    return trunc_div(a, b)


@driver.elementwise(cost=32)
def remainder(a: Int, b: Int) -> Int:
    return trunc_rem(a, b)


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


@driver.define(requires=lambda x: size(x, 1) > 0)
def greatest_rows(x: Matrix[Elem]) -> Vec[Elem]:
    return [max(row) for row in x]


@driver.define(requires=lambda x: len(x) > 0)
def greatest(x: Vec[Elem]) -> Elem:
    return max(x)


@driver.define(requires=lambda a, b: size(a, 1) == len(b), cost=2)
def matmul(a: Matrix[Real], b: Matrix[Real]) -> Matrix[Real]:
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(size(b, 1))] for i in range(len(a))]

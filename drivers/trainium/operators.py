"""What the chip computes, on tensors of any size: elementwise instructions, reductions of rows, the product of matrices.

Integers are 32 bits wide and pass through fp32: the lowering states where that is exact. There is no division of integers;
quotients are made of other instructions by the lowering.
"""

from __future__ import annotations

from metalift.driver import Driver, Int, Matrix, Real, Tensor4, size

from .._tiles.meanings import arithmetic, choices, extremes, functions, gathers, integers, places, reductions, scans
from .._tiles.targets import on_numpy

nki = on_numpy("nki", "NKI", (8, 16, 32))
driver = Driver("trainium", targets=(nki,))
for declare in (arithmetic, choices, functions, integers, reductions, extremes, gathers, places, scans):
    declare(driver)


@driver.elementwise(requires=lambda bits: 0 <= bits and bits < 32)
def shift_right(a: Int, bits: Int) -> Int:
    return a >> bits


@driver.define(requires=lambda a, b: size(a, 1) == len(b), cost=2)
def matmul(a: Matrix[Real], b: Matrix[Real]) -> Matrix[Real]:
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(size(b, 1))] for i in range(len(a))]


@driver.define(requires=lambda a, b: size(a, 2) == len(b) and size(a, 3) == size(b, 1), cost=4)
def total_windows(a: Tensor4[Real], b: Matrix[Real]) -> Matrix[Real]:
    return [
        [sum(a[y][x][i][j] * b[i][j] for i in range(len(b)) for j in range(size(b, 1))) for x in range(size(a, 1))]
        for y in range(len(a))
    ]

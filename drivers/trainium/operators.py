"""What the chip computes, on tensors of any size: elementwise instructions, reductions of rows, the product of matrices.

Integers are 32 bits wide and pass through fp32: the lowering states where that is exact. There is no division of integers;
quotients are made of other instructions by the lowering.
"""

from __future__ import annotations

import math
from fractions import Fraction

from metalift.driver import Driver, Float, Int, Matrix, Real, Tensor4, size
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Machine

from .._tiles.meanings import arithmetic, choices, extremes, functions, gathers, integers, places, reductions, scans
from .._tiles.targets import on_numpy

ROWS = 128
BANK = 512  # fp32 numbers of one row in a bank of PSUM
EXACT = 1 << 24  # integers up to here are fp32 numbers, in magnitude
ACTIVATIONS = {"sqrt": (-116, 118), "rsqrt": (-87, 97), "log": (-64, 64)}  # powers of two


def machine(_: Fragment) -> Machine:
    """The limits of a core of trn1."""
    called = {op: op.rpartition(".")[2] for op in driver.operators}
    limits = {op: ACTIVATIONS[name] for op, name in called.items() if name in ACTIVATIONS}
    domains = tuple((op, Fraction(2) ** low, Fraction(2) ** high) for op, (low, high) in limits.items())
    return Machine(rows=ROWS, work=176 << 10, sums=16 << 10, bank=BANK, exact=EXACT, domains=domains)


nki = on_numpy("nki", "NKI", (8, 16, 32), machine)
driver = Driver("trainium", targets=(nki,))
for declare in (arithmetic, choices, functions, integers, reductions, extremes, gathers, places, scans):
    declare(driver)


@driver.elementwise(requires=lambda bits: 0 <= bits and bits < 32)
def shift_right(a: Int, bits: Int) -> Int:
    return a >> bits


@driver.elementwise()
def silu(a: Float) -> Float:
    return a / (1 + math.exp(-a))


@driver.define(requires=lambda a, b: size(a, 1) == len(b), cost=2)
def matmul(a: Matrix[Real], b: Matrix[Real]) -> Matrix[Real]:
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(size(b, 1))] for i in range(len(a))]


@driver.define(requires=lambda a, b: size(a, 2) == len(b) and size(a, 3) == size(b, 1), cost=4)
def total_windows(a: Tensor4[Real], b: Matrix[Real]) -> Matrix[Real]:
    return [
        [sum(a[y][x][i][j] * b[i][j] for i in range(len(b)) for j in range(size(b, 1))) for x in range(size(a, 1))]
        for y in range(len(a))
    ]

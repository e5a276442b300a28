"""What the TPC of a Gaudi computes, on tensors of any size: elementwise instructions, and reductions of rows.

There is no division of integers; quotients are made of other instructions by the lowering. Products of matrices belong to another
engine of the chip.
"""

from __future__ import annotations

import math

from metalift.driver import Driver, Float, Int, Int32, convert

from .._tiles.meanings import arithmetic, choices, extremes, functions, gathers, integers, reductions
from .._tiles.targets import on_numpy

gaudi = on_numpy("gaudi", "TPC-C", (8, 16, 32, 64))
driver = Driver("gaudi", targets=(gaudi,))
for declare in (arithmetic, choices, functions, integers, reductions, extremes, gathers):
    declare(driver)


@driver.elementwise(cost=1.5)
def multiply_wide(a: Int, b: Int) -> Int32:
    return convert(a) * convert(b)


@driver.elementwise()
def sin(a: Float) -> Float:
    return math.sin(a)


@driver.elementwise()
def cos(a: Float) -> Float:
    return math.cos(a)


@driver.elementwise(requires=lambda a, bits: 0 <= a and 0 <= bits and bits < 32)
def shift_right(a: Int, bits: Int) -> Int:
    return a >> bits

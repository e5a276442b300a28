"""What the TPC of a Gaudi computes, on tensors of any size: elementwise instructions, and reductions of rows.

There is no division of integers; quotients are made of other instructions by the lowering. Products of matrices belong to another
engine of the chip.
"""

from __future__ import annotations

import math

from metalift.driver import Driver, Float, Int, Int32, Layout, Target, convert
from metalift.ir.types import BOOL, FLOAT, MachineInt

from .._tiles.meanings import arithmetic, choices, functions, integers, reductions

WORDS = [MachineInt(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]
gaudi = Target(
    "gaudi",
    imports={"np": "import numpy as np"},
    dtypes={
        BOOL: "np.bool_",
        FLOAT: "np.float32",
        **{word: f"np.{'' if word.signed else 'u'}int{word.bits}" for word in WORDS},
    },
    layout=Layout(
        array_type="np.ndarray",
        array="np.array({value}, dtype={dtype})",
        reshape="{x}.reshape(*{shape})",
        clone="{x}.copy()",
    ),
    numbers=True,
    language="TPC-C",
)
driver = Driver("gaudi", targets=(gaudi,))
for declare in (arithmetic, choices, functions, integers, reductions):
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

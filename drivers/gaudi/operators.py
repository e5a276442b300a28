"""What the TPC of a Gaudi computes, on tensors of any size: elementwise instructions, and reductions of rows.

There is no division of integers; quotients are made of other instructions by the lowering. Products of matrices belong to another
engine of the chip.
"""

from __future__ import annotations

import math

from metalift.driver import Driver, Float, Int, Int32, convert
from metalift.ir.expr.types import MachineInt, ScalarType, TensorType
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Machine

from .._tiles.meanings import arithmetic, choices, extremes, functions, integers, reductions
from .._tiles.targets import on_numpy

VECTOR = 2048  # bits
MEMORY = 80 << 10  # bytes of a core's vector memory, beside its registers


def lanes(type_: ScalarType) -> int:
    """How many elements of a type a vector has; truth values are words. Of what the chip has not, as many as it has words."""
    return VECTOR // type_.bits if isinstance(type_, MachineInt) and type_.bits < 32 else 64


def machine(fragment: Fragment) -> Machine:
    """The limits of a core: a tile has as many columns as a vector has of the narrowest elements."""
    arrays = (param.var.type for param in fragment.params if isinstance(param.var.type, TensorType))
    columns = max((lanes(each.element) for each in arrays if isinstance(each.element, ScalarType)), default=64)
    return Machine(rows=1, work=MEMORY, sums=0, bank=0, exact=1 << 31, columns=columns)


gaudi = on_numpy("gaudi", "TPC-C", (8, 16, 32, 64), machine)
driver = Driver("gaudi", targets=(gaudi,))
for declare in (arithmetic, choices, functions, integers, reductions, extremes):
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

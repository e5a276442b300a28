"""A toy int8 coprocessor: a systolic array for tiles of at most 16 x 16, and a vector unit that saturates."""

# fmt: off
from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import Driver, Int8, Int32, Matrix, Size, convert, exact, size
from metalift_drivers.tensor.targets import NUMPY

simulator = Path(__file__).with_name("simulator.py").read_text(encoding="utf-8")
chip = replace(NUMPY, name="systolic", preamble=simulator, literals={Int8: range(-16, 16)})
driver = Driver("systolic", targets=(chip,))

@driver.define(cost=4, requires=lambda a, b: size(a, 1) == len(b) and len(a) <= 16 and len(b) <= 16 and size(b, 1) <= 16)
def matmul(a: Matrix[Int8], b: Matrix[Int8]) -> Matrix[Int32]:
    return [[sum(convert(a[i][k]) * convert(b[k][j]) for k in range(len(b))) for j in range(size(b, 1))] for i in range(len(a))]

@driver.elementwise()
def add(a: Int8, b: Int8) -> Int8:
    return convert(min(max(exact(a) + exact(b), -128), 127))

@driver.elementwise()
def sub(a: Int8, b: Int8) -> Int8:
    return convert(min(max(exact(a) - exact(b), -128), 127))

@driver.elementwise(requires=lambda shift: 0 <= shift and shift < 16)
def mul(a: Int8, b: Int8, shift: Size) -> Int8:
    return convert(min(max((exact(a) * exact(b)) >> shift, -128), 127))

@driver.elementwise()
def largest(a: Int8, b: Int8) -> Int8:
    return max(a, b)

@driver.elementwise()
def least(a: Int8, b: Int8) -> Int8:
    return min(a, b)

@driver.elementwise(cost=0.5)
def relu(a: Int8) -> Int8:
    return max(a, 0)

@driver.elementwise(emit="load({a})")
def widen(a: Int8) -> Int32:
    return convert(a)

@driver.elementwise()
def accumulate(a: Int32, b: Int32) -> Int32:
    return convert(exact(a) + exact(b))

@driver.elementwise(requires=lambda shift: 0 <= shift and shift < 32)
def store(a: Int32, shift: Size) -> Int8:
    return convert(min(max(exact(a) >> shift, -128), 127))

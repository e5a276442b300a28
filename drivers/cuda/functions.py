"""Functions of numbers that CUDA C has and Triton's interpreter has not."""

from __future__ import annotations

import math

from metalift.driver import Int, Real

from .operators import driver


@driver.elementwise(emit="pow({a}, {b})", scalars="pow({a}, {b})")
def power(a: Real, b: Real) -> Real:
    return math.pow(a, b)


@driver.elementwise(emit="tanh({a})", scalars="tanh({a})")
def tanh(a: Real) -> Real:
    return math.tanh(a)


@driver.elementwise(emit="tan({a})", scalars="tan({a})")
def tan(a: Real) -> Real:
    return math.tan(a)


@driver.elementwise(emit="fmod({a}, {b})", scalars="fmod({a}, {b})")
def fmod(a: Real, b: Real) -> Real:
    return math.fmod(a, b)


@driver.elementwise(emit="{a} / {b} - ({a} % {b} < 0)", requires=lambda a, b: b > 0)
def floor_quotient(a: Int, b: Int) -> Int:
    return a // b

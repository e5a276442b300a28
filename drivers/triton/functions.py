"""Functions of reals, lane by lane: those that Triton has for the CPU and for GPUs."""

from __future__ import annotations

import math

from metalift.driver import Real

from .base import lanes


@lanes("tl.sqrt({a})")
def sqrt(a: Real) -> Real:
    return math.sqrt(a)


@lanes("tl.rsqrt({a})", cost=1.5)
def rsqrt(a: Real) -> Real:
    return 1 / math.sqrt(a)


@lanes("tl.exp({a})")
def exp(a: Real) -> Real:
    return math.exp(a)


@lanes("tl.exp2({a})")
def exp2(a: Real) -> Real:
    return math.exp2(a)


@lanes("tl.log({a})")
def log(a: Real) -> Real:
    return math.log(a)


@lanes("tl.log2({a})")
def log2(a: Real) -> Real:
    return math.log2(a)


@lanes("tl.sin({a})")
def sin(a: Real) -> Real:
    return math.sin(a)


@lanes("tl.cos({a})")
def cos(a: Real) -> Real:
    return math.cos(a)


@lanes("tl.floor({a})")
def floor(a: Real) -> Real:
    return math.floor(a)


@lanes("tl.ceil({a})")
def ceil(a: Real) -> Real:
    return math.ceil(a)


@lanes("tl.erf({a})")
def erf(a: Real) -> Real:
    return math.erf(a)

"""A driver of a few operators, whose prompts fit on a page."""

from __future__ import annotations

from metalift.driver import Driver, Elem, Real, To, Vec, convert
from metalift_drivers.tensor.targets import NUMPY

dsl = Driver("vectors", targets=(NUMPY,))


@dsl.elementwise(emit="{a} * {b}")
def times(a: Elem, b: Elem) -> Elem:
    return a * b


@dsl.elementwise(emit="{a}.astype({dtype})")
def astype(a: Elem) -> To:
    return convert(a)


@dsl.define(emit="np.sum({x})")
def total(x: Vec[Real]) -> Real:
    return sum(x)


@dsl.define(emit="np.mean({x})", requires=lambda x: len(x) > 0)
def mean(x: Vec[Real]) -> Real:
    return sum(x) / len(x)

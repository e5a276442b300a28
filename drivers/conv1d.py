"""A toy accelerator for signals: its one big instruction slides a window of at most 8 taps along a vector of 32-bit floats."""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Driver, Float, Vec
from metalift_drivers.tensor.targets import NUMPY

CHIP = '''def conv1d(x, taps):
    """Each element is the sum of a window of x, weighted with the taps."""
    result = np.zeros(len(x) - len(taps) + 1, np.float32)
    for place in range(len(taps)):
        result += x[place : place + len(result)] * taps[place]
    return result

def vadd(a, b):
    """a + b"""
    return np.array([x + y for x, y in np.broadcast(a, b)], np.float32)

def vmul(a, b):
    """a * b"""
    return np.array([x * y for x, y in np.broadcast(a, b)], np.float32)

def relu(a):
    """Negative elements become 0."""
    return np.array([x if x > 0 else 0 for x in a], np.float32)
'''
driver = Driver("conv1d", targets=(replace(NUMPY, name="conv1d", preamble=CHIP),))


@driver.define(cost=3, requires=lambda x, taps: 1 <= len(taps) and len(taps) <= 8 and len(taps) <= len(x))
def conv1d(x: Vec[Float], taps: Vec[Float]) -> Vec[Float]:
    return [sum(x[i + j] * taps[j] for j in range(len(taps))) for i in range(len(x) - len(taps) + 1)]


@driver.define(requires=lambda a, b: len(a) == len(b))
def vadd(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
    return [x + y for x, y in zip(a, b, strict=True)]


@driver.define
def vmul(a: Vec[Float], b: Float) -> Vec[Float]:
    return [x * b for x in a]


@driver.define
def relu(a: Vec[Float]) -> Vec[Float]:
    return [max(x, 0) for x in a]

"""An instruction set for scalars, with one instruction that does the work of two.

The operators are Python functions that the emitted file brings along; the same text serves plain Python numbers and, where the
caller passes them, scalars of NumPy and PyTorch.
"""

from __future__ import annotations

from metalift.driver import Driver, Int, Target

ISA = '''def fma(x, y, z):
    """x + y * z"""
    return x + y * z

def relu(x):
    """x where it is positive, else 0"""
    return max(x, 0)

def fused_fma_relu(x, y, z):
    """relu(x + y * z)"""
    return max(x + y * z, 0)
'''

driver = Driver("fma", targets=tuple(Target(name, preamble=ISA) for name in ("python", "numpy", "pytorch")))


@driver.define
def fma(x: Int, y: Int, z: Int) -> Int:
    return x + y * z


@driver.define
def relu(x: Int) -> Int:
    return max(x, 0)


@driver.define(cost=1.5)
def fused_fma_relu(x: Int, y: Int, z: Int) -> Int:
    return max(x + y * z, 0)

"""The tutorial's driver: an instruction set of one operator, on scalars.

The operator is a Python function that the emitted file brings along; the same text serves plain Python numbers and, where the
caller passes them, scalars of NumPy and PyTorch.
"""

from __future__ import annotations

from metalift.driver import Driver, Int, Target

FMA = '''def fma(x, y, z):
    """x + y * z"""
    return x + y * z
'''

driver = Driver("fma", targets=tuple(Target(name, preamble=FMA) for name in ("python", "numpy", "pytorch")))


@driver.define
def fma(x: Int, y: Int, z: Int) -> Int:
    return x + y * z

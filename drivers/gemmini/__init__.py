"""Gemmini: calls of its C library on 8-bit matrices. What is modelled and what was never run: docs/accelerators.md."""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Layout, Target
from metalift.ir.expr.types import INT, MachineInt, ScalarType

from .operators import MACHINE, driver

__all__ = ["driver"]

WORDS = [MachineInt(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]
NAMES: dict[ScalarType, str] = {word: f"np.{'' if word.signed else 'u'}int{word.bits}" for word in WORDS}
library = Target(
    "gemmini",
    imports={"np": "import numpy as np"},
    dtypes={INT: "np.int64", **NAMES},
    layout=Layout(array_type="np.ndarray", array="np.array({value}, dtype={dtype})", clone="{x}.copy()"),
    language="C",
    suffix=".c",
)
driver.targets = (library, replace(library, name="gemmini_isa", machine=lambda _: MACHINE))

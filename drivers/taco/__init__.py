"""Index notation of TACO: sums of products of tensors, dense and in compressed formats, executed by tensora."""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Layout, Target
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, MachineInt, ScalarType

from .base import driver

__all__ = ["driver"]

WORDS = [MachineInt(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]
INTEGERS: dict[ScalarType, str] = {word: f"np.{'' if word.signed else 'u'}int{word.bits}" for word in WORDS}
tensora = Target(
    "tensora",
    imports={"np": "import numpy as np", "tensora": "import tensora", "metadata": "from importlib import metadata"},
    dtypes={BOOL: "np.bool_", INT: "np.int64", FLOAT: "np.float32", DOUBLE: "np.float64", **INTEGERS},
    layout=Layout(
        array_type="np.ndarray",
        array="np.array({value}, dtype={dtype})",
        clone="{x}.copy()",
        reshape="{x}.reshape({shape})",
        arranged=True,
    ),
)
taco_cpp = replace(tensora, name="taco-cpp", imports={}, language="C++", suffix=".cpp")
driver.targets = (tensora, taco_cpp)

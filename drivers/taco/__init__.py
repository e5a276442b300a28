"""Index notation of TACO: sums of products of tensors, dense and in compressed formats, executed by tensora.

A program is found from the summary itself, for there is an operator for each format only; see `finding`.
"""

from __future__ import annotations

from metalift.driver import Engine, Layout, Target
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, MachineInt, ScalarType
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram

from .base import driver
from .cpp_text import write as write_cpp
from .finding import find
from .python_text import write

__all__ = ["driver"]

WORDS = [MachineInt(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]
INTEGERS: dict[ScalarType, str] = {word: f"np.{'' if word.signed else 'u'}int{word.bits}" for word in WORDS}


def found(summary: Summary, fragment: Fragment) -> TargetProgram:
    """The program of a summary."""
    return find(summary, fragment, driver)


tensora = Target(
    "tensora",
    imports={"np": "import numpy as np", "tensora": "import tensora", "metadata": "from importlib import metadata"},
    dtypes={BOOL: "np.bool_", INT: "np.int64", FLOAT: "np.float32", DOUBLE: "np.float64", **INTEGERS},
    layout=Layout(
        array_type="np.ndarray",
        array="np.array({value}, dtype={dtype})",
        clone="{x}.copy()",
        reshape="{x}.reshape({shape})",
    ),
    engine=Engine(version="'tensora ' + metadata.version('tensora')", seconds=60),
    write=write,
    find=found,
)
taco_cpp = Target(
    "taco-cpp",
    dtypes=tensora.dtypes,
    layout=tensora.layout,
    language="C++",
    suffix=".cpp",
    write=write_cpp,
    find=found,
)
driver.targets = (tensora, taco_cpp)

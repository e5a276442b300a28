"""Gemmini: calls of its C library on 8-bit matrices. What is modelled and what was never run: docs/accelerators.md."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import Engine, Kernel, Layout, Request, Target
from metalift.ir.expr.types import INT, MachineInt, ScalarType

from . import instructions, tiles
from .finding import find
from .operators import driver
from .writer import write

__all__ = ["driver"]

WORDS = [MachineInt(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]
NAMES: dict[ScalarType, str] = {word: f"np.{'' if word.signed else 'u'}int{word.bits}" for word in WORDS}


def lower(request: Request) -> Kernel:
    """The kernel on tiles of a program. Raises CannotWrite."""
    kernel = tiles.lower(request, driver)
    instructions.write(replace(request, kernel=kernel))  # what has no text is not proved in vain
    return kernel


library = Target(
    "gemmini",
    imports={"np": "import numpy as np"},
    dtypes={INT: "np.int64", **NAMES},
    layout=Layout(array_type="np.ndarray", array="np.array({value}, dtype={dtype})", clone="{x}.copy()"),
    engine=Engine(version="'a C model of the library'", memory=8 << 30, seconds=60),
    language="C",
    suffix=".c",
    write=write,
    find=find,
    runner=Path(__file__).with_name("runner.py"),
)
isa = replace(
    library, name="gemmini_isa", write=instructions.write, lower=lower,
    engine=replace(library.engine, version="'a C model of the instructions'"),
)  # fmt: skip
driver.targets = (library, isa)

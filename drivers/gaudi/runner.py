"""Runs the TPC-C text that is written for Gaudi with a C model of its intrinsics and tensors, compiled as sources are.

It imports nothing of the driver. The model refuses what leaves an array or a tensor, lanes that hold nothing where they
count, results that are read, written twice or not written, and integers that leave 32 bits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metalift.run.compiling import Compiled, Model, load_c

MODEL = Path(__file__).with_name("model")
# The kernel is called main; vectors that are not set hold a pattern that says so.
ARGUMENTS = (
    "-include", str(MODEL / "tpc.h"), "-ftrivial-auto-var-init=pattern", "-Wno-unused", "-Wno-unused-parameter", "-Wno-psabi",
    "-Dmain=tpc_kernel", "-Wl,--no-as-needed", "-lm",
)  # fmt: skip


def load(path: str, function: str) -> Compiled:
    """The function of the file, on NumPy arrays and numbers; it returns its result and what it writes. Raises ValueError."""
    return load_c(path, function, Model("gaudi", MODEL / "tpc_model.c", ARGUMENTS))


def costs(run: Compiled, *args: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - arrays and numbers
    """The function's results, and what it took, as the model counts."""
    return run(*args), run.costs()

"""Runs the C text that is written for Gemmini with a C model of its library, compiled as sources are.

It imports nothing of the driver. The model is told the arrays of each call: what leaves them is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metalift.compiling import Compiled, Model, load_c

MODEL = Model("gemmini", Path(__file__).with_name("model") / "gemmini_model.c")


def load(path: str, function: str) -> Compiled:
    """The function of the file, on NumPy arrays and numbers; it returns the arrays that it may write. Raises ValueError."""
    return load_c(path, function, MODEL)


def costs(run: Compiled, *args: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - arrays and numbers
    """The function's results, and what it took, as the model counts."""
    return run(*args), run.costs()

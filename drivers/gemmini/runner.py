"""Runs the C text that is written for Gemmini with a C model of its library and instructions, compiled as sources are.

It imports nothing of the driver. The model is told the arrays of each call: what leaves them is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metalift.run.compiling import Compiled, Model, load_c

FOLDER = Path(__file__).with_name("model")
MODEL = Model("gemmini", FOLDER / "gemmini_model.c", (str(FOLDER / "gemmini_instructions.c"),))


def load(path: str, function: str) -> Compiled:
    """The function of the file, on NumPy arrays and numbers; it returns the arrays that it may write. Raises ValueError."""
    return load_c(path, function, MODEL)


def costs(run: Compiled, *args: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - arrays and numbers
    """The function's results, and what it took, as the model counts."""
    return run(*args), run.costs()

"""Runs the C text that is written for Gemmini with a C model of its library, compiled as sources are.

It imports nothing of the driver. The model is told the arrays of each call: what leaves them is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from metalift.compiling import Model, load_c

MODEL = Model("gemmini", Path(__file__).with_name("model") / "gemmini_model.c")


def load(path: str, function: str) -> Callable[..., Any]:
    """The function of the file, on NumPy arrays and numbers; it returns the arrays that it may write. Raises ValueError."""
    return load_c(path, function, MODEL)

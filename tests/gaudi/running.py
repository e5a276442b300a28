"""Text for Gaudi in the C model."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

RUNNER = Path(__file__).parents[2] / "drivers" / "gaudi" / "runner.py"


def model(path: Path, function: str) -> Callable[..., Any]:
    """A function of a file, as the runner makes it."""
    spec = importlib.util.spec_from_file_location("gaudi_runner", RUNNER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[..., Any] = module.load(str(path), function)
    return made

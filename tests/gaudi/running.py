"""Text for Gaudi in the C model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.generated import load_function

RUNNER = Path(__file__).parents[2] / "drivers" / "gaudi" / "runner.py"


def model(path: Path, function: str) -> Callable[..., Any]:
    """A function of a file, as the runner makes it."""
    return load_function(RUNNER, "load")(str(path), function)  # type: ignore[no-any-return]

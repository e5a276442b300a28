"""Loading generated code as its user does."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any


def load_function(path: Path, name: str) -> Callable[..., Any]:
    """The function of that name in a generated file."""
    spec = importlib.util.spec_from_file_location(f"generated_{path.parent.name}_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, name)
    return function

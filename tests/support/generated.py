"""Making generated code, and loading it as its user does."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from metalift import lift


def proved_code(source: str, folder: Path, style: str = "guarded", signature: str = "source") -> Path:
    """The folder with the NumPy code of a C source in which all functions are proved and agree; `style` as `lift` has it."""
    (folder / "source.c").write_text(source, encoding="utf-8")
    result = lift(folder / "source.c", to="numpy", out=folder / signature, style=style, signature=signature)
    assert all(function.ok for function in result.functions), [(each.name, each.verdict) for each in result.functions]
    return folder / signature / "numpy"


def load_function(path: Path, name: str) -> Callable[..., Any]:
    """The function of that name in a generated file."""
    spec = importlib.util.spec_from_file_location(f"generated_{path.parent.name}_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, name)
    return function

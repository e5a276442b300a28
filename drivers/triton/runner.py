"""Runs generated kernels by Triton's interpreter, on the CPU."""

import importlib.util
import os
from collections.abc import Callable


def load(path: str, function: str) -> Callable[..., object]:
    """The function of that name in a generated file; its kernels are interpreted."""
    os.environ["TRITON_INTERPRET"] = "1"
    spec = importlib.util.spec_from_file_location("emitted", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    loaded: Callable[..., object] = getattr(module, function)
    return loaded

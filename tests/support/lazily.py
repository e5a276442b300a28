"""What takes seconds and only some tests use, made when the first of them does: modules, and what fixtures hold.

So a run of a few tests, or of those of another area, does not wait for it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from typing import Any, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def module(name: str) -> Any:  # noqa: ANN401 - a module whose types are not checked
    """The installed module of that name, which must not need more than one way to be found."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None, f"{name} is not installed"
    spec.loader = importlib.util.LazyLoader(spec.loader)
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


class Each(dict[Key, Value]):
    """Values by their keys, each made when it is first asked for, such as functions that are lifted from one source."""

    def __init__(self, make: Callable[[Key], Value]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: Key) -> Value:
        made = self[key] = self.make(key)
        return made

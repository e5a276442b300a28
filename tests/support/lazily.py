"""What takes seconds and only some tests use, made when the first of them does: modules, and what fixtures hold.

So a run of a few tests, or of those of another area, does not wait for it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Module:
    """The module of a name, imported when something of it is used that does not begin with an underscore.

    Pytest asks everything that a file of tests names for such attributes, and would import it.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:  # noqa: ANN401 - something of a module whose types are not checked
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)


def module(name: str) -> Any:  # noqa: ANN401 - a module whose types are not checked
    """The installed module of that name."""
    return Module(name)


class Each(dict[Key, Value]):
    """Values by their keys, each made when it is first asked for, such as functions that are lifted from one source."""

    def __init__(self, make: Callable[[Key], Value]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: Key) -> Value:
        made = self[key] = self.make(key)
        return made

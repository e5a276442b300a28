"""Modules that take seconds to import, for tests that name them: imported when something of them is first used.

So a run of a few tests, or of those of another area, does not wait for them.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import Any


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

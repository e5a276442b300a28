"""Hypothesis for all tests: the same examples in each run, at any speed; `--hypothesis-profile=explore` tries new ones.

Where METALIFT_PLUGIN is `none`, the tests of what only the LLVM pass does are left out: those marked `plugin`, and of those that
run both ways the ones with the parameter "plugin".
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
    os.environ.pop(name, None)  # where a key is set, a lift asks its model: tests ask none that they did not start

settings.register_profile("metalift", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("metalift")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs the LLVM pass where it is not to be used."""
    if os.environ.get("METALIFT_PLUGIN") != "none":
        return
    left_out = [item for item in items if _needs_plugin(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def _needs_plugin(item: pytest.Item) -> bool:
    """Whether a test is about the LLVM pass."""
    params = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    return item.get_closest_marker("plugin") is not None or any(param == "plugin" for param in params)

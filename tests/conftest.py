"""What holds for all tests.

`pytest` runs the quick ones, `pytest --full` all. A test marked `quick` always runs with the cases that the mark names by their
ids, and not at all where it names none; what a command line names by "::" runs. Each mechanism has a case that always runs; the
others show it on more kernels.

Hypothesis: the same examples in each run, at any speed; `--hypothesis-profile=explore` tries new ones.

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


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option of these tests."""
    parser.addoption("--full", action="store_true", help="run all cases of all tests, not the quick ones only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not quick, and what needs the LLVM pass where it is not to be used."""
    plugin = os.environ.get("METALIFT_PLUGIN") != "none"
    left_out = [] if plugin else [item for item in items if _needs_plugin(item)]
    if not (config.getoption("full") or any("::" in arg for arg in config.args)):
        left_out += _not_quick(items)
    config.hook.pytest_deselected(items=left_out)
    dropped = set(map(id, left_out))
    items[:] = [item for item in items if id(item) not in dropped]


def _not_quick(items: list[pytest.Item]) -> list[pytest.Item]:
    """The cases that no mark of theirs names. Raises UsageError where a mark names a case that is not there."""
    found: list[pytest.Item] = []
    unknown: dict[str, set[str]] = {}
    for item in items:
        for mark in item.iter_markers("quick"):
            case = item.callspec.id if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ""
            unknown.setdefault(item.nodeid.partition("[")[0], set(mark.args)).discard(case)
            if case not in mark.args:
                found.append(item)
    for test, cases in unknown.items():
        if cases:
            raise pytest.UsageError(f"{test} is marked quick with cases that it does not have: {', '.join(sorted(cases))}")
    return found


def _needs_plugin(item: pytest.Item) -> bool:
    """Whether a test is about the LLVM pass."""
    params = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    return item.get_closest_marker("plugin") is not None or any(param == "plugin" for param in params)

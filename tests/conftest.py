"""What holds for all tests.

`pytest` runs the quick ones, `pytest --full` all. A test marked `quick` always runs with the cases that the mark names by their
ids, or with each nth one where it says `every=n`, and not at all where it says nothing; what a command line names by "::" runs.
Each mechanism has a case that always runs; the others show it on more kernels.

Hypothesis: the same examples in each run, at any speed; `--hypothesis-profile=explore` tries new ones.

Where METALIFT_PLUGIN is `none`, the tests of what only the LLVM pass does are left out: those marked `plugin`, and of those that
run both ways the ones with the parameter "plugin".
"""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

from metalift.prove.solver import SolverPool
from metalift.system.collecting import collect_rarely

for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
    os.environ.pop(name, None)  # where a key is set, a lift asks its model: tests ask none that they did not start

with suppress(ImportError):  # reading our modules for constants takes hypothesis longer than the tests
    from hypothesis.internal.conjecture import providers

    providers.is_local_module_file = lambda path: False  # type: ignore[assignment, attr-defined]

settings.register_profile("metalift", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None)
settings.load_profile("metalift")
collect_rarely()  # as commands do


@pytest.fixture(scope="module")
def pool() -> Iterator[SolverPool]:
    """Solvers, which go on to the next file that has them."""
    with SolverPool(2, keep=True) as made:
        yield made


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option of these tests."""
    parser.addoption("--full", action="store_true", help="run all cases of all tests, not the quick ones only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not quick, and what needs the LLVM pass where it is not to be used."""
    plugin = os.environ.get("METALIFT_PLUGIN") != "none"
    left_out = [] if plugin else [item for item in items if _needs_plugin(item)]
    if not config.getoption("full"):
        named = tuple(arg for arg in config.args if "::" in arg)
        left_out += (item for item in _not_quick(items, complete=not named) if not item.nodeid.startswith(named))
    config.hook.pytest_deselected(items=left_out)
    dropped = set(map(id, left_out))
    items[:] = [item for item in items if id(item) not in dropped]


def pytest_collection_finish() -> None:
    """The tests themselves stay to the end: no look for cycles goes through them again."""
    gc.collect()
    gc.freeze()


def _not_quick(items: list[pytest.Item], complete: bool) -> list[pytest.Item]:
    """The cases that a mark of theirs leaves out. Raises UsageError where a mark names a case that is not there."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return [item for test, found in cases.items() for item in _left_out(test, found, complete)]


def _left_out(test: str, cases: list[pytest.Item], complete: bool) -> list[pytest.Item]:
    """The same of one test, of which all cases are there if `complete`."""
    mark = cases[0].get_closest_marker("quick")
    if mark is None:
        return []
    if "every" in mark.kwargs:
        return [item for place, item in enumerate(cases) if place % mark.kwargs["every"]]
    named = [(item.callspec.id if hasattr(item, "callspec") else "", item) for item in cases]
    unknown = set(mark.args).difference(case for case, _ in named)
    if unknown and complete:
        raise pytest.UsageError(f"{test} is marked quick with cases that it does not have: {', '.join(sorted(unknown))}")
    return [item for case, item in named if case not in mark.args]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How long each area took, all processes together: CONTRIBUTING.md has the table."""
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[Path(report.nodeid.partition("::")[0]).parts[1]] += report.duration
    if not seconds:
        return
    terminalreporter.write_sep("=", "seconds by area")
    longest_first = sorted(seconds, key=lambda area: -seconds[area])
    terminalreporter.write_line(", ".join(f"{area} {seconds[area]:.0f}" for area in longest_first))


def _needs_plugin(item: pytest.Item) -> bool:
    """Whether a test is about the LLVM pass."""
    params = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    return item.get_closest_marker("plugin") is not None or any(param == "plugin" for param in params)

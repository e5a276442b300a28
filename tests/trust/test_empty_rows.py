"""Rows, columns or both may be missing: what was proved then either computes what the source does, or refuses such arguments."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metalift import lift
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict, ObligationVerdict
from tests.support.generated import load_function
from tests.support.lazily import Each, module

torch = module("torch")

SOURCE = """
def along_rows(rows: list[list[int]]) -> None:
    for i in range(len(rows)):
        for j in range(1, len(rows[i])):
            rows[i][j] += rows[i][j - 1]

def down_columns(rows: list[list[int]]) -> None:
    for i in range(1, len(rows)):
        for j in range(len(rows[i])):
            rows[i][j] += rows[i - 1][j]

def set_row(rows: list[list[int]], n: int) -> None:
    for j in range(n):
        rows[0][j] = 7

def less_last(rows: list[list[int]]) -> list[list[int]]:
    return [[v - r[-1] for v in r] for r in rows]

def greatest(rows: list[list[int]]) -> list[int]:
    return [max(r) for r in rows]

"""
TARGETS: dict[str, Callable[..., Any]] = {"numpy": np.asarray, "pytorch": lambda cells: torch.tensor(cells)}
SHAPES = [(0, 0), (0, 3), (1, 0), (3, 0), (1, 1), (1, 3), (3, 1), (2, 4)]
VIEWS = "views stay inside their arrays"


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    folder = tmp_path_factory.mktemp("rows")
    (folder / "p.py").write_text(SOURCE)
    return Each(lambda name: lift(folder / "p.py", functions=[name], to=tuple(TARGETS), out=folder / "out").functions[0])


def _outcomes(name: str, function: Callable[..., Any], convert: Callable[..., Any]) -> Iterator[tuple[Any, Any, bool]]:
    """What the source and the generated code make of each shape, as far as both take it, and whether there are elements."""
    scope: dict[str, Any] = {}
    exec(SOURCE, scope)  # noqa: S102 (the text above)
    for rows, columns in SHAPES:
        cells = np.arange(3, 3 + rows * columns).reshape(rows, columns)
        more = [(n,) for n in range(columns + 1)] if name == "set_row" else [()]
        for extra in more:
            plain = cells.tolist()
            try:
                expected = scope[name](plain, *extra)
            except (IndexError, ValueError):  # the source raises, of which nothing is claimed
                continue
            given = convert(cells.copy())
            try:
                found = function(given, *extra)
            except ValueError as refused:
                assert "required" in str(refused) or "must have" in str(refused)
                yield None, None, bool(rows * columns)
                continue
            yield (expected if expected is not None else plain), found.tolist(), bool(rows * columns)


@pytest.mark.quick(*(f"{name}-{target}" for name in ("along_rows", "set_row", "less_last") for target in TARGETS))
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [line.split("(")[0][4:] for line in SOURCE.splitlines() if line.startswith("def ")])
def test_without_rows_or_columns_it_is_computed_or_refused(name: str, target: str, lifted: dict[str, FunctionResult]) -> None:
    one = lifted[name]
    assert one.verdict is FunctionVerdict.PROVED, one.diagnostics
    path = one.targets[target].file
    assert path is not None
    computed = 0
    for expected, found, elements in _outcomes(name, load_function(Path(path), name), TARGETS[target]):
        assert expected == found or not (expected or found) or found == [[]] * len(expected)
        computed += found is not None
        assert found is not None or not elements
    assert computed >= 2


def test_an_axis_that_is_taken_at_one_index_needs_it_where_the_view_has_no_elements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cover = importlib.import_module("metalift.synth.cover.cover")
    monkeypatch.setattr(cover, "fixed_in_arrays", lambda *_: iter(()))  # the search asks for nothing: the proof has to see it
    function = importlib.import_module("metalift.pipeline.function")
    monkeypatch.setattr(function, "lift_staged", lambda *given: given[4])  # no loop stays
    (tmp_path / "p.py").write_text(SOURCE)
    chosen = ["along_rows"]
    for one in lift(tmp_path / "p.py", functions=chosen, to=["numpy"], out=tmp_path / "out").functions:
        assert [each.verdict for each in one.obligations if each.name == VIEWS] == [ObligationVerdict.UNKNOWN], one.name

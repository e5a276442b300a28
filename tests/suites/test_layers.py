"""Loop nests as libraries of neural networks and image processing write them: proved, with code that agrees."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from metalift import lift
from metalift.result.verdict import Agreement, FunctionVerdict, ObligationVerdict

LIMIT = 60.0  # seconds for each obligation: a machine may have other things to do
FOLDER = Path(__file__).parent / "layers"
SOURCES = [each.name for each in sorted(FOLDER.iterdir()) if each.is_file()]


@pytest.mark.quick("mean_filter.c", "triangle.c", "neighbours.c", "rows_in_structs.c")
@pytest.mark.parametrize("name", [*SOURCES, "structs.cc"])
def test_functions_are_proved_and_their_code_agrees(name: str, tmp_path: Path) -> None:
    """A name that no file has is that of a C source as C++."""
    source = FOLDER / name
    if not source.exists():
        source = Path(shutil.copy(FOLDER / f"{source.stem}.c", tmp_path / name))
    for function in lift(source, to=["numpy"], out=tmp_path, timeout=LIMIT).functions:
        open_ = [f"{o.name}: {o.reason}" for o in function.obligations if o.verdict is not ObligationVerdict.PROVED]
        assert function.verdict is FunctionVerdict.PROVED, (function.name, open_, function.diagnostics)
        assert function.targets["numpy"].checked is Agreement.AGREES, function.name

"""Loop nests as libraries of neural networks and image processing write them: proved, with code that agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.verdict import Agreement, FunctionVerdict, ObligationVerdict

LIMIT = 60.0  # seconds for each obligation: a machine may have other things to do
SOURCES = sorted((Path(__file__).parent / "layers").iterdir())


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_functions_are_proved_and_their_code_agrees(source: Path, tmp_path: Path) -> None:
    for function in lift(source, to=["numpy"], out=tmp_path, timeout=LIMIT).functions:
        open_ = [f"{o.name}: {o.reason}" for o in function.obligations if o.verdict is not ObligationVerdict.PROVED]
        assert function.verdict is FunctionVerdict.PROVED, (function.name, open_, function.diagnostics)
        assert function.targets["numpy"].checked is Agreement.AGREES, function.name

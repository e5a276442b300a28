"""Loops that keep what a condition holds for, that write where their data say, or that data end early: proved, with code that
agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.result.verdict import Agreement, FunctionVerdict, ObligationVerdict

HERE = Path(__file__).parent / "selection"
SOURCES = sorted(path for path in HERE.iterdir() if path.is_file())
TARGETS = ("numpy", "pytorch")
CALLS = {
    "band": "[(x >= low) & (x <= high)]",
    "behind": "x[x != 0.0]",
    "bytes": "bincount",
    "comprehended": "[x > low]",
    "contains": "np.any(x == v)",
    "differs": "np.all(a == b)",
    "is_sorted": "np.any(x[1:] < x[: max(len(x) - 1, 0)])",
    "positives": "x[x > 0.0]",
    "weighted": "bincount",
}


@pytest.mark.quick("early.c", "pushed.cpp")
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_functions_are_proved_and_their_code_agrees(source: Path, tmp_path: Path) -> None:
    found = lift(source, to=TARGETS, out=tmp_path)
    for function in found.functions:
        open_ = [f"{o.name}: {o.reason}" for o in function.obligations if o.verdict is not ObligationVerdict.PROVED]
        assert function.verdict is FunctionVerdict.PROVED, (function.name, open_, function.diagnostics)
        assert all(target.checked is Agreement.AGREES for target in function.targets.values()), function.name
        code = (tmp_path / "numpy" / f"{function.name}.py").read_text(encoding="utf-8")
        assert CALLS.get(function.name, "") in code
        assert function.certificate is not None
    again = pipeline.check(Path(found.functions[0].certificate or ""), solver="z3")
    assert again.ok, [(o.name, o.reason) for o in again.obligations if o.verdict is not ObligationVerdict.PROVED]

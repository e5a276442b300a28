"""Functions that take no array make theirs where the library makes them by default."""

from __future__ import annotations

from pathlib import Path

from metalift import lift
from metalift.result.verdict import Agreement, FunctionVerdict

SOURCE = """
def ones(n: int) -> list[float]:
    return [1.0] * n

def steps(n: int, k: int) -> list[int]:
    made = [k] * (n + 1)
    for i in range(n):
        made[i + 1] = made[i] * 3 % 7 - i
    return made
"""


def test_no_device_is_asked_of_what_is_not_there(tmp_path: Path) -> None:
    (path := tmp_path / "made.py").write_text(SOURCE)
    for function in lift(path, to=["pytorch"], out=tmp_path / "out").functions:
        assert function.verdict is FunctionVerdict.PROVED, function.diagnostics
        assert function.targets["pytorch"].checked is Agreement.AGREES
    assert "torch.full((n,), 1.0, dtype=torch.float64)" in (tmp_path / "out" / "pytorch" / "ones.py").read_text()

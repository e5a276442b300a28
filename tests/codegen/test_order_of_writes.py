"""What later writes store, and where, is read before earlier ones: in loops that stay, too, where elements are plain numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.result.verdict import FunctionVerdict

SOURCES = {
    "swap": (
        "void f(int *a, int n) { for (int i = 1; i < n; i++) "
        "if (a[i - 1] > a[i]) { int t = a[i - 1]; a[i - 1] = a[i]; a[i] = t; } }"
    ),
    "three": "void f(int *a, int i, int j, int k) { int t = a[i]; a[i] = a[j]; a[j] = a[k]; a[k] = t; }",
    "place": "void f(int *a) { int p = a[0]; a[0] = 7; a[p] = 9; }",
    "sum": "void f(int *a, int n) { for (int i = 0; i < n; i++) { int t = a[i]; a[i] = a[n + i]; a[n + i] = t + a[0]; } }",
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_code_agrees_with_the_source(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.c"
    path.write_text(SOURCES[name])
    (function,) = lift(path, to=("numpy",), out=tmp_path, timeout=20.0).functions
    assert function.verdict is FunctionVerdict.PROVED, function.diagnostics

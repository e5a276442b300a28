"""Drivers to start from: they conform, and lift kernels as they are; faults put into one are found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from metalift import lift
from metalift.app import skeletons
from metalift.app.conformance import report
from metalift.driver.files import load
from metalift.result.errors import UsageError

KERNELS = {
    "library": "void f(float *y, const float *x, float a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }",
    "isa": "void f(signed char *o, const signed char *x, int n) { for (int i = 0; i < n; i++) o[i] = x[i] > 3 ? x[i] : 3; }",
    "notation": "float f(float *x, float *y, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }",
}
FAULTS = [
    ("isa", "my_dsl_runner.py", "-128), 127)", "-127), 127)"),
    ("isa", "my_dsl_runner.py", "-128), 127)", "-128), 128)"),
    ("isa", "my_dsl_runner.py", "> 256", "> 255"),
    ("isa", "my_dsl.py", " and len(x) <= 256", ""),
    ("isa", "my_dsl_runner.py", "[max(a, k) for a in x]", "[max(a, 0) for a in x]"),
    ("isa", "my_dsl.py", "lines = [", "lines = [1 / 0, "),
    ("notation", "my_dsl_runner.py", "range(\\1)", "range(1, \\1)"),
    ("library", "my_dsl_library.py", "x, y: x + y", "x, y: x - y"),
    ("library", "my_dsl_library.py", "def total", "def totals"),
]


@pytest.fixture
def written(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "my_dsl_library", raising=False)
    skeletons.new("my_dsl", request.param, tmp_path)
    return tmp_path


@pytest.mark.parametrize(("written", "kind"), [(kind, kind) for kind in skeletons.KINDS], indirect=["written"])
def test_a_new_driver_conforms_and_lifts(written: Path, kind: str) -> None:
    table, conforms = report(load(str(written / "my_dsl.py")))
    assert conforms and "not tested as a whole" not in table, table
    source = written / "kernel.c"
    source.write_text(KERNELS[kind], encoding="utf-8")
    (found,) = lift(source, to=["my_dsl"], driver=str(written / "my_dsl.py"), out=written / "out").functions
    assert found.verdict.value == "PROVED" and found.targets["my_dsl"].checked.value == "agrees", found


@pytest.mark.parametrize(("written", "file", "right", "wrong"), [(*fault,) for fault in FAULTS], indirect=["written"])
def test_a_fault_in_a_new_driver_is_found(written: Path, file: str, right: str, wrong: str) -> None:
    path = written / file
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    table, conforms = report(load(str(written / "my_dsl.py")))
    assert not conforms, table
    assert f"{written / 'my_dsl.py'}:" in table


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    skeletons.new("my_dsl", "isa", tmp_path)
    with pytest.raises(UsageError, match="there already"):
        skeletons.new("my_dsl", "library", tmp_path)
    with pytest.raises(UsageError, match="a name in Python"):
        skeletons.new("my-dsl", "library", tmp_path)

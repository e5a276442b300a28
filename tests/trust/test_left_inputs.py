"""Inputs on which the source leaves what is assumed are not compared: its floats stay finite, its integers have a value."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest

from metalift import lift
from metalift.driver.files import load
from metalift.frontend import Source, import_function, open_source
from metalift.result.verdict import Agreement, FunctionVerdict
from metalift.run.compare.cases import references
from metalift.run.compare.differential import Comparison, Emitted, compare
from metalift.run.compare.lost import computed_early
from metalift.run.inputs.inputs import Run, inputs
from metalift.run.workers.native import NativeBuild
from metalift.run.workers.process import Worker

C = """
#include <math.h>
void momentum(float *p, const float *g, float *v, int n, float rate, float b, int step) {
    const float c = 1.f - powf(b, (float)step);
    for (int i = 0; i < n; i++) {
        v[i] = b * v[i] + (1.f - b) * g[i];
        p[i] -= rate * (v[i] / c);
    }
}
void divided(float *o, const float *x, int n, float d) {
    float k = 1 / d;
    for (int i = 0; i < n; i++) o[i] = x[i] * k;
}
void grown(float *o, const float *x, int n, float d) {
    float k = expf(d * d);
    for (int i = 0; i < n; i++) o[i] = x[i] * k;
}
int unused(const int *a, int n) {
    int cells = n * n * n * n;
    int sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] > 0 ? 1 : 0;
    return n > 0 ? sum : cells - cells;
}
int steep(float x) { return (int)(1 / (1 + expf(x)) * 100); }
float inverse(float x) { return x == 0 ? 0 : 1 / x; }
float inner(float x) { float q = 1 / x; float r = q * 2; return x == 0 ? 0 : r; }
"""
PYTHON = """
def odd(xs: list[int]) -> list[int]:
    out = []
    for x in xs:
        if x > 0:
            out.append(2 * x + 1)
    return out


def twice(xs: list[int]) -> int:
    s = 0
    for x in xs:
        s += x
    return 2 * s + 1


def tenths(xs: list[int]) -> int:
    s = 0.0
    for x in xs:
        s += x * 0.1
    return int(s)


def weighted(a: int, b: int, c: int) -> int:
    return a * b + c
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """The functions in C."""
    path = tmp_path_factory.mktemp("left") / "k.c"
    path.write_text(C)
    return open_source(path)


def test_code_may_stop_where_the_source_leaves_what_is_assumed(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(C)
    for each in lift(tmp_path / "k.c").functions:
        assert (each.verdict, each.targets["numpy"].checked) == (FunctionVerdict.PROVED, Agreement.AGREES), each.diagnostics


def test_integers_of_python_fit_64_bits_where_arrays_hold_them(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(PYTHON)
    for each in lift(tmp_path / "k.py").functions:
        target = each.targets["numpy"]
        assert (each.verdict, target.checked) == (FunctionVerdict.PROVED, Agreement.AGREES), each.diagnostics
        assert any("64 bits" in one.text for one in target.assumptions) == (each.name != "weighted"), each.name


@pytest.mark.parametrize(
    ("name", "left"),
    [("momentum", {"b": 0.0, "step": -1}), ("divided", {"d": 0.0}), ("unused", {"n": 2**30}), ("steep", {"x": 100.0})],
)
def test_such_inputs_are_none(name: str, left: dict[str, float], source: Source) -> None:
    found = references(import_function(source, name))
    assert len(found) > 100
    for each in found:
        values = dict(each.run.input.values)
        assert any(values[key] != value for key, value in left.items()), each.run.input.text()


def test_a_float_that_overflows_is_left_out_where_nothing_uses_it(source: Source) -> None:
    fragment = import_function(source, "grown")
    assert any(steepness(each) > 10 for each in islice(inputs(fragment), 200))
    assert all(steepness(each.run) < 10 for each in references(fragment))


def steepness(run: Run) -> float:
    value = dict(run.input.values)["d"]
    assert isinstance(value, Fraction)
    return abs(float(value))


@pytest.mark.parametrize("name", ["inverse", "inner"])
def test_what_a_compiler_computes_early_is_no_reason(name: str, source: Source) -> None:
    fragment = import_function(source, name)
    assert any(dict(each.run.input.values)["x"] == 0 for each in references(fragment))
    assert len(computed_early(import_function(source, "momentum"))) == 0


def run(name: str, code: str, source: Source, folder: Path) -> Comparison:
    """Compares a generated file with the function in C."""
    fragment = import_function(source, name)
    path = folder / "k.c"
    path.write_text(C)
    file = folder / "generated.py"
    file.write_text(f"import numpy as np\n\n\ndef {name}(x):\n    {code}\n")
    with NativeBuild(fragment, path) as build, Worker(load("tensor").driver.target("numpy")) as worker:
        return compare(fragment, references(fragment), Emitted(file, name, ()), build, worker)


@pytest.mark.parametrize(
    ("name", "code", "wanted"),
    [
        ("inverse", "return 0.0 if x == 0 else float(np.float32(1) / np.float32(x))", Agreement.AGREES),
        ("inverse", "return 7.0 if x == 0 else float(np.float32(1) / np.float32(x))", Agreement.DIFFERS),
        ("inverse", "return float(np.float32(1 / x))", Agreement.DIFFERS),
        ("inner", "return float(np.float32(2 / x))", Agreement.DIFFERS),
    ],
)
def test_the_other_arm_of_a_choice_is_compared(name: str, code: str, wanted: Agreement, source: Source, tmp_path: Path) -> None:
    assert run(name, code, source, tmp_path).status is wanted

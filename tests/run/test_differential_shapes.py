"""Generated code for arrays of several axes and for tuples beside its source: right code agrees, wrong code differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.driver.files import load
from metalift.frontend import compile_source, functions, import_function
from metalift.ir.expr.build import equal
from metalift.ir.expr.nodes import Cast, Length, Var
from metalift.ir.expr.types import FLOAT, INT, INT32, TensorType
from metalift.result.verdict import Agreement
from metalift.run.compare.cases import Expect, Refusals, cases, references
from metalift.run.compare.differential import Comparison, Emitted, compare
from metalift.run.workers.native import NativeBuild
from metalift.run.workers.process import Worker
from metalift.synth.derive import derive

M, N = (Cast(Var(name, INT32), INT) for name in "mn")
TRANSPOSE = """
void f(float **out, float **x, int m, int n) { for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) out[j][i] = 2 * x[i][j]; }
"""
TRANSPOSE_CODE = """
def f(out, x, m, n):
    if out.shape[0] < n or out.shape[1] < m or x.shape[0] < m or x.shape[1] < n:
        raise ValueError("too short")
    if np.shares_memory(out, x):
        raise ValueError("out and x overlap")
    if m > 0 and n > 0:
        out[:n, :m] = 2 * x[:m, :n].T
    return out
"""
SUMS = """
typedef struct { float total, first; } sums;
sums f(const float *x, int n) { sums s = {0, x[0]}; for (int i = 0; i < n; i++) s.total += x[i]; return s; }
"""
SUMS_CODE = """
def f(x, n):
    return np.sum(x[:max(n, 0)]), x[0]
"""


def run(tmp_path: Path, source: str, code: str) -> Comparison:
    """Compares a generated file with the source."""
    path = tmp_path / "kernel.c"
    path.write_text(source)
    file = tmp_path / "generated.py"
    file.write_text(f"import numpy as np\n\n\n{code}\n")
    module = compile_source(path)
    [(_, _, symbol)] = functions(module)
    fragment = import_function(module, symbol)
    matrices = source == TRANSPOSE
    refused = Refusals((), (("out", 0, N), ("out", 1, M), ("x", 0, M), ("x", 1, N)), (("out", "x"),)) if matrices else Refusals()
    emitted = Emitted(file, "f", ("out",) if matrices else (), refused)
    shapes = {"out": (N, M), "x": (M, N)} if matrices else {}
    with NativeBuild(fragment, path) as build, Worker(load("tensor").driver.target("numpy")) as worker:
        return compare(fragment, references(fragment, extents=shapes, wanted=120), emitted, build, worker)


@pytest.mark.parametrize(("source", "code"), [(TRANSPOSE, TRANSPOSE_CODE), (SUMS, SUMS_CODE)])
def test_right_code_agrees(tmp_path: Path, source: str, code: str) -> None:
    found = run(tmp_path, source, code)
    assert (found.status, found.difference, found.reason) == (Agreement.AGREES, None, "")
    assert found.inputs >= 90 and (found.refused >= 8 or source == SUMS)


@pytest.mark.quick(every=2)
@pytest.mark.parametrize(
    ("source", "code", "old", "new"),
    [
        (TRANSPOSE, TRANSPOSE_CODE, "out[:n, :m] =", "out[:n, :m] = 0; out[:n, : m - 1] ="),
        (TRANSPOSE, TRANSPOSE_CODE, "x[:m, :n].T", "x[:m, :n].T[::-1]"),
        (TRANSPOSE, TRANSPOSE_CODE, "out[:n, :m] =", "out[n:] = 0; out[:n, :m] ="),
        (TRANSPOSE, TRANSPOSE_CODE, "out[:n, :m] =", "out[:, m:] = 0; out[:n, :m] ="),
        (TRANSPOSE, TRANSPOSE_CODE, "or out.shape[1] < m", ""),
        (TRANSPOSE, TRANSPOSE_CODE, "or x.shape[0] < m", ""),
        (TRANSPOSE, TRANSPOSE_CODE, "if np.shares_memory(out, x)", "if False"),
        (TRANSPOSE, TRANSPOSE_CODE, "return out", "return out.copy()"),
        (TRANSPOSE, TRANSPOSE_CODE, "return out", "return out, x"),
        (SUMS, SUMS_CODE, "x[0]", "x[-1]"),
        (SUMS, SUMS_CODE, ", x[0]", ""),
        (SUMS, SUMS_CODE, "np.sum(", "np.max("),
    ],
)
def test_wrong_code_differs(tmp_path: Path, source: str, code: str, old: str, new: str) -> None:
    assert old in code
    found = run(tmp_path, source, code.replace(old, new))
    assert found.status is Agreement.DIFFERS
    assert found.difference


def test_arrays_whose_sizes_are_assumed_are_not_made_longer(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(TRANSPOSE, encoding="utf-8")
    fragment = import_function(compile_source(path), "f")
    assumed = equal(Length(Var("x", TensorType(FLOAT, 2)), 1), N)
    found = references(fragment, (assumed,), extents=derive(fragment).shapes, wanted=20)
    longer = [case for case in cases(fragment, found, Refusals((assumed,))) if case.expect is Expect.UNTOUCHED]
    assert longer and all(case.passed.keys() == {"out"} for case in longer)

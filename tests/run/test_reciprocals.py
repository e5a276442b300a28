"""Machines that divide by products with reciprocals: what that rounding makes of a result is allowed to them, no more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift.driver.files import load
from metalift.frontend import compile_source, functions, import_function
from metalift.result.verdict import Agreement
from metalift.run.compare.cases import references
from metalift.run.compare.differential import Emitted, compare
from metalift.run.compare.precision import ROUNDOFF, SourceReals
from metalift.run.workers.native import NativeBuild
from metalift.run.workers.process import Worker
from metalift.synth.derive import derive

CENTER = """void center(float *y, const float *x, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    for (int i = 0; i < n; i++) y[i] = x[i] - s / n;
}
"""
GENERATED = """import numpy as np


def center(y, x, n):
    one = np.float32(1)
    y[:n] = x[:n] - {mean}
    return y
"""
PRODUCT = "x[:n].sum() * (one / np.float32(max(n, 1)))"


@pytest.mark.parametrize(
    ("mean", "reciprocals", "status"),
    [
        ("x[:n].sum() / np.float32(max(n, 1))", False, Agreement.AGREES),
        (PRODUCT, True, Agreement.AGREES),
        (PRODUCT, False, Agreement.DIFFERS),
        (f"{PRODUCT} * (one + np.float32(2.0**-16))", True, Agreement.DIFFERS),
        ("x[:n].sum() * (one / np.float32(n + 1))", True, Agreement.DIFFERS),
    ],
)
def test_a_mean_that_is_subtracted(mean: str, reciprocals: bool, status: Agreement, tmp_path: Path) -> None:
    source, file = tmp_path / "center.c", tmp_path / "generated.py"
    source.write_text(CENTER)
    file.write_text(GENERATED.format(mean=mean))
    module = compile_source(source)
    [(_, _, symbol)] = functions(module)
    fragment = import_function(module, symbol)
    summary = derive(fragment)
    target = load("tensor").driver.target("numpy")
    target = replace(target, engine=replace(target.engine, reciprocals=reciprocals))
    with NativeBuild(fragment, source) as build, Worker(target) as worker:
        found = references(fragment, summary.requires, extents=summary.shapes)
        assert compare(fragment, found, Emitted(file, "center", ("y",)), build, worker).status is status


def test_bounds_of_quotients() -> None:
    """One rounding, none where it is exact; with reciprocals two, none where the reciprocal and the product are exact."""
    for left, right, once, twice in ((3.0, 3.0, 0, 2), (6.0, 2.0, 0, 0), (1.0, 3.0, 1, 2), (1.0, 4.0, 0, 0)):
        for reciprocals, roundings in ((False, once), (True, twice)):
            found = SourceReals(reciprocals=reciprocals).div(left, right, 32)
            assert found == pytest.approx(left / right)
            assert found.bound == pytest.approx(roundings * ROUNDOFF[32] * left / right, rel=1e-6)

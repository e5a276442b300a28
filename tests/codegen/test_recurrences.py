"""Linear recurrences as calls of the library: from sources to proved code that agrees with them, with SciPy and without."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metalift import lift
from metalift.driver.files import load
from metalift.result import FunctionResult
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.support.generated import load_function

SOURCE = """
void low_pass(const double *x, double *y, int n, double k) {
    double s = 0;
    for (int i = 0; i < n; i++) { s += k * (x[i] - s); y[i] = s; } }
void seeded(const float *x, float *y, int n, float a) { for (int i = 1; i < n; i++) y[i] = a * y[i - 1] + (1 - a) * x[i]; }
double last(const double *x, int n, double a, double s) { for (int i = 0; i < n; i++) s = x[i] - a * s; return s; }
void discounted(const double *x, double *y, int n, double g) {
    double s = 0;
    for (int i = n - 1; i >= 0; i--) { s = x[i] + g * s; y[i] = s; } }
void before(const double *x, double *y, int n, double a) {
    double s = 1;
    for (int i = 0; i < n; i++) { y[i] = s; s = a * s + x[i]; } }
void cells(const double *x, double *y, int n, double b, double c, double d) {
    for (int i = 2; i < n; i++) y[i] = x[i] + b * x[i - 2] - c * y[i - 1] - d * y[i - 2]; }
void turned_signs(const float *x, float *y, int n, float t) {
    float s = x[0];
    for (int i = 0; i < n; i++) { s -= (s - x[i]) / t; y[i] = s; } }
void direct(double *x, int n, double b0, double b1, double b2, double a1, double a2) {
    double y2 = 0, x1 = 0, x2 = 0, y1 = 0;
    for (int i = 0; i < n; i++) {
        double v = b0 * x[i] + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
        x2 = x1; x1 = x[i]; y2 = y1; y1 = v; x[i] = v; } }
void one_tap(const double *x, double *y, int n, double r) {
    double before = 0, out = 0;
    for (int i = 0; i < n; i++) { out = x[i] - before + r * out; before = x[i]; y[i] = out; } }
void canonical(const double *x, double *y, int n, double b0, double b1, double b2, double a1, double a2) {
    double w1 = 0, w2 = 0;
    for (int i = 0; i < n; i++) {
        double w = x[i] - a1 * w1 - a2 * w2;
        y[i] = b0 * w + b1 * w1 + b2 * w2; w2 = w1; w1 = w; } }
void transposed(const double *x, double *y, int n, const double *c, double *z) {
    double z1 = z[0], z2 = z[1];
    for (int i = 0; i < n; i++) {
        double v = c[0] * x[i] + z1;
        z1 = c[1] * x[i] - c[3] * v + z2; z2 = c[2] * x[i] - c[4] * v; y[i] = v; }
    z[0] = z1; z[1] = z2; }
"""
CALLS = {  # what the code for NumPy calls, where that is in a line
    "low_pass": "y[:n] = _approach(x, k, 0.0)",
    "seeded": "y[1:n] = _recurrence((1.0 - a) * x[1:n], [a], [y[0]])",
    "last": "return _last(_recurrence(x, [-a], [s]), s)",
    "discounted": "y[:n] = _recurrence(np.flip(x[:n], 0), [g], [0.0])[::-1]",
    "before": "y[:n] = _delayed(_recurrence(x, [a], [1.0]), 1.0)",
    "cells": "y[2:n] = _recurrence(x[2:n] + b * x[: n - 2], [-c, -d], [y[1], y[0]])",
    "turned_signs": "y[:n] = _approach(x[:n], 1.0 / t if t != 0 else math.nan, x[0])",
    "direct": "[-a1, -a2],",
    "one_tap": "y[:n] = _recurrence(x + -1.0 * _delayed(x, 0.0), [r], [0.0])",
    "canonical": "b0 * _recurrence(x, [-a1, -a2], [0.0, 0.0])",
    "transposed": "_delays(",
}
# Changes with the state, is no sum of it, or is of integers, whose values a library's filter would round.
STAY = """
void falling(const double *x, double *y, int n, double a) {
    double s = 0;
    for (int i = 0; i < n; i++) { s = a * s + x[i]; y[i] = s; a = a * 0.5; } }
void squared(const double *x, double *y, int n, double a) {
    double s = 0.1;
    for (int i = 0; i < n; i++) { s = a * s * (1 - s) + x[i]; y[i] = s; } }
void numbers(const int *x, int *y, int n) { int s = 0; for (int i = 0; i < n; i++) { s = 3 * s + x[i]; y[i] = s; } }
void overwritten(double *y, int n, double a) { for (int i = 2; i < n; i++) { y[i] = a * y[i - 1] + y[i - 2]; y[i - 1] = 0; } }
"""


def lifted(called: str, target: str, folder: Path, source: str = SOURCE) -> FunctionResult:
    """One of the functions, proved, with code that agrees with it."""
    (folder / "f.c").write_text(source)
    (found,) = lift(folder / "f.c", functions=[called], to=[target], out=folder).functions
    assert (found.verdict, found.targets[target].checked) == (FunctionVerdict.PROVED, Agreement.AGREES), found
    return found


@pytest.mark.quick("low_pass", "cells")
@pytest.mark.parametrize("called", CALLS)
def test_a_recurrence_is_a_call(called: str, tmp_path: Path) -> None:
    pytest.importorskip("scipy.signal", reason="SciPy is not installed")
    found = lifted(called, "numpy", tmp_path)
    assert found.targets["numpy"].engine.endswith(", with scipy and without")
    assert not found.diagnostics  # no loop stays
    text = (tmp_path / "numpy" / f"{called}.py").read_text()
    assert CALLS[called] in text[text.index(f"def {called}(") :]


def test_both_ways_give_what_is_defined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A factor above 1, whose powers leave the floats long before the values do."""
    pytest.importorskip("scipy.signal", reason="SciPy is not installed")
    lifted("last", "numpy", tmp_path)
    last = load_function(tmp_path / "numpy" / "last.py", "last")
    zeros = np.zeros(3000)
    assert last(zeros, 3000, -3.0, 0.0) == 0.0
    assert last(zeros, 0, -3.0, 7.0) == 7.0
    assert last(np.array([1.0, 2.0]), 2, -0.5, 8.0) == 4.5
    for module in [each for each in sys.modules if each.partition(".")[0] == "scipy"]:
        monkeypatch.setitem(sys.modules, module, None)
    assert last(zeros, 3000, -3.0, 0.0) == 0.0
    assert last(np.array([1.0, 2.0]), 2, -0.5, 8.0) == 4.5


def test_code_that_is_wrong_without_scipy_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compared is what generated code does where SciPy is not installed, too."""
    pytest.importorskip("scipy.signal", reason="SciPy is not installed")
    driver = load("tensor").driver
    right = driver.target("numpy")
    wrong = replace(right, preamble=right.preamble.replace("y[i] = value + sum(", "y[i] = value - sum("))
    assert wrong != right
    monkeypatch.setattr(driver, "targets", tuple(wrong if each is right else each for each in driver.targets))
    (tmp_path / "f.c").write_text(SOURCE)
    (found,) = lift(tmp_path / "f.c", functions=["low_pass"], to=["numpy"]).functions
    assert found.verdict is FunctionVerdict.ERROR
    assert any("without scipy: " in each.message for each in found.diagnostics)


def test_jax_has_no_powers_that_overflow(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    lifted("last", "jax", tmp_path)
    with jax.enable_x64():
        last = load_function(tmp_path / "jax" / "last.py", "last")
        assert last(jax.numpy.zeros(3000), 3000, -3.0, 0.0) == 0.0
        assert math.isclose(last(jax.numpy.ones(3000), 3000, -0.5, 0.0), 2.0)


@pytest.mark.quick("squared")
@pytest.mark.parametrize("called", ["falling", "squared", "numbers", "overwritten"])
def test_other_recurrences_stay_loops(called: str, tmp_path: Path) -> None:
    found = lifted(called, "numpy", tmp_path, STAY)
    assert any("stays a loop" in each.message for each in found.diagnostics)

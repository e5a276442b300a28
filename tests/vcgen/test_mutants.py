"""Summaries with one node changed: none that differs from its source is proved, nearly all are refuted by an input."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.attack import attack, is_proved
from metalift.prove.solver import SolverPool
from metalift.run.inputs.inputs import runs
from tests.support.proofs import kernel

MANY = 20
KERNELS = {
    "sum of products": """float f(int n, const float *x, const float *y) {
  float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }""",
    "largest": """int f(int n, const int *x) {
  int best = x[0]; for (int i = 1; i < n; i++) if (x[i] > best) best = x[i]; return best; }""",
    "added in place": """void f(int n, double *a, const double *b) {
  for (int i = 0; i < n; i++) a[i] += b[i]; }""",
    "bytes": """void f(int n, unsigned char *o, const unsigned char *a, const unsigned char *b) {
  for (int i = 0; i < n; i++) o[i] = a[i] + b[i] > 255 ? 255 : a[i] + b[i]; }""",
    "scaled by its sum": """void f(int n, float *x) {
  float s = 0; for (int i = 0; i < n; i++) s += x[i]; for (int i = 0; i < n; i++) x[i] = x[i] / (s + 1.0f); }""",
    "rows": """void f(int n, int m, int *o, const int *w, const int *x) {
  for (int i = 0; i < n; i++) { int s = 0; for (int j = 0; j < m; j++) s += w[i * m + j] * x[j]; o[i] = s; } }""",
}


@pytest.mark.quick("largest", "added in place", "scaled by its sum")
@pytest.mark.parametrize("name", KERNELS)
def test_no_mutant_that_differs_is_proved_and_nearly_all_are_refuted(name: str, tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(KERNELS[name], tmp_path)
    fragment, summary = made.fragment, made.summary
    assert is_proved(fragment, summary, runs(fragment, summary.requires, tried=60), pool, 30.0)
    tally = attack(fragment, summary, MANY, 1, pool)
    assert tally.made == MANY
    assert tally.wrong == ()
    assert tally.refuted >= 0.9 * tally.differ
    assert tally.refuted >= MANY // 2

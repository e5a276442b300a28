"""Summaries with one node changed: none that differs from its source is proved, nearly all are refuted by an input."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from metalift.ir.check import IllTyped
from metalift.ir.check_summary import check_summary
from metalift.ir.fragment import Fragment
from metalift.ir.summary import Summary
from metalift.ir.text import show_summary
from metalift.prove.solver import SolverPool
from metalift.proving import prove_all
from metalift.synth.testing.falsify import falsify
from metalift.synth.testing.inputs import Run, runs
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.paths import PathGenerator
from tests.support.mutants import mutants
from tests.support.proofs import kernel

MANY = 20
SECONDS = 0.25  # for an obligation of a mutant
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


@pytest.fixture(scope="module")
def pool() -> Iterator[SolverPool]:
    with SolverPool(2) as made:
        yield made


def well_formed(fragment: Fragment, made: list[Summary]) -> Iterator[Summary]:
    """The mutants that are summaries at all."""
    for mutant in made:
        try:
            check_summary(mutant, fragment)
        except IllTyped:
            continue
        yield mutant


def proved(fragment: Fragment, mutant: Summary, sample: list[Run], pool: SolverPool) -> bool:
    """Whether all obligations are; the loops' invariants are not changed, so they are left out."""
    try:
        obligations = list(PathGenerator(fragment, mutant, mutant.requires).obligations())
    except ObligationError:
        return False
    changed = [one for one in obligations if not one.name.startswith("loop")]
    assert changed
    return all(one.proved for one in prove_all(changed, fragment, mutant, sample, pool, SECONDS))


@pytest.mark.parametrize("name", KERNELS)
def test_no_mutant_that_differs_is_proved_and_nearly_all_are_refuted(name: str, tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(KERNELS[name], tmp_path)
    fragment, summary = made.fragment, made.summary
    sample = runs(fragment, summary.requires, tried=60)
    assert proved(fragment, summary, sample, pool)
    tried = list(islice(well_formed(fragment, mutants(fragment, summary, 3 * MANY, seed=1)), MANY))
    assert len(tried) == MANY
    refuted = [mutant for mutant in tried if falsify(fragment, mutant, mutant.requires, tried=60) is not None]
    rest = [mutant for mutant in tried if mutant not in refuted]
    late = [mutant for mutant in rest if falsify(fragment, mutant, mutant.requires, tried=1000, seed=7) is not None]
    assert [show_summary(mutant) for mutant in (*refuted, *late) if proved(fragment, mutant, sample, pool)] == []
    assert len(refuted) >= 0.9 * (len(refuted) + len(late))
    assert len(refuted) >= MANY // 2

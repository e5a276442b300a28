"""Sources of the suites with one change: what is proved of them is what they compute themselves, never what they did before."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.source_mutants import KINDS, source_mutants
from benchmarks.sources import Fate, fates, tells_apart
from benchmarks.suites import Kernel, read_suite, suite_names
from metalift.frontend import import_function, open_source
from metalift.synth.derive import derive

KERNELS = [kernel for suite in suite_names() for kernel in read_suite(suite)]
DRAWN = (("array", "vector_add.c"), ("blend", "darken_bump.c"), ("llama", "rmsnorm_squares.py"))
SOURCE = """/* for (i = 0; i < 3; i++) */
void scale(float *a, float s, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i] > 0.5f) a[i] = a[i] * s;
    }
}
"""


def kernel(suite: str, file: str) -> Kernel:
    return next(each for each in KERNELS if (each.suite, each.path.name) == (suite, file))


@pytest.mark.quick("array-vector_add.c", "llama-rmsnorm_squares.py")
@pytest.mark.parametrize(("suite", "file"), DRAWN)
def test_a_mutant_is_proved_for_what_it_computes_itself_or_not_at_all(suite: str, file: str, tmp_path: Path) -> None:
    found = list(fates(kernel(suite, file), 2, 1, tmp_path))
    assert len(found) == 2
    assert [each for each in found if each.fate is Fate.WRONG] == []
    assert any(each.fate is Fate.OWN for each in found), found


def test_a_mutant_is_told_from_the_summary_of_its_source(tmp_path: Path) -> None:
    path = tmp_path / "scale.c"
    path.write_text(SOURCE)
    summary = derive(import_function(open_source(path), "scale"))
    assert not tells_apart(import_function(open_source(path), "scale"), summary)
    for mutant in source_mutants(SOURCE, 10):
        path.write_text(mutant.text)
        assert tells_apart(import_function(open_source(path), "scale"), summary), mutant


def test_each_kind_of_change_is_made_once_and_comments_are_left_alone() -> None:
    found = source_mutants(SOURCE, len(KINDS))
    assert {mutant.kind for mutant in found} == set(KINDS)
    for mutant in found:
        both = zip(SOURCE.split("\n"), mutant.text.split("\n"), strict=True)
        lines = [place for place, (old, new) in enumerate(both, 1) if old != new]
        assert lines == [mutant.line] and mutant.line > 1
    assert source_mutants(SOURCE, 4, seed=2) == source_mutants(SOURCE, 4, seed=2)


def test_nearly_every_source_has_mutants() -> None:
    without = [each.path.name for each in KERNELS if not source_mutants(each.path.read_text(encoding="utf-8"), 5)]
    assert len(without) <= len(KERNELS) // 50, without

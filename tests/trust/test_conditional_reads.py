"""What the source reads under a condition, generated code does not read before it, not even to check a range; a target without
operators for a function leaves the others theirs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from metalift import lift
from metalift.result.verdict import FunctionVerdict
from tests.support.generated import load_function

GUARDED = """
def last_guarded(a: list[int], k: int) -> int:
    return a[k] * 5 if 0 <= k < len(a) else 0


def last_or_zero(a: list[int]) -> int:
    y = 0
    for v in a:
        y = v
    return 3 * y + len(a)
"""
PLACES = """
#include <stdint.h>
int place(const int *table, const int *by, int i, int w) {
    while (w > 100) w = table[w - by[i]];
    return w;
}
uint64_t spread(const uint64_t *words, int n) {
    uint64_t h = 1;
    for (int i = 0; i < n; i++) {
        h = (h ^ words[i]) * 0x9E3779B97F4A7C15ull;
        if (h & 1) h ^= h >> 29;
    }
    return h;
}
"""


def test_a_range_is_not_asked_of_elements_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "guarded.py").write_text(GUARDED)
    found = lift(tmp_path / "guarded.py", to="numpy", out=tmp_path / "out")
    assert [each.verdict for each in found.functions] == [FunctionVerdict.PROVED] * 2
    names = ("last_guarded", "last_or_zero")
    last_guarded, last_or_zero = (load_function(tmp_path / "out/numpy" / f"{name}.py", name) for name in names)
    assert last_guarded(np.array([3]), 1) == 0
    assert last_guarded(np.array([3]), 0) == 15
    assert last_or_zero(np.zeros(0, np.int64)) == 0


def test_elements_at_computed_places_and_a_target_without_operators(tmp_path: Path) -> None:
    (tmp_path / "places.c").write_text(PLACES)
    place, spread = lift(tmp_path / "places.c", to=["numpy", "pytorch"], out=tmp_path / "out").functions
    assert place.verdict is FunctionVerdict.PROVED, place.diagnostics
    assert spread.targets["numpy"].verdict is FunctionVerdict.PROVED, spread.diagnostics
    assert spread.targets["pytorch"].verdict is FunctionVerdict.NOT_LIFTED

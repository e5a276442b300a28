"""The place of an extreme that the source keeps in few bits is that of the target only where the array is short enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.result.verdict import FunctionVerdict

SOURCE = """
#include <stdint.h>
uint8_t place(int n, const int32_t *x) {
    uint8_t best = 0;
    for (int i = 1; i < n; i++) if (x[i] > x[best]) best = i;
    return best;
}
"""


@pytest.mark.parametrize("target", ["numpy", "pytorch"])
def test_a_place_in_eight_bits_requires_a_short_array(target: str, tmp_path: Path) -> None:
    (path := tmp_path / "place.c").write_text(SOURCE, encoding="utf-8")
    (function,) = lift(path, to=[target], out=tmp_path / "out").functions
    assert function.verdict is FunctionVerdict.PROVED, function.diagnostics
    assert "i32(u8(n)) == n" in {each.text for each in function.targets[target].assumptions}

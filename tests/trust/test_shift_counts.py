"""Arrays shifted by a number: bits beyond the word are lost, whichever integer of Python or NumPy the number is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metalift import lift
from metalift.result.verdict import FunctionVerdict
from tests.support.generated import load_function

SOURCE = """
#include <stdint.h>
int shifted(const uint8_t *a, int n, int s)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += (uint8_t)(a[i] << s);
    return total;
}
"""


def test_bits_beyond_the_word_are_lost(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(SOURCE)
    (found,) = lift(tmp_path / "k.c", to="numpy", out=tmp_path / "out").functions
    assert found.verdict is FunctionVerdict.PROVED
    assert "np.left_shift" in found.targets["numpy"].code
    shifted = load_function(tmp_path / "out" / "numpy" / "shifted.py", "shifted")
    bytes_ = np.array([200, 255, 3], np.uint8)
    for count in (0, 1, 7, 8, 31, np.int64(1), np.int32(3), np.uint8(7), np.uint64(2)):
        assert shifted(bytes_, 3, count) == sum((int(each) << int(count)) % 256 for each in bytes_)
    for count in (-1, 32, 127):
        with pytest.raises(ValueError):
            shifted(bytes_, 3, count)

"""The element that blocks leave, written under a condition: arrays of n elements are enough, for even n, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metalift import lift
from metalift.result.verdict import FunctionVerdict
from tests.support.generated import load_function

LOOPS = {  # how the loop over pairs is written
    "unsigned": ("unsigned", "i + 1 < n"),
    "signed": ("int", "i + 2 <= n"),
}


@pytest.mark.parametrize("kind", LOOPS)
def test_arrays_need_no_element_that_is_not_used(kind: str, tmp_path: Path) -> None:
    type_, test = LOOPS[kind]
    (tmp_path / "k.c").write_text(
        f"void doubled(const float *a, float *b, {type_} n) {{\n"
        f"    {type_} i = 0;\n"
        f"    for (; {test}; i += 2) {{ b[i] = a[i] * 2; b[i + 1] = a[i + 1] * 2; }}\n"
        "    if (i < n) b[i] = a[i] * 2;\n"
        "}\n"
    )
    (found,) = lift(tmp_path / "k.c", to="numpy", out=tmp_path / "out").functions
    assert found.verdict is FunctionVerdict.PROVED
    doubled = load_function(tmp_path / "out" / "numpy" / "doubled.py", "doubled")
    for count in range(6):
        given = np.arange(1, count + 1, dtype=np.float32)
        assert np.array_equal(doubled(given, np.zeros(count, np.float32), count), 2 * given)
        if count:
            with pytest.raises(ValueError):
                doubled(given[:-1], np.zeros(count, np.float32), count)

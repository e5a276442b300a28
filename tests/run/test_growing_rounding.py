"""Where rounding grows from step to step, the source's own result is worth little: such an input says nothing of the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.driver.files import load
from metalift.frontend import import_function, open_source
from metalift.result.verdict import Agreement, FunctionVerdict
from metalift.run.compare.cases import references
from metalift.run.compare.differential import Comparison, Emitted, compare
from metalift.run.workers.native import NativeBuild
from metalift.run.workers.process import Worker

SOURCE = """
void smoothed(float *o, const float *x, int n, float a) {
    float y = x[0];
    for (int i = 0; i < n; i++) {
        y = a * x[i] + (1 - a) * y;
        o[i] = y;
    }
}
"""
STEPS = """
import numpy as np


def smoothed(o, x, n, a):
    y, a = x[0], np.float32(a)
    for i in range(n):
        y = (y - a * y) + a * x[i]
        o[i] = y
    return o
"""


def compared(code: str, folder: Path) -> Comparison:
    """The code beside the source, which it computes with other roundings."""
    path, file = folder / "k.c", folder / "generated.py"
    path.write_text(SOURCE)
    file.write_text(code)
    fragment = import_function(open_source(path), "smoothed")
    emitted = Emitted(file, "smoothed", ("o",), fed_back=True)
    with NativeBuild(fragment, path) as build, Worker(load("tensor").driver.target("numpy")) as worker:
        return compare(fragment, references(fragment), emitted, build, worker)


def test_what_grows_from_rounding_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(SOURCE)
    (found,) = lift(tmp_path / "k.c").functions  # with powers and sums, which round otherwise than the steps do
    target = found.targets["numpy"]
    assert (found.verdict, target.checked) == (FunctionVerdict.PROVED, Agreement.AGREES)


@pytest.mark.parametrize(("old", "new"), [("x[0],", "x[n - 1],"), ("- a * y", "- a * y * np.float32(1.001)"), ("x[i]", "x[0]")])
def test_wrong_code_differs_all_the_same(old: str, new: str, tmp_path: Path) -> None:
    assert compared(STEPS.replace(old, new), tmp_path).status is Agreement.DIFFERS

"""What rounding may do: where it grows from step to step, an input says nothing; products with sums may be sums of products."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metalift import lift
from metalift.driver.files import load
from metalift.frontend import import_function, open_source
from metalift.result.verdict import Agreement, FunctionVerdict
from metalift.run.compare.cases import references
from metalift.run.compare.differential import Comparison, Emitted, compare
from metalift.run.compare.precision import SourceReals
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


@given(st.lists(st.integers(-40, 40).map(lambda each: each / 4), min_size=1, max_size=6), st.floats(1e-6, 1e6), st.booleans())
def test_a_product_with_an_exact_sum_may_be_a_sum_of_products(terms: list[float], factor: float, divided: bool) -> None:
    reals = SourceReals()
    total = reals.enter(0, 64)
    for term in terms:
        total = reals.add(total, reals.enter(term, 64), 64)
    scaled = (reals.div if divided else reals.mul)(total, factor, 64)
    spread = sum(term / factor if divided else term * factor for term in terms)
    exact = sum(map(Fraction, terms)) / Fraction(factor) if divided else sum(map(Fraction, terms)) * Fraction(factor)
    assert abs(Fraction(spread) - exact) <= 8 * Fraction(scaled.bound)

"""Inputs whose arrays assumptions say to be ordered: there are enough of them, and they are not all alike."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from benchmarks.configurations import found
from metalift.run.inputs.inputs import inputs, satisfies
from metalift.run.inputs.ordered import Order, orders_of

SPARSE = Path(__file__).parents[2] / "benchmarks" / "sparse"
WANTED = 60


def test_what_is_compared_is_ordered() -> None:
    """By rows, and by cells."""
    by_rows = found(SPARSE / "csr_matrix_vector.c", "csr_matvec", "tensora").program.requires
    by_cells = found(SPARSE / "coo_matrix_vector.c", "coo_matvec", "tensora").program.requires
    assert {var.name: order for var, order in orders_of(by_rows).items()} == {"pos": Order.NOT_FALLING, "crd": Order.RISING}
    assert {var.name: order for var, order in orders_of(by_cells).items()} == {"row": Order.GROUPED, "col": Order.RISING}


def test_ordered_arrays_are_found_in_many_shapes() -> None:
    """Rows of different lengths, some empty, and not only the smallest matrices."""
    one = found(SPARSE / "csr_matrix_vector.c", "csr_matvec", "tensora")
    assumed = (*one.summary.requires, *one.program.requires)
    made = [dict(run.input.values) for run in islice(inputs(one.fragment, assumed, extents=one.summary.shapes), WANTED)]
    assert len(made) == WANTED
    ends = {values["pos"] for values in made if isinstance(values["pos"], tuple) and len(values["pos"]) > 3}
    lengths = [[after - before for before, after in zip(each, each[1:], strict=False)] for each in ends]
    assert len(ends) > WANTED // 4
    assert any(min(each) == 0 and len(set(each)) > 2 for each in lengths)
    for run in islice(inputs(one.fragment, assumed, extents=one.summary.shapes), WANTED):
        assert satisfies(run.input.env(), assumed)

"""Places in arrays of several axes: what lies inside of an axis lies inside of the array."""

from __future__ import annotations

import pytest

from metalift.ir.expr.types import INT
from metalift.ir.text import parse
from metalift.prove.prover import prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict

NAMES = dict.fromkeys(("nx", "ny", "nz", "i", "j"), INT)
INSIDE = ("1 <= i", "i < nx - 1", "1 <= j", "j < ny - 1")


@pytest.mark.parametrize(("beyond", "holds"), [(0, True), (1, False)])
def test_the_last_rows_of_three_axes(beyond: int, holds: bool, pool: SolverPool) -> None:
    last = f"i * ny * nz + j * nz + nz + {beyond}"
    goal = f"{last} <= 0 or {last} <= nx * ny * nz - ny * nz - nz"
    known, wanted = [parse(each, NAMES) for each in INSIDE], parse(goal, NAMES)
    assert (prove(known, wanted, pool, 3).verdict is ObligationVerdict.PROVED) is holds

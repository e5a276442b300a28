"""The checks of what formats promise, in generated code: they say what the conditions say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import metalift
from metalift.ir.expr.nodes import Apply, Expr, Operator, Select, Var
from metalift.ir.expr.types import INT, TensorType
from metalift_drivers.taco.guards import STORED, spelled

SOURCE = Path(__file__).parents[2] / "benchmarks/sparse/csr_matrix_vector.c"
CRD = [3, 1, 4, 1, 5, 9, 2, 6]
POSITIONS = [[0, 2, 5], [0, 0, 3], [2, 2, 2], [0, 5, 2], [5, 3, 8], [1, 8, 8], [0, 3, 9], [0, 2], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("fewer", [0, 1])
@pytest.mark.parametrize("pos", POSITIONS)
def test_stored_positions_are_those_of_the_loops(pos: list[int], fewer: int) -> None:
    """Rising or not, with empty rows, too short, and beyond the cells."""
    space: dict[str, Any] = {"np": np}
    exec(STORED, space)
    crd = np.array(CRD)
    for limit in (0, 2, 5, 6, 10):
        try:
            inside = [q for i in range(2) for q in range(pos[i], pos[i + 1] - fewer)]
            wanted = all(CRD[q] < limit for q in inside)
            wanted = wanted and (not inside or max(inside) < len(CRD))
        except IndexError:
            wanted = False
        found = space["_all_stored"](lambda q, limit=limit: crd[q] < limit, np.array(pos, np.int32), 2, fewer)
        assert found == wanted, limit


def test_a_comparison_that_begins_with_a_product_is_an_operand() -> None:
    """`&` binds more than `<` does."""
    n, i = Var("n", INT), Var("i", INT)
    product: Expr = Apply(Operator.MUL, (n, Select(Var("crd", TensorType(INT, 1)), (i,))))
    index = Apply(Operator.ADD, (product, i))
    both = Apply(Operator.AND, (Apply(Operator.LE, (i, index)), Apply(Operator.LT, (index, n))))
    values = {"np": np, "n": 2, "i": np.array([0, 1]), "crd": np.array([0, 3])}
    assert eval(spelled(both), values).tolist() == [True, False]


def test_all_stored_elements_are_asked_for_in_full_style_only(tmp_path: Path) -> None:
    pytest.importorskip("tensora", reason="the extra taco is not installed")
    texts = {}
    for style in ("guarded", "full"):
        out = tmp_path / style
        metalift.lift(SOURCE, functions=["csr_matvec"], to=("tensora",), out=out, style=style)
        texts[style] = (out / "tensora" / "csr_matvec.py").read_text()
    told = "for all i below m: pos[i] <= pos[i + 1]"
    assert f"{told} (checked)" in texts["full"] and "def _all(" in texts["full"]
    assert told in texts["guarded"] and f"{told} (checked)" not in texts["guarded"] and "def _all" not in texts["guarded"]
    assert "pos[0] == 0 (checked)" in texts["guarded"]

"""Conditions on all elements in words."""

from __future__ import annotations

import pytest

from metalift.ir.expr.types import BOOL, INT, INT32, TensorType, Type
from metalift.ir.text import in_words, parse

NAMES: dict[str, Type] = {"m": INT32, "k": INT, "pos": TensorType(INT32, 1), "crd": TensorType(INT32, 1)}


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("forall(i: not (0 <= i and i < int(m)) or pos[i] <= pos[i + 1])", "for all i below m: pos[i] <= pos[i + 1]"),
        (
            "forall(i, p: not (0 <= i and i < int(m) and 0 <= p and p < int(pos[i + 1]) - int(pos[i])) or "
            "0 <= crd[int(pos[i]) + p] and int(crd[int(pos[i]) + p]) < int(m))",
            "for all i below m and p below pos[i + 1] - pos[i]: 0 <= crd[pos[i] + p] < m",
        ),
        ("forall(i: not (k <= i and i < int(m)) or pos[i] == 0)", "for all i from k to before m: pos[i] == 0"),
        (
            "forall(i: not (0 <= i and i < int(m) and pos[i] < 3) or crd[i] == 0)",
            "for all i below m where pos[i] < 3: crd[i] == 0",
        ),
        ("forall(i: not (i < int(m)) or crd[i] == 0)", "for all i where i < m: crd[i] == 0"),
        ("forall(i: pos[i] == crd[i])", "for all i: pos[i] == crd[i]"),
        ("forall(i: pos[i] == 0 or crd[i] == 0)", "for all i: pos[i] == 0 or crd[i] == 0"),
        ("k < 2 and forall(i: pos[i] == 0)", "k < 2; for all i: pos[i] == 0"),
        ("int(m) < 2 * k", "int(m) < 2 * k"),
    ],
)
def test_conditions_are_told_in_words(written: str, told: str) -> None:
    assert in_words(parse(written, NAMES, BOOL)) == told

"""What is shown from facts about sizes."""

from __future__ import annotations

import pytest

from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Expr, Length, Var
from metalift.ir.expr.types import INT, INT32, MachineInt, TensorType, Type
from metalift.ir.text import parse

NAMES: dict[str, Type] = {"m": INT, "n": INT, "k": INT, "ld": INT, "u": MachineInt(32, False)}


def read(text: str) -> Expr:
    """An expression over the names."""
    return parse(text, NAMES)


@pytest.mark.parametrize(
    ("facts", "value", "shown"),
    [
        ((), "m", False),
        ((), "max(m, 0)", True),
        ((), "int(u)", True),
        ((), "min(int(u), m)", False),
        (("0 <= m",), "m", True),
        (("0 <= m",), "m - 1", False),
        (("1 <= m",), "m - 1", True),
        (("0 < m",), "m - 1", True),
        (("3 <= m",), "2 * m - 6", True),
        (("3 <= m",), "2 * m - 7", False),
        (("0 <= m", "0 <= n"), "m * n", True),
        (("0 <= m",), "m * n", False),
        (("1 <= m", "0 <= n"), "m * n - n", True),
        (("n <= ld", "0 <= n"), "ld", True),
        (("n <= ld", "0 <= n"), "ld - 1", False),
        (("k <= n", "n <= ld"), "ld - k", True),
        (("n <= k",), "ld - n", False),
        (("m == n", "1 <= n"), "m - 1", True),
        (("not n < 2",), "n - 2", True),
        (("0 <= n and n <= ld", "1 <= m"), "m * ld - ld + n", True),
        (("0 <= m",), "m // 2", True),
        ((), "n % 8", True),
    ],
)
def test_never_negative(facts: tuple[str, ...], value: str, shown: bool) -> None:
    assert Facts(map(read, facts)).never_negative(Polynomial.of(read(value))) == shown


def test_lengths() -> None:
    length = Polynomial.of(Length(Var("x", TensorType(INT32))))
    assert Facts().never_negative(length)
    assert not Facts().positive(length)

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
        ((), "abs(m)", True),
        (("0 <= k",), "m % k", True),
        (("0 <= m",), "m % k", False),  # it has the sign of the divisor
        (("0 <= m",), "m // k", False),
        (("0 <= m",), "int(i8(m))", False),  # a narrower type wraps
        (("0 <= m",), "int(i8(m % 100))", True),
        (("0 <= n // 4",), "n - n // 4 * 4", True),
        (("not (m < 0 or n < 0)",), "m * n", True),
        (("m < 0 or n < 0",), "m", False),
        (("not (0 <= m and 0 <= n)",), "-m", False),
        (("m != 0",), "m", False),
        (("m <= n", "n <= m"), "m - n", True),
        (("0 <= m if k < 0 else 0 <= m",), "m", False),
    ],
)
def test_never_negative(facts: tuple[str, ...], value: str, shown: bool) -> None:
    assert Facts(map(read, facts)).never_negative(Polynomial.of(read(value))) == shown


def test_what_is_not_0() -> None:
    value = Polynomial.of(read("m - n"))
    assert Facts([read("m != n")]).nonzero(value) and Facts([read("n < m")]).nonzero(value)
    assert not Facts([read("m == n")]).nonzero(value) and not Facts([read("n <= m")]).nonzero(value)


def test_what_is_asked_before_changes_no_answer() -> None:
    formulas = [read("n <= ld"), read("k <= n"), read("0 <= k"), read("1 <= m")]
    values = [Polynomial.of(read(each)) for each in ("ld", "m * ld - ld", "ld - k", "n * k - 1", "m * n * k", "k - m")]
    alone = [Facts(formulas).never_negative(value) for value in values]
    together = Facts(formulas)
    assert [together.never_negative(value) for value in reversed(values)] == alone[::-1]
    assert alone == [True, True, True, False, True, False]


def test_lengths() -> None:
    length = Polynomial.of(Length(Var("x", TensorType(INT32))))
    assert Facts().never_negative(length)
    assert not Facts().positive(length)

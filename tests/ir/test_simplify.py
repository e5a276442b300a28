"""What simplification does; that it is sound is a property of all expressions in test_terms."""

from __future__ import annotations

import pytest

from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, UINT8, MachineInt, TensorType, Type
from metalift.ir.rewrite.simplify import Interval, interval, simplify
from metalift.ir.text import parse, show

NAMES: dict[str, Type] = {
    "a": UINT8,
    "b": UINT8,
    "u": MachineInt(32, False),
    "v": MachineInt(32, False),
    "f": FLOAT,
    "i": INT,
    "k": INT,
    "n": INT32,
    "c": BOOL,
    "p": TensorType(FLOAT),
}


@pytest.mark.parametrize(
    ("text", "simple"),
    [
        ("int(i32(a)) + 0", "int(a)"),
        ("i + 2 * 3 - 6 * 1", "i + 6 - 6"),
        ("f * 1 + 0", "f"),
        ("f - f", "0.0:f32"),
        ("0.1 * 3 / 4 + f", "0.075 + f"),
        ("1 / 3 + f", "1 / 3 + f"),
        ("max(0, len(p))", "len(p)"),
        ("max(i, i + 1)", "i + 1"),
        ("min(i32(a), 255)", "i32(a)"),
        ("i32(a) <= 255", "True"),
        ("i32(a) < 0", "False"),
        ("not (i < 3)", "3 <= i"),
        ("3 * (2 + i) < 7 + 3 * i", "True"),
        ("int(n) < int(n) + 1", "True"),
        ("int(a) < int(b)", "a < b"),
        ("i32(c) == 0", "not c"),
        ("i32(c) != 0:i32", "c"),
        ("f if not c else 3", "3 if c else f"),
        ("(f if c else 1) if c else 2", "f if c else 2"),
        ("c or True", "True"),
        ("True and c and c", "c"),
        ("c and not c", "False"),
        ("i < 3 if c else False", "c and i < 3"),
        ("[p[k] if k < 0 else 2 for k < int(n)]", "[2.0:f32 for k < int(n)]"),
        ("[p[i + k] for k < 5][2]", "p[i + 2]"),
        ("len([f for k < i])", "max(0, i)"),
        ("len(update(p, [0] = f))", "len(p)"),
        ("len([f for k < i where p[k] < f])", "fold(i, 0, acc, k: acc + (1 if p[k] < f else 0))"),
        ("[p[k] for k < i where k < k + 1]", "[p[k] for k < i]"),
        ("len([f for k < i where k < 0])", "0"),
        ("(f, i)[0]", "f"),
        ("fold(0, f, acc, k: acc * p[k])", "f"),
        ("fold(i, f, acc, k: acc)", "f"),
        ("update(p, [i] = 0 where False)", "p"),
        ("a & 255", "a"),
        ("int(a) % 256", "int(a)"),
        ("u32(int(u) + int(v))", "u32(int(u) + int(v))"),
        ("u32(int(u & 255) + int(v & 255))", "(u & 255) + (v & 255)"),
        ("forall(k: True)", "True"),
    ],
)
def test_simplification(text: str, simple: str) -> None:
    assert show(simplify(parse(text, NAMES))) == simple


def test_values_are_not_expanded() -> None:
    for text in ("(f - 1) * (f - 1)", "(f + 1) * 3", "u8(255 - tdiv((255 - i32(a)) * (255 - i32(b)), 255))", "int(n + 1)"):
        assert show(simplify(parse(text, NAMES))) == text


def test_ranges_decide() -> None:
    i, n = Var("i", INT), Var("n", INT32)
    ranges: dict[Expr, Interval] = {i: Interval(0, None), n: Interval(1, 100)}
    for text, simple in (
        ("max(0, i)", "i"),
        ("max(0, int(n))", "int(n)"),
        ("int(i32(int(n) * 7))", "int(n) * 7"),
        ("i < 0", "False"),
        ("fold(i, f, acc, i: acc + p[max(0, i)])", "fold(i, f, acc, i: acc + p[i])"),
        ("forall(i: 0 <= i)", "forall(i: 0 <= i)"),
    ):
        assert show(simplify(parse(text, NAMES), ranges)) == simple


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("a", 0, 255),
        ("i32(a) * i32(b)", 0, 255 * 255),
        ("255 - i32(a)", 0, 255),
        ("tdiv(i32(a) * i32(b), 255)", 0, 255),
        ("i32(a) - i32(b)", -255, 255),
        ("abs(i32(a) - i32(b))", 0, 255),
        ("i32(a) >> 3", 0, 31),
        ("u & 15", 0, 15),
        ("i % 7", 0, 6),
        ("trem(i, 7)", -6, 6),
        ("min(max(i, 0), 255)", 0, 255),
        ("(0 if i < 0 else i)", 0, None),
        ("(255 if 255 < i else i)", None, 255),
        ("fold(i, 0, acc, k: acc + 1)", 0, None),
        ("fold(i, 0, acc, k: max(acc, int(a)))", 0, None),
        ("i32(c) * 2", 0, 2),
        ("len(p) - 1", -1, 2**63 - 2),
        ("int(n) + 1", -(2**31) + 1, 2**31),
    ],
)
def test_intervals(text: str, low: int | None, high: int | None) -> None:
    assert interval(parse(text, NAMES)) == Interval(low, high)

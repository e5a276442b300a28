"""How expressions, fragments and summaries look, and what the reader makes of what people write."""

from __future__ import annotations

from fractions import Fraction

import pytest

from metalift.ir.expr.nodes import Apply, Call, Const, Expr, Operator, Var
from metalift.ir.expr.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    INT32,
    REAL,
    UINT8,
    FunctionType,
    MachineInt,
    TensorType,
    TupleType,
    Type,
)
from metalift.ir.program.fragment import (
    Assign,
    Block,
    Branch,
    Edge,
    Fragment,
    Jump,
    Location,
    Param,
    ParamKind,
    Return,
    Store,
    Undefined,
)
from metalift.ir.program.summary import Binding, Let, LoopSummary, Summary, TargetProgram, Write
from metalift.ir.text import ParseError, parse, parse_type, show, show_fragment, show_program, show_summary, show_type

NAMES: dict[str, Type] = {
    "x": TensorType(FLOAT),
    "o": TensorType(FLOAT),
    "m": TensorType(UINT8, 2),
    "size": INT32,
    "ss": FLOAT,
    "d": DOUBLE,
    "i": INT,
    "i.1": INT32,
    "n": INT,
    "a": UINT8,
    "b": UINT8,
    "c": BOOL,
    "t": TupleType((INT, FLOAT)),
    "and": INT,
    "i8": INT,
}

SHOWN = [
    "1 / sqrt(ss / f32(size) + 1e-05)",
    "fold(int(size), 0.0:f32, acc, k: acc + x[k] * x[k])",
    "max(x[n], -1e+30)",
    "u8(255 - tdiv((255 - i32(a)) * (255 - i32(b)), 255))",
    "update(o, [i] = x[i] * ss for i < int(size))",
    "update(o, [i * n + j] = 0 for i < n, j < i + 1 where c and i < 3)",
    "[x[i] if i < n else 0 for i < n, j < len(m, 1)]",
    "forall(k: k < 0 or n <= k or o[k] == x[k])",
    "exists(f32 r, i8: r < x[i8])",
    "(n, ss)[1] + t[1]",
    "(n,)",
    "()",
    "i.1 + 1",
    "`and` + i8",
    "a == 255 and b != 0 or not a < b",
    "(c or c) and c",
    "c == (n < 3)",
    "n - (i - 1) - 1",
    "-(n * i) // 3 % -2",
    "-(3) + n",
    "-n * -3",
    "n << 2 & 7 | i ^ 1",
    "255:i32",
    "0.1:f32 * 3",
    "ratio(1, 3) * d",
    "mv:f32[](x, o)[0]",
    "(1 if c else 2) + n",
    "1 if c else 2 if c else 3",
    "abs(min(n, 3)) + trem(n, 2)",
    "invoke(lambda(f32 r, i: r * x[i]), x[0], n)",
    "op:f32[](lambda(u8 v: v * 2 + a), x, lambda(i: 3:u8))",
]


@pytest.mark.parametrize("text", SHOWN)
def test_text_is_shown_as_it_was_read(text: str) -> None:
    assert show(parse(text, NAMES)) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("n > 3", "3 < n"),
        ("n>=i", "i <= n"),
        ("0 <= i < n", "0 <= i and i < n"),
        ("((n))", "n"),
        ("1.50 * d", "1.5 * d"),
        (".5e3 * d", "500 * d"),
        ("  n+\n 1 ", "n + 1"),
        ("- 3 + n", "-3 + n"),
    ],
)
def test_the_reader_takes_more_than_is_shown(text: str, shown: str) -> None:
    assert show(parse(text, NAMES)) == shown


def test_literals_take_the_type_that_their_place_asks_for() -> None:
    assert parse("a + 1", NAMES) == Apply(Operator.ADD, (Var("a", UINT8), Const(1, UINT8)))
    assert parse("1", NAMES) == Const(1, INT)
    assert parse("1.0", NAMES) == Const(Fraction(1), REAL)
    assert parse("1", NAMES, FLOAT) == Const(Fraction(1), FLOAT)
    assert parse("1e-05 * ss", NAMES) == Apply(Operator.MUL, (Const(Fraction(1, 10**5), FLOAT), Var("ss", FLOAT)))
    assert parse("sqrt(2.0:f64)", NAMES) == Call("sqrt", (Const(Fraction(2), DOUBLE),), DOUBLE)
    assert show(Const(Fraction(1), FLOAT), FLOAT) == "1"
    assert show(Const(Fraction(1), FLOAT)) == "1.0:f32"


@pytest.mark.parametrize(
    ("value", "shown"),
    [("0", "0"), ("1e-5", "1e-05"), ("0.0001", "0.0001"), ("-1.25", "-1.25"), ("1e15", "1000000000000000"), ("12e20", "1.2e+21")],
)
def test_decimals(value: str, shown: str) -> None:
    assert show(Const(Fraction(value), REAL), REAL) == shown
    assert parse(shown, {}, REAL) == Const(Fraction(value), REAL)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("n +", 3),
        ("n + unknown", 4),
        ("n $ 3", 1),
        ("(n", 2),
        ("x[n", 3),
        ("n n", 2),
        ("f(n)", 0),
        ("fold(n, 0, acc: acc)", 14),
        ("[n for 3 < n]", 7),
        ("n[0]", 1),
        ("t[2]", 1),
        ("t[n]", 1),
        ("1.5 + n", 0),
        ("sqrt()", 0),
        ("len(x, n)", 0),
        ("ratio(1, 0)", 0),
        ("n if c", 6),
        ("invoke(n, 3)", 0),
        ("invoke(lambda(i: i))", 0),
        ("lambda(i: x)", 0),
        ("lambda(i)", 8),
        ("[t for i < n]", 0),
    ],
)
def test_what_cannot_be_read_is_reported_with_its_position(text: str, position: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text, NAMES)
    assert caught.value.position == position


@pytest.mark.parametrize(
    "text", ["n + ss", "a + 256", "x[a]", "not n", "c + c", "fold(n, 0, acc, k: ss)", "bool(n)", "i70(n)", "len(n)"]
)
def test_what_is_not_well_formed_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text, NAMES)


def test_deep_nesting_is_read_or_refused_but_never_a_crash() -> None:
    assert parse("(" * 50 + "n" + ")" * 50, NAMES) == Var("n", INT)
    with pytest.raises(ParseError, match="deep"):
        parse("(" * 5000 + "n" + ")" * 5000, NAMES)


@pytest.mark.parametrize(
    "type_",
    [
        BOOL,
        INT,
        MachineInt(7, False),
        REAL,
        DOUBLE,
        TensorType(UINT8, 3),
        TupleType((INT, TupleType(()))),
        FunctionType((FLOAT, INT), BOOL),
    ],
)
def test_types_are_read_back(type_: Type) -> None:
    assert parse_type(show_type(type_)) == type_


AT = Location("kernel.c", 4, 7)
X, OUT, SIZE, SS, STEP = (
    Var("x", TensorType(FLOAT)),
    Var("o", TensorType(FLOAT)),
    Var("size", INT32),
    Var("ss", FLOAT),
    Var("i.1", INT32),
)


def read(text: str, type_: Type | None = None) -> Expr:
    return parse(text, NAMES, type_)


def test_a_fragment_is_listed() -> None:
    fragment = Fragment(
        "scale",
        (
            Param(OUT, ParamKind.POINTER, "float *"),
            Param(X, ParamKind.POINTER, "const float *", noalias=True),
            Param(SIZE, ParamKind.VALUE, "int"),
        ),
        FLOAT,
        (Var("v", TensorType(UINT8)),),
        (
            Block("entry", (), (Undefined(SS, "ss", AT),), Jump(Edge("head", (read("0", INT32),)), AT)),
            Block("head", (STEP,), (), Branch(read("i.1 < size"), Edge("body", ()), Edge("exit", ()), AT)),
            Block(
                "body",
                (),
                (Assign(Var("y", FLOAT), read("x[int(i.1)] + 1"), AT), Store(OUT, (read("int(i.1)"),), read("2", FLOAT), AT)),
                Jump(Edge("head", (read("i.1 + 1"),)), AT),
            ),
            Block("exit", (), (), Return(read("1.0:f32"), Location("kernel.c", 9))),
        ),
        AT,
        "",
    )
    assert [line.partition("  #")[0].rstrip() for line in show_fragment(fragment).splitlines()] == [
        "fragment scale(o: f32[] pointer, x: f32[] pointer noalias, size: i32) -> f32",
        "local v: u8[]",
        "entry:",
        "  ss: f32 = the uninitialised variable ss",
        "  jump head(0)",
        "head(i.1: i32):",
        "  if i.1 < size jump body else exit",
        "body:",
        "  y: f32 = x[int(i.1)] + 1",
        "  o[int(i.1)] = 2",
        "  jump head(i.1 + 1)",
        "exit:",
        "  return 1.0:f32",
    ]
    assert "# 4:7" in show_fragment(fragment)


def test_a_summary_is_listed() -> None:
    total = read("fold(int(size), 0, acc, k: acc + x[k])", FLOAT)
    final = Var("o_1", TensorType(FLOAT))
    summary = Summary(
        (LoopSummary("head", Var("k", INT), read("int(size)"), ((SS, total),)),),
        (Binding(Var("ss_1", FLOAT), total), Binding(final, read("update(o, [i] = 1 for i < int(size))"))),
        (("o", final), ("return", Var("ss_1", FLOAT))),
        (read("0 <= n"),),
        (("x", (read("int(size)"),)),),
    )
    assert show_summary(summary).splitlines() == [
        "ss_1 = fold(int(size), 0, acc, k: acc + x[k])",
        "o_1 = update(o, [i] = 1 for i < int(size))",
        "o := o_1",
        "return ss_1",
        "requires 0 <= n",
        "accesses x[0 .. int(size) - 1]",
    ]


def test_a_program_is_listed() -> None:
    program = TargetProgram(
        (Let(Var("y", TensorType(FLOAT)), read("add:f32[](x, o)")),),
        (Write(OUT, read("[o[i] for i < n]"), Var("y", TensorType(FLOAT))),),
        read("ss"),
        (read("0 <= n"),),
    )
    assert show_program(program).splitlines() == [
        "require 0 <= n",
        "y = add:f32[](x, o)",
        "[o[i] for i < n] := y",
        "return ss",
    ]

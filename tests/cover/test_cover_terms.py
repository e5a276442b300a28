"""Normal forms, ranges of integers, safe divisors, windows: the parts of the cover that work on terms alone."""

from __future__ import annotations

import pytest

from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Expr, Fold, Operator, Var, integer
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, UINT8, MachineInt, TensorType, Type
from metalift.ir.text import parse, show
from metalift.synth.cover.by_intervals import decided
from metalift.synth.cover.eager import safe_divisors
from metalift.synth.cover.goal import canonical
from metalift.synth.cover.inside_windows import solve_indices, within
from metalift.synth.cover.normal import normal
from metalift.synth.cover.regrouped import as_reduction

NAMES: dict[str, Type] = {
    "a": UINT8,
    "b": UINT8,
    "m": INT32,
    "n": INT32,
    "i": INT,
    "j": INT,
    "w": INT,
    "h": INT,
    "c": BOOL,
    "u": FLOAT,
    "v": FLOAT,
    "x": TensorType(FLOAT),
    "y": TensorType(FLOAT),
    "p": TensorType(UINT8),
}


def term(text: str) -> Expr:
    return parse(text, NAMES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("u if u < v else v", "min(u, v)"),
        ("v if u < v else u", "max(v, u)"),
        ("-u if u < 0 else u", "abs(u)"),
        ("u if 0 < u else -u", "abs(u)"),
        ("u8(i32(a) if i32(a) < i32(b) else i32(b))", "min(a, b)"),
        ("u8(255:i32 if c else i32(a))", "255:u8 if c else a"),
        ("u8(i32(a))", "a"),
        ("i32(a) == 0", "a == 0"),
        ("i32(a) < i32(b)", "a < b"),
        ("not (u < v)", "v <= u"),
        ("0.0 if u < 0 else min(u, 255.0)", "min(max(u, 0.0), 255.0)"),
        ("w - 1 if w <= i else i", "min(w - 1, i)"),
        ("i if i < w else w - 1", "min(i, w - 1)"),
        ("j + 1 if i <= j else i", "max(j + 1, i)"),
        ("0.0 - u", "-u"),
        ("u * 1.0 + 0.0", "u"),
    ],
)
def test_normal_forms(text: str, expected: str) -> None:
    assert normal(term(text)) == normal(term(expected))


@pytest.mark.parametrize("text", ["0:i32 if m < 0 else 255:i32", "u if u < v else u + v", "u8(i32(a) + i32(b))", "u - v"])
def test_other_terms_stay(text: str) -> None:
    assert normal(term(text)) == term(text)


@pytest.mark.parametrize(
    ("text", "op", "element"),
    [
        ("fold(int(n), 0.0:f32, acc, k: x[k] + acc)", Operator.ADD, "x[k]"),
        ("fold(int(n), 0.0:f32, acc, k: acc + x[k] - y[k])", Operator.ADD, "x[k] - y[k]"),
        ("fold(int(n), 0.0:f32, acc, k: acc + u if x[k] < v else acc)", Operator.ADD, "u if x[k] < v else 0.0"),
        ("fold(int(n), 1.0:f32, acc, k: acc * x[k])", Operator.MUL, "x[k]"),
        ("fold(int(n) - 1, x[0], acc, k: x[k + 1] if acc < x[k + 1] else acc)", Operator.MAX, "x[k]"),
    ],
)
def test_folds_become_reductions(text: str, op: Operator, element: str) -> None:
    fold = normal(term(text))
    assert isinstance(fold, Fold)
    reduction = as_reduction(fold)
    assert reduction is not None and reduction.op is op
    assert canonical(reduction.term) == canonical(parse(element, {**NAMES, fold.index.name: INT}))


def test_a_fold_that_starts_elsewhere_is_joined_from_outside() -> None:
    joined = normal(term("fold(int(n), u, acc, k: acc + x[k])"))
    assert show(joined) == "u + fold(int(n), 0, acc, k: acc + x[k])"


def test_horner_is_no_reduction() -> None:
    fold = term("fold(int(n), 0.0:f32, acc, k: acc * u + x[k])")
    assert normal(fold) == fold


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("i32(a)", 0, 255),
        ("255:i32 - i32(a)", 0, 255),
        ("i32(a) * i32(b)", 0, 255 * 255),
        ("m", INT32.low, INT32.high),
        ("abs(i32(a) - i32(b))", 0, 255),
        ("1:i32 if i32(a) == 0 else i32(a)", 1, 255),
        ("i32(a) - i32(b) if b < a else 1:i32", -253, 255),
        ("i32(a) & 15", 0, 15),
        ("i32(a) >> 2", 0, 63),
    ],
)
def test_intervals(text: str, low: int, high: int) -> None:
    found = interval(normal(term(text)), {})
    assert (found.low, found.high) == (low, high)


def test_conditions_are_decided_by_ranges() -> None:
    assert decided(normal(term("0 < 255:i32 - i32(a) + 1")), {})
    assert not decided(normal(term("0 < i32(a)")), {})
    assert not decided(normal(term("u < v")), {})
    assert decided(term("m != 0"), {Var("m", INT32): Interval(3, 9)})


def test_a_guarded_division_gets_a_divisor_that_is_never_zero() -> None:
    safe = safe_divisors(normal(term("255:i32 if a == 0 else tdiv(255:i32, i32(a))")))
    assert show(safe) == show(normal(term("255:i32 if a == 0 else tdiv(255:i32, 1:i32 if a == 0 else i32(a))")))


def test_only_the_condition_that_matters_guards_a_divisor() -> None:
    safe = show(safe_divisors(normal(term("(tdiv(m, n) if 0 < n else m) if c else m"))))
    assert safe == show(normal(term("(tdiv(m, n if 0 < n else 1:i32) if 0 < n else m) if c else m")))


def test_a_division_without_condition_stays() -> None:
    assert safe_divisors(term("tdiv(m, n)")) == term("tdiv(m, n)")


def test_windows_are_inverted() -> None:
    i, j, k, low = (Var(name, INT) for name in ("i", "j", "k", "low"))
    width = Var("w", INT)
    index = Apply(Operator.ADD, (Apply(Operator.MUL, (i, width)), j))
    wanted = parse("(k + 1) * w + 3", {"k": INT, "w": INT})
    cell = solve_indices((i, j), (index,), (wanted,), {k: integer(5)})
    assert cell == (Polynomial.of(parse("k", {"k": INT})), Polynomial.of(parse("w + 3", {"w": INT})))
    moved = Apply(Operator.ADD, (i, low))
    assert solve_indices((i,), (moved,), (k,), {k: integer(5)}) == (Polynomial.of(k) - Polynomial.of(low),)
    assert solve_indices((i,), (Apply(Operator.MUL, (integer(2), i)),), (k,), {k: integer(5)}) is None


def test_places_relative_to_a_window() -> None:
    k, n = Var("k", INT), Var("n", INT)
    ranges = {k: n}
    assert within(Polynomial.of(k), n, ranges) is True
    assert within(Polynomial.of(k) + 1, n, ranges) is None
    assert within(Polynomial.of(k) + Polynomial.of(n), n, ranges) is False
    assert within(-Polynomial.of(k) - 1, n, ranges) is False
    assert within(Polynomial.of(n) - 1 - Polynomial.of(k), n, ranges) is True


def test_machine_types_bound_what_casts_give() -> None:
    wide = MachineInt(16, False)
    assert interval(parse("u16(i)", {"i": INT}), {}) == Interval(wide.low, wide.high)

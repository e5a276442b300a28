"""What the source computes for elements only, generated code may compute before: it does not raise where there are none."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metalift import lift
from metalift.codegen.partial import decisive
from metalift.codegen.plain_numbers import Numbers, without_known_tests
from metalift.frontend.lower.c_scalars import shift_count
from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, neg
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, Var
from metalift.ir.expr.types import DOUBLE, INT, INT32, MachineInt, Type
from metalift.prove.encode import Encoder
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.ir.solving import answers
from tests.support.generated import load_function
from tests.support.lazily import Each, module

torch = module("torch")

SOURCE = """
#include <math.h>
#include <stdint.h>
void rounded(const int32_t *a, int32_t *out, int n, int s) {
    for (int i = 0; i < n; i++) out[i] = (a[i] + (1 << (s - 1))) >> s;
}
void scaled(const int32_t *a, int32_t *out, int n, int32_t k, int q) {
    int32_t half = 1 << (q - 1);
    for (int i = 0; i < n; i++) out[i] = (a[i] * k + half) >> q;
}
void wide(const int32_t *a, int32_t *out, int n, int32_t k, int q) {
    for (int i = 0; i < n; i++) out[i] = (int32_t)(((int64_t)a[i] * k + ((int64_t)1 << (q - 1))) >> q);
}
static int16_t narrow(int32_t v) { return v > 32767 ? 32767 : v < -32768 ? -32768 : (int16_t)v; }
void saturated(const int32_t *a, int16_t *out, int n, int q) {
    for (int i = 0; i < n; i++) out[i] = narrow((a[i] + (1 << (q - 1))) >> q);
}
void logical(const uint32_t *a, uint32_t *out, int n, int s) {
    for (int i = 0; i < n; i++) out[i] = a[i] >> s;
}
void masked(const uint32_t *a, uint32_t *out, int n, unsigned k) {
    for (int i = 0; i < n; i++) out[i] = a[i] & ((1u << k) - 1);
}
int64_t energy(const int16_t *a, int n, int s) {
    int64_t sum = 0;
    for (int i = 0; i < n; i++) sum += ((int32_t)a[i] * a[i]) >> s;
    return sum;
}
void cut(const int32_t *a, int32_t *out, int n, float x, float y) {
    for (int i = 0; i < n; i++) out[i] = a[i] + (int)(1 + x / y);
}
void root(const double *a, double *out, int n, double x) {
    for (int i = 0; i < n; i++) out[i] = a[i] * sqrt(x);
}
void logarithm(const float *a, float *out, int n, float x) {
    for (int i = 0; i < n; i++) out[i] = a[i] + logf(x);
}
void power(const double *a, double *out, int n, double x, double y) {
    for (int i = 0; i < n; i++) out[i] = a[i] + pow(x, y);
}
int sizes(const int32_t *a, int n, int m, int k) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m / k; j++) sum += a[j];
    return sum;
}
double norm(double x, double y) { return 2 * sqrt(x * x + y); }
int chosen(int x, int s) { return s > 0 ? (x + (1 << (s - 1))) >> s : x; }
int up(int x, int k) { return x + (1 << k); }
"""
EMPTY = {  # the scalar arguments for which the source computes something else with, or nothing
    "rounded": (0, 0),
    "scaled": (0, 3, 1),
    "wide": (0, 3, 0),
    "saturated": (0, 0),
    "logical": (0, -1),
    "energy": (0, 0),
    "cut": (0, 1.0, 0.0),
    "root": (0, -1.0),
    "logarithm": (0, 0.0),
    "power": (0, -8.0, 0.5),
    "sizes": (0, 4, 0),
}
CLEAN = {"norm": "math.nan", "chosen": "0 <= s", "up": "0 <= k", "masked": "0 <= k"}
ELEMENTS = {"root": np.float64, "power": np.float64, "logarithm": np.float32, "logical": np.uint32, "energy": np.int16}
LIBRARIES: dict[str, Callable[..., Any]] = {"numpy": np.asarray, "pytorch": lambda cells: torch.from_numpy(cells)}


N, S, WIDE = Var("n", INT32), Var("s", INT32), Var("w", MachineInt(64, True))


def equal(left: Expr, right: Expr) -> Expr:
    return Apply(Operator.EQ, (left, right))


def numbers(*facts: Expr) -> Numbers:
    known = {var.name: Polynomial.of(var) for var in (N, S, WIDE)}
    return Numbers(Facts(facts), lambda _, tree: tree, known)


TEXTS = [
    ("1 << s", "1 << s if 0 <= s < 64 else 0"),
    ("x >> s - 1", "x >> s - 1 if 0 <= s - 1 < 64 else 0"),
    ("1 << n", "1 << n"),  # n is not negative
    ("1 << n + 3", "1 << n + 3"),
    ("1 << w", "1 << w if 0 <= w < 64 else 0"),  # of 64 bits: there may be no memory for the result
    ("x << k", "x << k if k >= 0 else 0"),
    ("x // s", "x // s if s != 0 else 0"),
    ("x // w", "x // w"),  # w is not 0
    ("x % (n + 1)", "x % (n + 1)"),
    ("x / y", "x / y if y != 0 else math.nan"),
    ("math.sqrt(x)", "math.sqrt(x) if x >= 0 else math.nan"),
    ("math.sqrt(x * x + 1.0)", "math.sqrt(x * x + 1.0)"),
    ("math.log(2.0)", "math.log(2.0)"),
    ("math.log(x)", "math.log(x) if x > 0 else math.nan"),
    ("math.fmod(x, y)", "math.fmod(x, y) if y != 0 else math.nan"),
    ("x ** 2.0", "x ** 2.0"),
    ("x ** 0.5", "x ** 0.5 if x >= 0 else math.nan"),
    ("x ** -1.0", "x ** -1.0 if x != 0 else math.nan"),
    ("math.exp(x)", "math.exp(x)"),
]


@pytest.mark.parametrize(("given", "wanted"), TEXTS)
def test_a_test_stands_where_the_facts_do_not_decide(given: str, wanted: str) -> None:
    facts = (at_most(Const(0, INT32), N), neg(equal(WIDE, Const(0, WIDE.type))))
    found = numbers(*facts).total(ast.parse(given, mode="eval").body)
    assert ast.unparse(found) == ast.unparse(ast.parse(wanted))


@pytest.mark.parametrize("function", ["math.sqrt(x)", "math.log(x)", "math.log1p(x)", "math.acos(x)", "math.atanh(x)", "x ** y"])
def test_what_is_made_total_never_raises(function: str) -> None:
    code = compile(ast.fix_missing_locations(ast.Expression(numbers().total(ast.parse(function, mode="eval").body))), "", "eval")
    values = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
    for x in values:
        for y in values:
            found = eval(code, {"math": math, "x": x, "y": y})  # noqa: S307 (the text above)
            assert isinstance(found, float)


KNOWN = [
    ("(1 << s - 1 if 0 <= s - 1 < 64 else 0) if s > 0 else 0", "1 << s - 1 if s > 0 else 0"),
    ("0 if s <= 0 else 1 << s - 1 if 0 <= s - 1 < 64 else 0", "0 if s <= 0 else 1 << s - 1"),
    ("(x >> s if 0 <= s < 64 else 0) if 0 <= s else 0", "x >> s if 0 <= s else 0"),
]
KEPT = [
    "(1 << s - 1 if 0 <= s - 1 < 64 else 0) if s >= 0 else 0",
    "(1 << s if 0 <= s < 64 else 0) if s != 0 else 0",
    "(1 << w if 0 <= w < 64 else 0) if w > 0 else 0",
    "(1 << s if 0 <= s < 64 else 0) if s < 9 else 0",
]


@pytest.mark.parametrize(("given", "wanted"), [*KNOWN, *zip(KEPT, KEPT, strict=True)])
def test_a_condition_around_it_decides_a_test(given: str, wanted: str) -> None:
    found = without_known_tests(ast.parse(given, mode="eval").body, frozenset({"s"}))
    assert ast.unparse(found) == ast.unparse(ast.parse(wanted))


X, Y = Var("x", DOUBLE), Var("y", DOUBLE)
ROOT = Apply(Operator.DIV, (X, Y))


@pytest.mark.parametrize(
    ("result", "hangs_on_it"),
    [
        (ROOT, True),
        (Apply(Operator.ADD, (X, ROOT)), True),
        (Apply(Operator.MUL, (Const(2, DOUBLE), ROOT)), True),
        (Apply(Operator.MUL, (X, ROOT)), False),  # which may be 0 for other reasons
        (Apply(Operator.MUL, (Const(0, DOUBLE), ROOT)), False),
        (Apply(Operator.SUB, (ROOT, ROOT)), False),
        (Apply(Operator.MAX, (X, ROOT)), False),
    ],
)
def test_a_result_hangs_on_its_summands_only(result: Expr, hangs_on_it: bool) -> None:
    found = decisive(result, lambda each: each.op if isinstance(each, Apply) else None)
    assert (ROOT in found) == hangs_on_it


def opaquely(formulas: list[Expr]) -> str:
    script = Encoder(opaque=True).script(formulas).removeprefix("(set-logic ALL)\n")
    return f"(push 1)\n{script}(pop 1)"


def integer(value: int, type_: Type = INT) -> Const:
    return Const(value, type_)


A, B, C, D = (Var(name, INT) for name in "abcd")
RIGHT, LEFT = Apply(Operator.SHR, (A, B)), Apply(Operator.SHL, (A, B))


def with_values() -> Iterator[list[Expr]]:
    for value in (-9, -1, 0, 1, 5, 2**40):
        for amount in (0, 1, 3, 70):
            given = [equal(A, integer(value)), equal(B, integer(amount))]
            yield [*given, equal(RIGHT, integer(value >> amount))]
            yield [*given, equal(Apply(Operator.SHL, (integer(1), B)), integer(1 << amount)), equal(LEFT, LEFT)]


def test_what_is_said_of_opaque_shifts_is_true() -> None:
    said = answers([opaquely(formulas) for formulas in with_values()], timeout=60)
    assert said == ["sat"] * len(said)


def test_opaque_shifts_are_equal_for_equal_operands_only() -> None:
    others = [Apply(op, pair) for op in (Operator.SHR, Operator.SHL) for pair in ((A, C), (C, B), (C, D))]
    different = [Apply(Operator.NOT, (equal(Apply(each.op, (A, B)), each),)) for each in others]
    same = [equal(C, A), equal(D, B)]
    assert answers([opaquely([each]) for each in different], timeout=60) == ["sat"] * len(different)
    assert answers([opaquely([*same, each]) for each in different[2::3]], timeout=60) == ["unsat"] * 2


@pytest.mark.parametrize(
    ("count", "plain"),
    [
        (Cast(S, MachineInt(32, False)), S),
        (Cast(Cast(S, MachineInt(32, False)), MachineInt(64, True)), S),
        (Cast(WIDE, MachineInt(32, False)), Cast(WIDE, MachineInt(32, False))),  # a count of 2**32 + 1 becomes 1
        (Cast(Cast(WIDE, MachineInt(8, False)), MachineInt(64, False)), Cast(WIDE, MachineInt(8, False))),
    ],
)
def test_conversions_of_counts_that_may_change_those_from_0_on_are_kept(count: Expr, plain: Expr) -> None:
    assert shift_count(count) == plain


# What follows lifts and runs.


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    folder = tmp_path_factory.mktemp("early")
    (folder / "early.c").write_text(SOURCE)
    out, to = folder / "out", list(LIBRARIES)
    return Each(lambda name: lift(folder / "early.c", functions=[name], to=to, out=out).functions[0])


@pytest.mark.quick("rounded", "cut", "power", "chosen")
@pytest.mark.parametrize("name", [*EMPTY, *CLEAN])
def test_it_is_proved_and_agrees(name: str, lifted: dict[str, FunctionResult]) -> None:
    assert lifted[name].verdict is FunctionVerdict.PROVED, lifted[name].diagnostics


@pytest.mark.quick(*(f"{name}-{library}" for name in ("rounded", "cut", "power", "sizes") for library in LIBRARIES))
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", EMPTY)
def test_nothing_raises_without_elements(name: str, library: str, lifted: dict[str, FunctionResult]) -> None:
    path = lifted[name].targets[library].file
    assert path is not None
    function = load_function(Path(path), name)
    convert = LIBRARIES[library]
    first = convert(np.zeros(0, ELEMENTS.get(name, np.int32)))
    out = convert(np.zeros(0, np.int16 if name == "saturated" else ELEMENTS.get(name, np.int32)))
    arrays = [first] if name in ("energy", "sizes") else [first, out]
    found = function(*arrays, *EMPTY[name])
    assert int(found) == 0 if len(arrays) == 1 else len(found) == 0


@pytest.mark.quick("norm", "chosen")
@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_asked_where_the_source_always_computes_it(name: str, lifted: dict[str, FunctionResult]) -> None:
    path = lifted[name].targets["numpy"].file
    assert path is not None
    assert CLEAN[name] not in Path(path).read_text().split('"""')[-1]

"""Floats that are in no parameter, array or result: what is claimed of them is named, and generated numbers are floats, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metalift import lift
from metalift.check.assumptions import Origin, Stated
from metalift.check.claims import with_target
from metalift.driver import LISTS, Bool, Double, Driver, Int, convert
from metalift.ir.expr.nodes import Call, Var
from metalift.ir.expr.types import BOOL, INT
from metalift.ir.program.assumption import Assumption
from metalift.ir.program.summary import Let, TargetProgram
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.generated import load_function

C_SOURCE = """#include <assert.h>
int third(int a) { return (float)a / 3.0f * 3.0f == (float)a; }
int half(int a, int b) { if (((double)a + (double)b) / 2.0 > 0.5) return a; return b; }
int same(int a) { float x = a; return x / 1.0f == x; }
int cells(int n, const int *x) { int c = 0; for (int i = 0; i < n; i++) if (x[i] / 4.0 > 1.5) c++; return c; }
int mean(int n, const int *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s > 10.0; }
void promised(int n, int *o) { assert((float)n * 0.5f < 1e6f); o[0] = n; }
static float scaled(int a) { return a * 0.25f; }
int called(int a) { return scaled(a) > 2.0f; }
int product(int a, int b, int c, int d, int e) { return (float)a * (float)b * (float)c * (float)d * (float)e > 1e38f; }
int alike(int a, int b) { return (float)a == (float)b; }
int wide(long a, long b) { return (double)a / (double)b == 1.0; }
int larger(int a, int b) { float x = a, y = b; return (x > y ? x : y) * 0.5f == 8388608.0f; }
int never(int a) { double x = (double)(a & 7) + 1.0; return x == x ? a : 5; }
int whole(int a, int b) { return (a + b) / 3 * 3 == a; }
int count(int n, const int *x) { int c = 0; for (int i = 0; i < n; i++) if (x[i] > 6) c++; return c; }
"""
CPP_SOURCE = """#include <algorithm>
#include <vector>
bool above(const std::vector<int> &x) { double s = 0; for (int v : x) s += v; return s > 100.0; }
int most(int a, int b) { return std::max<double>(a, b) * 0.5 < 8.0; }
bool near(long a, long b) { return float(a) - float(b) < 1.0f; }
int sizes(const std::vector<int> &x) { return x.size() / 2.0 > 1.0; }
"""
PYTHON_SOURCE = """
def halves(x: int, k: int) -> bool:
    return (x + k) / 2 == x / 2 + k / 2

def middle(x: list[int]) -> int:
    c = 0
    for v in x:
        if v / 4 > 1.5:
            c += 1
    return c

def below(a: int, b: float) -> bool:
    return a < b

def quotient(x: int) -> int:
    return x // 2
"""
EXACT = {"whole", "count", "quotient"}


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    folder = tmp_path_factory.mktemp("reals")
    found: dict[str, FunctionResult] = {}
    for called, text in (("k.c", C_SOURCE), ("k.cc", CPP_SOURCE), ("k.py", PYTHON_SOURCE)):
        (folder / called).write_text(text)
        for one in lift(folder / called, to=["numpy"], out=folder / "out").functions:
            found[one.name] = one
    return found


def names_reals(one: FunctionResult, target: str = "numpy") -> bool:
    return any(each.origin == Origin.REAL.value for each in (*one.assumptions, *one.targets[target].assumptions))


def function(lifted: dict[str, FunctionResult], name: str) -> Callable[..., Any]:
    path = lifted[name].targets["numpy"].file
    assert path is not None
    return load_function(Path(path), name)


def test_real_arithmetic_is_named_wherever_a_float_occurs(lifted: dict[str, FunctionResult]) -> None:
    assert {name for name, one in lifted.items() if one.verdict is FunctionVerdict.PROVED} == lifted.keys()
    assert {name for name, one in lifted.items() if not names_reals(one)} == EXACT


def test_a_comparison_that_only_nan_fails_is_named(lifted: dict[str, FunctionResult]) -> None:
    assert any(each.text == "no float is NaN" for each in lifted["never"].assumptions)
    assert not any(each.text == "no float is NaN" for each in lifted["third"].assumptions)


BEYOND = [  # where floats of the source are rounded, or overflow; what the source compiled by clang returns
    ("third", (12582913,), 0),
    ("third", (3,), 1),
    ("product", (2**31 - 1,) * 5, 1),
    ("product", (1, 2, 3, 4, 5), 0),
    ("alike", (2**24, 2**24 + 1), 1),
    ("wide", (2**53, 2**53 + 1), 1),
    ("larger", (2**24 + 1, 0), 1),
    ("near", (2**40 + 9, 2**40), True),
    ("below", (2**53 + 1, 2.0**53), False),
    ("below", (2**53 - 1, 2.0**53), True),
]


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize(("name", "arguments", "expected"), BEYOND)
def test_generated_numbers_are_rounded_as_in_the_source(
    name: str, arguments: tuple[int, ...], expected: int, lifted: dict[str, FunctionResult]
) -> None:
    assert function(lifted, name)(*arguments) == expected


THROUGH_FLOATS = Driver("through floats", targets=(LISTS,))


@THROUGH_FLOATS.define(emit="float({a})")
def as_double(a: Int) -> Double:
    return convert(a)


@THROUGH_FLOATS.define(emit="int({a} * 0.5 < 3.0)")
def halved(a: Int) -> Int:
    return 1 if as_double(a) * 0.5 < 3.0 else 0


@THROUGH_FLOATS.define(emit="{a} + {b} / 2 < 8")
def low(a: Int, b: Int) -> Bool:
    return as_double(a) + as_double(b) / 2.0 < 8.0


@THROUGH_FLOATS.define(emit="{a} // 2")
def shifted(a: Int) -> Int:
    return a // 2


N = Var("n", INT)
HALVED, SHIFTED, LOW = Call("halved", (N,), INT), Call("shifted", (N,), INT), Call("low", (N, N), BOOL)


@pytest.mark.parametrize(
    ("program", "named"),
    [
        (TargetProgram((), (), HALVED), True),
        (TargetProgram((), (), LOW), True),
        (TargetProgram((Let(N, HALVED),), (), SHIFTED), True),
        (TargetProgram((), (), SHIFTED), False),
    ],
)
def test_floats_in_meanings_of_operators_are_named(program: TargetProgram, named: bool) -> None:
    stated = with_target(program, THROUGH_FLOATS, "python", ())
    assert [one.origin for one in stated if one.origin is Origin.REAL] == [Origin.REAL] * named
    known = (Stated(Assumption("floats of the source"), Origin.REAL),)
    assert [one for one in with_target(program, THROUGH_FLOATS, "python", known) if one.origin is Origin.REAL] == list(known)


PRODUCTS = """
void weighted(int n, float *o, const float *x, int a, int b, int c) {
  for (int i = 0; i < n; i++) o[i] = x[i] * ((float)a * (float)b * (float)c);
}
void first(float *o, int a, int b, int c) { o[0] = (float)a * (float)b * (float)c; }
void unsigned_(int n, float *o, const float *x, unsigned long a) { for (int i = 0; i < n; i++) o[i] = x[i] * a; }
"""


def test_numbers_beside_tensors_are_floats_that_libraries_take(tmp_path: Path) -> None:
    """A product of integers that is one of Python's has more bits than a library takes."""
    torch = pytest.importorskip("torch")
    (tmp_path / "k.c").write_text(PRODUCTS)
    made = {one.name: one for one in lift(tmp_path / "k.c", to=["pytorch"], out=tmp_path / "out").functions}
    assert {one.verdict for one in made.values()} == {FunctionVerdict.PROVED}
    weighted, first, large = (load_function(Path(str(one.targets["pytorch"].file)), name) for name, one in made.items())
    most, wanted, ones = 2**31 - 1, np.float32(2.0**93), torch.ones(2)
    assert weighted(2, torch.zeros(2), ones, most, most, most).tolist() == [wanted] * 2
    assert first(torch.zeros(1), most, most, most).tolist() == [wanted]
    assert large(2, torch.zeros(2), ones, 2**64 - 1).tolist() == [2.0**64] * 2

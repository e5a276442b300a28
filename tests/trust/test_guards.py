"""What a proof assumes is checked by the generated code, or named in its docstring: for each kind an input that violates it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metalift import lift
from metalift.check.assumptions import Origin
from metalift.result import FunctionResult
from metalift.result.verdict import Checked, FunctionVerdict
from tests.support.generated import load_function

SOURCE = """#include <assert.h>
#include <stdint.h>
void scale(int n, float *o, const float *x) { for (int i = 0; i < n; i++) o[i] = x[i + 1] * 2.0f; }
void rows(int n, int m, int ld, float *c) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c[i * ld + j] += 1.0f; }
void gather(int n, int *o, const int *at, const int *x) { for (int i = 0; i < n; i++) o[i] = x[at[i]]; }
void fours(int n, int *o) { assert(n % 4 == 0); for (int i = 0; i < n; i++) o[i] = 7; }
void hinted(int n, int *o) { __builtin_assume(n > 2); for (int i = 0; i < n; i++) o[i] = i; }
void quotients(int n, int d, int *o) { for (int i = 0; i < n; i++) o[i] /= d; }
unsigned octets(uint8_t a, unsigned b) { return a + b; }
void filled(int n, int c, int *o) { for (int i = 0; i < n; i++) o[i] = c * 1000000; }
void chosen(int n, int c, int *o) { for (int i = 0; i < n; i++) if ((c > -3 ? -3 : n) == c) o[i] = c + c; else o[i] = 10; }
void rounded(int n, float c, int *o) { for (int i = 0; i < n; i++) o[i] = o[i] + (int)(c * 1000000.0f); }
int steps(int n, const int *x) { int s = 0; for (int i = 0; i < n - 1; i++) s += x[i + 1] * x[i]; return s; }
void diff(int n, int *o, const int *x) { for (int i = 2; i < n; i++) o[i] = x[i] - x[i - 1]; }
void hist(int n, int *h, const int *at) { for (int i = 0; i < n; i++) h[at[i]] += 1; }
void sums(int m, int n, float *o, const int *at, const float *x) {
  for (int i = 0; i < m; i++) o[i] = 0; for (int i = 0; i < n; i++) o[at[i]] += x[i]; }
"""
PYTHON = """
def squares(a: list[int]) -> int:
    s = 0
    for x in a:
        s += x * x
    return s

def raised(a: list[int], n: int) -> list[int]:
    return [x + n * n for x in a]

def power(x: float, y: float) -> float:
    return x ** y
"""


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    folder = tmp_path_factory.mktemp("guards")
    (folder / "k.c").write_text(SOURCE)
    (folder / "p.py").write_text(PYTHON)
    made = [*lift(folder / "k.c", to=["numpy"], out=folder / "out").functions]
    made += lift(folder / "p.py", to=["numpy"], out=folder / "out").functions
    made += lift(folder / "k.c", functions=["hinted"], to=["numpy"], out=folder / "user", assume=["n == 4"]).functions
    found = {one.name: one for one in made[:-1]}
    return {**found, "assumed": made[-1]}


def function(lifted: dict[str, FunctionResult], name: str) -> Callable[..., Any]:
    """The generated function."""
    one = lifted[name]
    assert one.verdict is FunctionVerdict.PROVED
    path = one.targets["numpy"].file
    assert path is not None
    return load_function(Path(path), one.name)


def floats(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, np.float32)


def ints(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int32)


BUFFER = np.zeros(12, np.float32)
VIOLATED: list[tuple[Origin, str, tuple[Any, ...], str]] = [
    (Origin.EXTENT, "scale", (3, floats(1, 2, 3), floats(1, 2, 3)), "x must have at least 4 elements, not 3"),
    (Origin.EXTENT, "scale", (3, floats(1, 2), floats(1, 2, 3, 4)), "o must have at least 3 elements, not 2"),
    (Origin.OVERLAP, "scale", (3, BUFFER[1:4], BUFFER[:4]), "the same array or not overlap"),
    (Origin.OVERLAP, "sums", (0, 1, BUFFER[:3], ints(2), BUFFER[2:3]), "o and x must be arrays that do not overlap"),
    (Origin.SUMMARY, "rows", (2, 3, 2, floats(*range(9))), "m <= ld"),
    (Origin.TARGET, "rows", (-1, 3, 4, floats(*range(9))), "n >= 0"),
    (Origin.TARGET, "quotients", (2, 0, ints(1, 2)), "d != 0"),
    (Origin.TARGET, "filled", (0, 2**31 - 1, ints()), "c <= 2147"),  # 1000000 * c <= 2147483647
    (Origin.TARGET, "rounded", (0, 1e9, ints()), "int(c * 1000000.0) <= 2147483647"),
    (Origin.TARGET, "hist", (-1, ints(1), ints(0)), "n >= 0"),
    (Origin.TARGET, "raised", (np.array([1]), 2**40), "n * n <= 2**63 - 1"),
    (Origin.ASSERT, "fours", (3, ints(1, 2, 3)), "n % 4 == 0"),
    (Origin.ASSERT, "hinted", (2, ints(1, 2)), "n >= 3"),
    (Origin.USER, "assumed", (5, ints(1, 2, 3, 4, 5)), "n == 4"),
    (Origin.TYPES, "scale", (1, np.zeros(2), floats(1, 2)), "o must be a 1-D np.ndarray of float32"),
    (Origin.TYPES, "scale", (1, floats(1, 2).reshape(1, 2), floats(1, 2)), "o must be a 1-D"),
    (Origin.TYPES, "octets", (256, 1), "0 <= a <= 255"),
    (Origin.TYPES, "octets", (1, -1), "b >= 0"),
]
DEFINED = "PROVED equal where that is defined"
REAL = "floats stay finite and compute like real numbers in source and generated code"
BRIEFLY = {  # what nearly every file says, in its last line
    "the source runs without undefined behaviour": DEFINED,
    "the source raises no exception": DEFINED,
    REAL: f"{DEFINED}, over real numbers",
    f"{REAL}; reductions may be reordered": f"{DEFINED}, over real numbers, with sums in any order",
}
NAMED = [
    (Origin.SOURCE, "scale", DEFINED),
    (Origin.REAL, "scale", BRIEFLY[REAL]),
    (Origin.RANGE, "squares", "fits 64 bits"),
    (Origin.VALUES, "power", "x ** y is taken of x >= 0"),
    (Origin.EXTENT, "hist", "h has all the elements that the source accesses"),
]


@pytest.mark.parametrize(("origin", "name", "arguments", "message"), VIOLATED, ids=lambda value: getattr(value, "name", None))
def test_what_is_violated_raises(
    origin: Origin, name: str, arguments: tuple[Any, ...], message: str, lifted: dict[str, FunctionResult]
) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 (the message is looked at)
        function(lifted, name)(*arguments)
    assert message in str(raised.value)


@pytest.mark.parametrize(("origin", "name", "text"), NAMED, ids=lambda value: getattr(value, "name", None))
def test_what_no_guard_checks_is_named(origin: Origin, name: str, text: str, lifted: dict[str, FunctionResult]) -> None:
    assert any(one.origin == origin.value for one in (*lifted[name].assumptions, *lifted[name].targets["numpy"].assumptions))
    told = " ".join((function(lifted, name).__doc__ or "").split())
    assert text in told
    assert f"{text} (checked)" not in told


def test_every_assumption_is_checked_or_named(lifted: dict[str, FunctionResult]) -> None:
    for name, one in lifted.items():
        told = " ".join((function(lifted, name).__doc__ or "").split())
        for assumption in (*one.assumptions, *one.targets["numpy"].assumptions):
            if assumption.checked is Checked.NO:
                assert BRIEFLY.get(assumption.text, assumption.text) in told


def test_valid_arguments_are_taken(lifted: dict[str, FunctionResult]) -> None:
    assert function(lifted, "scale")(2, floats(0, 0), floats(1, 2, 3)).tolist() == [4, 6]
    assert function(lifted, "fours")(4, ints(1, 2, 3, 4)).tolist() == [7, 7, 7, 7]
    assert function(lifted, "octets")(255, 2**32 - 1) == 254
    assert function(lifted, "assumed")(4, ints(1, 2, 3, 4)).tolist() == [0, 1, 2, 3]
    assert function(lifted, "chosen")(1, -(2**31) + 1, ints(0)).tolist() == [10]  # 2 * c is not computed where it is not chosen


def test_sizes_for_which_the_source_does_nothing_are_taken(lifted: dict[str, FunctionResult]) -> None:
    for n in range(3):
        assert function(lifted, "diff")(n, ints(5, 6), ints(1, 2)).tolist() == [5, 6]
    assert function(lifted, "diff")(4, ints(5, 6, 7, 8), ints(1, 3, 6, 10)).tolist() == [5, 6, 3, 4]
    assert [function(lifted, "steps")(n, ints(2, 3, 5)) for n in range(4)] == [0, 0, 6, 21]
    assert function(lifted, "filled")(0, 7, ints()).tolist() == []

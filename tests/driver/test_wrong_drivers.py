"""Drivers that say what is not so: nothing is PROVED with them that is not so under the meanings that they state."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.result import FunctionResult
from metalift.result.errors import UsageError

KERNELS = """\
import numpy as np


def total(x: np.ndarray, n: int) -> float:
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


def added(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    o = np.zeros(n)
    for i in range(n):
        o[i] = x[i] + y[i]
    return o


def divided(x: list[int], y: list[int], n: int) -> list[int]:
    o = [0] * n
    for i in range(n):
        if y[i] != 0:
            o[i] = x[i] // y[i]
    return o
"""
HEAD = """\
from dataclasses import replace

from metalift.driver import Bool, Driver, Elem, Int, LISTS, Real, Scalar, Vec
from metalift_drivers.tensor.targets import NUMPY

PREAMBLE = '''
def spoiled(x):
    s = np.sum(x)
    x[:] = 0
    return s


def kept(x, seen=[]):
    seen.append(np.sum(x))
    return seen[0]


def strict(a, b):
    if b == 0:
        raise ZeroDivisionError
    return a // b
'''
dsl = Driver("wrong", targets=(replace(NUMPY, preamble=PREAMBLE),))

"""
TOTAL = "def total(x: Vec[Real]) -> Real:\n    return sum(x)\n"
ADD = "def add(a: Elem, b: Elem) -> Elem:\n    return a + b\n"
RIGHT = {
    "total": f'@dsl.define(emit="np.sum({{x}})")\n{TOTAL}',
    "added": f'@dsl.elementwise(emit="{{a}} + {{b}}")\n{ADD}',
}
WRONG: dict[str, tuple[str, str]] = {
    "a spelling that computes something else": ("added", f'@dsl.elementwise(emit="{{a}} - {{b}}")\n{ADD}'),
    "a spelling that is wrong on one element": ("total", f'@dsl.define(emit="np.sum({{x}}[1:])")\n{TOTAL}'),
    "an operator that its library has not": ("total", f'@dsl.define(emit="np.summe({{x}})")\n{TOTAL}'),
    "an operator that changes its argument": ("total", f'@dsl.define(emit="spoiled({{x}})")\n{TOTAL}'),
    "an operator that remembers": ("total", f'@dsl.define(emit="kept({{x}})")\n{TOTAL}'),
    "another dtype": ("added", f'@dsl.elementwise(emit="({{a}} + {{b}}).astype(np.float32)")\n{ADD}'),
    "another shape": ("added", f'@dsl.elementwise(emit="({{a}} + {{b}})[None]")\n{ADD}'),
    "a list for an array": ("added", f'@dsl.elementwise(emit="list({{a}} + {{b}})")\n{ADD}'),
    "a requirement that is false": ("total", f'@dsl.define(emit="np.sum({{x}})", requires=lambda x: 1 < 0)\n{TOTAL}'),
    "requirements that contradict each other": (
        "total",
        f'@dsl.define(emit="np.sum({{x}})", requires=lambda x: len(x) < 2 and len(x) > 2)\n{TOTAL}',
    ),
    "a requirement that contradicts the type": (
        "total",
        f'@dsl.define(emit="np.sum({{x}})", requires=lambda x: len(x) < 0)\n{TOTAL}',
    ),
    "elements that contradict each other": (
        "added",
        f'@dsl.elementwise(emit="{{a}} - {{b}}", requires=lambda a, b: a < b and b < a)\n{ADD}',
    ),
    "a meaning of another function": (
        "total",
        '@dsl.define(emit="np.sum({x})")\ndef total(x: Vec[Real]) -> Real:\n    return sum(v + 1 for v in x)\n',
    ),
}
REFUSED: dict[str, str] = {
    "without end": '@dsl.define(emit="np.sum({x})")\ndef total(x: Vec[Real]) -> Real:\n    return 0 if not x else total(x)\n',
    "a loop without end": '@dsl.define(emit="np.sum({x})")\ndef total(x: Vec[Real]) -> Real:\n    while True:\n        pass\n',
}


def lifted(function: str, operators: str, folder: Path) -> FunctionResult:
    driver, source = folder / "wrong.py", folder / "kernels.py"
    driver.write_text(HEAD + operators, encoding="utf-8")
    source.write_text(KERNELS, encoding="utf-8")
    result = lift(source, functions=(function,), to=["numpy"], driver=str(driver), out=folder / "out", timeout=3.0)
    return result.functions[0]


@pytest.mark.parametrize("function", RIGHT)
def test_what_is_right_is_proved(function: str, tmp_path: Path) -> None:
    assert lifted(function, RIGHT[function], tmp_path).verdict.value == "PROVED"


@pytest.mark.parametrize(("function", "operators"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_not_proved(function: str, operators: str, tmp_path: Path) -> None:
    found = lifted(function, operators, tmp_path)
    assert found.verdict.value not in ("PROVED", "TESTED"), found


@pytest.mark.parametrize("operators", REFUSED.values(), ids=REFUSED)
def test_what_has_no_meaning_is_refused(operators: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"wrong.py:\d+: "):
        lifted("total", operators, tmp_path)


def test_a_partial_meaning_is_not_applied_where_it_has_none(tmp_path: Path) -> None:
    operators = (
        '@dsl.elementwise(emit="np.vectorize(strict)({a}, {b})")\ndef quotient(a: Int, b: Int) -> Int:\n    return a // b\n'
        '@dsl.elementwise(emit="{a} != {b}")\ndef differs(a: Int, b: Int) -> Bool:\n    return a != b\n'
        '@dsl.elementwise(emit="np.where({c}, {a}, {b})", numbers=("a", "b"))\n'
        "def where(c: Bool, a: Scalar, b: Scalar) -> Scalar:\n    return a if c else b\n"
    )
    assert lifted("divided", operators, tmp_path).verdict.value != "PROVED"

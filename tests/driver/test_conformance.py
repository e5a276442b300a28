"""Drivers that say something wrong are found out: partial meanings, spellings that compute something else or do not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.app.conformance import OperatorCheck, check_driver, table
from metalift.driver.files import load
from metalift.prove.solver import SolverPool

HEAD = """from metalift.driver import Double, Driver, Elem, Int, Layout, Real, Size, Target, Vec, convert, trunc_div
from metalift.ir.expr.types import DOUBLE, FLOAT, INT32, INT64, UINT8

LAYOUT = Layout(array_type="np.ndarray", array="np.array({value}, dtype={dtype})", reshape="np.reshape({x}, {shape})",
                permute="", flip="", expand="", strided="", clone="", full="")
DTYPES = {FLOAT: "np.float32", DOUBLE: "np.float64", INT32: "np.int32", INT64: "np.int64", UINT8: "np.uint8"}
driver = Driver("mine", (Target("numpy", imports={"np": "import numpy as np"}, dtypes=DTYPES, layout=LAYOUT, numbers=True),))

"""


def checked(text: str, folder: Path, pool: SolverPool) -> tuple[OperatorCheck, str]:
    path = folder / "mine.py"
    path.write_text(HEAD + text, encoding="utf-8")
    driver = load(str(path)).driver
    (check,) = check_driver(driver, pool)
    return check, table([check], driver)


RIGHT = {
    "elementwise": '@driver.elementwise(emit="{a} + {b}")\ndef f(a: Elem, b: Elem) -> Elem:\n    return a + b\n',
    "reduction": '@driver.define(emit="np.sum({x}, dtype={dtype})")\ndef f(x: Vec[Real]) -> Real:\n    return sum(x)\n',
    "recursion": '@driver.define(emit="np.sum({x}, dtype={dtype})")\n'
    "def f(x: Vec[Real]) -> Real:\n    return 0 if not x else x[0] + f(x[1:])\n",
    "with a requirement": '@driver.define(emit="{x}[{i}] + 1", requires=lambda x, i: 0 <= i and i < len(x))\n'
    "def f(x: Vec[Real], i: Size) -> Real:\n    return x[i] + 1\n",
}
WRONG = {
    "another operator": ('@driver.elementwise(emit="{a} - {b}")\ndef f(a: Elem, b: Elem) -> Elem:\n    return a + b\n', "gives"),
    "floor for truncation": (
        '@driver.elementwise(emit="{a} // {b}", requires=lambda a, b: b != 0)\n'
        "def f(a: Int, b: Int) -> Int:\n    return trunc_div(a, b)\n",
        "gives",
    ),
    "another dtype": ('@driver.define(emit="np.sum({x})")\ndef f(x: Vec[UInt8]) -> UInt8:\n    return sum(x)\n', "dtype"),
    "no such function": (
        '@driver.define(emit="np.summe({x})")\ndef f(x: Vec[Real]) -> Real:\n    return sum(x)\n',
        "no attribute",
    ),
    "divides by zero": ("@driver.elementwise()\ndef f(a: Int, b: Int) -> Int:\n    return a // b\n", "is not defined on"),
    "reads beyond the end": ("@driver.define\ndef f(x: Vec[Real], i: Size) -> Real:\n    return x[i]\n", "is not defined on"),
    "of nothing": ("@driver.define\ndef f(x: Vec[Real]) -> Real:\n    return max(x)\n", "is not defined on"),
    "recurs without end": (
        "@driver.define\ndef f(x: Vec[Real]) -> Real:\n    return 0 if not x else f(x)\n",
        "does not pass x[1:]",
    ),
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_conforms(text: str, tmp_path: Path, pool: SolverPool) -> None:
    check, text = checked(text, tmp_path, pool)
    assert check.ok, text
    assert check.engines["numpy"].agreed >= 3
    assert text.endswith("1 of 1 operators conform")


UNTESTED = {
    "a spelling that runs on nothing": (
        '@driver.define(emit="np.sum({x})", requires=lambda x: len(x) > 999)\ndef f(x: Vec[Real]) -> Real:\n    return sum(x)\n',
        "numpy: its spelling ran on no input",
    ),
    "a requirement that always holds": (
        '@driver.define(emit="np.sum({x})", requires=lambda x: len(x) < 9999)\ndef f(x: Vec[Real]) -> Real:\n    return sum(x)\n',
        "requires len(x) < 9999: it held on every input that was tried",
    ),
    "an operator that nothing needs": (
        '@driver.define(emit="{x}[{i}]", requires=lambda x, i: 0 <= i and i < len(x))\n'
        "def f(x: Vec[Real], i: Size) -> Real:\n    return x[i]\n",
        "numpy: never chosen: the search needs no operator for its meaning",
    ),
}


@pytest.mark.parametrize(("text", "found"), UNTESTED.values(), ids=UNTESTED)
def test_what_nothing_tries_is_not_counted_as_conforming(text: str, found: str, tmp_path: Path, pool: SolverPool) -> None:
    check, shown = checked(text, tmp_path, pool)
    assert check.ok and not check.conforms, shown
    assert found in shown
    assert shown.endswith("0 of 1 operators conform, 1 not tested as a whole")


@pytest.mark.parametrize(("text", "found"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_found(text: str, found: str, tmp_path: Path, pool: SolverPool) -> None:
    check, text = checked(text.replace("UInt8", "Int"), tmp_path, pool)
    assert not check.ok
    assert found in text
    assert f"{tmp_path / 'mine.py'}:" in text


def test_a_meaning_that_has_no_value_but_on_nothing_is_refused(tmp_path: Path, pool: SolverPool) -> None:
    text = '@driver.define(emit="np.ones({n})")\ndef f(n: Size) -> Vec[Double]:\n    return [1 / (i - i) for i in range(n)]\n'
    check, _ = checked(text.replace("(i - i)", "convert(i - i)"), tmp_path, pool)
    assert "has a value on no arguments" in check.problem

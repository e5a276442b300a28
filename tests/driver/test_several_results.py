"""Operators with several results: each is proved as an operator of its own, and the results of one call are of one call."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.app.conformance import check_driver
from metalift.driver import DriverError
from metalift.driver.files import load
from metalift.pipeline import check
from metalift.prove.solver import SolverPool
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict

DRIVER = """
from dataclasses import replace

from metalift.driver import Driver, Elem, Int32, Vec, convert, trunc_div, trunc_rem
from metalift_drivers.tensor.targets import NUMPY

CHIP = '''
def divided(a, b):
    quotient = np.trunc(np.true_divide(a, b)).astype(np.int32)
    return quotient, a - quotient * b

def best(x, axis=0):
    return np.max(x, axis=axis), np.argmax(x, axis=axis).astype(np.int32)
'''
driver = Driver("pair", targets=(replace(NUMPY, name="chip", preamble=CHIP),))


@driver.elementwise(emit="{a} + {b}")
def add(a: Elem, b: Elem) -> Elem:
    return a + b


@driver.define(elementwise=True, results=("quotient", "rest"), requires=lambda b: b != 0)
def divided(a: Int32, b: Int32) -> tuple[Int32, Int32]:
    return trunc_div(a, b), trunc_rem(a, b)


@driver.axiswise(emit="best({x}, axis={axis})", results=("value", "place"), requires=lambda x: len(x) > 0)
def best(x: Vec[Elem]) -> tuple[Elem, Int32]:
    at = 0
    for i in range(1, len(x)):
        if x[i] > x[at]:
            at = convert(i)
    return max(x), at
"""
VECTORS = DRIVER.replace('axiswise(emit="best({x}, axis={axis})"', 'define(emit="best({x})"')
SOURCE = """
void both(int *q, int *r, const int *a, const int *b, int n) {
    for (int i = 0; i < n; i++) {
        q[i] = a[i] / b[i];
        r[i] = a[i] % b[i];
    }
}
void one(int *q, const int *a, const int *b, int n) {
    for (int i = 0; i < n; i++)
        q[i] = a[i] / b[i];
}
void beside(int *q, const int *a, const int *b, int n) {
    for (int i = 0; i < n; i++)
        q[i] = a[i] / b[i] + a[i] % b[i];
}
void other(int *q, int *r, const int *a, const int *b, int n) {
    for (int i = 0; i < n; i++) {
        q[i] = a[i] / b[i];
        r[i] = b[i] % a[i];
    }
}
int first(int *r, const int *a, const int *b) {
    *r = a[0] % b[0];
    return a[0] / b[0];
}
void rows(float *top, int *place, const float *x, int n, int m) {
    for (int i = 0; i < n; i++) {
        float value = x[i * m];
        int at = 0;
        for (int j = 1; j < m; j++)
            if (x[i * m + j] > value) {
                value = x[i * m + j];
                at = j;
            }
        top[i] = value;
        place[i] = at;
    }
}
void last(float *top, int *place, const float *x, int n, int m) {
    for (int i = 0; i < n; i++) {
        float value = x[i * m];
        int at = 0;
        for (int j = 1; j < m; j++)
            if (x[i * m + j] >= value) {
                value = x[i * m + j];
                at = j;
            }
        top[i] = value;
        place[i] = at;
    }
}
"""
WRITTEN = {
    "both": ["quotient, rest = divided(a, b)", "q[:n] = quotient", "r[:n] = rest"],
    "one": ["q[:n] = divided(a, b)[0]"],
    "beside": ["quotient, rest = divided(a, b)", "q[:n] = quotient + rest"],
    "first": ["quotient, rest = divided(a[0], b[0])"],
    "rows": ["value, place_1 = best(x", ", axis=1)"],
}
LOOP = "    for i in range(1, len(x)):\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pair")
    (made / "pair.py").write_text(DRIVER, encoding="utf-8")
    (made / "source.c").write_text(SOURCE, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, FunctionResult]:
    result = lift(folder / "source.c", to=["chip"], driver=str(folder / "pair.py"), out=folder / "out")
    return {function.name: function for function in result.functions}


@pytest.mark.parametrize("name", WRITTEN)
def test_results_of_one_call_are_of_one_call(name: str, found: dict[str, FunctionResult], folder: Path) -> None:
    function = found[name]
    assert function.ok, function.diagnostics
    code = (folder / "out" / "chip" / f"{name}.py").read_text(encoding="utf-8")
    assert all(each in code for each in WRITTEN[name]), code
    assert function.certificate is not None
    assert check(Path(function.certificate), driver=str(folder / "pair.py")).ok


def test_results_of_different_calls_are_not(found: dict[str, FunctionResult], folder: Path) -> None:
    assert found["other"].ok
    code = (folder / "out" / "chip" / "other.py").read_text(encoding="utf-8")
    assert "divided(b, a)[1]" in code and "divided(a, b)[0]" in code, code


def test_another_place_is_not_proved(found: dict[str, FunctionResult]) -> None:
    assert found["last"].verdict is not FunctionVerdict.PROVED


def test_it_conforms(tmp_path: Path, pool: SolverPool) -> None:
    (tmp_path / "pair.py").write_text(VECTORS, encoding="utf-8")
    checks = check_driver(load(str(tmp_path / "pair.py")).driver, pool)
    assert [each.name for each in checks] == ["add", "divided.quotient", "divided.rest", "best.value", "best.place"]
    assert all(each.conforms for each in checks), [each for each in checks if not each.conforms]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("tuple[Int32, Int32]", "Int32", "its type is a tuple of as many"),
        ('("quotient", "rest")', '("quotient",)', "its type is a tuple of as many"),
        ('("quotient", "rest")', '("rest", "rest")', "its type is a tuple of as many"),
        ("return trunc_div(a, b), trunc_rem(a, b)", "return min(a, b)", "its returns gives them one by one"),
        ("return trunc_div(a, b), trunc_rem(a, b)", "return divided(a, b)", "calls itself"),
    ],
)
def test_what_is_not_right_is_said(right: str, wrong: str, message: str, tmp_path: Path) -> None:
    assert right in DRIVER
    (tmp_path / "pair.py").write_text(DRIVER.replace(right, wrong), encoding="utf-8")
    with pytest.raises(DriverError, match=message):
        load(str(tmp_path / "pair.py"))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("return quotient, a - quotient * b", "return a - quotient * b, quotient"),
        ("np.argmax(x, axis=axis)", "np.argmin(x, axis=axis)"),
        ("if x[i] > x[at]", "if x[i] >= x[at]"),
        (LOOP, LOOP.replace("(1,", "(2,")),
    ],
)
def test_a_result_that_is_another_is_found(right: str, wrong: str, tmp_path: Path, pool: SolverPool) -> None:
    assert right in VECTORS
    (tmp_path / "pair.py").write_text(VECTORS.replace(right, wrong), encoding="utf-8")
    checks = check_driver(load(str(tmp_path / "pair.py")).driver, pool)
    assert not all(each.ok for each in checks)

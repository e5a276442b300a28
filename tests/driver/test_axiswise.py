"""Operators that are declared on vectors and go along axes of tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.driver.files import load
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.interp.interpret import evaluate
from metalift.ir.text import show
from metalift.result.errors import UsageError

HEAD = """\
from metalift.driver import Bool, Driver, Elem, Int, Matrix, Target, Vec

mine = Driver("mine", targets=(Target("python"),))

"""
LAST = """
@mine.axiswise(emit="last({x}, axis={axis})", whole="last({x})", requires=lambda x: len(x) > 0, several=True)
def last(x: Vec[Int]) -> Int:
    return x[len(x) - 1]
"""
WITHOUT_FIRST = """
@mine.axiswise(emit="rest({x}, {least}, axis={axis})")
def rest(x: Vec[Int], least: Int) -> Vec[Int]:
    return [max(v, least) for v in x[1:]]
"""
CUBE = [[[100 * i + 10 * j + k for k in range(4)] for j in range(3)] for i in range(2)]


def test_there_is_an_operator_for_each_choice_of_axes(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD + LAST, encoding="utf-8")
    operators = load(str(tmp_path / "mine.py")).driver.operators
    assert {name: operator.spelling("python") for name, operator in operators.items()} == {
        "last": "last({x})",
        "last_2d_axis0": "last({x}, axis=0)",
        "last_2d_axis1": "last({x}, axis=1)",
        "last_2d": "last({x})",
        "last_3d_axis0": "last({x}, axis=0)",
        "last_3d_axis1": "last({x}, axis=1)",
        "last_3d_axis2": "last({x}, axis=2)",
        "last_3d_axis01": "last({x}, axis=(0, 1))",
        "last_3d_axis02": "last({x}, axis=(0, 2))",
        "last_3d_axis12": "last({x}, axis=(1, 2))",
        "last_3d": "last({x})",
        **{f"last_{n}d_axis{a}{b}": f"last({{x}}, axis=({a}, {b}))" for n in (4, 5) for a in range(n) for b in range(a + 1, n)},
    }
    middle = operators["last_3d_axis02"].instantiate((TensorType(INT, 3),))
    assert evaluate(middle.body, {"x": CUBE}) == [103, 113, 123]
    assert [show(each) for each in middle.requires] == ["0 < len(x, 2)", "0 < len(x)"]


def test_a_meaning_that_gives_a_vector_keeps_the_axes(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD + WITHOUT_FIRST, encoding="utf-8")
    operators = load(str(tmp_path / "mine.py")).driver.operators
    assert [operator.result.rank for operator in operators.values()] == [1, 2, 2, 3, 3, 3]
    middle = operators["rest_3d_axis1"].instantiate((TensorType(INT, 3), INT))
    assert evaluate(middle.body, {"x": CUBE, "least": 50}) == [
        [[max(value, 50) for value in row] for row in matrix[1:]] for matrix in CUBE
    ]


@pytest.mark.parametrize("signature", ["x: Matrix[Int]", "x: Int", "x: Vec[Int], y: Vec[Int]", "x: Int, y: Vec[Int]"])
def test_other_signatures_are_refused(signature: str, tmp_path: Path) -> None:
    text = f'@mine.axiswise(emit="f({{x}}, {{axis}})")\ndef f({signature}) -> Int:\n    return 0\n'
    (tmp_path / "mine.py").write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(UsageError, match="operator 'f' is axiswise: its meaning takes a Vec, then scalars"):
        load(str(tmp_path / "mine.py"))

"""Driver files that say what is not accepted: one message with the file and the line each, status 2, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.cli import main

HEAD = """import math
from metalift.driver import *
from metalift.driver import Driver, Elem, Int, Real, Size, Target, Vec, size

REQUIRED = lambda a, b: b != 0
dsl = Driver("mine", (Target("python"),))
"""  # the next line is 7
DEFINED = "@dsl.define\ndef f(x: Vec[Int]) -> Int:\n    "
SCALAR = "def f(a: Int, b: Int) -> Int:\n    return a + b\n"

REFUSED: dict[str, tuple[str, int, str]] = {
    "while": (f"{DEFINED}while True:\n        pass\n", 9, "is not accepted in a meaning"),
    "a class": (f"{DEFINED}return object()\n", 9, "object"),
    "an unknown name": (f"{DEFINED}return x[0] + missing\n", 9, "missing"),
    "a dictionary": (f"{DEFINED}return {{1: 2}}[1]\n", 9, "not accepted"),
    "an attribute": (f"{DEFINED}return x.total\n", 9, "not accepted"),
    "no such axis": (f"{DEFINED}return size(x, 1)\n", 9, "there is no axis 1"),
    "no return": (f"{DEFINED}y = 1\n", 8, "does not return a value on every path"),
    "another result": (f"{DEFINED}return [v for v in x]\n", 8, "said to return"),
    "no type of a parameter": ("@dsl.define\ndef f(x) -> Int:\n    return x\n", 8, "has no type"),
    "no type of the result": ("@dsl.define\ndef f(x: Int):\n    return x\n", 8, "no result type"),
    "a type of another language": ("@dsl.define\ndef f(x: str) -> Int:\n    return 1\n", 8, "not a type of the driver language"),
    "a type that is not there": ("@dsl.define\ndef f(x: Missing) -> Int:\n    return 1\n", 8, "Missing"),
    "a default": ("@dsl.define\ndef f(x: Int = 1) -> Int:\n    return x\n", 8, "plain names without defaults"),
    "several parameters in one": ("@dsl.define\ndef f(*x: Int) -> Int:\n    return 1\n", 8, "plain names without defaults"),
    "recursion without an end": (f"{DEFINED}return x[0] + f(x[1:])\n", 9, "accepted is the form"),
    "recursion on the same list": (f"{DEFINED}return 0 if not x else f(x)\n", 9, "does not pass x[1:]"),
    "a base that reads": (f"{DEFINED}return x[0] if not x else f(x[1:])\n", 9, "is not there"),
    "division by zero": (f"@dsl.define\n{SCALAR.replace('+', '//')}", 8, "is not defined on"),
    "out of range": (f"{DEFINED}return x[len(x)]\n", 8, "is not defined on"),
    "the largest of none": (f"{DEFINED}return max(x)\n", 8, "is not defined on"),
    "an unknown placeholder": (f'@dsl.define(emit="g({{c}})")\n{SCALAR}', 8, "unknown placeholder {c}"),
    "no expression": (f'@dsl.define(emit="g({{a}}")\n{SCALAR}', 8, "is not a Python expression"),
    "a statement": (f'@dsl.define(emit="x = {{a}}")\n{SCALAR}', 8, "is not a Python expression"),
    "a spelling that is none": (f"@dsl.define(emit=3)\n{SCALAR}", 8, "it has to be a template"),
    "spellings that are none": (f'@dsl.define(emit={{"python": None}})\n{SCALAR}', 8, "it has to be a template"),
    "an unknown target": (f'@dsl.define(emit={{"numpy": "{{a}}"}})\n{SCALAR}', 8, "unknown target 'numpy'"),
    "an unknown target for numbers": (f'@dsl.define(scalars={{"numpy": "{{a}}"}})\n{SCALAR}', 8, "unknown target 'numpy'"),
    "no cost": (f"@dsl.define(cost=0)\n{SCALAR}", 8, "positive number"),
    "a cost below zero": (f"@dsl.define(cost=-1.5)\n{SCALAR}", 8, "positive number"),
    "a cost that is no number": (f'@dsl.define(cost="high")\n{SCALAR}', 8, "positive number"),
    "a cost without end": (f"@dsl.define(cost=math.inf)\n{SCALAR}", 8, "positive number"),
    "a cost that is not a number": (f"@dsl.define(cost=math.nan)\n{SCALAR}", 8, "positive number"),
    "two of one name": (f"@dsl.define\n{SCALAR}\n\n@dsl.define\n{SCALAR}", 13, "is defined twice"),
    "numbers of no parameter": (f'@dsl.define(numbers=("c",))\n{SCALAR}', 8, "no parameter 'c'"),
    "elementwise on lists": ("@dsl.elementwise()\ndef f(x: Vec[Int]) -> Int:\n    return x[0]\n", 8, "is elementwise"),
    "a requirement of another name": (f"@dsl.define(requires=lambda a, c: c != 0)\n{SCALAR}", 7, "names 'c'"),
    "a requirement of an unknown name": (f"@dsl.define(requires=lambda a, b: b != limit)\n{SCALAR}", 7, "limit"),
    "a requirement that is no condition": (f"@dsl.define(requires=lambda a, b: a + b)\n{SCALAR}", 7, "a condition is"),
    "no operators": ("", 1, "the driver has no operators"),
    "an end of the process": ("raise SystemExit(3)\n", 7, "SystemExit: 3"),
    "a layout that is none": ('Target("t", layout=5)\n', 7, "layout of the target t is 5"),
    "arrays of the preamble": (
        'Target("t", preamble="class Rows: pass", layout=Layout("Rows", "Rows({value})", "{x}"))\n',
        7,
        "which the preamble defines",
    ),
    "an element type that is none": ('Target("t", dtypes={str: "x"})\n', 7, "has the key <class 'str'>; keys are types"),
    "literals of no element type": ('Target("t", literals={Vec[Int]: range(3)})\n', 7, "keys are types of elements"),
    "targets that are no tuple": ('Driver("d", targets=Target("t"))\n', 7, "have to be a tuple of Target"),
    "a requirement from elsewhere": (f"@dsl.define(requires=REQUIRED)\n{SCALAR}", 8, "stands in the decorator"),
    "it raises": ("x = 1\nx / 0\n", 8, "ZeroDivisionError"),
    "it raises in a function": ("def g() -> None:\n    raise RuntimeError('odd')\n\n\ng()\n", 8, "RuntimeError: odd"),
    "it imports what is not there": ("import no_such_module_here\n", 7, "No module named"),
    "no Python": ("def f(:\n", 7, "SyntaxError"),
    "two drivers": ("other = Driver('other')\n", 1, "must hold one metalift.driver.Driver, it holds 2"),
    "no driver": ("del dsl\n", 1, "must hold one metalift.driver.Driver, it holds 0"),
}


@pytest.mark.parametrize(("text", "line", "message"), REFUSED.values(), ids=REFUSED)
def test_one_message_with_file_and_line(
    text: str, line: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HEAD + text, encoding="utf-8")
    assert main(["drivers", "check", str(path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"metalift: {path}:{line}: "), said.err
    assert message in said.err
    assert len(said.err.splitlines()) == 1


def test_each_operator_that_is_not_accepted_has_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"{HEAD}{DEFINED}return max(x)\n\n\n{DEFINED.replace('f(', 'g(')}return x[7]\n", encoding="utf-8")
    assert main(["drivers", "check", str(path)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"metalift: {path}:8: ") and second.startswith(f"{path}:13: ")


def test_a_lift_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, source = tmp_path / "mine.py", tmp_path / "kernel.py"
    path.write_text(f"{HEAD}{DEFINED}return x[0] + missing\n", encoding="utf-8")
    kernel = "def {}(x: list[int]) -> int:\n    return sum(x)\n"
    source.write_text(kernel.format("f") + kernel.format("g"), encoding="utf-8")  # each in a process of its own
    out = str(tmp_path / "out")
    assert main(["lift", str(source), "--to", "python", "--driver", str(path), "--out", out]) == 2
    assert capsys.readouterr().err.startswith(f"metalift: {path}:9: ")

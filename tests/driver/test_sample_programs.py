"""What the check runs of an operator that no program has by itself, and the faults that it finds there."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.app.conformance import OperatorCheck, check_driver, table
from metalift.driver.files import load
from metalift.prove.solver import SolverPool

MACHINE = """
from dataclasses import replace
from pathlib import Path

from metalift.driver import LISTS, Bool, CannotWrite, Driver, Int32, Size, convert, exact
from metalift.ir.expr.nodes import Call, Const, Var
from metalift.ir.expr.types import BOOL


def write(request):
    lets = {let.var: let.value for let in request.program.lets}
    words = [param.var.name for param in request.fragment.params]
    if any(param.var.type == BOOL for param in request.fragment.params) or request.fragment.result == BOOL:
        raise CannotWrite("the machine has words only")
    if len(words) > 3:
        raise CannotWrite("an instruction has three words")

    def text(expr):
        match expr:
            case Var() if expr in lets:
                return text(lets[expr])
            case Var(name):
                return name
            case Const(value):
                return str(value)
            case Call(name, args):
                return f"{name}({', '.join(map(text, args))})"
        raise CannotWrite("calls only")

    return f"{' '.join(words)}\\n{text(request.program.result)}\\n"


machine = replace(
    LISTS, name="words", numbers=True, language="words", suffix=".txt", write=write,
    runner=Path(__file__).with_name("runner.py"),
)  # fmt: skip
driver = Driver("machine", targets=(machine,))


@driver.define(holes={"op": 3})
def alu(op: Size, a: Int32, b: Int32) -> Int32:
    if op == 0:
        return convert(exact(a) + exact(b))
    if op == 1:
        return convert(exact(a) - exact(b))
    return a & b


@driver.define
def below(a: Int32, b: Int32) -> Bool:
    return a < b


@driver.define
def above(a: Int32, b: Int32) -> Bool:
    return a > b


@driver.define
def same(a: Int32, b: Int32) -> Bool:
    return a == b


@driver.define
def opposite(p: Bool) -> Bool:
    return not p


@driver.define
def both(p: Bool, q: Bool) -> Bool:
    return p and q


@driver.define
def select(p: Bool, a: Int32, b: Int32) -> Int32:
    return a if p else b


@driver.define
def near(a: Int32, b: Int32, c: Int32, d: Int32) -> Int32:
    return 7 if a < b and c < d else 8
"""
RUNNER = """
UNITS = {
    "alu": lambda op, a, b: wrapped([a + b, a - b, a & b][op]),
    "below": lambda a, b: a < b,
    "above": lambda a, b: a > b,
    "same": lambda a, b: a == b,
    "opposite": lambda p: not p,
    "both": lambda p, q: p and q,
    "select": lambda p, a, b: a if p else b,
    "near": lambda a, b, c, d: 7 if a < b and c < d else 8,
}


def wrapped(value):
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def load(path, function):
    names, text = open(path).read().splitlines()
    code = compile(text, path, "eval")
    return lambda *args: eval(code, {**UNITS, **dict(zip(names.split(), args))})
"""


def checked(folder: Path, runner: str, pool: SolverPool) -> tuple[dict[str, OperatorCheck], str]:
    """The check of the machine with that runner, and its table."""
    (folder / "machine.py").write_text(MACHINE, encoding="utf-8")
    (folder / "runner.py").write_text(runner, encoding="utf-8")
    driver = load(str(folder / "machine.py")).driver
    found = check_driver(driver, pool)
    return {check.name: check for check in found}, table(found, driver)


def test_truth_values_are_numbers_and_arguments_are_shared_where_a_machine_needs_that(tmp_path: Path, pool: SolverPool) -> None:
    checks, text = checked(tmp_path, RUNNER, pool)
    assert text.endswith("8 of 8 operators conform"), text
    assert all(check.engines["words"].agreed for check in checks.values()), text
    assert "above: words: the search takes below" in text  # it is run where `below` is left out


@pytest.mark.parametrize(
    ("operator", "right", "wrong"),
    [
        ("alu", "a & b]", "a | b]"),  # its third choice
        ("above", "a > b", "a >= b"),
        ("both", "p and q", "p or q"),
        ("near", "and c < d", "and c <= d"),
    ],
)
def test_faults_are_found_there(operator: str, right: str, wrong: str, tmp_path: Path, pool: SolverPool) -> None:
    assert right in RUNNER
    checks, text = checked(tmp_path, RUNNER.replace(right, wrong), pool)
    assert not checks[operator].ok, text

"""What a driver leaves out: numbers that a target has not, and the meanings of operators that stand for calls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from metalift import lift
from metalift.app.conformance import check_driver
from metalift.driver.files import load
from metalift.ir.expr.types import FLOAT
from metalift.ir.text import parse
from metalift.pipeline import check
from metalift.prove.batch import Claim, settle
from metalift.prove.solver import SolverPool
from metalift.result import FunctionResult
from metalift.result.errors import UsageError
from metalift.result.verdict import Agreement, FunctionVerdict, ObligationVerdict

HEADER = "from dataclasses import replace\nfrom metalift.driver import *\n"
DRIVER = HEADER + '''
CHIP = """
def tone(x):
    return [v * v + 1 for v in x] if isinstance(x, list) else x * x + 1

def pair(x, y):
    return x + 2 * y
"""
driver = Driver("chip", targets=(replace(LISTS, name="chip", preamble=CHIP, literals={Float: {1, 2, 4, 8}}),))


@driver.uninterpreted()
def tone(x: Float) -> Float: ...


@driver.uninterpreted()
def pair(x: Float, y: Float) -> Float: ...


@driver.define(emit="[v * {k} for v in {x}]")
def scale(x: Vec[Float], k: Float) -> Vec[Float]:
    return [v * k for v in x]
'''
SOURCE = """
static float tone(float x) { return x * x + 1.0f; }
float pair(float x, float y);
void body(float *o, const float *x, int n) { for (int i = 0; i < n; i++) o[i] = tone(x[i] * 2.0f); }
float declared(float a, float b) { return pair(b, a); }
void outside(float *o, const float *x, int n) { for (int i = 0; i < n; i++) o[i] = tone(x[i] * 3.0f); }
void fill(float *o, int n) { for (int i = 0; i < n; i++) o[i] = 16.0f; }
void inside(float *o, const float *x, int n) { for (int i = 0; i < n; i++) o[i] = 8.0f * x[i]; }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("limits")
    (made / "chip.py").write_text(DRIVER, encoding="utf-8")
    (made / "source.c").write_text(SOURCE, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, FunctionResult]:
    names = ("body", "declared", "outside", "fill", "inside")
    result = lift(folder / "source.c", functions=names, to=["chip"], driver=str(folder / "chip.py"), out=folder / "out")
    return {function.name: function for function in result.functions}


def test_a_call_stays_one_and_the_code_is_run_beside_its_body(found: dict[str, FunctionResult], folder: Path) -> None:
    function = found["body"]
    assert function.ok
    assert [one.text for one in function.assumptions if one.origin == "calls that stay calls"] == [
        "tone(f32) -> f32 has no effects and for all arguments a result that depends on them alone; "
        "the target's tone computes the same"
    ]
    code = (folder / "out" / "chip" / "body.py").read_text(encoding="utf-8")
    assert "o[:n] = tone([v * 2.0 for v in x])" in code
    assert function.certificate is not None
    assert check(Path(function.certificate), driver=str(folder / "chip.py")).ok


def test_a_function_without_a_body_is_proved_and_not_run(found: dict[str, FunctionResult], folder: Path) -> None:
    function = found["declared"]
    assert function.verdict is FunctionVerdict.PROVED
    assert function.targets["chip"].checked is Agreement.NOT_RUN
    assert "return pair(b, a)" in (folder / "out" / "chip" / "declared.py").read_text(encoding="utf-8")


def test_a_target_that_computes_something_else_is_found_out(folder: Path) -> None:
    (folder / "other.py").write_text(DRIVER.replace("v * v + 1", "v * v + 2"), encoding="utf-8")
    result = lift(folder / "source.c", functions=["body"], to=["chip"], driver=str(folder / "other.py"))
    assert result.functions[0].verdict is FunctionVerdict.ERROR
    assert result.functions[0].targets["chip"].checked is Agreement.DIFFERS


@pytest.mark.parametrize(("name", "number"), [("outside", 3), ("fill", 16)])
def test_no_number_outside_the_pool_is_emitted(name: str, number: int, found: dict[str, FunctionResult]) -> None:
    assert found[name].verdict is FunctionVerdict.NOT_LIFTED
    assert f"the number {number} is not among the literals of chip" in found[name].diagnostics[0].message
    assert found["inside"].ok


@pytest.mark.parametrize(
    ("hypotheses", "goal", "verdict"),
    [
        (["x == y"], "external.pair:f32(x, y) == external.pair:f32(y, x)", ObligationVerdict.PROVED),
        ([], "external.pair:f32(x, y) == external.pair:f32(y, x)", ObligationVerdict.UNKNOWN),
        ([], "external.pair:f32(x, y) == external.pair:f32(x, y + 0.5)", ObligationVerdict.UNKNOWN),
        ([], "external.pair:f32(x, y) == external.tone:f32(x)", ObligationVerdict.UNKNOWN),
    ],
)
def test_proofs_know_of_a_call_that_equal_arguments_give_equal_results(
    hypotheses: Sequence[str], goal: str, verdict: ObligationVerdict
) -> None:
    names = {"x": FLOAT, "y": FLOAT}
    formula = parse(goal, names)
    claim = Claim("claim", tuple(parse(each, names) for each in hypotheses), (), (("claim", formula),), formula)
    with SolverPool(1) as pool:
        assert settle(claim, pool, 5.0).verdict is verdict


def test_what_has_no_meaning_is_marked_in_the_table(folder: Path) -> None:
    with SolverPool(1) as pool:
        checks = check_driver(load(str(folder / "chip.py")).driver, pool)
    assert all(one.ok for one in checks)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("def tone(x: Float) -> Float: return x", "is uninterpreted, so its body is ..."),
        ("def tone(x: Real) -> Float: ...", "x has a fixed scalar type"),
        ("def tone(x: Vec[Float]) -> Float: ...", "x has a fixed scalar type"),
        ("def exp(x: Float) -> Float: ...", "has a meaning: give it as a call of math.exp"),
    ],
)
def test_what_an_operator_without_a_meaning_cannot_be(declared: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(f"{HEADER}driver = Driver('wrong')\n@driver.uninterpreted()\n{declared}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="wrong.py:") as caught:
        load(str(file))
    assert message in str(caught.value)

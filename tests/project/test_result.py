"""Results: the words, JSON's form of them, exit status, and the report."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from metalift.app import plain_report as report
from metalift.result import (
    AssumptionResult,
    Attempt,
    CheckResult,
    DiagnosticResult,
    FunctionResult,
    ObligationResult,
    Result,
    TargetResult,
    to_json,
)
from metalift.result.verdict import Agreement, Checked, FunctionVerdict, ObligationVerdict

GOOD_TARGET = TargetResult(
    FunctionVerdict.PROVED, "out/scale.py", "numpy 2.4.6", Agreement.AGREES, 240, 1e-7, exact_error=2e-7, source_error=1e-7
)
GOOD = FunctionResult(
    "scale",
    3,
    FunctionVerdict.PROVED,
    summary="a_1[b] = a[b] * s",
    assumptions=(AssumptionResult("len(a) >= n", "extents", Checked.GUARD), AssumptionResult("real arithmetic", "floats")),
    obligations=(ObligationResult("loop at 4: kept by the body", 4, ObligationVerdict.PROVED, "", 0.01),),
    targets={"numpy": GOOD_TARGET},
    seconds={"clang": 0.1, "prove": 0.02},
)


def test_verdicts_are_words_with_a_sentence() -> None:
    assert [verdict.value for verdict in FunctionVerdict] == ["PROVED", "TESTED", "VACUOUS", "NOT_LIFTED", "UNSUPPORTED", "ERROR"]
    assert [verdict.value for verdict in ObligationVerdict] == ["PROVED", "REFUTED", "UNKNOWN"]
    assert all(verdict.sentence.endswith(".") for verdict in (*FunctionVerdict, *ObligationVerdict, *Agreement, *Checked))


def test_nothing_is_claimed_by_default() -> None:
    assert FunctionResult("f", 1).verdict is FunctionVerdict.ERROR
    assert TargetResult().verdict is FunctionVerdict.ERROR
    assert ObligationResult("o", 1).verdict is ObligationVerdict.UNKNOWN
    assert not Result("a.c").ok
    assert not CheckResult("c", "cvc5", rederived=True).ok


@pytest.mark.parametrize(
    ("target", "ok"),
    [
        (GOOD_TARGET, True),
        (TargetResult(FunctionVerdict.PROVED, checked=Agreement.DIFFERS), False),
        (TargetResult(FunctionVerdict.PROVED, engine="torch is not installed"), False),
        (TargetResult(FunctionVerdict.PROVED, engine="cannot be run here", executable=False), True),
        (TargetResult(FunctionVerdict.PROVED, checked=Agreement.DIFFERS, executable=False), False),
        (TargetResult(FunctionVerdict.TESTED, checked=Agreement.AGREES), False),
    ],
)
def test_a_target_is_good_when_proved_and_its_code_agrees(target: TargetResult, ok: bool) -> None:
    function = FunctionResult("f", 1, FunctionVerdict.PROVED, targets={"numpy": GOOD_TARGET, "other": target})
    assert target.ok is ok
    assert Result("a.c", (function,)).ok is ok


def test_json_holds_plain_values_only() -> None:
    attempt = Attempt("s", "o", {"x": (Fraction(1, 2), Fraction(3)), "n": 2})
    target = TargetResult(max_rel_error=float("inf"))
    plain = to_json(Result("a.c", (FunctionResult("f", 1, attempt=attempt, targets={"numpy": target}),)))
    again = json.loads(json.dumps(plain, allow_nan=False))
    function = again["functions"][0]
    assert function["attempt"] == {"summary": "s", "obligation": "o", "input": {"x": [0.5, 3], "n": 2}}
    assert function["targets"]["numpy"]["max_rel_error"] is None
    assert "executable" not in function["targets"]["numpy"]
    assert "certificate" not in function


def shown(result: Result, timings: bool = False) -> str:
    """All that `lift -v` prints."""
    functions = [report.show_function(result.source, function, timings) for function in result.functions]
    return "\n".join([*functions, *report.program_lines(result), report.totals(result)])


def test_report_of_a_proved_function() -> None:
    text = shown(Result("kernel.c", (GOOD,)), timings=True)
    assert text.splitlines()[0].startswith("kernel.c:3: scale") and text.splitlines()[0].endswith("PROVED")
    for part in (
        "a_1[b] = a[b] * s",
        "1 obligation proved in 0.01 s",
        "len(a) >= n [extents]",
        "real arithmetic [floats, not checked]",
        "numpy: out/scale.py: agrees with the compiled source on 240 inputs within 2.0e-07 of exact numbers",
        ", the source within 1.0e-07 (numpy 2.4.6)",
        "seconds: clang 0.100, prove 0.020, total 0.120",
        "1 of 1 function proved",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"max_rel_error": 0.0}, "240 inputs exactly (numpy"),
        ({"exact_error": 1e-7}, "240 inputs faithfully (numpy"),
        ({"exact_error": float("inf")}, "240 inputs (numpy"),
        ({"max_rel_error": 0.0, "decided": 12}, "240 inputs exactly, 12 of them decided by rounding (numpy"),
        ({"max_rel_error": 0.0, "undecided": 5}, "240 inputs exactly, 5 more left out where rounding decides (numpy"),
    ],
)
def test_how_exact_the_code_is(changes: dict[str, Any], told: str) -> None:
    target = replace(GOOD_TARGET, **changes)
    text = shown(Result("kernel.c", (replace(GOOD, targets={"numpy": target}),)))
    assert told in text


def test_report_of_failures() -> None:
    lost = FunctionResult(
        "f", 1, FunctionVerdict.NOT_LIFTED, attempt=Attempt("best = 1", "result", {"x": [Fraction(1, 4)], "n": 1})
    )
    odd = FunctionResult("g", 9, FunctionVerdict.UNSUPPORTED, diagnostics=(DiagnosticResult("k.c", 10, 5, "recursion"),))
    text = shown(Result("k.c", (lost, odd)))
    for part in (
        "best candidate",
        "best = 1",
        "fails: result",
        "input: x = [0.25], n = 1",
        "k.c:10:5: recursion",
        "0 of 2 functions",
    ):
        assert part in text


def test_report_of_a_check() -> None:
    obligations = (ObligationResult("a", 1, ObligationVerdict.PROVED), ObligationResult("b", 2, reason="timeout"))
    text = report.show_check(CheckResult("out/cert", "z3", rederived=False, obligations=obligations, differences=("01.smt2",)))
    for part in ("1 of 2 obligations proved with z3", "UNKNOWN: b (timeout)", "01.smt2", "not derived anew", "not ok"):
        assert part in text

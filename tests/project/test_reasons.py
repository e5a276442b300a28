"""Every message with which the code stops has a code, and every code has a page."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from metalift.app.explain import explain, listing
from metalift.result import AssumptionResult, Attempt, DiagnosticResult, FunctionResult, ObligationResult, TargetResult
from metalift.result.reasons import Kind, page_of, pages, plain, reasons_of
from metalift.result.verdict import Agreement, FunctionVerdict, ObligationVerdict

ROOT = Path(__file__).parents[2]
STOPS = {"Unsupported", "NotDerived", "NotCovered", "CannotSpell", "CannotWrite", "ObligationError", "NotProposed", "Diagnostic"}
HELPERS = {"refuse", "problem", "unsupported", "fail", "_fail"}  # functions that raise or make one of these
KINDS = {"frontend": Kind.SOURCE, "synth": Kind.SUMMARY, "vcgen": Kind.SUMMARY, "codegen": Kind.TARGET, "drivers": Kind.TARGET}
INTERNAL = ("fold", ".1", "counterexample", "for.cond", "instances", "update(")


def template(node: ast.expr) -> str:
    """The text of a message, with x for what is not known before it runs."""
    match node:
        case ast.Constant(str() as text):
            return text
        case ast.JoinedStr(parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in parts)
        case ast.BinOp(left, ast.Add(), right):
            return template(left) + template(right)
        case _:
            return "x"


def messages() -> Iterator[tuple[Kind, str]]:
    """The messages in the code, with what they are about."""
    for folder, kind in KINDS.items():
        root = ROOT / folder if folder == "drivers" else ROOT / "metalift" / folder
        for file in root.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                    texts = [template(each) for each in node.args] if called in STOPS | HELPERS else []
                    whole = "; ".join(text for text in texts if text != "x")
                    if re.search(r"\w{3,}", whole):
                        yield kind, whole


def test_every_message_has_a_code_and_few_the_one_that_takes_the_rest() -> None:
    found = [(kind, text, page_of(kind, text)[0].code) for kind, text in messages()]
    assert len(found) > 300
    for kind, most in ((Kind.SOURCE, 0.1), (Kind.TARGET, 0.4)):
        codes = Counter(code for of, _, code in found if of is kind)
        rest = [text for of, text, code in found if of is kind and code.endswith("99")]
        assert len(rest) <= most * codes.total(), rest
    assembled = {"S01", "S31", "S34", "S35", "S36", *(f"S2{last}" for last in range(7))}
    used = {*assembled, *(code for _, _, code in found)}
    assert used >= {page.code for page in pages() if page.kind is Kind.SOURCE}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.code)
def test_every_code_has_a_page(page: object) -> None:
    (own,) = [each for each in pages() if each is page]
    assert len(own.text) > 60 and own.text.endswith(".") and own.before and own.after and own.before != own.after and own.help
    shown = explain(own.code.lower())
    assert own.title in shown and "Before:" in shown and "After:" in shown
    assert f"{own.code} " in listing()


def failed(**changes: object) -> FunctionResult:
    """A function that is not lifted."""
    fields: dict[str, object] = {"name": "f", "line": 3, "verdict": FunctionVerdict.NOT_LIFTED, "proposer": "search", **changes}
    return FunctionResult(**fields)  # type: ignore[arg-type]


def obligation(name: str, reason: str, line: int = 7) -> ObligationResult:
    """One that is not proved."""
    return ObligationResult(name, line, ObligationVerdict.UNKNOWN, reason, 0.1)


def test_a_call_without_a_body_names_the_function_in_its_advice() -> None:
    message = "a call of gain, which is not defined in this file; supported are functions of the file"
    told = (DiagnosticResult("k.c", 5, 9, message),)
    (reason,) = reasons_of(failed(verdict=FunctionVerdict.UNSUPPORTED, diagnostics=told), "k.c")
    assert (reason.code, reason.line, reason.column) == ("S01", 5, 9)
    assert any("--with" in text and "gain" in text for text in reason.help) and any("--pure gain" in text for text in reason.help)


@pytest.mark.parametrize(
    ("callee", "code"),
    [
        ("strlen", "S21"),
        ("<ctype.h> (tolower)", "S21"),
        ("rand", "S22"),
        ("std::chrono::steady_clock::now", "S22"),
        ("qsort", "S23"),
        ("std::thread::join", "S24"),
        ("cexp", "S25"),
        ("fopen", "S26"),
        ("std::ios_base::constructor", "S26"),
        *((own, "S01") for own in ("read_sensor", "time_step", "random_walk", "structure", "cabinet", "open_door", "sorted")),
    ],
)
def test_a_call_of_the_library_is_not_told_to_be_linked(callee: str, code: str) -> None:
    assert page_of(Kind.SOURCE, f"a call of {callee}, which is not defined in this file")[0].code == code


def test_a_timeout_says_what_was_to_be_proved_and_how_to_give_it_longer() -> None:
    name = "part for.cond20 in at 102: loop at 9: kept by the body"
    told = obligation(name, "x written: timeout after 6 s while instances were made", 9)
    sizes = (AssumptionResult("0 <= int(width)", "required by the target's operators"),)
    result = failed(obligations=(told,), targets={"numpy": TargetResult(FunctionVerdict.NOT_LIFTED)}, assumptions=sizes)
    (reason,) = reasons_of(result, "k.c")
    assert (reason.code, reason.target, reason.line) == ("P01", "numpy", 9)
    assert "--timeout 60" in reason.help[0] and "--assume 'width > 0'" in reason.help[1]
    assert not [word for word in INTERNAL if word in " ".join([reason.what, *reason.help])]


def test_an_input_on_which_the_candidate_is_wrong_becomes_an_assumption() -> None:
    (reason,) = reasons_of(failed(attempt=Attempt("", "x", {"text": "x=[1], n = -1"})), "k.c")
    assert reason.code == "P02" and "n = -1" in reason.what and "--assume 'n >= 0'" in reason.help[0]


def test_a_target_without_operators_does_not_advise_itself() -> None:
    message = "mlx: no operator of the driver tensor computes fold(int(n), 0, acc, i: acc)"
    for target in ("mlx", "numpy"):
        told = DiagnosticResult("k.c", 3, 0, message.replace("mlx", target))
        result = failed(diagnostics=(told,), targets={target: TargetResult(FunctionVerdict.NOT_LIFTED)})
        (reason,) = reasons_of(result, "k.c")
        what = "values that each iteration computes from those before"
        assert (reason.code, reason.what) == ("T01", f"{target} has no operators that compute {what}")
        assert any("--to numpy" in text for text in reason.help) == (target == "mlx")
        assert any("--model" in text for text in reason.help)


@pytest.mark.parametrize(("checked", "code"), [(Agreement.NOT_RUN, "R03"), (Agreement.AGREES, "")])
def test_what_is_proved_and_was_not_run_has_a_reason_too(checked: Agreement, code: str) -> None:
    target = TargetResult(FunctionVerdict.PROVED, engine="jax is not installed", checked=checked)
    result = failed(verdict=FunctionVerdict.PROVED, targets={"jax": target})
    assert [reason.code for reason in reasons_of(result, "k.c")] == ([code] if code else [])


def test_what_is_vacuous_or_differs_has_its_own_code() -> None:
    vacuous = failed(verdict=FunctionVerdict.VACUOUS, targets={"numpy": TargetResult(FunctionVerdict.VACUOUS)})
    wrong = TargetResult(FunctionVerdict.ERROR, checked=Agreement.DIFFERS)
    differs = failed(verdict=FunctionVerdict.ERROR, targets={"numpy": wrong})
    ends = ("internal error: KeyError: 'x'", "it took longer than the 1 s of its time limit")
    broken = [failed(verdict=FunctionVerdict.ERROR, diagnostics=(DiagnosticResult("k.c", 3, 0, text),)) for text in ends]
    assert [reasons_of(each, "k.c")[0].code for each in (vacuous, differs, *broken)] == ["R01", "R02", "X99", "X01"]


def test_plain_text_keeps_numbers_and_drops_the_names_of_values() -> None:
    assert plain("part for.cond in at 295: t.1 - k.1 fits 2.5") == "t - k fits 2.5"

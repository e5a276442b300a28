"""Scripted sessions: a wrong answer goes back with the true cause, and the loop ends with what the answers are worth."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.llm.ask import NoAnswer
from metalift.pipeline.proposer import Proposer
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from metalift.synth.propose.conversation import Progress
from tests.support.scripted import Scripted

DOT = """\
float dot(const float *x, const float *y, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}
"""
SCALE = "void scale(float *y, const float *x, float a, int n) {\n  for (int i = 0; i < n; i++) y[i] = a * x[i] + 1;\n}\n"
GOOD = "Here it is:\n\n```python\ndef dot(x, y, n):\n    return dot(x[:n], y[:n])\n```\nIt is one call."


def lifted(folder: Path, source: str, name: str, asker: Scripted, *, search: bool = False) -> FunctionResult:
    path = folder / "kernel.c"
    path.write_text(source)
    return pipeline.lift(path, functions=[name], out=folder / "out", proposer=Proposer(search, asker)).functions[0]


def feedback(asker: Scripted, attempt: int) -> str:
    text = asker.questions[attempt - 1].text
    return text[text.index(f"## Attempt {attempt}") :]


SESSIONS = {
    "wrong operator": ("def dot(x, y, n):\n    return total(x[:n])", ("On the input", "its result should be")),
    "wrong constant": ("def dot(x, y, n):\n    return dot(x[:n], y[:n]) + 1", ("On the input x=[], y=[], n=0", "0.0", "is 1.0")),
    "missing slice": ("def dot(x, y, n):\n    return dot(x, y)", ("On the input", "x, y may be longer", "take a slice")),
    "hallucinated function": (
        "def dot(x, y, n):\n    return np.innner(x[:n], y[:n])",
        ("np.innner", "line 2"),
    ),
    "hallucinated operator": (
        "def dot(x, y, n):\n    return total(multply(x[:n], y[:n]))",
        ("no operator `multply`; the nearest", "line 2"),
    ),
    "syntax error": ("def dot(x, y, n):\n    return dot(x[:n], y[:n]", ("not Python", "was never closed", "line 2, column 15")),
    "other parameters": ("def dot(x, y):\n    return dot(x, y)", ("takes (x, y, n)",)),
    "types": ("def dot(x, y, n):\n    return dot(x[:n], n)", ("dot does not take (Vec[Float], Int32)", "line 2")),
    "refusal": ("I cannot help with that.", ("has no function", "def dot")),
    "nothing": ("", ("is empty",)),
}


@pytest.mark.parametrize("session", SESSIONS)
def test_feedback_names_the_cause_and_the_next_answer_is_proved(session: str, tmp_path: Path) -> None:
    wrong, told = SESSIONS[session]
    asker = Scripted([wrong, GOOD])
    result = lifted(tmp_path, DOT, "dot", asker)
    assert result.verdict is FunctionVerdict.PROVED
    assert (result.proposer, result.candidates) == ("llm", 2)
    for part in told:
        assert part in feedback(asker, 2)
    assert result.certificate is not None
    assert pipeline.check(Path(result.certificate)).ok


def test_the_third_answer_is_right_and_no_question_comes_twice(tmp_path: Path) -> None:
    asker = Scripted(["def dot(x, y, n):\n    return norm(x[:n])", "def dot(x, y, n):\n    return norm(x[:n])", GOOD])
    result = lifted(tmp_path, DOT, "dot", asker)
    assert result.verdict is FunctionVerdict.PROVED and result.candidates == 2  # the same answer is not judged twice
    assert "This is the answer that has failed before" in feedback(asker, 3)
    assert "Former answers:" in feedback(asker, 3)
    assert len({question.text for question in asker.questions}) == 3


def test_where_nothing_is_accepted_the_function_is_not_lifted(tmp_path: Path) -> None:
    asker = Scripted(["def dot(x, y, n):\n    return norm(x[:n])"])
    result = lifted(tmp_path, DOT, "dot", asker)
    assert result.verdict is FunctionVerdict.NOT_LIFTED
    assert "the script is at its end; the last answer: wrong on" in result.diagnostics[-1].message
    assert list((tmp_path / "out").rglob("*.py")) == []


def test_a_model_is_asked_only_where_the_search_fails(tmp_path: Path) -> None:
    asker = Scripted([])
    assert lifted(tmp_path, DOT, "dot", asker, search=True).verdict is FunctionVerdict.PROVED
    assert asker.questions == []


ACCEPTED = {
    "arithmetic on slices": "def scale(y, x, a, n):\n    y[:n] = a * x[:n] + 1",
    "a comprehension": "def scale(y, x, a, n):\n    y[0:n] = [a * x[i] + 1 for i in range(n)]",
    "a loop of writes": "def scale(y, x, a, n):\n    for i in range(n):\n        y[i] = a * x[i] + 1",
    "other names": "def f(out, v, factor, count):\n    scaled = mul(v[:count], factor)\n    out[:count] = add(scaled, 1.0)",
    "two blocks": "```\ndef scale(y, x, a, n):\n    pass\n```\nor\n```\ndef scale(y, x, a, n):\n    y[:n] = a * x[:n] + 1\n```",
    "in place": "def scale(y, x, a, n):\n    y[:n] = x[:n]\n    y[:n] *= a\n    y[:n] += 1",
}


@pytest.mark.parametrize("way", ACCEPTED)
def test_ways_to_write_it_are_proved(way: str, tmp_path: Path) -> None:
    result = lifted(tmp_path, SCALE, "scale", Scripted([ACCEPTED[way]]))
    assert result.verdict is FunctionVerdict.PROVED, [d.message for d in result.diagnostics]


CHEATS = {
    "import": "import os\ndef dot(x, y, n):\n    return dot(x[:n], y[:n])",
    "call of a module": "def dot(x, y, n):\n    return __import__('os').system('true')",
    "operator defined anew": "def total(x):\n    return 0\n\ndef dot(x, y, n):\n    return total(x[:n])",
    "defined twice": "def dot(x, y, n):\n    return 0\n\ndef dot(x, y, n):\n    return dot(x[:n], y[:n])",
    "recursion": "def dotp(x, y, n):\n    return dotp(x, y, n - 1) + x[n] * y[n]",
    "huge power": "def dot(x, y, n):\n    return 0.0 * ((((9**64)**64)**64)**64)",
    "huge number": f"def dot(x, y, n):\n    return dot(x[:n], y[:n]) + 1{'0' * 5000}",
    "number beyond all floats": "def dot(x, y, n):\n    return dot(x[:n], y[:n]) + 10**39",
    "deep nesting": f"def dot(x, y, n):\n    return {'(' * 150}n{')' * 150}",
    "long chain": f"def dot(x, y, n):\n    return {'-' * 30000}n",
    "long sum": f"def dot(x, y, n):\n    return {' + '.join(['n'] * 20000)}",
    "doubled again and again": "def dot(x, y, n):\n" + "    x = add(x, x)\n" * 60 + "    return dot(x[:n], y[:n])",
    "totals of totals": f"def dot(x, y, n):\n    return total({'running_totals(' * 30}x[:n]{')' * 30})",
    "other contents": "def dot(x, y, n):\n    x[:n] = y[:n]\n    return dot(x[:n], y[:n])",
    "one size only": "def dot(x, y, n):\n    return x[0] * y[0]",
    "exec": "def dot(x, y, n):\n    exec('1')\n    return dot(x[:n], y[:n])",
    "decorator": "@staticmethod\ndef dot(x, y, n):\n    return dot(x[:n], y[:n])",
    "null": "def dot(x, y, n):\n    return '\x00'",
    "ten megabytes": "x" * 10_000_000,
}


@pytest.mark.quick(every=2)
@pytest.mark.parametrize("cheat", CHEATS)
def test_cheats_are_refused_or_refuted(cheat: str, tmp_path: Path) -> None:
    asker = Scripted([CHEATS[cheat]])
    result = lifted(tmp_path, DOT, "dot", asker)
    assert result.verdict is FunctionVerdict.NOT_LIFTED
    assert "internal error" not in result.diagnostics[-1].message


def test_no_condition_of_an_answer_becomes_an_assumption(tmp_path: Path) -> None:
    source = "float first(const float *x, const float *y, int n, int m) {\n  float s = 0;\n"
    source += "  for (int i = 0; i < n; i++) s += x[i] * y[i];\n  for (int i = 0; i < m; i++) s += 0 * x[i];\n  return s;\n}\n"
    asker = Scripted(["def first(x, y, n, m):\n    return dot(x[:n], y[:m])"])
    result = lifted(tmp_path, source, "first", asker)  # dot requires equal lengths: that n is m
    assert result.verdict is FunctionVerdict.PROVED  # what it means is said without that operator's requirement
    assumed = [*result.assumptions, *(each for target in result.targets.values() for each in target.assumptions)]
    assert not [each.text for each in assumed if "n" in each.text.split() and "m" in each.text.split()]
    assert "y[:n]" in Path(result.targets["numpy"].file or "").read_text()


def test_progress_says_what_failed_last(tmp_path: Path) -> None:
    told: list[Progress] = []
    path = tmp_path / "kernel.c"
    path.write_text(DOT)
    asker = Scripted(["nothing", GOOD])
    pipeline.lift(path, proposer=Proposer(False, asker, told.append))
    assert [progress.attempt for progress in told] == [1, 2]
    assert told[0].failed == "" and "no function" in told[1].failed
    assert told[1].text().startswith("dot: attempt 2 (1 calls, 0 tokens, $0.0000); last: the answer has no function")


def test_a_reason_why_it_cannot_be_done_ends_the_questions(tmp_path: Path) -> None:
    asker = Scripted(['```python\ncannot = "because sums\\x1b[2J of floats are\\nordered"\n```', GOOD])
    result = lifted(tmp_path, DOT, "dot", asker)
    assert result.verdict is FunctionVerdict.NOT_LIFTED and len(asker.questions) == 1
    assert "cannot be written: because sums [2J of floats are ordered" in result.diagnostics[-1].message


def test_a_budget_that_is_spent_ends_the_loop(tmp_path: Path) -> None:
    def over(question: object) -> str:
        raise NoAnswer("the budget of calls is spent")

    result = lifted(tmp_path, DOT, "dot", Scripted([over]))
    assert result.verdict is FunctionVerdict.NOT_LIFTED
    assert "the budget of calls is spent" in result.diagnostics[-1].message

"""Answers that are right on most inputs: none is proved, however the one that is wrong hides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from metalift import pipeline
from metalift.pipeline.proposer import Proposer
from metalift.result.verdict import FunctionVerdict
from tests.support.scripted import Scripted

SUM = "float f(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
MEAN = "float f(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return n > 0 ? s / n : 0; }"
SHORT = SUM.replace("{ float s", "{ assert(n <= 3); float s")
SHIFT = "void f(float *x, int n) { for (int i = 1; i < n; i++) x[i] = x[i - 1]; }"
AVERAGE = "void f(unsigned char *y, const unsigned char *x, int n) { for (int i = 0; i < n; i++) y[i] = (x[i] + y[i]) / 2; }"


@dataclass(frozen=True)
class Wrong:
    """An answer and where it is not what the function computes."""

    source: str
    answer: str


ANSWERS = {
    "one element too far": Wrong(SUM, "return total(x[:n + 1])"),
    "beyond all inputs that are tried": Wrong(SUM, "return total(x[:min(n, 5000)])"),
    "a requirement that nothing meets": Wrong(SUM, "return total(x[:n]) + mean(x[n:n])"),
    "a requirement that rules out most of few sizes": Wrong(SHORT, "return mean(x[2:n]) * (n - 2) + x[0] + x[1]"),
    "what is read is written before": Wrong(SHIFT, "x[1:n] = x[0 : n - 1]"),
    "sums wrap": Wrong(AVERAGE, "y[:n] = add(x[:n], y[:n]) // 2"),
}


@pytest.mark.parametrize("where", ANSWERS)
def test_it_is_not_proved(where: str, tmp_path: Path) -> None:
    wrong = ANSWERS[where]
    params = "y, x, n" if "*y" in wrong.source else "x, n"
    path = tmp_path / "kernel.c"
    path.write_text(f"#include <assert.h>\n{wrong.source}\n")
    asker = Scripted([f"def f({params}):\n    {wrong.answer}"])
    result = pipeline.lift(path, timeout=2.0, proposer=Proposer(False, asker)).functions[0]
    assert len(asker.questions) == 1
    assert result.verdict in (FunctionVerdict.NOT_LIFTED, FunctionVerdict.TESTED)


def test_an_operator_without_a_value_for_nothing_is_guarded(tmp_path: Path) -> None:
    """Where the function has a value for no elements and the operator has not, the code refuses these and the result says so."""
    path = tmp_path / "kernel.c"
    path.write_text(MEAN)
    asker = Scripted(["def f(x, n):\n    return mean(x[:n])"])
    result = pipeline.lift(path, out=tmp_path / "out", timeout=2.0, proposer=Proposer(False, asker)).functions[0]
    assert result.verdict is FunctionVerdict.PROVED
    assert "0 < int(n)" in [each.text for each in result.targets["numpy"].assumptions]
    (code,) = (tmp_path / "out").rglob("f.py")
    assert 'raise ValueError("n >= 1 is required")' in code.read_text(encoding="utf-8")

"""A function with several loops of which the search has a closed form for all but one: an answer speaks of that one alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.frontend import import_function, open_source
from metalift.pipeline.proposer import Proposer
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from metalift.synth.derive import closed_loops
from tests.propose.test_loops import GCD
from tests.support.scripted import Scripted

DRIVER = str(Path(__file__).parent / "numbers_driver.py")
SOURCE = """\
int both(int a, int b, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += 3;
  int t = 0;
  while (a != b) {
    if (a > b) a -= b;
    else b -= a;
  }
  for (int i = 0; i < n; i++) t += 2;
  return a + s + t;
}
"""
ABOUT = "\ndef invariant_5" + GCD.partition("def invariant_5")[2]
INNER = """\
int inside(int a, int b, int n) {
  int s = 0;
  while (a != b) {
    for (int i = 0; i < 4; i++) s += 1;
    if (a > b) a -= b;
    else b -= a;
  }
  return a;
}
"""


def lifted(folder: Path, answers: list[str]) -> tuple[FunctionResult, Scripted]:
    path = folder / "both.c"
    path.write_text(SOURCE)
    asker = Scripted(answers)
    given = ("a > 0", "b > 0")
    return pipeline.lift(path, driver=DRIVER, assume=given, proposer=Proposer(False, asker)).functions[0], asker


@pytest.mark.quick
def test_an_answer_speaks_of_the_loop_that_has_no_closed_form(tmp_path: Path) -> None:
    result, asker = lifted(tmp_path, ["def both(a, b, n):\n    return gcd_and_more(a, b, 5, n)\n" + ABOUT])
    assert result.verdict is FunctionVerdict.PROVED
    assert "invariant_5" in asker.questions[0].text and "invariant_3" not in asker.questions[0].text


WRONG = {
    "another closed form of a loop": "def both(a, b, n):\n    return gcd_and_more(a, b, 6, n)\n" + ABOUT,
    "no word about the loop": "def both(a, b, n):\n    return gcd_and_more(a, b, 5, n)\n",
    "an invariant of another loop alone": "def both(a, b, n):\n    return gcd_and_more(a, b, 5, n)\n"
    + "\ndef invariant_3(s):\n    return s >= 0\n\ndef decreases_3(n, i):\n    return n - i\n",
    "an invariant that is not kept": "def both(a, b, n):\n    return gcd_and_more(a, b, 5, n)\n"
    + "\ndef invariant_5(a_now, b_now):\n    return a_now > 0\n\ndef decreases_5(a_now, b_now):\n    return a_now + b_now\n",
    "a loop that would not end": "def both(a, b, n):\n    return gcd_and_more(a, b, 5, n)\n"
    + ABOUT.replace("return a_now + b_now", "return a + b"),
}


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name", WRONG)
def test_wrong_answers_are_not_proved(name: str, tmp_path: Path) -> None:
    result, _ = lifted(tmp_path, [WRONG[name]])
    assert result.verdict in (FunctionVerdict.NOT_LIFTED, FunctionVerdict.TESTED)


def test_loops_have_closed_forms_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "inside.c"
    path.write_text(SOURCE + INNER)
    module = open_source(path)
    assert len(list(closed_loops(import_function(module, "both")))) == 2
    assert len(list(closed_loops(import_function(module, "inside")))) == 1


TWO = """\
int two(const int *x, int n, int m) {
  int s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  int r = 0;
  while ((r + 1) * (r + 1) <= m) r++;
  return s + r;
}
"""
MIXED = """
def two(x, n, m):
    s = int(x[:n].sum())
    r = 0
    while (r + 1) * (r + 1) <= m:
        r += 1
    return s + r
"""


@pytest.mark.parametrize("right", [True, False])
def test_one_loop_in_closed_form_and_another_one_kept(right: bool, tmp_path: Path) -> None:
    path = tmp_path / "two.c"
    path.write_text(TWO)
    asker = Scripted([MIXED if right else MIXED.replace("x[:n]", "x[:n - 1]")])
    result = pipeline.lift(path, to=("numpy",), proposer=Proposer(False, asker)).functions[0]
    assert (result.verdict is FunctionVerdict.PROVED) == right

"""Lemmas and case splits in answers: proved before they are used, and never believed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from metalift import pipeline
from metalift.pipeline import check
from metalift.pipeline.proposer import Proposer
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict, ObligationVerdict
from tests.propose.test_loops import GCD
from tests.support.scripted import Scripted

SQUARES = """\
long squares(int n) {
  long s = 0;
  for (int i = 0; i < n; i++) s += (long)i * i;
  return s;
}
"""
CLOSED = "def squares(n):\n    m = max(n, 0)\n    return m * (m - 1) * (2 * m - 1) // 6\n"
SUM = "def lemma_1(n):\n    m = max(n, 0)\n    return 6 * sum(i * i for i in range(n)) == m * (m - 1) * (2 * m - 1)\n"
POSITIVE = """\
int positive(const int *x, int n) {
  int c = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0) c++;
  return c;
}
"""
REST = "def positive(x, n):\n    return n - sum(1 for i in range(n) if x[i] <= 0)\n"
COUNTS = """
def lemma_counts(x, k):
    return sum(1 for i in range(k) if x[i] <= 0) + sum(1 for i in range(k) if x[i] > 0) == max(k, 0)
"""
CASES = {
    "a closed form of a sum": (SQUARES, CLOSED, SUM),
    "what is counted, over an array": (POSITIVE, REST, COUNTS),
}


def lifted(folder: Path, source: str, answers: list[str], out: Path | None = None) -> tuple[FunctionResult, Scripted]:
    """What becomes of the source with these answers, the search switched off."""
    path = folder / "kernel.c"
    path.write_text(source)
    asker = Scripted(answers)
    return pipeline.lift(path, timeout=4.0, out=out, proposer=Proposer(False, asker)).functions[0], asker


@pytest.mark.quick("what is counted, over an array")
@pytest.mark.parametrize("name", CASES)
def test_a_lemma_is_proved_and_then_helps(name: str, tmp_path: Path) -> None:
    source, answer, lemma = CASES[name]
    without, _ = lifted(tmp_path, source, [answer])
    assert without.verdict is FunctionVerdict.TESTED
    result, _ = lifted(tmp_path, source, [answer + "\n" + lemma], tmp_path / "out")
    assert result.verdict is FunctionVerdict.PROVED
    assert "lemma 1 holds" in [one.name for one in result.obligations if one.verdict is ObligationVerdict.PROVED]
    (folder,) = result.certificates
    checked = check(Path(folder))
    assert checked.ok and not checked.differences


def test_a_lemma_that_is_not_proved_is_told(tmp_path: Path) -> None:
    result, asker = lifted(tmp_path, SQUARES, [CLOSED + "\n" + SUM.replace("2 * m - 1", "2 * m + 1"), "no more"])
    assert result.verdict is FunctionVerdict.TESTED
    assert "Left out: `lemma_1`: it is not proved by induction" in asker.questions[1].text


@pytest.mark.quick
def test_both_cases_of_a_split_are_proved(tmp_path: Path) -> None:
    source = "int f(int n) {\n  return n > 3 ? n : 3;\n}\n"
    answer = "def f(n):\n    return max(n, 3)\n\ndef split(n):\n    return n > 3\n"
    result, _ = lifted(tmp_path, source, [answer], tmp_path / "out")
    assert result.verdict is FunctionVerdict.PROVED
    (folder,) = result.certificates
    assert "split 3 < int(n)" in next(Path(folder).glob("programs/*.txt")).read_text()
    checked = check(Path(folder))
    assert checked.ok and not checked.differences


WRONG = CLOSED.replace("2 * m - 1", "2 * m + 1")
HOSTILE = {
    "a false lemma, true for small numbers": CLOSED + "\n" + SUM.replace("return 6", "return n < 9 and 6"),
    "a false lemma with a true step": WRONG + "\ndef lemma_1(n):\n    s = sum(i for i in range(n))\n    return s + 1 == s\n",
    "a lemma that holds for no number": WRONG + "\ndef lemma_1(n):\n    return n != n\n",
    "a lemma that holds from a number on": WRONG + "\ndef lemma_1(n):\n    return n < 0 or sum(i * i for i in range(n)) > n\n",
    "a lemma with an unbound name": CLOSED + "\ndef lemma_1(n):\n    return 6 * sum(i * i for i in range(m)) == m\n",
    "a lemma that captures a name": WRONG
    + "\ndef lemma_1(n, i):\n    return sum(i for i in range(n)) == i * max(n, 0) or sum(n for i in range(n)) < i\n",
    "a lemma that states the claim": WRONG + "\ndef lemma_1(n):\n    return squares(n) == n * (n - 1) * (2 * n + 1) // 6\n",
    "a lemma about the result": WRONG + "\ndef lemma_1(s, n):\n    return s == n * (n - 1) * (2 * n + 1) // 6\n",
    "a lemma that assumes itself": WRONG + "\ndef lemma_1(n):\n    return lemma_1(n)\n",
    "lemmas that assume each other": WRONG
    + "\ndef lemma_1(n):\n    return lemma_2(n)\n\ndef lemma_2(n):\n    return lemma_1(n)\n",
    "a split of nothing": WRONG + "\ndef split(n):\n    return n == n\n",
    "a split that never holds": WRONG + "\ndef split(n):\n    return n < n\n",
    "a split on what is undefined": WRONG + "\ndef split(n):\n    return 1 // (n - n) == 1\n",
    "a split that calls": WRONG + "\ndef split(n):\n    return open('executed', 'w')\n",
    "a wrong closed form with a right lemma": WRONG + "\n" + SUM,
    "a closed form that is right but for large numbers": CLOSED.replace("// 6", "// 6 + n // 70000") + "\n" + SUM,
}


@pytest.mark.quick(every=4)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_lemma_or_split_leads_to_a_proof(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result, _ = lifted(tmp_path, SQUARES, [HOSTILE[name]])
    assert result.verdict in (FunctionVerdict.NOT_LIFTED, FunctionVerdict.TESTED)
    assert not any("internal error" in each.message for each in result.diagnostics)
    assert not list(tmp_path.rglob("executed*"))


ROOT = """\
int root(int n) {
  int r = 0;
  while ((r + 1) * (r + 1) <= n) r++;
  return r;
}
"""
KEPT = "def root(n):\n    r = 0\n    while (r + 1) * (r + 1) <= n:\n        r += 1\n    return r\n"
ODD = """
def lemma_odd(k):
    return sum(2 * i + 1 for i in range(k)) == max(k, 0) * max(k, 0)

def split(n):
    return n > 0
"""


def test_they_may_stand_beside_loops_that_stay(tmp_path: Path) -> None:
    result, _ = lifted(tmp_path, ROOT, [KEPT + ODD], tmp_path / "out")
    assert result.verdict is FunctionVerdict.PROVED
    assert any(one.name.endswith("lemma 1 holds") for one in result.obligations)
    (folder,) = result.certificates
    checked = check(Path(folder))
    assert checked.ok and not checked.differences


def test_they_may_stand_beside_invariants(tmp_path: Path) -> None:
    source = Path(__file__).parents[1] / "propose" / "loops.c"
    driver = str(source.with_name("numbers_driver.py"))
    asker = Scripted([GCD + ODD.replace("split(n)", "split(a)").replace("n > 0", "a > 7")])
    result = pipeline.lift(source, functions=["gcd"], driver=driver, proposer=Proposer(False, asker)).functions[0]
    assert result.verdict is FunctionVerdict.PROVED
    assert "lemma 1 holds" in [one.name for one in result.obligations]


FORGED = {
    "a lemma that is false": (1, {"is": "Const", "of": [False, {"is": "BoolType", "of": []}]}),
    "an induction on nothing": (2, None),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_lemma_that_is_changed_in_a_certificate_is_told(name: str, tmp_path: Path) -> None:
    result, _ = lifted(tmp_path, POSITIVE, [REST + COUNTS], tmp_path / "out")
    (folder,) = map(Path, result.certificates)
    data = json.loads((folder / "certificate.json").read_text())
    place, value = FORGED[name]
    (program,) = data["programs"].values()
    lemma = next(part for part in parts(program) if isinstance(part, dict) and part.get("is") == "StatedLemma")
    lemma["of"][place] = value
    (folder / "certificate.json").write_text(json.dumps(data, indent=1) + "\n")
    assert not check(folder).ok


def parts(data: object) -> Iterator[object]:
    """All there is in JSON data."""
    yield data
    for each in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from parts(each)

"""Answers whose loops are the source's: run beside it, never trusted; what is proved is the source with its own loops."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from metalift import pipeline
from metalift.pipeline.proposer import Proposer
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.scripted import Scripted

TAB, LINE = "    ", "\n"
LONGEST = 60.0  # seconds that an answer may cost on a busy machine
SOURCE = """\
int root(int n) {
  int r = 0;
  while ((r + 1) * (r + 1) <= n) r++;
  return r;
}
void clear(float *x, const int *moves, int n) {
  int low = 0, high = 3;
  while (high <= n) {
    for (int i = low; i < high; i++) x[i] = 0;
    int move = moves[low] < 1 ? 1 : moves[low];
    low += move;
    high += move;
  }
}
"""
ROOT = """
def root(n):
    r = 0
    while (r + 1) * (r + 1) <= n:
        r += 1
    return r
"""
CLEAR = """
def clear(x, moves, n):
    low, high = 0, 3
    while high <= n:
        x[low:high] = 0
        move = max(int(moves[low]), 1)
        low += move
        high += move
"""



def lifted(name: str, asker: Scripted, folder: Path, search: bool = False, timeout: float = 10.0) -> FunctionResult:
    path = folder / "loops.c"
    path.write_text(SOURCE)
    proposer = Proposer(search, asker)
    return pipeline.lift(path, functions=[name], to=("numpy",), out=folder, timeout=timeout, proposer=proposer).functions[0]


def test_the_source_is_proved_with_its_loops(tmp_path: Path) -> None:
    result = lifted("root", Scripted([ROOT]), tmp_path)
    assert (result.verdict, result.proposer, result.candidates) == (FunctionVerdict.PROVED, "llm", 1)
    assert result.certificate is not None and pipeline.check(Path(result.certificate)).ok


def test_the_search_goes_first(tmp_path: Path) -> None:
    asker = Scripted([])
    result = lifted("root", asker, tmp_path, search=True)
    assert (result.verdict, result.proposer, asker.questions) == (FunctionVerdict.PROVED, "search", [])


SAID = [
    "high == low + 3",
    "high == low + 3 and x[0] == 0 and steps >= 0",
    "low < 2 and high - low == 3 and low != n",
    "low <= high and low >= high - 3 and high >= low + 3 and high < 1000",
]


@pytest.mark.parametrize("said", SAID)
def test_what_holds_at_a_header_helps_and_what_does_not_is_left_out(said: str, tmp_path: Path) -> None:
    """A slice needs to know that it starts inside of the array."""
    answer = f"{CLEAR}\ndef invariant_8(x, moves, n, low, high, steps):\n    return {said}\n"
    result = lifted("clear", Scripted([answer]), tmp_path)
    assert result.verdict is FunctionVerdict.PROVED
    assert "for i in" not in result.targets["numpy"].code


def test_without_it_the_inner_loop_stays_one(tmp_path: Path) -> None:
    result = lifted("clear", Scripted([CLEAR]), tmp_path)
    assert result.verdict is FunctionVerdict.PROVED
    assert "for i in range(" in result.targets["numpy"].code


HOSTILE = {
    "without an end": ROOT.replace("r += 1", "r += 0"),
    "without an end, and growing": "def root(n):\n    r = 3\n    while True:\n        r = r * r\n    return r\n",
    "a power in a loop": "def root(n):\n    r = 9\n    while r > 0:\n        r = 9 ** r\n    return r\n",
    "a huge literal": ROOT.replace("r = 0", f"r = {'9' * 5000}"),
    "deep nesting": f"def root(n):\n{''.join(f'{TAB * at}while n > {at}:{LINE}' for at in range(1, 90))}{TAB * 90}n -= 1\n",
    "an import that acts": f"import os\nos.system('touch executed')\n{ROOT}",
    "an import inside": ROOT.replace("    r = 0\n", "    import os\n    os.system('touch executed')\n    r = 0\n"),
    "open": ROOT.replace("        r += 1", "        open('executed', 'w')\n        r += 1"),
    "an invariant that acts": f"{ROOT}\ndef invariant_3(n, r, steps):\n    return open('executed', 'w')\n",
    "a test that acts": ROOT.replace("while ", "while exec(\"open('executed', 'w')\") or "),
    "a list of a billion": ROOT.replace("r = 0\n", "r = 0\n    x = [0] * 10**9\n    while len(x) < n:\n        x = x + x\n"),
    "recursion": "def root(n):\n    while n > 1:\n        return root(n - 1)\n    return n\n",
    "an assertion of what is false": ROOT.replace("    r = 0\n", "    assert n == 5\n    r = 0\n"),
}
WRONG = {
    "one too many": ROOT.replace("(r + 1) * (r + 1) <=", "r * r <="),
    "strict": ROOT.replace("<= n", "< n"),
    "an early end": ROOT.replace("<= n:", "<= n and r < 9:"),
    "a start that is wrong for 0": ROOT.replace("r = 0", "r = 1"),
    "nothing": "def root(n):\n    while n < n:\n        n = 1\n    return 0\n",
}


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name", [*HOSTILE, *WRONG])
def test_hostile_and_wrong_answers_are_neither_proved_nor_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asker = Scripted([{**HOSTILE, **WRONG}[name], "no more"])
    began = time.monotonic()
    result = lifted("root", asker, tmp_path)
    assert result.verdict is FunctionVerdict.NOT_LIFTED
    assert not any("internal error" in each.message for each in result.diagnostics)
    assert "internal error" not in asker.questions[1].text
    assert not list(tmp_path.rglob("executed*"))
    assert time.monotonic() - began < LONGEST
    if name in WRONG:
        assert "On the input n=" in asker.questions[1].text

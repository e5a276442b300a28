"""Loops that do not count: proved with the invariants of an answer, and not without the part that makes them inductive."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from metalift import pipeline
from metalift.pipeline.proposer import Proposer
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.scripted import Scripted

HERE = Path(__file__).parent
SORTED = "forall(i, j: not (0 <= i and i < int(n) and 0 <= j and j < int(n)) or j < i or a[i] <= a[j])"


@dataclass(frozen=True)
class Example:
    """A kernel with a right answer; `part` of it makes the invariant inductive."""

    answer: str
    part: str
    assume: tuple[str, ...] = ()


PARTS = "x == a_now and y == b_now and a_now > 0 and b_now > 0 and steps + a_now + b_now <= a + b"
GCD = """
def gcd(a, b):
    return gcd(a, b)

def invariant_5(a, b, a_now, b_now, steps):
    x, y = a, b
    for _ in range(steps):
        x, y = x - y if x > y else x, y - x if y > x else y
    return PARTS

def decreases_5(a, b, a_now, b_now, steps):
    return a_now + b_now
""".replace("PARTS", PARTS)
DIGITS = """
def digit_sum(n):
    return digit_sum(n)

def invariant_14(n, n_now, s, steps):
    rest, total = n, 0
    for _ in range(steps):
        total, rest = total + rest % 10, rest // 10
    return rest == n_now and total == s and n_now >= 0 and steps + n_now <= n

def decreases_14(n, n_now, s, steps):
    return n_now
"""
SEARCH = """
def lower_bound(a, n, x):
    return bisect_left(a[:n], x, Int32)

def invariant_20(a, n, x, lo, hi, steps):
    return (0 <= lo and lo <= hi and hi <= n and bisect_left(a[:lo], x, Int32) == lo
        and all(x <= a[i] for i in range(n) if hi <= i))

def decreases_20(a, n, x, lo, hi, steps):
    return hi - lo
"""
POWER = """
def power(b, e):
    return power(b, e)

def invariant_30(b, e, b_now, e_now, r, steps):
    t = r
    for _ in range(e_now):
        t = t * b_now
    return t == power(b, e) and e_now >= 0

def decreases_30(b, e, b_now, e_now, r, steps):
    return e_now
"""
MERGE = """
def merge(a, n, b, m, c):
    c[:n + m] = merge(a[:n], b[:m])

def invariant_40(a, n, b, m, c, i, j, c_old, steps):
    t = 0
    for s in range(i + j):
        t = t + 1 if t < n and (s - t >= m or a[t] <= b[s - t]) else t
    return (0 <= i and i <= n and 0 <= j and j <= m and i == t
        and all(c[p] == merge(a[:n], b[:m])[p] for p in range(i + j)))

def decreases_40(a, n, b, m, c, i, j, c_old, steps):
    return n - i + m - j
"""
EXAMPLES = {
    "gcd": Example(GCD, "x == a_now and "),
    "digit_sum": Example(DIGITS, "rest == n_now and "),
    "lower_bound": Example(SEARCH, " and bisect_left(a[:lo], x, Int32) == lo", ("n >= 0", SORTED)),
    "power": Example(POWER, "t == power(b, e) and "),
    "merge": Example(MERGE, " and i == t", ("n >= 0", "m >= 0")),
}


def lifted(name: str, asker: Scripted, out: Path | None = None, timeout: float = 10.0) -> FunctionResult:
    return pipeline.lift(
        HERE / "loops.c",
        functions=[name],
        driver=str(HERE / "numbers_driver.py"),
        assume=EXAMPLES[name].assume,
        out=out,
        timeout=timeout,
        proposer=Proposer(True, asker),
    ).functions[0]


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name", EXAMPLES)
def test_proved_with_the_invariant_of_an_answer(name: str, tmp_path: Path) -> None:
    asker = Scripted([EXAMPLES[name].answer])
    result = lifted(name, asker, tmp_path)
    assert result.verdict is FunctionVerdict.PROVED, [(o.name, o.reason) for o in result.obligations]
    assert (result.proposer, result.candidates) == ("llm", 1)
    assert result.certificate is not None
    if name == "gcd":
        checked = pipeline.check(Path(result.certificate), driver=str(HERE / "numbers_driver.py"))
        assert checked.ok, checked.differences


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name", EXAMPLES)
def test_not_proved_without_the_inductive_part(name: str) -> None:
    example = EXAMPLES[name]
    weaker = example.answer.replace(example.part, "", 1)
    assert weaker != example.answer
    asker = Scripted([weaker, "no more"])
    result = lifted(name, asker, timeout=1.0)
    assert result.verdict is not FunctionVerdict.PROVED
    assert "What is not proved is" in asker.questions[1].text


@pytest.mark.parametrize("part", ["a_now > b_now", "a_now + b_now > 1000", "(a_now != b_now + 1000 or a > 1000)"])
def test_parts_that_do_not_hold_or_are_not_kept_are_left_out(part: str) -> None:
    asker = Scripted([GCD.replace("return x", f"return {part} and x", 1)])
    assert lifted("gcd", asker, timeout=2.0).verdict is FunctionVerdict.PROVED


def test_an_invariant_that_does_not_hold_goes_back_with_the_run() -> None:
    wrong = GCD.replace("a_now > 0", "a_now > b_now")
    asker = Scripted([wrong, GCD])
    assert lifted("gcd", asker).verdict is FunctionVerdict.PROVED
    told = asker.questions[1].text
    assert "the invariant of the loop at line 5 does not hold when it is reached: `a_now > b_now`, on the input a=" in told


CHEATS = {
    "false": (f"return {PARTS}", "return False", "does not hold when it is reached: `False`"),
    "nothing": ("return x == a_now and", "return 1 > 0 and", "What is not proved"),
    "does not decrease": ("return a_now + b_now\n", "return 7\n", "what decreases goes from 7 to 7"),
    "negative": ("return a_now + b_now\n", "return a_now - b_now - 1000\n", "what decreases goes from"),
    "no such function": ("invariant_5", "invariant_6", "no function `invariant_5`"),
    "undefined": ("a_now > 0 and", "a_now % (steps - steps) == 0 and", "does not hold"),
    "names of the prover": ("a_now > 0 and", "a_now_5 > 0 and", "unknown name 'a_now_5'"),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_invariants_that_cheat_are_not_proved(cheat: str) -> None:
    old, new, told = CHEATS[cheat]
    assert old in GCD
    asker = Scripted([GCD.replace(old, new), "no more"])
    assert lifted("gcd", asker, timeout=1.0).verdict is not FunctionVerdict.PROVED
    assert told in asker.questions[1].text


def test_a_certificate_whose_invariant_was_changed_is_not_accepted(tmp_path: Path) -> None:
    result = lifted("gcd", Scripted([GCD]), tmp_path)
    assert result.certificate is not None
    claim = Path(result.certificate) / "certificate.json"
    data = json.loads(claim.read_text())
    (loop,) = data["summary"]["of"][0]
    assert loop["is"] == "LoopInvariant"
    loop["of"][2] = loop["of"][2][:1]  # fewer parts: they no longer lead to the result
    claim.write_text(json.dumps(data))
    assert not pipeline.check(Path(result.certificate), driver=str(HERE / "numbers_driver.py")).ok

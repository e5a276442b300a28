"""Folds over parts of a range: several steps in one iteration, one range after another, folds inside of folds."""

from __future__ import annotations

import pytest

from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import BOOL, FLOAT, INT, TensorType, Type
from metalift.ir.text import parse
from metalift.prove.prover import Proof, prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict

NAMES: dict[str, Type] = {
    "n": INT, "m": INT, "t": INT, "c": INT, "a": FLOAT, "p": BOOL, "x": TensorType(FLOAT, 1), "y": TensorType(FLOAT, 1),
    "i": TensorType(INT, 1),
}  # fmt: skip
SUM = "fold({}, {}, s, k: s + x[k])"
FROM = "fold({}, {}, s, k: s + x[{} + k])"
ROWS = "fold({}, 0.0:f32, r, k: fold(m, r, s, j: s + x[k * m + j]))"


def proof(goal: str, pool: SolverPool, *given: str, seconds: float = 10.0) -> Proof:
    def read(text: str) -> Expr:
        return parse(text, NAMES)

    return prove([read(text) for text in given], read(goal), pool, seconds)


HOLDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "four steps in one iteration": (
        f"{SUM.format('4 * t + 4', 'a')} == "
        f"{SUM.format('4 * t', 'a')} + x[4 * t] + x[4 * t + 1] + x[4 * t + 2] + x[4 * t + 3]",
        ("0 <= t",),
    ),
    "one range after another": (
        f"{FROM.format('m', SUM.format('n', 'a'), 'n')} == {SUM.format('n + m', 'a')}",
        ("0 <= n", "0 <= m"),
    ),
    "a row more": (
        f"fold(c, {ROWS.format('t')}, s, j: s + x[t * m + j]) == {ROWS.format('t + 1')}",
        ("0 <= t", "0 <= c", "c <= max(0, m)", "not c < m"),
    ),
    "the number of the element counts": (
        "fold(n, 0, s, k: s + (c + (n - 1 - k)) * i[k]) == fold(n, 0, s, k: s + ((c + 1) + (n - 2 - k)) * i[k])",
        (),
    ),
    "below the diagonal": (
        f"fold(n, 0.0:f32, s, k: s + (x[k] if k < t + 1 else 0.0:f32)) == {SUM.format('t + 1', '0.0:f32')}",
        ("0 <= t", "t < n"),
    ),
    "above the diagonal, from another start": (
        "fold(n, a, s, k: s + (x[k] if t < k else 0.0:f32)) == a + fold(n - t - 1, 0.0:f32, s, k: s + x[k + t + 1])",
        ("0 <= t", "t < n"),
    ),
    "sums of what is not negative": ("0 <= fold(n, 0, s, k: s + fold(m, 0, r, j: r + max(0, i[k * m + j])))", ()),
    "rows whose numbers are read": (
        "fold(n, True, p, k: fold(m, p, q, j: q and 0 <= m * i[k] + int(i64(j)) and m * i[k] + int(i64(j)) < len(x)))",
        (
            "forall(a, b: not (0 <= a and a < n and 0 <= b and b < m) or 0 <= m * i[a] + b and m * i[a] + b < len(x))",
            "0 <= m",
            "m < 2147483648",
        ),
    ),
}
FAILS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a step is left out": (
        f"{SUM.format('4 * t + 4', 'a')} == {SUM.format('4 * t', 'a')} + x[4 * t] + x[4 * t + 1] + x[4 * t + 2]",
        ("0 <= t",),
    ),
    "a range of fewer than no elements": (f"{FROM.format('m', SUM.format('n', 'a'), 'n')} == {SUM.format('n + m', 'a')}", ()),
    "the second range begins later": (
        f"{FROM.format('m', SUM.format('n', 'a'), 'n + 1')} == {SUM.format('n + m', 'a')}",
        ("0 <= n", "0 <= m"),
    ),
    "the second range is of another array": (
        f"fold(m, {SUM.format('n', 'a')}, s, k: s + y[n + k]) == {SUM.format('n + m', 'a')}",
        ("0 <= n", "0 <= m"),
    ),
    "another start": (
        f"{FROM.format('m', SUM.format('n', 'a'), 'n')} == {SUM.format('n + m', '0.0:f32')}",
        ("0 <= n", "0 <= m"),
    ),
    "beyond the diagonal": (
        f"fold(n, 0.0:f32, s, k: s + (x[k] if k <= t + 1 else 0.0:f32)) == {SUM.format('t + 1', '0.0:f32')}",
        ("0 <= t", "t < n"),
    ),
    "a diagonal that may end outside": (
        f"fold(n, 0.0:f32, s, k: s + (x[k] if k < t + 1 else 0.0:f32)) == {SUM.format('t + 1', '0.0:f32')}",
        ("0 <= t",),
    ),
    "from the diagonal on, not from after it": (
        "fold(n, a, s, k: s + (x[k] if t <= k else 0.0:f32)) == a + fold(n - t - 1, 0.0:f32, s, k: s + x[k + t + 1])",
        ("0 <= t", "t < n"),
    ),
    "a start that may be negative": ("0 <= fold(n, c, s, k: s + max(0, i[k]))", ()),
    "sums of what may be negative": ("0 <= fold(n, 0, s, k: s + i[k])", ()),
    "rows of which the last element is not allowed": (
        "fold(n, True, p, k: fold(m, p, q, j: q and 0 <= m * i[k] + j and m * i[k] + j < len(x)))",
        ("forall(a, b: not (0 <= a and a < n and 0 <= b and b < m - 1) or 0 <= m * i[a] + b and m * i[a] + b < len(x))",),
    ),
}


@pytest.mark.parametrize(("goal", "given"), HOLDS.values(), ids=HOLDS)
def test_what_holds_is_proved(goal: str, given: tuple[str, ...], pool: SolverPool) -> None:
    found = proof(goal, pool, *given)
    assert found.verdict is ObligationVerdict.PROVED, found.reason


@pytest.mark.parametrize(("goal", "given"), FAILS.values(), ids=FAILS)
def test_what_does_not_hold_is_not_proved(goal: str, given: tuple[str, ...], pool: SolverPool) -> None:
    assert proof(goal, pool, *given, seconds=1.0).verdict is ObligationVerdict.UNKNOWN


def test_the_lemma_is_named(pool: SolverPool) -> None:
    goal, given = HOLDS["one range after another"]
    assert "fold splitting" in proof(goal, pool, *given).lemmas

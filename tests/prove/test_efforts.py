"""What later efforts prove: searches, sums multiplied out, divisions by constants, products in ranges; and nothing wrong."""

from __future__ import annotations

import pytest

from metalift.ir.expr.types import FLOAT, INT, INT32, UINT8, TensorType, Type
from metalift.ir.text import parse
from metalift.prove.efforts import EFFORTS
from metalift.prove.prover import prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict

NAMES: dict[str, Type] = {
    "n": INT, "a": FLOAT, "b": FLOAT, "c": INT32, "x": TensorType(FLOAT, 1), "u": TensorType(UINT8, 1),
}  # fmt: skip
FIRST = "fold(n, 0, s, i: s + (1 if s == i and x[i] <= a else 0))"
BACKWARDS = "fold(n, -1, at, i: n - 1 - i if a < x[n - 1 - i] else at)"
BEST = "fold(n - 1, 0, at, i: i + 1 if x[at] <= x[i + 1] else at)"
MIRRORED = "n - 1 - fold(n - 1, 0, at, i: i + 1 if x[n - 1 - at] {} x[n - 2 - i] else at)"
SQUARES = "fold(n, 0.0:f32, s, k: s + (x[k] - a) * (x[k] - a))"
SUM, OF_SQUARES = "fold(n, 0.0:f32, s, k: s + x[k])", "fold(n, 0.0:f32, s, k: s + x[k] * x[k])"
QUOTIENTS = "fold(n, b, s, k: s + x[k] / a)"
TRUE = [
    (f"{BACKWARDS} == ({FIRST} if {FIRST} < n else -1)", "fold last"),
    (f"n <= 0 or {BEST} == {MIRRORED.format('<')}", "fold last"),
    (f"n <= 0 or {SQUARES} == {OF_SQUARES} - 2.0:f32 * a * {SUM} + f32(n) * a * a", "sum of multiples"),
    (f"a == 0.0:f32 or a * {QUOTIENTS} == a * b + {SUM}", "sum of multiples"),
    ("trem(trem(int(c), 4) + 4, 4) == int(c) % 4", ""),
    ("int(u[n]) * int(u[0]) <= 65025", ""),
]
FALSE = [
    f"n <= 0 or {BEST} == {MIRRORED.format('<=')}",
    f"n <= 0 or {BEST} == {MIRRORED.format('!=')}",
    f"n <= 0 or {BEST} == {BEST.replace('<=', '<')}",
    f"{BACKWARDS} == ({FIRST} if {FIRST} < n else 0)",
    f"{BACKWARDS} == {FIRST}",
    "fold(n, -1, at, i: i if a < x[i] else at) == " + f"({FIRST} if {FIRST} < n else -1)",
    f"{SQUARES} == {OF_SQUARES} - 2.0:f32 * a * {SUM} + f32(n) * a * a",
    f"n <= 0 or {SQUARES} == {OF_SQUARES} - a * {SUM} + f32(n) * a * a",
    f"a * {QUOTIENTS} == a * b + {SUM}",
    "trem(int(c), 4) == int(c) % 4",
    "int(u[n]) * int(u[0]) <= 65024",
]


@pytest.mark.parametrize(("formula", "lemma"), TRUE)
def test_what_is_true_is_proved_before_most_instances_are_made(formula: str, lemma: str, pool: SolverPool) -> None:
    proof = prove((), parse(formula, NAMES), pool, 20, EFFORTS[:-2])
    assert proof.verdict is ObligationVerdict.PROVED, proof.reason
    assert not lemma or lemma in proof.lemmas


@pytest.mark.parametrize("formula", FALSE)
def test_what_is_false_is_not_proved(formula: str, pool: SolverPool) -> None:
    assert prove((), parse(formula, NAMES), pool, 4).verdict is ObligationVerdict.UNKNOWN

"""Facts about folds that the prover instantiates, each proved by induction by the solver itself before it counts.

A lemma is stated over an uninterpreted sort of accumulators and uninterpreted steps, so it holds for every fold. The functions F and G are
folds at one particular extent each; base and step of the induction are two queries.
"""

from __future__ import annotations

from dataclasses import dataclass

PREAMBLE = """(set-logic ALL)
(declare-sort A 0)
(declare-fun f (A Int) A)
(declare-fun g (A Int) A)
(declare-fun F (Int) A)
(declare-fun G (Int) A)
(declare-const n Int)
(declare-const k Int)
(assert (forall ((j Int)) (=> (<= 0 j) (= (F (+ j 1)) (f (F j) j)))))
(assert (forall ((j Int)) (=> (<= 0 j) (= (G (+ j 1)) (g (G j) j)))))
"""


@dataclass(frozen=True, slots=True)
class Lemma:
    """Base and step of an induction on `k` up to `n`; both scripts have to be unsatisfiable."""

    name: str
    statement: str
    base: str
    step: str


EXTENSIONALITY = Lemma(
    "fold extensionality",
    "if F(0) = G(0) and f(a, j) = g(a, j) for all a and all 0 <= j < n, then F(n) = G(n)",
    PREAMBLE + "(assert (= (F 0) (G 0)))\n(assert (not (= (F 0) (G 0))))\n(check-sat)\n",
    PREAMBLE
    + """(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n)) (= (f a j) (g a j)))))
(assert (and (<= 0 k) (< k n)))
(assert (= (F k) (G k)))
(assert (not (= (F (+ k 1)) (G (+ k 1)))))
(check-sat)
""",
)

PEELING = Lemma(
    "fold peeling",
    "if G(0) = f(F(0), 0) and f(a, j + 1) = g(a, j) for all a and all 0 <= j < n, then F(n + 1) = G(n)",
    PREAMBLE + "(assert (= (G 0) (f (F 0) 0)))\n(assert (not (= (F 1) (G 0))))\n(check-sat)\n",
    PREAMBLE
    + """(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n)) (= (f a (+ j 1)) (g a j)))))
(assert (and (<= 0 k) (< k n)))
(assert (= (F (+ k 1)) (G k)))
(assert (not (= (F (+ (+ k 1) 1)) (G (+ k 1)))))
(check-sat)
""",
)

LEMMAS = {lemma.name: lemma for lemma in (EXTENSIONALITY, PEELING)}

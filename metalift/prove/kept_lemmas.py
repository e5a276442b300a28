"""Lemmas about what a condition keeps, proved by induction: C counts the elements that c keeps."""

from __future__ import annotations

from metalift.prove.lemma import Lemma

COUNTED = """(set-logic ALL)
(declare-sort A 0)
(declare-fun C (Int) Int)
(declare-const n Int)
(declare-const k Int)
"""
GATHERED = (
    COUNTED
    + """(declare-fun f (A Int) A)
(declare-fun g (A Int) A)
(declare-fun F (Int) A)
(declare-fun G (Int) A)
(assert (forall ((j Int)) (=> (<= 0 j) (= (F (+ j 1)) (f (F j) j)))))
(define-fun claim ((m Int)) Bool (and (<= 0 (C m)) (= (F (C m)) (G m))))
"""
)
GATHERING = Lemma(
    "fold gathering",
    "if C(0) = 0, F(0) = G(0), and for all a and all 0 <= j < n either C(j + 1) = C(j) + 1 and g(a, j) = f(a, C(j)), or "
    "C(j + 1) = C(j) and g(a, j) = a, then F(C(n)) = G(n)",
    (
        GATHERED + "(assert (= (C 0) 0))\n(assert (= (F 0) (G 0)))\n(assert (not (claim 0)))\n(check-sat)\n",
        GATHERED
        + """(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n))
  (or (and (= (C (+ j 1)) (+ (C j) 1)) (= (g a j) (f a (C j)))) (and (= (C (+ j 1)) (C j)) (= (g a j) a))))))
(assert (and (<= 0 k) (< k n)))
(assert (= (G (+ k 1)) (g (G k) k)))
(assert (claim k))
(assert (not (claim (+ k 1))))
(check-sat)
""",
    ),
)

PLACED = (
    COUNTED
    + """(declare-fun c (Int) Bool)
(declare-fun v (Int) A)
(declare-fun E (Int) A)
(declare-const m Int)
(define-fun claim ((i Int)) Bool (and (< (C m) (C i)) (= (E i) (v m))))
(assert (and (<= 0 m) (< m n) (c m) (= (C (+ m 1)) (+ (C m) 1))))
"""
)
ELEMENT = Lemma(
    "fold element",
    "if E(j + 1) is v(j) where c(j) and C(j) = C(m), and E(j) elsewhere, and C(j) <= C(j + 1), for all 0 <= j < n, and c(m), "
    "C(m + 1) = C(m) + 1 and 0 <= m < n, then E(n) = v(m)",
    (
        PLACED
        + """(assert (= (E (+ m 1)) (ite (and (c m) (= (C m) (C m))) (v m) (E m))))
(assert (not (claim (+ m 1))))
(check-sat)
""",
        PLACED
        + """(assert (and (< m k) (< k n)))
(assert (= (E (+ k 1)) (ite (and (c k) (= (C k) (C m))) (v k) (E k))))
(assert (<= (C k) (C (+ k 1))))
(assert (claim k))
(assert (not (claim (+ k 1))))
(check-sat)
""",
    ),
)

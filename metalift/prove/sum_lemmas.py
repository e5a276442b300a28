"""Lemmas about sums: of sums, of one element, of two sums."""

from __future__ import annotations

from metalift.prove.lemma import Lemma

# R(i, n) is the sum of row i of h over n columns, C(j, m) that of column j over m rows; L sums the R, S the C.
EXCHANGE = """(set-logic ALL)
(declare-const m Int)
(declare-const n Int)
(declare-const k Int)
(declare-fun h (Int Int) {sort})
(declare-fun R (Int Int) {sort})
(declare-fun C (Int Int) {sort})
(declare-fun L (Int Int) {sort})
(declare-fun S (Int Int) {sort})
(assert (forall ((i Int) (j Int)) (=> (<= j 0) (and (= (R i j) 0) (= (C i j) 0)))))
(assert (forall ((i Int) (j Int)) (=> (<= 0 j) (= (R i (+ j 1)) (+ (R i j) (h i j))))))
(assert (forall ((i Int) (j Int)) (=> (<= 0 i) (= (C j (+ i 1)) (+ (C j i) (h i j))))))
(assert (forall ((i Int) (j Int)) (=> (<= i 0) (= (L i j) 0))))
(assert (forall ((i Int) (j Int)) (=> (<= 0 i) (= (L (+ i 1) j) (+ (L i j) (R i j))))))
(assert (forall ((i Int) (j Int)) (=> (<= j 0) (= (S i j) 0))))
(assert (forall ((i Int) (j Int)) (=> (<= 0 j) (= (S i (+ j 1)) (+ (S i j) (C j i))))))
"""
EXCHANGED = (
    # S(m, n) = 0 where m <= 0, by induction on n
    "(assert (<= m 0))\n(assert (<= n 0))\n(assert (not (= (S m n) 0)))\n",
    "(assert (<= m 0))\n(assert (<= 0 k))\n(assert (= (S m k) 0))\n(assert (not (= (S m (+ k 1)) 0)))\n",
    # S(m + 1, n) = S(m, n) + R(m, n) where 0 <= m, by induction on n
    "(assert (<= 0 m))\n(assert (<= n 0))\n(assert (not (= (S (+ m 1) n) (+ (S m n) (R m n)))))\n",
    "(assert (and (<= 0 m) (<= 0 k)))\n(assert (= (S (+ m 1) k) (+ (S m k) (R m k))))\n"
    "(assert (not (= (S (+ m 1) (+ k 1)) (+ (S m (+ k 1)) (R m (+ k 1))))))\n",
    # L(m, n) = S(m, n), by induction on m; from above, S(m, n) = 0 where m <= 0, and the step
    "(assert (<= m 0))\n(assert (= (S m n) 0))\n(assert (not (= (L m n) (S m n))))\n",
    "(assert (<= 0 k))\n(assert (= (L k n) (S k n)))\n(assert (= (S (+ k 1) n) (+ (S k n) (R k n))))\n"
    "(assert (not (= (L (+ k 1) n) (S (+ k 1) n))))\n",
)
SUMS = Lemma(
    "sums exchanged",
    "the sum over i < m of the sums over j < n of h(i, j) is the sum over j < n of the sums over i < m",
    tuple(EXCHANGE.format(sort=sort) + claim + "(check-sat)\n" for sort in ("Real", "Int") for claim in EXCHANGED),
)

PICKING = """(set-logic ALL)
(declare-const c Int)
(declare-const n Int)
(declare-const k Int)
(declare-fun g (Int) {sort})
(declare-fun F (Int) {sort})
(assert (forall ((j Int)) (=> (<= j 0) (= (F j) 0))))
(assert (forall ((j Int)) (=> (<= 0 j) (= (F (+ j 1)) (+ (F j) (ite (= j c) (g j) {zero}))))))
"""
PICKED = (
    "(assert (<= n 0))\n(assert (not (= (F n) (ite (and (<= 0 c) (< c n)) (g c) {zero}))))\n",
    "(assert (<= 0 k))\n(assert (= (F k) (ite (and (<= 0 c) (< c k)) (g c) {zero})))\n"
    "(assert (not (= (F (+ k 1)) (ite (and (<= 0 c) (< c (+ k 1))) (g c) {zero}))))\n",
)
ONE = Lemma(
    "sum of one",
    "the sum over j < n of what is g(j) where j = c and 0 elsewhere is g(c) where 0 <= c < n, and 0 otherwise",
    tuple(
        (PICKING + claim).format(sort=sort, zero=zero) + "(check-sat)\n"
        for sort, zero in (("Real", "0.0"), ("Int", "0"))
        for claim in PICKED
    ),
)

PARTS = """(set-logic ALL)
(declare-const n Int)
(declare-const k Int)
(declare-fun f (Int) {sort})
(declare-fun g (Int) {sort})
(declare-fun F (Int) {sort})
(declare-fun G (Int) {sort})
(declare-fun H (Int) {sort})
(assert (forall ((j Int)) (=> (<= j 0) (and (= (F j) 0) (= (G j) 0) (= (H j) 0)))))
(assert (forall ((j Int)) (=> (<= 0 j) (= (F (+ j 1)) (+ (F j) (f j))))))
(assert (forall ((j Int)) (=> (<= 0 j) (= (G (+ j 1)) (+ (G j) (g j))))))
(assert (forall ((j Int)) (=> (<= 0 j) (= (H (+ j 1)) (+ (H j) ({op} (f j) (g j)))))))
"""
TWO = Lemma(
    "sum of two",
    "the sum over j < n of f(j) + g(j) is the sum of the f(j) and the sum of the g(j), added; and with - in the place of +",
    tuple(
        (PARTS + claim).format(sort=sort, op=op) + "(check-sat)\n"
        for sort in ("Real", "Int")
        for op in "+-"
        for claim in (
            "(assert (<= n 0))\n(assert (not (= (H n) ({op} (F n) (G n)))))\n",
            "(assert (<= 0 k))\n(assert (= (H k) ({op} (F k) (G k))))\n"
            "(assert (not (= (H (+ k 1)) ({op} (F (+ k 1)) (G (+ k 1))))))\n",
        )
    ),
)

"""Lemmas about sums: of sums, of one element, of two sums, of multiples; and of inverses, which they have."""

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

POSITIVE = Lemma(
    "sum of positives",
    "if f(j) > 0 for all 0 <= j < n, then the sum of the f(j) is positive where n is, and 0 elsewhere",
    tuple(
        "(set-logic ALL)\n(declare-const n Int)\n(declare-const k Int)\n(declare-fun f (Int) Real)\n(declare-fun F (Int) Real)\n"
        "(assert (forall ((j Int)) (=> (<= j 0) (= (F j) 0.0))))\n"
        "(assert (forall ((j Int)) (=> (<= 0 j) (= (F (+ j 1)) (+ (F j) (f j))))))\n" + claim + "(check-sat)\n"
        for claim in (
            "(assert (<= n 0))\n(assert (not (= (F n) 0.0)))\n",
            "(assert (and (<= 0 k) (> (f k) 0.0) (>= (F k) 0.0)))\n(assert (not (> (F (+ k 1)) 0.0)))\n",
        )
    ),
)

MOST_MULTIPLES = 8  # terms in what a sum adds


def _multiples(number: int) -> tuple[str, ...]:
    """The claim for so many terms, of which each is a number times what another sum adds: base and step of the induction, and all
    of it times a number.
    """
    each = range(number)
    names = ["f", "x", "y", "z", "s", *(f"{letter}{i}" for i in each for letter in "cguv")]
    head = "(set-logic ALL)\n" + "".join(f"(declare-const {name} Real)\n" for name in names)

    def claim(sum_: str, others: str) -> str:
        return f"(= {sum_} (+ x {' '.join(f'(* c{i} {others}{i})' for i in each)}))"

    base = "".join(f"(assert (= u{i} 0.0))\n" for i in each)  # y is the sum so far, u1, u2, ... are the others so far
    step = "".join(f"(assert (= v{i} (+ u{i} g{i})))\n" for i in each)  # z and v1, v2, ... those after another step
    step += f"(assert (= z (+ y f)))\n(assert (= f (+ 0.0 {' '.join(f'(* c{i} g{i})' for i in each)})))\n"
    scaled = f"(= (* s z) (+ (* s x) {' '.join(f'(* s c{i} v{i})' for i in each)}))"
    return (
        f"{head}{base}(assert (= y x))\n(assert (not {claim('y', 'u')}))\n(check-sat)\n",
        f"{head}{step}(assert {claim('y', 'u')})\n(assert (not {claim('z', 'v')}))\n(check-sat)\n",
        f"{head}(assert {claim('z', 'v')})\n(assert (not {scaled}))\n(check-sat)\n",
    )


MULTIPLES = Lemma(
    "sum of multiples",
    "if f(j) = c*g(j) + d*h(j) + ... for all 0 <= j < n, then s times the sum of the f(j) from x on is s*x, s*c times the sum of "
    "the g(j), s*d times the sum of the h(j), ..., added; and the sum over j < n of 1 is n where n is not negative",
    (
        *(script for number in range(1, MOST_MULTIPLES + 1) for script in _multiples(number)),
        "(set-logic ALL)\n(declare-const y Real)\n(assert (= y 0.0))\n(assert (not (= y (to_real 0))))\n(check-sat)\n",
        "(set-logic ALL)\n(declare-const k Int)\n(declare-const y Real)\n(declare-const z Real)\n(assert (= z (+ y 1.0)))\n"
        "(assert (= y (to_real k)))\n(assert (not (= z (to_real (+ k 1)))))\n(check-sat)\n",
    ),
)

INVERSE = Lemma(
    "inverse",
    "if a is not 0, then a * (1 / a) * b is b",
    (
        "(set-logic ALL)\n(declare-const a Real)\n(declare-const b Real)\n(declare-const i Real)\n(assert (= (* a i) 1.0))\n"
        "(assert (not (= (* (* a i) b) b)))\n(check-sat)\n",
    ),
)

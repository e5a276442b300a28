"""Lemmas about products and quotients of integers, as they occur in indices."""

from __future__ import annotations

from metalift.prove.lemma import Lemma

INSIDE = Lemma(
    "product inside",
    "(a + b)*c = a*c + b*c, and what is a where a condition holds and 0 elsewhere, times c, is a*c there and 0 elsewhere",
    tuple(
        f"(set-logic ALL)\n(declare-const p Bool)\n(declare-const a {sort})\n(declare-const b {sort})\n(declare-const c {sort})\n"
        f"(assert (not {claim.format(zero=zero)}))\n(check-sat)\n"
        for sort, zero in (("Real", "0.0"), ("Int", "0"))
        for claim in ("(= (* (+ a b) c) (+ (* a c) (* b c)))", "(= (* (ite p a {zero}) c) (ite p (* a c) {zero}))")
    ),
)

FACTORS = Lemma(
    "product order",
    "a*b = b*a and (a*b)*c = a*(b*c)",
    tuple(
        f"(set-logic ALL)\n(declare-const a {sort})\n(declare-const b {sort})\n(declare-const c {sort})\n(assert (not {claim}))\n"
        "(check-sat)\n"
        for sort in ("Real", "Int")
        for claim in ("(= (* a b) (* b a))", "(= (* (* a b) c) (* a (* b c)))")
    ),
)

DELINEARISATION = Lemma(
    "delinearisation",
    "if c*q + r = c*p + s with 0 <= r < c and 0 <= s < c, then q = p and r = s",
    (
        """(set-logic ALL)
(declare-const c Int)
(declare-const q Int)
(declare-const p Int)
(declare-const r Int)
(declare-const s Int)
(assert (and (<= 0 r) (< r c) (<= 0 s) (< s c)))
(assert (= (+ (* c q) r) (+ (* c p) s)))
(assert (not (and (= q p) (= r s))))
(check-sat)
""",
    ),
)

PLACES = Lemma(
    "rows",
    "if 0 < c, then there are q and r with n = c*q + r and 0 <= r < c, and 0 <= q where 0 <= n",
    (
        """(set-logic ALL)
(declare-const c Int)
(declare-const n Int)
(assert (< 0 c))
(define-fun q () Int (div n c))
(define-fun r () Int (mod n c))
(assert (not (and (= n (+ (* c q) r)) (<= 0 r) (< r c) (=> (<= 0 n) (<= 0 q)))))
(check-sat)
""",
    ),
)

ROWS = """(set-logic ALL)
(declare-const c Int)
(declare-const q Int)
(declare-const p Int)
(assert (<= 0 c))
"""
ROW_BOUND = Lemma(
    "row bound",
    "if 0 <= c, then 0 <= q gives 0 <= c*q, and q < p gives c*q + c <= c*p; q = p gives c*q = c*p",
    (
        ROWS + "(assert (<= 0 q))\n(assert (not (<= 0 (* c q))))\n(check-sat)\n",
        ROWS + "(assert (< q p))\n(assert (not (<= (+ (* c q) c) (* c p))))\n(check-sat)\n",
        ROWS.replace("(assert (<= 0 c))\n", "") + "(assert (= q p))\n(assert (not (= (* c q) (* c p))))\n(check-sat)\n",
    ),
)

BETWEEN = "(set-logic ALL)\n" + "".join(f"(declare-const {name} Int)\n" for name in "abcd")
PRODUCT_BOUNDS = Lemma(
    "product bounds",
    "if l <= a <= h and m <= b <= k, then l*b + a*m - l*m <= a*b, h*b + a*k - h*k <= a*b, a*b <= h*b + a*m - h*m and "
    "a*b <= l*b + a*k - l*k",
    (
        f"{BETWEEN}(assert (and (<= 0 a) (<= 0 b)))\n(assert (not (<= 0 (* a b))))\n(check-sat)\n",
        *(
            f"{BETWEEN}(define-fun edge () Int (+ (* c b) (* a d) (- (* c d))))\n(assert (<= 0 (* {one} {two})))\n"
            f"(assert (not ({order} edge (* a b))))\n(check-sat)\n"
            for order, one, two in (
                ("<=", "(- a c)", "(- b d)"),
                ("<=", "(- c a)", "(- d b)"),
                (">=", "(- c a)", "(- b d)"),
                (">=", "(- a c)", "(- d b)"),
            )
        ),
    ),
)

BLOCKS = """(set-logic ALL)
(declare-const n Int)
(declare-const b Int)
(declare-const m Int)
(assert (<= 1 b))
(assert (= m (* (div (- (+ n b) 1) b) b)))
"""
WHOLE_BLOCKS = Lemma(
    "whole blocks",
    "if 1 <= b and m = (n + b - 1) // b * b, then n <= m < n + b, and n <= 0 gives m <= 0",
    (
        BLOCKS + "(assert (not (<= n m)))\n(check-sat)\n",
        BLOCKS + "(assert (not (< m (+ n b))))\n(check-sat)\n",
        BLOCKS + "(assert (<= n 0))\n(assert (not (<= m 0)))\n(check-sat)\n",
    ),
)

QUOTIENTS = """(set-logic ALL)
(declare-const c Int)
(declare-const d Int)
(declare-const n Int)
(assert (<= 1 c))
"""
POSITIVE = QUOTIENTS + (
    "(define-fun b () Int c)\n(define-fun quotient () Int (div n b))\n(define-fun remainder () Int (mod n b))\n"
)
NEGATIVE = QUOTIENTS + (
    "(define-fun b () Int (- c))\n(define-fun quotient () Int (div (- n) (- b)))\n"
    "(define-fun remainder () Int (- (mod (- n) (- b))))\n"
)
QUOTIENT = Lemma(
    "quotient",
    "if 1 <= b, then b*(n // b) <= n < b*(n // b) + b, and b*d <= n < b*d + b gives n // b = d; if b <= -1, the same with > in "
    "place of <; n % b = n - b*(n // b)",
    (
        POSITIVE + "(assert (not (and (<= (* b quotient) n) (< n (+ (* b quotient) b)))))\n(check-sat)\n",
        NEGATIVE + "(assert (not (and (>= (* b quotient) n) (> n (+ (* b quotient) b)))))\n(check-sat)\n",
        POSITIVE + "(assert (not (= remainder (- n (* b quotient)))))\n(check-sat)\n",
        NEGATIVE + "(assert (not (= remainder (- n (* b quotient)))))\n(check-sat)\n",
        POSITIVE + "(assert (and (<= (* b d) n) (< n (+ (* b d) b))))\n(assert (not (= quotient d)))\n(check-sat)\n",
        NEGATIVE + "(assert (and (>= (* b d) n) (> n (+ (* b d) b))))\n(assert (not (= quotient d)))\n(check-sat)\n",
    ),
)

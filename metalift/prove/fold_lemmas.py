"""Lemmas about folds, proved by induction.

They are stated over an uninterpreted sort of accumulators and uninterpreted steps, so they hold for every fold.
The functions F and G are folds at one particular extent each; base and step of the induction are two queries.
"""

from __future__ import annotations

from metalift.prove.lemma import Lemma

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

EXTENSIONALITY = Lemma(
    "fold extensionality",
    "if F(0) = G(0) and f(a, j) = g(a, j) for all a and all 0 <= j < n, then F(n) = G(n)",
    (
        PREAMBLE + "(assert (= (F 0) (G 0)))\n(assert (not (= (F 0) (G 0))))\n(check-sat)\n",
        PREAMBLE
        + """(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n)) (= (f a j) (g a j)))))
(assert (and (<= 0 k) (< k n)))
(assert (= (F k) (G k)))
(assert (not (= (F (+ k 1)) (G (+ k 1)))))
(check-sat)
""",
    ),
)

PEELING = Lemma(
    "fold peeling",
    "if G(0) = f(F(0), 0) and f(a, j + 1) = g(a, j) for all a and all 0 <= j < n, then F(n + 1) = G(n)",
    (
        PREAMBLE + "(assert (= (G 0) (f (F 0) 0)))\n(assert (not (= (F 1) (G 0))))\n(check-sat)\n",
        PREAMBLE
        + """(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n)) (= (f a (+ j 1)) (g a j)))))
(assert (and (<= 0 k) (< k n)))
(assert (= (F (+ k 1)) (G k)))
(assert (not (= (F (+ (+ k 1) 1)) (G (+ k 1)))))
(check-sat)
""",
    ),
)

PARTS = PREAMBLE.replace("(declare-const k Int)\n", "(declare-const k Int)\n(declare-const m Int)\n")
SPLITTING = Lemma(
    "fold splitting",
    "if 0 <= m, G(0) = F(m) and f(a, m + j) = g(a, j) for all a and all 0 <= j < n, then F(m + n) = G(n)",
    (
        PARTS + "(assert (= (G 0) (F m)))\n(assert (not (= (F (+ m 0)) (G 0))))\n(check-sat)\n",
        PARTS
        + """(assert (<= 0 m))
(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n)) (= (f a (+ m j)) (g a j)))))
(assert (and (<= 0 k) (< k n)))
(assert (= (F (+ m k)) (G k)))
(assert (not (= (F (+ m (+ k 1))) (G (+ k 1)))))
(check-sat)
""",
    ),
)

REST = Lemma(
    "fold rest",
    "if 0 <= m <= n and f(F(m), j) = F(m) for all m <= j < n, then F(n) = F(m)",
    (
        PARTS + "(assert (not (= (F m) (F m))))\n(check-sat)\n",
        PARTS
        + """(assert (<= 0 m))
(assert (forall ((j Int)) (=> (and (<= m j) (< j n)) (= (f (F m) j) (F m)))))
(assert (and (<= m k) (< k n)))
(assert (= (F k) (F m)))
(assert (not (= (F (+ k 1)) (F m))))
(check-sat)
""",
    ),
)

SHIFTED = PARTS.replace("(declare-const m Int)", "(declare-const m Int)\n(declare-const o Int)\n(declare-fun s (A) A)")
WINDOW = Lemma(
    "fold window",
    "if 0 <= o, 0 <= m, o + m <= n, F(0) = s(G(0)), f(F(0), j) = F(0) for all 0 <= j < o, f(s(a), o + j) = s(g(a, j)) for all a "
    "and all 0 <= j < m, and f(s(G(m)), j) = s(G(m)) for all o + m <= j < n, then F(n) = s(G(m))",
    tuple(
        f"{SHIFTED}(assert (<= 0 o))\n(assert (<= 0 m))\n{claim}(check-sat)\n"
        for claim in (
            # F(o) = F(0), by induction
            "(assert (not (= (F 0) (F 0))))\n",
            "(assert (forall ((j Int)) (=> (and (<= 0 j) (< j o)) (= (f (F 0) j) (F 0)))))\n(assert (and (<= 0 k) (< k o)))\n"
            "(assert (= (F k) (F 0)))\n(assert (not (= (F (+ k 1)) (F 0))))\n",
            # F(o + m) = s(G(m)), by induction
            "(assert (= (F 0) (s (G 0))))\n(assert (= (F o) (F 0)))\n(assert (not (= (F (+ o 0)) (s (G 0)))))\n",
            "(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j m)) (= (f (s a) (+ o j)) (s (g a j))))))\n"
            "(assert (and (<= 0 k) (< k m)))\n(assert (= (F (+ o k)) (s (G k))))\n"
            "(assert (not (= (F (+ o (+ k 1))) (s (G (+ k 1))))))\n",
            # F(n) = s(G(m)), by induction
            "(assert (= (F (+ o m)) (s (G m))))\n(assert (not (= (F (+ o m)) (s (G m)))))\n",
            "(assert (forall ((j Int)) (=> (and (<= (+ o m) j) (< j n)) (= (f (s (G m)) j) (s (G m))))))\n"
            "(assert (and (<= (+ o m) k) (< k n)))\n(assert (= (F k) (s (G m))))\n(assert (not (= (F (+ k 1)) (s (G m)))))\n",
        )
    ),
)

PAIRED = """(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n)) (= (g a j) (f (f a (+ (* 2 j) {o})) (+ (* 2 j) {o} 1))))))
(assert (and (<= 0 k) (< k n)))
(assert (= (F (+ (* 2 k) {o})) (G k)))
(assert (not (= (F (+ (* 2 (+ k 1)) {o})) (G (+ k 1)))))
(check-sat)
"""
PAIRING = Lemma(
    "fold pairing",
    "if G(0) = F(0) and g(a, j) = f(f(a, 2j), 2j + 1) for all a and all 0 <= j < n, then F(2n) = G(n); "
    "if G(0) = f(F(0), 0) and g(a, j) = f(f(a, 2j + 1), 2j + 2), then F(2n + 1) = G(n)",
    (
        PREAMBLE + "(assert (= (G 0) (F 0)))\n(assert (not (= (F (+ (* 2 0) 0)) (G 0))))\n(check-sat)\n",
        PREAMBLE + PAIRED.format(o=0),
        PREAMBLE + "(assert (= (G 0) (f (F 0) 0)))\n(assert (not (= (F (+ (* 2 0) 1)) (G 0))))\n(check-sat)\n",
        PREAMBLE + PAIRED.format(o=1),
    ),
)

NUMBERS = """(set-logic ALL)
(declare-fun f ({sort} Int) {sort})
(declare-fun g ({sort} Int) {sort})
(declare-fun F (Int) {sort})
(declare-fun G (Int) {sort})
(declare-const d {sort})
(declare-const n Int)
(declare-const k Int)
(assert (forall ((j Int)) (=> (<= 0 j) (= (F (+ j 1)) (f (F j) j)))))
(assert (forall ((j Int)) (=> (<= 0 j) (= (G (+ j 1)) (g (G j) j)))))
(assert (forall ((a {sort}) (j Int)) (=> (and (<= 0 j) (< j n)) (= (f (+ a d) j) (+ (g a j) d)))))
"""
SHIFT_BASE = NUMBERS + "(assert (= d (- (F 0) (G 0))))\n(assert (not (= (F 0) (+ (G 0) d))))\n(check-sat)\n"
SHIFT_STEP = (
    NUMBERS
    + """(assert (and (<= 0 k) (< k n)))
(assert (= (F k) (+ (G k) d)))
(assert (not (= (F (+ k 1)) (+ (G (+ k 1)) d))))
(check-sat)
"""
)
SHIFT = Lemma(
    "fold shift",
    "if F(0) = G(0) + d and f(a + d, j) = g(a, j) + d for all a and all 0 <= j < n, then F(n) = G(n) + d",
    tuple(script.format(sort=sort) for sort in ("Real", "Int") for script in (SHIFT_BASE, SHIFT_STEP)),
)

COUNTING = """(set-logic ALL)
(declare-fun f (Int Int) Int)
(declare-fun F (Int) Int)
(declare-const n Int)
(declare-const k Int)
(assert (forall ((j Int)) (=> (<= 0 j) (= (F (+ j 1)) (f (F j) j)))))
(assert (forall ((a Int) (j Int)) (=> (and (<= 0 j) (< j n)) (<= a (f a j) (+ a 1)))))
"""
RUNNING = COUNTING.replace("(declare-const n Int)", "(declare-const m Int)\n(declare-const n Int)\n(assert (<= 0 m n))").replace(
    "(<= 0 j) (< j n)", "(<= m j) (< j n)"
)
COUNT = Lemma(
    "fold count",
    "if a <= f(a, j) <= a + 1 for all a and all 0 <= j < n, then F(0) <= F(n) <= F(0) + n",
    (
        COUNTING + "(assert (not (<= (F 0) (F 0) (+ (F 0) 0))))\n(check-sat)\n",
        COUNTING
        + """(assert (and (<= 0 k) (< k n)))
(assert (<= (F 0) (F k) (+ (F 0) k)))
(assert (not (<= (F 0) (F (+ k 1)) (+ (F 0) (+ k 1)))))
(check-sat)
""",
    ),
)

GROWTH = Lemma(
    "fold growth",
    "if a <= f(a, j) <= a + 1 for all a and all m <= j < n, and 0 <= m <= n, then F(m) <= F(n)",
    (
        RUNNING + "(assert (not (<= (F m) (F m))))\n(check-sat)\n",
        RUNNING
        + """(assert (and (<= m k) (< k n)))
(assert (<= (F m) (F k)))
(assert (not (<= (F m) (F (+ k 1)))))
(check-sat)
""",
    ),
)

# The premises are stated for the one accumulator and the one step of which the proof speaks.
LEADING_STEP = """(set-logic ALL)
(declare-fun f (Int Int) Int)
(declare-fun g (Bool Int) Bool)
(declare-fun F (Int) Int)
(declare-fun G (Int) Bool)
(declare-const b Bool)
(declare-const n Int)
(declare-const k Int)
(assert (and (<= 0 k) (< k n)))
(assert (= (F (+ k 1)) (f (F k) k)))
(assert (= (G (+ k 1)) (g (G k) k)))
(assert (=> (distinct (F k) k) (= (f (F k) k) (F k))))
(assert (=> (= (F k) k) (<= k (f (F k) k) (+ k 1))))
(assert (=> (and (= (F k) k) (= (G k) b)) (= (= (g (G k) k) b) (= (f (F k) k) (+ k 1)))))
(assert (=> (distinct (G k) b) (distinct (g (G k) k) b)))
(assert (and (<= (F k) k) (= (< (F k) k) (distinct (G k) b))))
(assert (not (and (<= (F (+ k 1)) (+ k 1)) (= (< (F (+ k 1)) (+ k 1)) (distinct (G (+ k 1)) b)))))
(check-sat)
"""
LEADING = Lemma(
    "fold leading",
    "if F(0) = 0, f(a, j) = a for all a other than j, f(j, j) is j or j + 1, g(b, j) = b just where it is j + 1, and "
    "g(not b, j) = not b, for all 0 <= j < n, where b = G(0), then F(n) < n just where G(n) is not b",
    (
        """(set-logic ALL)
(declare-fun F (Int) Int)
(declare-fun G (Int) Bool)
(declare-const b Bool)
(assert (= (F 0) 0))
(assert (= (G 0) b))
(assert (not (and (<= (F 0) 0) (= (< (F 0) 0) (distinct (G 0) b)))))
(check-sat)
""",
        LEADING_STEP,
    ),
)

FOUND = """(set-logic ALL)
(declare-fun p (Int) Bool)
(declare-fun F (Int) Int)
(declare-const n Int)
(declare-const k Int)
(define-fun claim ((m Int)) Bool
  (and (<= 0 (F m) m) (forall ((j Int)) (=> (and (<= 0 j) (< j (F m))) (p j))) (=> (< (F m) m) (not (p (F m))))))
(assert (= (F 0) 0))
"""
FIRST = Lemma(
    "fold first",
    "if F(0) = 0, and f(a, j) is j + 1 where a = j and p(j), and a elsewhere, for all a and all 0 <= j < n, then 0 <= F(n) <= n, "
    "p(j) for all 0 <= j < F(n), and F(n) < n gives not p(F(n))",
    (
        FOUND + "(assert (not (claim 0)))\n(check-sat)\n",
        FOUND
        + """(assert (and (<= 0 k) (< k n)))
(assert (= (F (+ k 1)) (ite (and (= (F k) k) (p k)) (+ k 1) (F k))))
(assert (claim k))
(assert (not (claim (+ k 1))))
(check-sat)
""",
    ),
)

# C(k) is the last step before step k that takes something, or -1.
TAKING = """(set-logic ALL)
(declare-sort A 0)
(declare-fun c (A Int) Bool)
(declare-fun v (Int) A)
(declare-fun F (Int) A)
(declare-fun C (Int) Int)
(declare-const n Int)
(declare-const k Int)
(define-fun none ((m Int)) Bool
  (and (= (C m) (- 1)) (= (F m) (F 0)) (forall ((j Int)) (=> (and (<= 0 j) (< j m)) (not (c (F 0) j))))))
(define-fun one ((m Int)) Bool
  (and (<= 0 (C m)) (< (C m) m) (c (F 0) (C m)) (= (F m) (v (C m)))
       (forall ((j Int)) (=> (and (<= 0 j) (< j (C m))) (c (v j) (C m))))
       (forall ((j Int)) (=> (and (<= 0 j) (< (C m) j) (< j m)) (not (c (v (C m)) j))))))
(define-fun claim ((m Int)) Bool (or (none m) (one m)))
(assert (= (C 0) (- 1)))
"""
LAST = Lemma(
    "fold last",
    "if f(a, j) is v(j) where c(a, j), and a elsewhere, c(a, j) and not c(a, i) give c(v(i), j), and c(a, i) and c(v(i), j) give "
    "c(a, j), for all a and all 0 <= i < j < n, then F(n) is v(m) for some 0 <= m < n with c(F(0), m), c(v(j), m) for all "
    "0 <= j < m and c(v(m), j) for no m < j < n, or F(0) if c(F(0), j) for no 0 <= j < n",
    (
        TAKING + "(assert (not (claim 0)))\n(check-sat)\n",
        TAKING
        + """(assert (and (<= 0 k) (< k n)))
(assert (= (F (+ k 1)) (ite (c (F k) k) (v k) (F k))))
(assert (= (C (+ k 1)) (ite (c (F k) k) k (C k))))
(assert (forall ((a A) (i Int) (j Int)) (=> (and (<= 0 i) (< i j) (< j n) (c a j) (not (c a i))) (c (v i) j))))
(assert (forall ((a A) (i Int) (j Int)) (=> (and (<= 0 i) (< i j) (< j n) (c a i) (c (v i) j)) (c a j))))
(assert (claim k))
(assert (not (claim (+ k 1))))
(check-sat)
""",
    ),
)

CHOOSING = """(set-logic ALL)
(declare-sort A 0)
(declare-fun f (A Int) A)
(declare-fun p (A Int) Bool)
(declare-fun F (Int) A)
(declare-const n Int)
(declare-const k Int)
(assert (forall ((j Int)) (=> (<= 0 j) (= (F (+ j 1)) (f (F j) j)))))
(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n)) (or (= (f a j) a) (p (f a j) j)))))
"""
CHOICE = Lemma(
    "fold choice",
    "if f(a, j) is a, or p(f(a, j), j), for all a and all 0 <= j < n, then F(n) is F(0), or p(F(n), j) for some 0 <= j < n",
    (
        CHOOSING + "(assert (not (= (F 0) (F 0))))\n(check-sat)\n",
        CHOOSING
        + """(assert (and (<= 0 k) (< k n)))
(assert (or (= (F k) (F 0)) (exists ((j Int)) (and (<= 0 j) (< j k) (p (F k) j)))))
(assert (not (or (= (F (+ k 1)) (F 0)) (exists ((j Int)) (and (<= 0 j) (< j (+ k 1)) (p (F (+ k 1)) j))))))
(check-sat)
""",
    ),
)

HOLDING = """(set-logic ALL)
(declare-sort A 0)
(declare-fun p (A) Bool)
(declare-fun f (A Int) A)
(declare-fun F (Int) A)
(declare-const n Int)
(declare-const k Int)
(assert (forall ((j Int)) (=> (<= 0 j) (= (F (+ j 1)) (f (F j) j)))))
(assert (forall ((a A) (j Int)) (=> (and (p a) (<= 0 j) (< j n)) (p (f a j)))))
(assert (p (F 0)))
"""
HOLDS = Lemma(
    "fold holds",
    "if p(F(0)), and p(f(a, j)) for all 0 <= j < n and all a for which p(a), then p(F(n))",
    (
        HOLDING + "(assert (not (p (F 0))))\n(check-sat)\n",
        HOLDING + "(assert (and (<= 0 k) (< k n)))\n(assert (p (F k)))\n(assert (not (p (F (+ k 1)))))\n(check-sat)\n",
    ),
)

OTHER_SORT = "(declare-sort B 0)\n(declare-fun s (A) B)\n(declare-fun g (B Int) B)"
FUSED = PREAMBLE.replace("(declare-fun g (A Int) A)", OTHER_SORT).replace("(declare-fun G (Int) A)", "(declare-fun G (Int) B)")
FUSION = Lemma(
    "fold fusion",
    "if s(F(0)) = G(0) and s(f(a, j)) = g(s(a), j) for all a and all 0 <= j < n, then s(F(n)) = G(n); "
    "if s(F(0)) = g(G(0), 0) and s(f(a, j)) = g(s(a), j + 1), then s(F(n)) = G(n + 1)",
    (
        FUSED + "(assert (= (s (F 0)) (G 0)))\n(assert (not (= (s (F 0)) (G 0))))\n(check-sat)\n",
        FUSED
        + """(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n)) (= (s (f a j)) (g (s a) j)))))
(assert (and (<= 0 k) (< k n)))
(assert (= (s (F k)) (G k)))
(assert (not (= (s (F (+ k 1))) (G (+ k 1)))))
(check-sat)
""",
        FUSED + "(assert (= (s (F 0)) (g (G 0) 0)))\n(assert (not (= (s (F 0)) (G 1))))\n(check-sat)\n",
        FUSED
        + """(assert (forall ((a A) (j Int)) (=> (and (<= 0 j) (< j n)) (= (s (f a j)) (g (s a) (+ j 1))))))
(assert (and (<= 0 k) (< k n)))
(assert (= (s (F k)) (G (+ k 1))))
(assert (not (= (s (F (+ k 1))) (G (+ (+ k 1) 1)))))
(check-sat)
""",
    ),
)

RELATED = FUSED.replace("(declare-const n Int)", "(declare-fun p (A) Bool)\n(declare-const n Int)")
RELATION = Lemma(
    "fold relation",
    "if p(F(0)), s(F(0)) = G(0), and p(f(a, j)) and s(f(a, j)) = g(s(a), j) for all 0 <= j < n and all a for which p(a), "
    "then p(F(n)) and s(F(n)) = G(n)",
    (
        RELATED
        + "(assert (and (p (F 0)) (= (s (F 0)) (G 0))))\n(assert (not (and (p (F 0)) (= (s (F 0)) (G 0)))))\n(check-sat)\n",
        RELATED
        + """(assert (forall ((a A) (j Int)) (=> (and (p a) (<= 0 j) (< j n)) (and (p (f a j)) (= (s (f a j)) (g (s a) j))))))
(assert (and (<= 0 k) (< k n)))
(assert (and (p (F k)) (= (s (F k)) (G k))))
(assert (not (and (p (F (+ k 1))) (= (s (F (+ k 1))) (G (+ k 1))))))
(check-sat)
""",
    ),
)

# T(o, m) takes m elements from o on: element o + k is the one at position k. What is known is stated where the proof uses it.
RUNS = """(set-logic ALL)
(declare-sort A 0)
(declare-const e A)
(declare-const n Int)
(declare-const k Int)
(declare-const o Int)
(declare-fun p (A Int Int) A)
(declare-fun q (A Int) A)
(declare-fun F (Int) A)
(declare-fun G (Int) A)
(declare-fun T (Int Int) A)
(define-fun i () Int (- n k 1))
(assert (and (= (T 0 0) e) (= (T o 0) e) (= (T (+ o 1) 0) e) (= (T n 0) e) (= (F 0) e) (= (G 0) e)))
(assert (=> (<= 0 k) (and (= (F (+ k 1)) (p (F k) k k)) (= (G (+ k 1)) (q (G k) i)) (= (T 0 (+ k 1)) (p (T 0 k) k k)))))
(assert (= (T o 1) (p (T o 0) o 0)))
(assert (=> (<= 0 k) (= (T (+ o 1) (+ k 1)) (p (T (+ o 1) k) (+ o 1 k) k))))
(assert (=> (<= 0 k) (= (T o (+ k 2)) (p (T o (+ k 1)) (+ o k 1) (+ k 1)))))
(assert (=> (and (<= 0 o) (< o n)) (= (q e o) (p e o 0))))
(define-fun j () Int (+ o k 1))
(define-fun a () A (T (+ o 1) k))
(assert (=> (and (<= 0 o) (< o j) (< j n)) (= (q (p a j (- j o 1)) o) (p (q a o) j (- j o)))))
"""
REVERSAL = Lemma(
    "fold reversal",
    "if F(0) = G(0) = e, F(j + 1) = p(F(j), j, j) and G(j + 1) = q(G(j), n - 1 - j) for all j, and q(e, i) = p(e, i, 0) and "
    "q(p(a, j, j - i - 1), i) = p(q(a, i), j, j - i) for all a and all 0 <= i < j < n, then F(n) = G(n)",
    tuple(
        RUNS + claim + "(check-sat)\n"
        for claim in (
            # T(o, k + 1) = q(T(o + 1, k), o), by induction on k
            "(assert (and (<= 0 o) (< o n)))\n(assert (not (= (T o 1) (q (T (+ o 1) 0) o))))\n",
            "(assert (and (<= 0 o) (<= 0 k) (< (+ o 1 k) n)))\n(assert (= (T o (+ k 1)) (q (T (+ o 1) k) o)))\n"
            "(assert (not (= (T o (+ k 2)) (q (T (+ o 1) (+ k 1)) o))))\n",
            # F(k) = T(0, k), by induction on k
            "(assert (not (= (F 0) (T 0 0))))\n",
            "(assert (<= 0 k))\n(assert (= (F k) (T 0 k)))\n(assert (not (= (F (+ k 1)) (T 0 (+ k 1)))))\n",
            # G(k) = T(n - k, k), by induction on k; the step has what is above, for o = n - k - 1
            "(assert (not (= (G 0) (T n 0))))\n",
            "(assert (and (<= 0 k) (< k n)))\n(assert (= (T i (+ k 1)) (q (T (- n k) k) i)))\n"
            "(assert (= (G k) (T (- n k) k)))\n(assert (not (= (G (+ k 1)) (T i (+ k 1)))))\n",
            # with k = n
            "(assert (<= 0 n))\n(assert (= (F n) (T 0 n)))\n(assert (= (G n) (T (- n n) n)))\n(assert (not (= (F n) (G n))))\n",
        )
    ),
)

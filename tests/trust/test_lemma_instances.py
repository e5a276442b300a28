"""Instances of the lemmas about folds are true of concrete folds, for some values of their witnesses: seen by evaluating them.

A lemma is proved by the solver over uninterpreted steps; what the prover asserts of two folds is written by other code. Here that
is evaluated on folds of small arrays: where its conclusion is false there have to be witnesses of a premise that fails.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import pytest

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.arith.products import inverse
from metalift.ir.expr.build import conj, plus
from metalift.ir.expr.nodes import Apply, Expr, Fold, Operator, Var, integer
from metalift.ir.expr.types import DOUBLE, INT, TensorType, Type
from metalift.ir.expr.walk import free_vars
from metalift.ir.interp.interpret import Value, evaluate
from metalift.ir.text import parse
from metalift.prove.extents import growing, pairing, resting
from metalift.prove.folds import (
    count_bounds,
    empty,
    extensionality,
    fusion,
    peeling,
    reversal,
    shift,
    splitting,
    unfolded,
)
from metalift.prove.indices import alike_but_for_multiples, product_bounds, row_bound, rows, same_cell
from metalift.prove.linear_sums import Multiples
from metalift.prove.quantifiers import Clausifier
from metalift.prove.searches import first_not_met, grows_while, last_taken, takes

BODIES = (
    "s + x[k + 8]",
    "s + x[k + 8]",
    "s + x[k + 9]",
    "s + x[10 - k]",
    "s + y[k + 8]",
    "s + 1",
    "s - 1",
    "s",
    "2 * s + x[k + 8]",
    "x[k + 8]",
    "s + k",
    "s + (1 if 0 < x[k + 8] else 0)",
    "s + x[2 * k + 8] + x[2 * k + 9]",
    "s + 2 * x[k + 8]",
    "2 * s + x[10 - k]",
)
NAMES = {"x": TensorType(INT, 1), "y": TensorType(INT, 1)}
ROUNDS = 150


def folds(chosen: random.Random) -> tuple[Fold, Fold]:
    """Two folds, often with one body or of one extent."""
    bodies = chosen.sample(BODIES, 2) if chosen.random() < 0.6 else [chosen.choice(BODIES)] * 2
    extents = [chosen.choice((-1, 0, 1, 2, 2, 3)), chosen.choice((0, 1, 2, 3))]
    extents = extents if chosen.random() < 0.7 else [extents[1]] * 2
    made = []
    for body, extent in zip(bodies, extents, strict=True):
        fold = parse(f"fold({extent}, {chosen.choice((0, 0, 1))}, s, k: {body})", NAMES)
        assert isinstance(fold, Fold)
        made.append(fold)
    return made[0], made[1]


def arrays(chosen: random.Random) -> dict[str, Value]:
    """Short arrays of small numbers, long enough for all indices around the extents."""
    return {name: [chosen.choice((0, 0, 1, 1, 2, -1)) for _ in range(24)] for name in "xy"}


def satisfiable(formula: Expr, env: dict[str, Value], accumulators: set[int]) -> bool:
    """Whether some values of the witnesses make the formula true."""
    witnesses = sorted((var for var in free_vars(formula) if var.name not in env), key=lambda var: var.name)
    ranges = [sorted(accumulators) if var.name.rpartition(".")[2] == "a" else range(4) for var in witnesses]
    return any(
        bool(evaluate(formula, {**env, **dict(zip((var.name for var in witnesses), values, strict=True))}))
        for values in product(*ranges)
    )


def reached(fold: Fold, env: dict[str, Value]) -> Iterator[int]:
    """The accumulators that a fold comes through, and their neighbours."""
    for extent in range(5):
        value = evaluate(Fold(integer(extent), fold.init, fold.acc, fold.index, fold.body), env)
        assert isinstance(value, int)
        yield from (value - 1, value, value + 1)


def doubled(value: Expr) -> Expr:
    return Apply(Operator.MUL, (integer(2), value))


PAIRS: dict[str, Callable[[Fold, Fold], list[Expr]]] = {
    "extensionality": lambda one, two: [extensionality(one, two, "w")],
    "shift": lambda one, two: [shift(one, two, "w")],
    "peeling": lambda one, two: [peeling(one, two, "w")],
    "reversal": lambda one, two: reversal(one, two, "w"),
    "splitting": lambda one, two: [splitting(one, two, "w")],
    "rest": lambda one, two: [resting(one, Fold(two.extent, one.init, one.acc, one.index, one.body), "w")],
    "growth": lambda one, two: [growing(one, Fold(two.extent, one.init, one.acc, one.index, one.body), "w")],
    "pairing": lambda one, two: pairing(one, two, "w"),
    "fusion": lambda one, two: fusion(one, two, doubled, "w"),
    "count": lambda one, _: [count_bounds(one, "w")],
    "definition": lambda one, _: [*unfolded(one), *empty(one)],
}


@pytest.mark.parametrize("name", PAIRS)
def test_instances_are_true_of_concrete_folds(name: str) -> None:
    chosen = random.Random(name)
    for _ in range(ROUNDS):
        one, two = folds(chosen)
        if name == "splitting":
            two = Fold(two.extent, one, two.acc, two.index, two.body)  # it goes on where the first one ends
            one = Fold(integer(chosen.randrange(4)), one.init, one.acc, one.index, one.body)
        env = arrays(chosen)
        accumulators = {*reached(one, env), *reached(two, env)}
        for formula in PAIRS[name](one, two):
            assert satisfiable(formula, env, accumulators), f"{one}\n{two}\n{env}"


def test_steps_that_cannot_be_exchanged_are_not_reversed() -> None:
    one, two = (parse(f"fold(3, 0, s, k: 2 * s + x[{at}])", NAMES) for at in ("k", "2 - k"))
    assert isinstance(one, Fold) and isinstance(two, Fold)
    for formula in reversal(one, two, "w"):
        assert satisfiable(formula, {"x": [1, 0, 2], "y": [0]}, set(range(9)))


def test_instances_about_indices_are_true_of_all_numbers() -> None:
    c, q, p, r, s = (Var(name, INT) for name in "cqprs")
    flats = [
        (Polynomial.of(Apply(Operator.ADD, (Apply(Operator.MUL, (c, row)), column))), Polynomial.of(row), Polynomial.of(column))
        for row, column in ((q, r), (p, s))
    ]
    formula = conj(same_cell(Polynomial.of(c), flats[0], flats[1]), row_bound(*map(Polynomial.of, (c, q, p))))
    for values in product(range(-2, 4), repeat=5):
        assert evaluate(formula, dict(zip("cqprs", values, strict=True)))


def test_instances_about_rows_of_rows_are_true_of_all_numbers() -> None:
    c, q, p, r, s = (Polynomial.atom(Var(name, INT)) for name in "cqprs")
    formula = row_bound(c, q * r, p * s)
    assert formula != row_bound(c, q, p)
    for values in product(range(-2, 4), repeat=5):
        assert evaluate(formula, dict(zip("cqprs", values, strict=True)))


@pytest.mark.parametrize("op", [Operator.FDIV, Operator.FMOD])
def test_instances_about_quotients_are_true_of_all_numbers(op: Operator) -> None:
    a, b, q = (Var(name, INT) for name in "abq")
    for divisor in (b, plus(b, integer(1))):
        n = Polynomial.of(a) + Polynomial.of(divisor) * Polynomial.of(q)
        formula = alike_but_for_multiples(op, n, Polynomial.of(a), divisor)
        assert formula is not None
        for values in product(range(-4, 5), repeat=3):
            assert evaluate(formula, dict(zip("abq", values, strict=True)))  # of a divisor that is 0 it says nothing
    assert alike_but_for_multiples(op, Polynomial.of(q), Polynomial.of(a), b) is None
    assert alike_but_for_multiples(Operator.TDIV, Polynomial.of(a) + Polynomial.of(b), Polynomial.of(a), b) is None


def test_indices_are_taken_apart_alike_whether_they_rise_or_fall() -> None:
    c, q, p, r, s = (Polynomial.atom(Var(name, INT)) for name in "cqprs")
    for length in (c, c + 1):
        flats = [rows(index, length) for index in (length * q + r, length * p - s, length * q + length - r - 1)]
        for one, two in product(flats, repeat=2):
            assert all(flat[0] == flat[1] * length + flat[2] for flat in (one, two))
            formula = same_cell(length, one, two)
            for values in product(range(-1, 4), repeat=5):
                assert evaluate(formula, dict(zip("cqprs", values, strict=True)))


SEARCHES = (
    "k if 0 < x[k + 8] else s",
    "s if x[k + 8] <= x[k] else 2 - k",
    "(x[k + 8] if x[k] < 1 else 9) if 0 < x[k + 8] else s",
    "s + (1 if s == k and 0 < x[k + 8] else 0)",
    "s + (1 if 0 < x[k + 8] and k == s and x[k] < 1 else 0)",
    "k if x[s + 8] < x[k + 8] else s",
    "k if x[s + 8] <= x[k + 8] else s",
    "2 - k if x[8 + s] < x[10 - k] else s",
    "k if x[s + 8] != x[k + 8] else s",
    "k if x[s + 8] < y[k + 8] else s",
)


@pytest.mark.parametrize("body", SEARCHES)
def test_instances_about_searches_are_true_of_concrete_folds(body: str) -> None:
    chosen = random.Random(body)
    for _ in range(ROUNDS):
        fold = parse(f"fold({chosen.randrange(-1, 4)}, {0 if 's + ' in body else -1}, s, k: {body})", NAMES)
        assert isinstance(fold, Fold)
        condition, clauses = grows_while(fold), Clausifier()
        assert (condition is None) == takes(fold)
        clauses.add(last_taken(fold, "w") if condition is None else first_not_met(fold, condition, "w"))
        for fact in clauses.universals:
            for at in range(-2, 5):
                clauses.instantiate(fact, (integer(at),))
        env, formula = arrays(chosen), conj(*clauses.ground)
        witnesses: dict[str, Value] = {var.name: 0 for var in free_vars(formula) if var.name not in env}
        told = sorted(name for name in witnesses if name.startswith("q!"))
        holds = [dict(zip(told, each, strict=True)) for each in product((False, True), repeat=len(told))]
        found = [{**each, "w.c": last} for last in range(-1, 4) for each in holds]
        steps = ((a, f, s) for a, s in product(range(-1, 3), range(3)) for f in range(s))
        found += [{**holds[0], "w.c": -2, "w.a": a, "w.f": f, "w.s": s} for a, f, s in steps]
        assert any(evaluate(formula, {**env, **witnesses, **each}) for each in found), f"{fold}\n{env}"


SUMS = (
    "s + (x[k] - a) * (x[k] - a)",
    "s + (2.0:f64 * x[k] * a - b)",
    "s - x[k] / a",
    "s + x[k] * (x[k] + y[k]) / (a * b)",
    "s + a",
)


def multiplied_out(fold: Fold) -> list[Expr]:
    """What is stated of a sum, and of a quotient of it."""
    found: list[Expr] = []

    def state(_: str, fact: Expr) -> None:
        found.append(fact)

    Multiples(state).multiply_out(fold, [inverse(Var("a", DOUBLE))], "w")
    return found


@pytest.mark.parametrize("body", SUMS)
def test_instances_about_multiples_are_true_of_concrete_sums(body: str) -> None:
    chosen = random.Random(body)
    types: dict[str, Type] = {"a": DOUBLE, "b": DOUBLE, "x": TensorType(DOUBLE, 1), "y": TensorType(DOUBLE, 1)}
    for _ in range(ROUNDS // 5):
        fold = parse(f"fold({chosen.randrange(-1, 4)}, {chosen.choice(('0.0:f64', 'b'))}, s, k: {body})", types)
        assert isinstance(fold, Fold)
        found = multiplied_out(fold)
        env: dict[str, Value] = {name: [Fraction(chosen.randrange(-3, 4)) for _ in range(5)] for name in "xy"}
        env |= {name: Fraction(chosen.choice((-2, 1, 3))) for name in "ab"}
        for fact in found:
            assert satisfiable(fact, env, set()), f"{fold}\n{env}"
        assert found


def test_instances_about_products_are_true_of_all_numbers() -> None:
    one, two = (parse(text, {"p": INT, "q": INT}) for text in ("p % 5", "q % 4 - 2"))
    formula = product_bounds(one, two)
    assert formula is not None and product_bounds(one, Var("q", INT)) is None
    for p, q in product(range(5), range(4)):
        assert evaluate(formula, {"p": p, "q": q})

"""Instances of the lemmas about what a condition keeps, and about sums of what is not negative, are true of concrete folds."""

from __future__ import annotations

import random

import pytest

from metalift.ir.expr.nodes import Fold
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.interp.interpret import evaluate
from metalift.ir.text import parse
from metalift.prove.extents import positive
from metalift.prove.kept import found_there, gathered, is_gathered
from tests.trust.test_lemma_instances import ROUNDS, arrays, reached, satisfiable

NAMES = {"x": TensorType(INT, 1), "y": TensorType(INT, 1)}
CONDITIONS = ("0 < x[k + 8]", "x[k + 8] <= y[k + 8]", "0 < x[k + 9]")
KEPT = ("s + y[k + 8]", "s + x[k + 8]", "max(s, y[k])", "2 * s + y[k + 8]", "y[k + 8]")
WHOLE = ("s + (y[k + 8] if COND else 0)", "s + (x[k + 8] if COND else 0)", "max(s, y[k]) if COND else s", "s + y[k]")
NUMBERS = ("s + (1 if 0 < x[k + 8] else 0)", "s + x[k + 8]", "s + (2 if 0 < x[k + 8] else -1)", "s + x[k] * x[k]", "s + 1")
ASKED = ("0 < x[k + 8] or s", "not (0 < x[k + 8]) and s", "x[k + 8] != 0 or s", "s", "True or s")


def fold(text: str) -> Fold:
    made = parse(text, NAMES)
    assert isinstance(made, Fold)
    return made


def test_what_is_kept_is_gathered() -> None:
    chosen, equal = random.Random(0), 0
    for _ in range(4 * ROUNDS):
        size, condition = chosen.randrange(-1, 4), chosen.choice(CONDITIONS)
        count = f"fold({size}, 0, c, k: c + (1 if {condition} else 0))"
        one = fold(f"fold({count}, {chosen.choice((0, 0, 1))}, s, k: {chosen.choice(KEPT)})")
        other = chosen.choice(WHOLE).replace("COND", condition if chosen.random() < 0.7 else chosen.choice(CONDITIONS))
        two = fold(f"fold({size if chosen.random() < 0.8 else size + 1}, 0, s, k: {other})")
        env = arrays(chosen)
        env["y"] = env["x"] if chosen.random() < 0.3 else env["y"]
        formula = gathered(one, two, "w")
        equal += is_gathered(one, two) and evaluate(one, env) == evaluate(two, env)
        assert satisfiable(formula, env, {*reached(one, env), *reached(two, env)}), f"{one}\n{two}\n{env}"
    assert equal > ROUNDS / 2


def test_an_element_is_where_its_number_is() -> None:
    chosen, found = random.Random(0), 0
    for _ in range(2 * ROUNDS):
        condition, size, at = chosen.choice(CONDITIONS), chosen.randrange(-1, 4), chosen.randrange(-1, 5)
        own = f"fold(k, 0, c, i: c + (1 if {condition.replace('k', 'i')} else 0))"
        wanted = own.replace("fold(k", f"fold({at}")
        kept = condition if chosen.random() < 0.7 else chosen.choice(CONDITIONS)
        element = fold(f"fold({size}, 9, s, k: y[k + 8] if {kept} and {own} == {wanted} else s)")
        formula, env = found_there(element, "w"), arrays(chosen)
        assert formula is not None
        found += evaluate(element, env) != 9
        assert satisfiable(formula, env, set(range(-1, 5))), f"{element}\n{env}"
    assert found > ROUNDS / 4


@pytest.mark.parametrize(
    "body",
    [
        "y[s] if 0 < x[k] and COUNT == OTHER else s",  # the element depends on the one before
        "y[k] if 0 < x[s] and COUNT == OTHER else s",  # and whether there is one
        "y[k] if 0 < x[k] and COUNT == OTHER else 1",  # another one where there is none
    ],
)
def test_of_other_folds_nothing_is_said(body: str) -> None:
    count = "fold(k, 0, c, i: c + (1 if 0 < x[i] else 0))"
    text = body.replace("COUNT", count).replace("OTHER", count.replace("fold(k", "fold(2"))
    assert found_there(fold(f"fold(3, 0, s, k: {text})"), "w") is None
    changing = "fold(k, 0, c, i: c + (1 if x[k] < x[i] else 0))"  # another count at each index
    text = f"y[k] if 0 < x[k] and {changing} == {changing.replace('fold(k', 'fold(2')} else s"
    assert found_there(fold(f"fold(3, 0, s, k: {text})"), "w") is None


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_sum_is_positive_where_something_was_added(number: str, asked: str) -> None:
    chosen = random.Random(number + asked)
    for _ in range(ROUNDS // 3):
        size = chosen.randrange(-1, 4)
        other = size if chosen.random() < 0.8 else size + 1
        one = fold(f"fold({size}, {chosen.choice((0, 0, 1, -1))}, s, k: {number})")
        two = fold(f"fold({other}, {chosen.choice(('True', 'False'))}, s, k: {asked})")
        env = arrays(chosen)
        assert satisfiable(positive(one, two, "w"), env, {*reached(one, env)}), f"{one}\n{two}\n{env}"

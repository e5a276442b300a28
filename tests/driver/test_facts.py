"""Facts about operators that recur on lists: stated from the form, proved by the solver; what does not hold is not proved."""

from __future__ import annotations

import pytest

from metalift.check.facts import facts, facts_of, prove_facts, recursive
from metalift.driver import Driver, Elem, Fn, Other, Vec
from metalift.driver.meaning.language import TypePattern
from metalift.driver.meaning.reader import Meaning, read_meaning
from metalift.ir.expr.types import BOOL, INT, REAL, RealType, ScalarType, TensorType
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from tests.driver.test_recursion import (
    above,
    any_negative,
    backwards,
    doubled,
    horner,
    joined,
    largest,
    mirrored_pairs,
    positive,
    scaled,
    squares,
    sums,
    taken,
    total,
    two_totals,
    weighted,
)

TIMEOUT = 10.0


def without_ends(x: Vec[Elem]) -> Elem:
    return 0 if not x else x[0] - without_ends(x[1:])


def proved(function: object, number: ScalarType, pool: SolverPool) -> dict[str, bool]:
    assert callable(function)
    meaning = read_meaning(function)
    assert recursive(meaning)
    stated = facts(meaning, tuple(typed(pattern, number) for _, pattern in meaning.params), result(meaning, number))
    return {made.claim.name: made.verdict is ObligationVerdict.PROVED for made in prove_facts(stated, pool, TIMEOUT)}


def typed(pattern: TypePattern, number: ScalarType) -> ScalarType | TensorType:
    element = INT if pattern.element == INT else number
    return TensorType(element, pattern.rank) if pattern.rank else element


def result(meaning: Meaning, number: ScalarType) -> ScalarType:
    return meaning.result.element if meaning.result.element in (BOOL, INT) else number


@pytest.mark.parametrize("number", [INT, REAL], ids=["int", "real"])
@pytest.mark.parametrize(
    "function",
    [squares, largest, total, two_totals, above, any_negative, scaled, positive, backwards, joined, sums, taken, doubled,
     mirrored_pairs],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_every_fact_is_proved(function: object, number: ScalarType, pool: SolverPool) -> None:
    found = proved(function, number, pool)
    assert {"append"} < set(found)
    assert all(found.values()), found


def test_counters_that_are_multiplied_with_elements(pool: SolverPool) -> None:
    assert proved(weighted, INT, pool) == {"base": True, "step": True, "append": True, "exchange": True}


@pytest.mark.parametrize("function", [horner, without_ends], ids=lambda function: function.__name__)
def test_steps_that_cannot_be_exchanged_are_not_said_to_be(function: object, pool: SolverPool) -> None:
    assert proved(function, RealType(), pool) == {"base": True, "step": True, "append": True, "exchange": False}


def mapped(f: Fn[[Elem], Other], x: Vec[Elem]) -> Vec[Other]:
    return [] if not x else [f(x[0]), *mapped(f, x[1:])]


def folded(f: Fn[[Elem, Other], Other], x: Vec[Elem], b: Other) -> Other:
    return b if not x else f(x[0], folded(f, x[1:], b))


def test_facts_hold_for_every_function(pool: SolverPool) -> None:
    dsl = Driver("functions")
    dsl.define(mapped)
    dsl.define(folded)
    found = {
        name: {one.claim.name: one.verdict is ObligationVerdict.PROVED for one in prove_facts(facts_of(operator), pool, TIMEOUT)}
        for name, operator in dsl.operators.items()
    }
    assert found["mapped"] == dict.fromkeys(("length", "index", "append", "take", "drop"), True)
    assert found["folded"] == {"base": True, "step": True, "append": True, "exchange": False}

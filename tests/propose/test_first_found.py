"""The first element that a condition keeps, as a fold: the same value wherever it is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metalift.ir.expr.build import equal, less, neg
from metalift.ir.expr.filters import count
from metalift.ir.expr.nodes import Expr, Filter, Ite, Length, Select, Var, integer
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.interpret import evaluate
from metalift.ir.program.summary import Summary
from metalift.pipeline.first_found import first_found

X, T, K, N, S = Var("x", TensorType(INT, 1)), Var("t", INT), Var("k", INT), Var("n", INT), Var("acc", INT)
KEPT = Filter(Length(X), K, less(T, Select(X, (K,))), Select(X, (K,)))
FIRST = Select(KEPT, (integer(0),))
HOW_MANY = count(KEPT)
FORMS = {
    "some": Ite(less(integer(0), HOW_MANY), FIRST, S),
    "none": Ite(equal(HOW_MANY, integer(0)), S, FIRST),
    "not none": Ite(neg(equal(integer(0), HOW_MANY)), FIRST, S),
}


def changed(term: Expr) -> Expr:
    """What becomes of the term."""
    ((_, found),) = first_found(Summary((), (), (("return", term),))).outputs
    return found


@given(st.sampled_from(sorted(FORMS)), st.lists(st.integers(-3, 3), max_size=6), st.integers(-3, 3), st.integers(-9, 9))
def test_it_is_the_same_value(name: str, values: list[int], least: int, start: int) -> None:
    env = {"x": values, "t": least, "acc": start, "k": 99}
    found = changed(FORMS[name])
    assert not any(isinstance(part, Filter) for part in subexpressions(found))
    assert evaluate(found, env) == next((each for each in values if least < each), start)


OTHERS: dict[str, Expr] = {
    "another place": Select(KEPT, (integer(1),)),
    "a number at a place": Select(X, (integer(0),)),
    "all that is kept": Length(KEPT),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_terms_stay(name: str) -> None:
    assert changed(OTHERS[name]) == OTHERS[name]


def test_under_another_condition_it_stays_under_it() -> None:
    found = changed(Ite(less(N, HOW_MANY), FIRST, S))
    assert isinstance(found, Ite) and found.other == S and found.cond == less(N, HOW_MANY)

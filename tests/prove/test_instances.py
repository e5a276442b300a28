"""What is asserted follows from what was stated: formulas that a model satisfies never give an unsatisfiable script."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metalift.ir.expr.build import conj, disj, equal, exists, forall, implies, in_range, less, neg, plus
from metalift.ir.expr.nodes import FALSE, Apply, Expr, Fold, Ite, Item, MakeTuple, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.interp.interpret import Value, evaluate
from metalift.prove.efforts import EFFORTS, Effort
from metalift.prove.encode import NotEncodable
from metalift.prove.prover import script_for
from metalift.prove.solver import SolverPool

SIZE = 3
FIRST, SECOND = Var("i", INT), Var("j", INT)
X, Y = (Var(name, TensorType(INT, 1)) for name in "xy")
BINDERS = tuple(Var(f"b{number}", INT) for number in range(3))
ACC, ACC2, K = Var("acc", INT), Var("acc2", INT), Var("k", INT)
ARITHMETIC = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.MIN, Operator.MAX)


@st.composite
def terms(draw: st.DrawFn, known: tuple[Var, ...], depth: int) -> Expr:
    """Integer terms; every index stays inside the arrays, which have SIZE + 2 cells, as the known variables are below SIZE."""
    kind = draw(st.integers(0, 6 if depth else 2))
    index = draw(st.sampled_from(known))
    if kind == 0:
        return integer(draw(st.integers(-2, 4)))
    if kind == 1:
        return index
    if kind == 2:
        return Select(draw(st.sampled_from((X, Y))), (plus(index, integer(draw(st.integers(0, 1)))),))
    if kind == 3:
        op = draw(st.sampled_from((Operator.TDIV, Operator.TREM, Operator.FDIV, Operator.FMOD)))
        return Apply(op, (draw(terms(known, depth - 1)), integer(draw(st.sampled_from((-3, -2, 2, 3))))))
    if kind == 4:
        return draw(folds(known, depth - 1))
    if kind == 5:
        return Ite(draw(formulas(known, 0)), draw(terms(known, depth - 1)), draw(terms(known, depth - 1)))
    return Apply(draw(st.sampled_from(ARITHMETIC)), (draw(terms(known, depth - 1)), draw(terms(known, depth - 1))))


@st.composite
def folds(draw: st.DrawFn, known: tuple[Var, ...], depth: int) -> Expr:
    """Folds over at most SIZE cells, with one accumulator or two."""
    extents: tuple[Expr, ...] = (*known, integer(SIZE), integer(2), integer(-1))
    extent = draw(st.sampled_from(extents))
    start = draw(terms(known, 0))
    step = draw(terms((*known, K), min(depth, 1)))
    op = draw(st.sampled_from(ARITHMETIC))
    if draw(st.booleans()):
        return Fold(extent, start, ACC, K, Apply(op, (ACC, step)))
    pair = Var("pair", type_of(MakeTuple((start, start))))
    first, second = Item(pair, 0), Item(pair, 1)
    body = MakeTuple((Apply(op, (first, step)), Ite(less(first, step), second, K)))
    return Item(Fold(extent, MakeTuple((start, integer(0))), pair, K, body), draw(st.integers(0, 1)))


@st.composite
def formulas(draw: st.DrawFn, known: tuple[Var, ...], depth: int) -> Expr:
    """Formulas whose quantifiers have ranges."""
    kind = draw(st.integers(0, 5 if depth else 1))
    if kind <= 1:
        relation = draw(st.sampled_from((equal, less)))
        return relation(draw(terms(known, 1)), draw(terms(known, 1)))
    if kind == 2:
        return neg(draw(formulas(known, depth - 1)))
    if kind == 3:
        join = draw(st.sampled_from((conj, disj)))
        return join(draw(formulas(known, depth - 1)), draw(formulas(known, depth - 1)))
    binder = BINDERS[depth % len(BINDERS)]
    inside, body = in_range(binder, integer(SIZE)), draw(formulas((*known, binder), depth - 1))
    return forall((binder,), implies(inside, body)) if kind == 4 else exists((binder,), conj(inside, body))


CELLS = st.lists(st.integers(-2, 3), min_size=SIZE + 2, max_size=SIZE + 2)
MODELS = st.fixed_dictionaries({"i": st.integers(0, SIZE - 1), "j": st.integers(0, SIZE - 1), "x": CELLS, "y": CELLS})


def true_in(model: dict[str, Value], formula: Expr) -> Expr:
    """The formula or its negation: what the model satisfies."""
    return formula if evaluate(formula, model, domain=lambda _: range(SIZE)) else neg(formula)


@pytest.mark.parametrize("effort", EFFORTS, ids=lambda effort: effort.name)
@settings(max_examples=30)
@given(model=MODELS, drawn=st.lists(formulas((FIRST, SECOND), 3), min_size=2, max_size=3))
def test_what_a_model_satisfies_is_not_refuted(
    pool: SolverPool, effort: Effort, model: dict[str, Value], drawn: list[Expr]
) -> None:
    ranges = [in_range(FIRST, integer(SIZE)), in_range(SECOND, integer(SIZE))]
    facts = [*ranges, *(true_in(model, formula) for formula in drawn)]
    try:
        script, _ = script_for(facts, FALSE, effort)
    except NotEncodable:
        return
    assert pool.ask(script, 1).answer != "unsat"

"""Elements of intermediate arrays in formulas: replaced only where their cells are certainly filled."""

from __future__ import annotations

from metalift.ir.expr.build import conj, equal, forall, implies, in_range, less
from metalift.ir.expr.nodes import Apply, Expr, Fold, Length, Operator, Select, Var, integer
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.expr.walk import names
from metalift.vcgen.arrays import Layer
from metalift.vcgen.inlining import Inlining

X, T = Var("x", TensorType(INT, 1)), Var("t!", TensorType(INT, 1))
K, AT, N, B, ACC = (Var(name, INT) for name in ("k", "i", "n", "b", "acc"))
LENGTH = Length(X, 0)


def doubled(at: Expr) -> Expr:
    return Apply(Operator.MUL, (integer(2), Select(X, (at,))))


def inlining(value: Expr, extent: Expr = LENGTH, same: dict[Expr, Expr] | None = None) -> Inlining:
    return Inlining({"t!": Layer((B,), in_range(B, extent), (B,), value)}, same or {})


def reads(term: Expr) -> bool:
    return "t!" in names(term)


def total(extent: Expr, index: Var, term: Expr) -> Fold:
    return Fold(extent, integer(0), ACC, index, Apply(Operator.ADD, (ACC, term)))


def test_in_a_sum_over_all_cells_and_behind_their_condition() -> None:
    found = inlining(doubled(B))
    assert found.of(total(LENGTH, K, Select(T, (K,)))) == total(LENGTH, K, doubled(K))
    formula = forall((AT,), implies(in_range(AT, LENGTH), equal(Select(T, (AT,)), N)))
    assert found.of(formula) == forall((AT,), implies(in_range(AT, LENGTH), equal(doubled(AT), N)))


def test_not_where_cells_may_not_be_filled() -> None:
    found = inlining(doubled(B))
    for term in (
        total(N, K, Select(T, (K,))),
        total(LENGTH, K, Select(T, (Apply(Operator.ADD, (K, integer(1))),))),
        forall((AT,), implies(less(AT, LENGTH), equal(Select(T, (AT,)), N))),
        forall((AT,), conj(in_range(AT, LENGTH), equal(Select(T, (AT,)), N))),
    ):
        assert found.of(term) == term


def test_lengths_that_are_the_same() -> None:
    other = Length(Var("y", TensorType(INT, 1)), 0)
    term = total(other, K, Select(T, (K,)))
    assert reads(inlining(doubled(B)).of(term))
    assert inlining(doubled(B), same={other: LENGTH}).of(term) == total(LENGTH, K, doubled(K))


def test_not_where_a_name_means_something_else() -> None:
    scaled = Apply(Operator.MUL, (K, Select(X, (B,))))  # by a parameter that is called like the index of the sum
    term = total(LENGTH, K, Select(T, (K,)))
    assert inlining(scaled).of(term) == term


def test_alternatives_are_not_each_others_premise_twice() -> None:
    inside = in_range(AT, LENGTH)
    one = Apply(Operator.OR, (equal(Select(T, (AT,)), N), Apply(Operator.NOT, (inside,))))
    found = inlining(doubled(B)).of(one)
    assert found == Apply(Operator.OR, (equal(doubled(AT), N), Apply(Operator.NOT, (inside,))))

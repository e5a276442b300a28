"""What a formula is in a state: formulas without quantifiers are evaluated at once, as far as their names are known."""

from __future__ import annotations

import pytest

from metalift.ir.expr.build import conj, disj, equal, forall, implies, less, neg
from metalift.ir.expr.nodes import Apply, Expr, Operator, Select, Var, integer
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.interp.interpret import SourceUndefined
from metalift.vcgen.witness import truth

N, M, K, X = Var("n", INT), Var("m", INT), Var("k", INT), Var("x", TensorType(INT, 1))
PAST = equal(Select(X, (integer(7),)), integer(0))
CASES = {
    "both": (conj(less(N, integer(5)), neg(equal(N, integer(4)))), True),
    "a name that is not known is not asked for": (disj(equal(N, integer(3)), equal(M, integer(0))), True),
    "nor what has no value": (disj(equal(N, integer(3)), PAST), True),
    "under a quantifier": (forall((K,), implies(less(K, N), less(integer(0), Select(X, (K,))))), True),
    "with a quantifier in it": (conj(less(N, integer(2)), forall((K,), equal(K, K))), False),
}


@pytest.mark.parametrize("name", CASES)
def test_the_value(name: str) -> None:
    formula, wanted = CASES[name]
    assert truth(formula, {"n": 3, "x": [1, 2, 3]}, 3) is wanted


@pytest.mark.parametrize("formula", [conj(equal(N, integer(3)), PAST), Apply(Operator.NOT, (PAST,))])
def test_what_has_no_value_is_told(formula: Expr) -> None:
    with pytest.raises(SourceUndefined):
        truth(formula, {"n": 3, "x": [1, 2, 3]}, 3)

"""Lemmas and splits in obligations: what is false is not proved, and what is claimed stays what it was."""

from __future__ import annotations

import ast
from dataclasses import replace
from itertools import product

import pytest

from metalift.driver.files import load
from metalift.ir.expr.build import conj, equal, implies, neg, plus
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Expr, Fold, Operator, Select, Var, integer
from metalift.ir.expr.types import BOOL, INT, MachineInt, TensorType
from metalift.ir.program.fragment import Location
from metalift.ir.program.summary import Aids, StatedLemma
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_aids
from metalift.prove.prover import prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.synth.propose.aids import formula_of
from metalift.synth.propose.answer import read_code
from metalift.vcgen.aids import INSTANCES, aided, cases, induction, instances
from metalift.vcgen.obligation import Goal, Obligation

N, K, B = Var("n", INT), Var("k", INT), Var("b", BOOL)
X, Y = (Var(name, TensorType(INT, 1)) for name in "xy")
HERE = Location("kernel.c", 1, 1)


def lemma(text: str, *free: Var, count: Var | None = N) -> StatedLemma:
    """The lemma that a function of an answer states."""
    names = {var.name: var for var in free}
    code = read_code(f"def lemma({', '.join(names)}):\n    return {text}\n", ["lemma"])
    tree = code.functions["lemma"]
    assert isinstance(tree, ast.FunctionDef)
    return StatedLemma(free, formula_of(tree, code, names, load("tensor", meaning=True).driver), count)


def holds(stated: StatedLemma, pool: SolverPool) -> bool:
    """Whether base and step are proved."""
    goals = induction(stated)
    return all(prove((), goal.formula, pool, 3.0).verdict is ObligationVerdict.PROVED for goal in goals)


TRUE_ONES = {
    "the sum of the first": lemma("2 * sum(i for i in range(n)) == max(n, 0) * (max(n, 0) - 1)", N),
    "cubes": lemma("4 * sum(i * i * i for i in range(n)) == (max(n, 0) * (max(n, 0) - 1)) ** 2", N),
    "over an array": lemma("sum(3 * x[i] + 1 for i in range(n)) == 3 * sum(x[i] for i in range(n)) + max(n, 0)", X, N),
    "of two": lemma("sum(k * x[i] for i in range(n)) == k * sum(x[i] for i in range(n))", X, K, N),
}
FALSE_ONES = {
    "off by one": lemma("2 * sum(i for i in range(n)) == max(n, 0) * (max(n, 0) + 1)", N),
    "not for negative numbers": lemma("2 * sum(i for i in range(n)) == n * (n - 1)", N),
    "true for few": lemma("n > 5 or sum(i for i in range(n)) < 11", N),
    "a base that does not hold": lemma("sum(i for i in range(n)) + 1 == sum(i for i in range(n))", N),
    "a step that does not hold": lemma("sum(x[i] for i in range(n)) == 0", X, N),
    "false from a number on": lemma("n < 1000 or n != n", N),
    "by a variable that is not its own": lemma("k < 3 or n < 0 or sum(i for i in range(n)) != 1", N, K),
    "for other counts": lemma("n != k or n < 7", N, K),
}


@pytest.mark.quick(every=2)
@pytest.mark.parametrize("name", TRUE_ONES)
def test_what_is_true_is_proved_by_induction(name: str, pool: SolverPool) -> None:
    assert holds(TRUE_ONES[name], pool)


@pytest.mark.quick(every=2)
@pytest.mark.parametrize("name", FALSE_ONES)
def test_what_is_false_is_not_proved(name: str, pool: SolverPool) -> None:
    stated = FALSE_ONES[name]
    assert not holds(stated, pool) and not holds(replace(stated, count=None), pool)
    assert not any(holds(replace(stated, count=var), pool) for var in stated.free if var.type == INT)


def fold(array: Var, extent: Expr) -> Fold:
    """The sum of the first elements."""
    acc, index = Var("acc", INT), Var("i", INT)
    return Fold(extent, integer(0), acc, index, plus(acc, Select(array, (index,))))


def test_instances_are_of_the_lemma_and_of_the_types_of_its_variables() -> None:
    size, small = Var("m", MachineInt(32, True)), Var("z", TensorType(MachineInt(8, True), 1))
    stated = StatedLemma((X, N), equal(fold(X, N), integer(0)), N)
    goal = Goal("g", conj(equal(fold(Y, plus(K, integer(1))), integer(2)), equal(Select(small, (K,)), Select(small, (N,)))))
    found = list(instances(stated, Obligation("o", HERE, (), (), (goal,))))
    assert found == [equal(fold(Y, each), integer(0)) for each in (N, plus(K, integer(1)))]
    assert size not in stated.free
    many = conj(*(equal(fold(Var(f"a{number}", X.type), integer(number)), integer(0)) for number in range(9)))
    assert len(list(instances(stated, Obligation("o", HERE, (), (), (Goal("g", many),))))) == INSTANCES


def test_a_binder_is_no_value_of_a_variable() -> None:
    index = Var("j", INT)
    inner = Fold(N, integer(0), Var("s", INT), index, plus(Var("s", INT), fold(X, index)))
    stated = StatedLemma((K,), equal(K, integer(3)), K)
    found = list(instances(stated, Obligation("o", HERE, (), (), (Goal("g", equal(inner, integer(0))),))))
    assert found == [equal(N, integer(3))]


def test_the_cases_of_a_split_are_the_goal() -> None:
    formulas: tuple[Expr, ...] = (TRUE, FALSE, B, neg(B))
    for split, goal in product(formulas, formulas):
        one, two = (case.formula for case in cases(Goal("g", goal), split))
        assert (one, two) == (implies(split, goal), implies(neg(split), goal))


def test_what_is_assumed_and_what_is_claimed_are_as_before() -> None:
    plain = Obligation("o", HERE, (equal(N, K),), (equal(K, N),), (Goal("g", equal(fold(X, N), integer(0))),))
    given = Aids((StatedLemma((N,), equal(N, N), N),), (equal(N, integer(3)),))
    first, one = aided([plain], given, HERE)
    assert (first.hypotheses, first.assumed, first.instances) == ((), (), ())
    assert (one.hypotheses, one.assumed) == (plain.hypotheses, plain.assumed)
    assert len(one.goals) == 2
    assert list(aided([plain], Aids(), HERE)) == [plain]


ILL_TYPED = {
    "a variable of the function": Aids((StatedLemma((N,), equal(N, K), N),)),
    "an induction on another variable": Aids((StatedLemma((N,), equal(N, N), K),)),
    "an induction on what is no integer": Aids((StatedLemma((B, N), B, B),)),
    "a number": Aids((StatedLemma((N,), plus(N, N), N),)),
    "a variable twice": Aids((StatedLemma((N, N), equal(N, N), N),)),
    "two types for one name": Aids((StatedLemma((N, Var("n", BOOL)), equal(N, N), N),)),
    "a name of obligations": Aids((StatedLemma((Var("return!out", INT),), equal(Var("return!out", INT), integer(1)), None),)),
    "a split of what is not known": Aids(splits=(B,)),
    "a split that is a number": Aids(splits=(K,)),
    "a split of a result": Aids(splits=(equal(Var("k!out", INT), K),)),
}


@pytest.mark.parametrize("name", ILL_TYPED)
def test_others_are_ill_typed(name: str) -> None:
    with pytest.raises(IllTyped):
        check_aids(ILL_TYPED[name], {"k": INT})


def test_wrong_parts_do_not_follow_from_a_lemma(pool: SolverPool) -> None:
    stated = TRUE_ONES["the sum of the first"]
    acc, index = Var("acc", INT), Var("i", INT)
    total = Fold(K, integer(0), acc, index, plus(acc, index))
    for wrong in (1, -2):
        goal = equal(Apply(Operator.MUL, (integer(2), total)), Apply(Operator.MUL, (K, plus(K, integer(wrong)))))
        _, one = aided([Obligation("o", HERE, (), (), (Goal("g", goal),))], Aids((stated,)), HERE)
        assert prove(one.premises, one.goal, pool, 2.0).verdict is not ObligationVerdict.PROVED

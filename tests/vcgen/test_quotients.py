"""Real numbers as quotients, and exponentials of sums as products: each rewriting keeps the value."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metalift.ir.expr.build import equal
from metalift.ir.expr.nodes import Apply, Call, Const, Expr, Fold, Ite, Operator, Select, Var, integer
from metalift.ir.expr.types import INT, REAL, TensorType
from metalift.ir.interp.interpret import SourceUndefined, evaluate
from metalift.pipeline.equivalence import EquivVerdict, equiv
from metalift.vcgen.exponentials import Exponentials
from metalift.vcgen.obligation import Goal
from metalift.vcgen.quotients import Quotients, quotients

X, Y, V = Var("x", REAL), Var("y", REAL), Var("v", TensorType(REAL, 1))
INDEX, ACC = Var("k", INT), Var("s", REAL)
NUMBERS = st.sampled_from([Fraction(each, 2) for each in range(-4, 5)])
LEAVES = st.one_of(st.sampled_from([X, Y]), NUMBERS.map(lambda value: Const(value, REAL)))


def _terms(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    operators = st.sampled_from([Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV, Operator.MAX, Operator.MIN])
    binary = st.builds(lambda op, one, other: Apply(op, (one, other)), operators, inner, inner)
    unary = st.builds(lambda op, one: Apply(op, (one,)), st.sampled_from([Operator.NEG, Operator.ABS]), inner)
    names = st.sampled_from(["exp", "exp", "tanh", "sinh", "log"])
    functions = st.builds(lambda name, one: Call(name, (one,), REAL), names, inner)
    choices = st.builds(lambda one, other: Ite(Apply(Operator.LT, (X, Y)), one, other), inner, inner)
    sums = st.builds(_sum, inner, st.sampled_from([Operator.MUL, Operator.DIV, Operator.ADD]))
    return st.one_of(binary, binary, unary, functions, choices, sums)


def _sum(term: Expr, op: Operator) -> Expr:
    added = Apply(op, (Select(V, (INDEX,)), term))
    return Fold(integer(2), Const(Fraction(0), REAL), ACC, INDEX, Apply(Operator.ADD, (ACC, added)))


TERMS = st.recursive(LEAVES, _terms, max_leaves=6)


def _value(term: Expr, env: dict[str, object]) -> float:
    try:
        return float(evaluate(term, env))  # type: ignore[arg-type]
    except (SourceUndefined, OverflowError):
        assume(False)
        raise


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(1.0, abs(one), abs(other))


@settings(max_examples=300, deadline=None)
@given(TERMS, NUMBERS, NUMBERS)
def test_exponentials_keep_the_value(term: Expr, x: Fraction, y: Fraction) -> None:
    env = {"x": x, "y": y, "v": [Fraction(1), Fraction(-3, 2)]}
    value = _value(term, env)
    assume(abs(value) < 1e6)
    rewriting = Exponentials()
    made = rewriting.within(term)
    assume(all(_value(each, env) > 0 for each in rewriting.positive))
    assert _near(_value(made, env), value)


@settings(max_examples=300, deadline=None)
@given(TERMS, NUMBERS, NUMBERS)
def test_quotients_keep_the_value(term: Expr, x: Fraction, y: Fraction) -> None:
    env = {"x": x, "y": y, "v": [Fraction(1), Fraction(-3, 2)]}
    value = _value(term, env)
    assume(abs(value) < 1e6)
    numbers = Quotients()
    found = numbers.of(term)
    below = _value(found.below, env)
    assume(abs(below) > 1e-6)
    assert all(_value(each, env) != 0 for each in numbers.unlike)  # the term has a value
    assert _near(_value(found.above, env) / below, value)


@settings(max_examples=200, deadline=None)
@given(TERMS, TERMS, NUMBERS, NUMBERS)
def test_numbers_that_differ_have_a_goal_that_fails(left: Expr, right: Expr, x: Fraction, y: Fraction) -> None:
    env = {"x": x, "y": y, "v": [Fraction(1), Fraction(-3, 2)]}
    one, other = _value(left, env), _value(right, env)
    assume(abs(one) < 1e4 and abs(other) < 1e4 and abs(one - other) > 1e-3)
    goals = quotients(Goal("values", equal(left, right)))
    assert not goals or not all(_holds(each.formula, env) for each in goals)


def _holds(formula: Expr, env: dict[str, object]) -> bool:
    try:
        return bool(evaluate(formula, env))
    except SourceUndefined:
        return False  # such a goal is not proved, or speaks of numbers that are too large here


def test_a_divisor_of_the_second_program_is_not_taken_for_granted() -> None:
    """x / x is not 1 where x is 0."""
    one = Const(Fraction(1), REAL)
    mine = Apply(Operator.DIV, (X, X))
    goals = quotients(Goal("values", equal(mine, one)))
    assert not all(_holds(each.formula, {"x": Fraction(0)}) for each in goals)
    taken = quotients(Goal("values", equal(one, mine)))
    assert taken and all(_holds(each.formula, {"x": Fraction(0)}) for each in taken)


def test_what_cancels_has_to_have_a_value() -> None:
    """exp(log(x) - log(x)) is 1 where x is positive, exp(y / x - y / x) where x is not 0."""
    one = Const(Fraction(1), REAL)
    log, quotient = Call("log", (X,), REAL), Apply(Operator.DIV, (Y, X))
    for term in (log, quotient):
        mine = Call("exp", (Apply(Operator.SUB, (term, term)),), REAL)
        goals = quotients(Goal("values", equal(mine, one)))
        assert not all(_holds(each.formula, {"x": Fraction(0), "y": Fraction(1)}) for each in goals)
        assert all(_holds(each.formula, {"x": Fraction(1), "y": Fraction(1)}) for each in goals)


KERNELS = """
#include <math.h>
void softmax(double *o, const double *x, int n) {
  double m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i];
  double s = 0; for (int i = 0; i < n; i++) s += exp(x[i] - m);
  for (int i = 0; i < n; i++) o[i] = exp(x[i] - m) / s; }
double log_sum(const double *x, int n) {
  double m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i];
  double s = 0; for (int i = 0; i < n; i++) s += exp(x[i] - m);
  return m + log(s); }
void sigmoid(double *o, const double *x, int n) { for (int i = 0; i < n; i++) o[i] = 1 / (1 + exp(-x[i])); }
void softplus(double *o, const double *x, int n) { for (int i = 0; i < n; i++) o[i] = log(1 + exp(x[i])); }
void elu(double *o, const double *x, int n) { for (int i = 0; i < n; i++) o[i] = x[i] > 0 ? x[i] : exp(x[i]) - 1; }
void squashed(double *o, const double *x, int n) { for (int i = 0; i < n; i++) o[i] = tanh(x[i]); }
void mish(double *o, const double *x, int n) { for (int i = 0; i < n; i++) o[i] = x[i] * tanh(log(1 + exp(x[i]))); }
"""
PORTS = """
import numpy as np
def softmax(x):
    e = np.exp(x)
    return e / e.sum()
def softmax_slip(x):
    e = np.exp(x)
    return e / (e.sum() + 1e-9)
def log_sum(x): return np.log(np.sum(np.exp(x)))
def sigmoid(x):
    e = np.exp(x)
    return e / (1 + e)
def sigmoid_tanh(x): return 0.5 * (1 + np.tanh(x / 2))
def sigmoid_slip(x): return 0.5 * (1 + np.tanh(x / 2.000001))
def softplus(x): return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
def elu(x): return np.maximum(x, 0) + np.minimum(np.exp(x) - 1, 0)
def squashed(x): return 2 / (1 + np.exp(-2 * x)) - 1
def mish(x):
    e = (1 + np.exp(x))**2
    return x * (e - 1) / (e + 1)
"""
RIGHT = ["softmax", "log_sum", "sigmoid", "sigmoid_tanh", "softplus", "elu", "squashed", "mish"]


@pytest.mark.quick(every=4)
@pytest.mark.parametrize("name", [*RIGHT, "softmax_slip", "sigmoid_slip"])
def test_ports_that_write_exponentials_in_another_way(tmp_path: Path, name: str) -> None:
    (tmp_path / "k.c").write_text(KERNELS)
    (tmp_path / "p.py").write_text(PORTS)
    kernel = name.removesuffix("_slip").removesuffix("_tanh")
    result = equiv(tmp_path / "k.c", tmp_path / "p.py", functions=(kernel, name), timeout=60.0)
    if name in RIGHT:
        assert result.verdict is EquivVerdict.EQUAL, result
    else:
        assert result.verdict in (EquivVerdict.DIFFERENT, EquivVerdict.UNKNOWN), result

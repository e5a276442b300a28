"""Counterexamples: right candidates have none, wrong ones have one that names the input and both values."""

from __future__ import annotations

import re

import pytest

from metalift.ir.expr.nodes import TRUE, Apply, Build, Call, Cast, Expr, Fold, Ite, Operator, Update, Var
from metalift.ir.expr.types import DOUBLE, FLOAT, INT, INT32, UINT8, TensorType
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Binding, Let, Summary, TargetProgram, Write
from metalift.run.compare.falsify import falsify
from tests.run.fragments import N, O, W, X, at, burn, num, op, rmsnorm, shift, strided_sum

B = Var("b0", INT)
K = Var("k", INT)
SIZE = Cast(N, INT)


def written(base: Var, value: Expr, extent: Expr = SIZE, index: Expr = B) -> Update:
    """A write of `value` at `index` for each b0 below the extent."""
    return Update(base, (B,), (extent,), (index,), value, TRUE)


def rmsnorm_summary(eps: str = "1e-5", init: int = 0, extent: Expr = SIZE) -> Summary:
    """The summary of rmsnorm, or of a mutant."""
    acc = Var("acc", FLOAT)
    total, scale = Var("ss_1", FLOAT), Var("scale_1", FLOAT)
    fold = Fold(extent, num(init, FLOAT), acc, K, op(Operator.ADD, acc, op(Operator.MUL, at(X, K), at(X, K))))
    mean = op(Operator.ADD, op(Operator.DIV, total, Cast(N, FLOAT)), num(eps, FLOAT))
    root = op(Operator.DIV, num(1, FLOAT), Call("sqrt", (mean,), FLOAT))
    final = Var("o_1", O.type)
    update = written(O, op(Operator.MUL, at(W, B), op(Operator.MUL, scale, at(X, B))))
    return Summary((), (Binding(total, fold), Binding(scale, root), Binding(final, update)), (("o", final),))


def burn_summary(special: int = 0, top: int = 255, width: bool = True) -> Summary:
    """The summary of burn, or of a mutant."""
    out, a, b = (Var(name, TensorType(UINT8)) for name in ("o", "a", "b"))
    below = op(Operator.SUB, num(top, INT32), Cast(at(b, B), INT32))
    burnt = op(Operator.SUB, num(255, INT32), op(Operator.TDIV, below, Cast(at(a, B), INT32)))
    value = Ite(op(Operator.EQ, Cast(at(a, B), INT32), num(special, INT32)), num(255, INT32), burnt)
    extent = SIZE if width else op(Operator.SUB, SIZE, num(1, INT))
    return Summary((), (), (("o", written(out, Cast(value, UINT8), extent)),))


def sum_summary(factor: Expr) -> Summary:
    """The sum of every `factor`-th element."""
    acc = Var("acc", INT32)
    element = at(Var("p", TensorType(INT32)), op(Operator.MUL, K, factor))
    return Summary((), (), (("return", Fold(SIZE, num(0, INT32), acc, K, op(Operator.ADD, acc, element))),))


STRIDE = Cast(Var("stride", INT32), INT)


def test_right_summaries_have_no_counterexample() -> None:
    assert falsify(rmsnorm(), rmsnorm_summary()) is None
    assert falsify(rmsnorm(), rmsnorm_summary(), shared={"x": "o"}) is None
    assert falsify(burn(), burn_summary()) is None
    assert falsify(strided_sum(), sum_summary(STRIDE)) is None


@pytest.mark.parametrize(
    ("fragment", "candidate"),
    [
        (rmsnorm(), rmsnorm_summary(eps="1e-6")),
        (rmsnorm(), rmsnorm_summary(init=1)),
        (rmsnorm(), rmsnorm_summary(extent=op(Operator.SUB, SIZE, num(1, INT)))),
        (burn(), burn_summary(special=1)),
        (burn(), burn_summary(top=254)),
        (burn(), burn_summary(width=False)),
        (strided_sum(), sum_summary(num(1, INT))),
        (strided_sum(), sum_summary(op(Operator.ADD, STRIDE, num(1, INT)))),
    ],
)
def test_wrong_summaries_have_one(fragment: Fragment, candidate: Summary) -> None:
    found = falsify(fragment, candidate)
    assert found is not None
    assert "source" in found.text() and "candidate" in found.text()


def test_the_text_names_the_input_and_both_values() -> None:
    found = falsify(strided_sum(), sum_summary(num(1, INT)))
    assert found is not None
    undefined = r"candidate is undefined \(index \d+ is outside 0 .. \d+\)"
    assert re.fullmatch(rf"p=\[.*\], n=\d+, stride=-?\d+: source -?\d+, (candidate -?\d+|{undefined})", found.text())
    changed = falsify(burn(), burn_summary(width=False))
    assert changed is not None
    assert re.fullmatch(r"o=\[.*\], a=\[.*\], b=\[.*\], n=\d+: o: source \[.*\], candidate \[.*\]", changed.text())


def test_a_candidate_that_forgets_an_array_is_refuted() -> None:
    found = falsify(burn(), Summary((), (), ()))
    assert found is not None and found.output == "o"


def test_assumptions_limit_the_inputs() -> None:
    assert falsify(strided_sum(), sum_summary(num(1, INT)), [op(Operator.EQ, STRIDE, num(1, INT))]) is None
    assert falsify(strided_sum(), sum_summary(num(1, INT)), [op(Operator.EQ, STRIDE, num(2, INT))]) is not None


def test_values_of_a_program_are_computed_before_its_writes() -> None:
    """In place, o = x[:-1] + x[1:] must read the old contents, unlike the loop that runs forwards... which reads them too."""
    x, out = Var("x", TensorType(DOUBLE)), Var("o", TensorType(DOUBLE))
    tail = Build((SIZE,), (B,), at(x, op(Operator.ADD, B, num(1, INT))))
    pairs = Var("pairs", TensorType(DOUBLE))
    body = op(Operator.ADD, at(x, B), at(Var("tail", TensorType(DOUBLE)), B))
    lets = (Let(Var("tail", TensorType(DOUBLE)), tail), Let(pairs, Build((SIZE,), (B,), body)))
    window = Build((SIZE,), (B,), at(out, B))
    assert falsify(shift(), TargetProgram(lets, (Write(out, window, pairs),), None)) is None
    assert falsify(shift(), TargetProgram(lets, (Write(out, window, pairs),), None), shared={"x": "o"}) is None
    short = Build((op(Operator.SUB, SIZE, num(1, INT)),), (B,), at(out, B))
    assert falsify(shift(), TargetProgram(lets, (Write(out, short, pairs),), None)) is not None
    lets_of_two = (Let(pairs, Build((SIZE,), (B,), Apply(Operator.MUL, (at(x, B), num(2, DOUBLE))))),)
    assert falsify(shift(), TargetProgram(lets_of_two, (Write(out, window, pairs),), None)) is not None


def test_a_program_may_use_the_bindings_of_its_summary() -> None:
    summary = rmsnorm_summary()
    scale = Var("scale_1", FLOAT)
    value = Build((SIZE,), (B,), op(Operator.MUL, at(W, B), op(Operator.MUL, scale, at(X, B))))
    program = TargetProgram((), (Write(O, Build((SIZE,), (B,), at(O, B)), value),), None)
    assert falsify(rmsnorm(), program, summary=summary) is None
    assert falsify(rmsnorm("1e-6"), program, summary=summary) is not None

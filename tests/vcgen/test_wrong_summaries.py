"""Summaries made by hand to be proved though they are wrong: each uses another way to say more than it shows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from metalift.ir.expr.build import equal, plus
from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Build,
    Cast,
    Const,
    Expr,
    Fold,
    Forall,
    Ite,
    Operator,
    Select,
    Update,
    Var,
    integer,
)
from metalift.ir.expr.types import BOOL, DOUBLE, INT, INT32, UINT8, TensorType
from metalift.ir.program.fragment import Undefined
from metalift.ir.program.summary import Binding, LoopSummary, Summary
from metalift.ir.wellformed.check import IllTyped
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.path_state import resolve
from metalift.vcgen.paths import PathGenerator
from tests.support.proofs import by_name, evidence, fragment_of, kernel, path_obligations, summary_proved

B, K = Var("b", INT), Var("k", INT)
INTS = TensorType(INT32, 1)
SUM = "int f(int n, const int *x) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"


def returning(term: Expr, *bindings: Binding, requires: tuple[Expr, ...] = ()) -> Summary:
    """A summary of a function without loops."""
    return Summary((), bindings, (("return", term),), requires)


def test_a_version_that_is_written_twice_defines_nothing(tmp_path: Path, pool: SolverPool) -> None:
    # t_1[0] would be both 1 and 2: from that follows whatever a summary says
    fragment = fragment_of("int f(unsigned char n, int *t) { if (n + 5 == n + n) return t[0]; return n + 5; }", tmp_path)
    n = Cast(Var("n", UINT8), INT)
    twice = Ite(equal(B, n), Const(1, INT32), Const(2, INT32))
    version = Update(Var("t", INTS), (B,), (plus(n, integer(10)),), (integer(0),), twice, TRUE)
    cell = Select(Var("t_1", INTS), (integer(0),))
    summary = returning(Apply(Operator.SUB, (cell, cell)), Binding(Var("t_1", INTS), version))
    verdicts = by_name(evidence(fragment, summary, path_obligations(fragment, summary), pool))
    assert verdicts["versions of arrays are defined"] is ObligationVerdict.UNKNOWN


def test_the_accumulator_of_a_fold_does_not_capture_a_parameter(tmp_path: Path, pool: SolverPool) -> None:
    text = "int g(int a, int m) { int s = 0; for (int k = 0; k < m; k++) s = s + (s + 1); return s; }"
    made = kernel(text, tmp_path)
    a = Var("a", INT32)
    more = Binding(Var("more", INT32), Apply(Operator.ADD, (a, Const(1, INT32))))
    body = Apply(Operator.ADD, (a, more.var))  # the fold's own a, and the parameter a in `more`
    wrong = Fold(Cast(Var("m", INT32), INT), Const(0, INT32), a, K, body)
    summary = replace(made.summary, bindings=(more,), outputs=(("return", wrong),))
    assert summary_proved(made.fragment, made.summary, pool)
    assert not summary_proved(made.fragment, summary, pool)


def test_a_quantified_assumption_that_only_small_values_satisfy_is_no_assumption(tmp_path: Path, pool: SolverPool) -> None:
    fragment = fragment_of("int f(int n, int *x) { return x[63] + n; }", tmp_path)
    cell = Select(Var("x", INTS), (integer(63),))
    false = Forall((B,), Apply(Operator.NOT, (equal(B, integer(63)),)))
    summary = returning(Apply(Operator.MUL, (cell, cell)), requires=(false,))
    (found,) = evidence(fragment, summary, path_obligations(fragment, summary), pool)
    assert found.settled.verdict is ObligationVerdict.UNKNOWN
    assert "vacuous" in found.settled.reason


def test_an_assumption_that_nothing_satisfies_proves_nothing(tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(SUM, tmp_path)
    wrong = replace(
        made.summary, outputs=(("return", Const(7, INT32)),), requires=(made.term("int(n) < 0"), made.term("0 < int(n)"))
    )
    assert not summary_proved(made.fragment, wrong, pool)


def test_a_result_of_other_elements_is_refused(tmp_path: Path) -> None:
    text = """#include <vector>
std::vector<float> h(const std::vector<float>& x) {
  std::vector<float> r;
  for (unsigned long i = 0; i < x.size(); i++) r.push_back(0.25f);
  return r;
}
"""
    made = kernel(text, tmp_path, ".cpp")
    right = dict(made.summary.outputs)["return"]
    assert isinstance(right, Build)
    wrong = Build(right.extents, right.binders, Const(Fraction(3, 4), DOUBLE))  # the same where both are cut to integers
    with pytest.raises(IllTyped):
        path_obligations(made.fragment, replace(made.summary, outputs=(("return", wrong),)))


def test_numbers_of_different_real_types_are_not_compared_as_integers() -> None:
    quarter, three = Const(Fraction(1, 4), DOUBLE), Cast(Const(Fraction(3, 4), DOUBLE), DOUBLE)
    assert all(type_ != INT for type_ in _cast_types(equal(Cast(quarter, DOUBLE), three)))
    assert all(type_ != INT for type_ in _cast_types(equal(quarter, Var("i", INT))))


def _cast_types(formula: Expr) -> list[object]:
    assert isinstance(formula, Apply)
    return [arg.type for arg in formula.args if isinstance(arg, Cast)]


def test_resolving_many_terms_with_renamed_binders_keeps_them_apart() -> None:
    # results are remembered by the identity of terms: these must live as long
    n = Var("n", INT32)
    terms = [Fold(integer(i), Const(i, INT32), n, K, Apply(Operator.ADD, (n, Const(i, INT32)))) for i in range(60)]
    whole: Expr = terms[0]
    for term in terms[1:]:
        whole = Apply(Operator.ADD, (whole, term))
    resolved = resolve(whole, {"n": Const(5, INT32), "k": Const(1, INT32)}, {}, {})
    for place in reversed(range(1, 60)):
        assert isinstance(resolved, Apply)
        last = resolved.args[1]
        assert isinstance(last, Fold) and last.init == Const(place, INT32)
        assert last.body == Apply(Operator.ADD, (last.acc, Const(place, INT32)))
        resolved = resolved.args[0]


@pytest.mark.parametrize("names", [{"x": ("y",)}, {"o": ("x",)}, {"x": ("q",)}, {"q": ("o",)}, {"x": ("x",)}])
def test_only_what_may_be_one_array_is_taken_as_one(names: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    head = "void f(int n, int *o, const int *x, const int *y, const float *q)"
    text = head + " { for (int i = 0; i < n; i++) o[i] = x[i] + y[i] + (int)q[i]; }"
    made = kernel(text, tmp_path)
    with pytest.raises(ObligationError):
        PathGenerator(made.fragment, made.summary, (), names)
    assert list(PathGenerator(made.fragment, made.summary, (), {"x": ("o",), "y": ("o",)}).obligations())


@pytest.mark.parametrize(("source", "proved"), [("x[n - 1 - i]", False), ("x[i] + 1", True)], ids=["mirrored", "beside"])
def test_what_is_wrong_where_two_arrays_are_one_is_not_proved(
    source: str, proved: bool, tmp_path: Path, pool: SolverPool
) -> None:
    text = f"void f(int n, int *o, const int *x) {{ for (int i = 0; i < n; i++) o[i] = {source}; }}"
    made = kernel(text, tmp_path)
    assert summary_proved(made.fragment, made.summary, pool, 20.0)
    apart = evidence(made.fragment, made.summary, path_obligations(made.fragment, made.summary, {"x": ("o",)}), pool, 5.0)
    assert all(one.proved for one in apart) == proved


@pytest.mark.parametrize(
    "name", ["div", "mod", "to_real", "to_int", "e0", "fold0", "inverse", "product", "ite", "select", "and", "distinct"]
)
def test_names_of_the_source_are_not_those_of_the_solver(name: str, tmp_path: Path, pool: SolverPool) -> None:
    loop = f"for (int i = 0; i < n; i++) s += (float)i * {name}[i] / 3.5f;"
    text = f"float f(int n, const float *{name}) {{ float s = 0; {loop} return s; }}"
    made = kernel(text, tmp_path)
    assert summary_proved(made.fragment, made.summary, pool)


def test_a_trip_count_that_is_too_small_is_not_kept(tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(SUM, tmp_path)
    (loop,) = made.summary.loops
    assert isinstance(loop, LoopSummary)
    short = replace(made.summary, loops=(replace(loop, trip=integer(1)),))
    verdicts = by_name(evidence(made.fragment, short, path_obligations(made.fragment, short), pool))
    assert verdicts["loop at 1: kept by the body"] is ObligationVerdict.UNKNOWN
    negative = replace(made.summary, loops=(replace(loop, trip=integer(-1)),))
    verdicts = by_name(evidence(made.fragment, negative, path_obligations(made.fragment, negative), pool))
    assert verdicts["loop at 1: holds on entry"] is ObligationVerdict.UNKNOWN


def test_what_a_summary_says_of_iterations_is_shown(tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(SUM, tmp_path)
    (loop,) = made.summary.loops
    assert isinstance(loop, LoopSummary)
    few = replace(loop, holds=(made.term("int(n) < 3"),))
    wrong = replace(made.summary, loops=(few,), outputs=(("return", made.term("s_1 if int(n) < 3 else 0:i32")),))
    verdicts = by_name(evidence(made.fragment, wrong, path_obligations(made.fragment, wrong), pool))
    assert verdicts["loop at 1: holds on entry"] is ObligationVerdict.UNKNOWN


def test_what_a_summary_says_of_scalars_in_a_loop_is_shown(tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(SUM, tmp_path)
    (loop,) = made.summary.loops
    assert isinstance(loop, LoopSummary)
    zero = Const(0, INT32)
    state = tuple((var, zero if isinstance(term, Fold) else term) for var, term in loop.state)
    wrong = replace(made.summary, loops=(replace(loop, state=state),), outputs=(("return", zero),))
    verdicts = by_name(evidence(made.fragment, wrong, path_obligations(made.fragment, wrong), pool))
    assert verdicts["loop at 1: kept by the body"] is ObligationVerdict.UNKNOWN


def test_two_arrays_that_may_be_one_need_not_be(tmp_path: Path, pool: SolverPool) -> None:
    made = kernel("int f(int *o, const int *x) { o[0] = 1; return x[0]; }", tmp_path)
    outputs = tuple((name, Const(1, INT32) if name == "return" else term) for name, term in made.summary.outputs)
    wrong = replace(made.summary, outputs=outputs)
    found = evidence(made.fragment, wrong, path_obligations(made.fragment, wrong, {"x": ("o",)}), pool)
    assert not all(one.proved for one in found)


def test_an_array_that_a_summary_leaves_out_is_not_written(tmp_path: Path, pool: SolverPool) -> None:
    fragment = fragment_of("int f(int *t) { t[0] = 1; return 5; }", tmp_path)
    assert not summary_proved(fragment, returning(Const(5, INT32)), pool)


def test_the_first_of_two_writes_does_not_stay(tmp_path: Path, pool: SolverPool) -> None:
    made = kernel("int f(int a, int b, int *t) { t[a] = 1; t[b] = 2; return t[a]; }", tmp_path)
    (binding,) = made.summary.bindings
    last = binding.value
    assert isinstance(last, Update) and isinstance(last.base, Update) and summary_proved(made.fragment, made.summary, pool)
    turned = replace(last.base, base=replace(last, base=last.base.base))  # t[b] = 2, then t[a] = 1
    outputs = (("t", binding.var), ("return", Const(1, INT32)))
    wrong = replace(made.summary, bindings=(replace(binding, value=turned),), outputs=outputs)
    assert not summary_proved(made.fragment, wrong, pool)


def test_nothing_is_known_of_a_variable_that_is_not_initialised(tmp_path: Path, pool: SolverPool) -> None:
    fragment = fragment_of("int f(int n) { int s; if (n > 0) s = n; return s; }", tmp_path)
    (unset,) = (each.target for block in fragment.blocks for each in block.body if isinstance(each, Undefined))
    n, zero = Var("n", INT32), Const(0, INT32)
    positive = Apply(Operator.LT, (zero, n))
    for summary in (returning(Ite(positive, n, zero)), returning(unset, Binding(unset, n))):
        assert not summary_proved(fragment, summary, pool)


def test_a_result_that_is_longer_than_said_is_not_proved(tmp_path: Path, pool: SolverPool) -> None:
    text = """#include <vector>
std::vector<int> f(int n) { std::vector<int> r; for (int i = 0; i < n; i++) r.push_back(i); return r; }
"""
    made = kernel(text, tmp_path, ".cpp")
    right = dict(made.summary.outputs)["return"]
    assert isinstance(right, Build) and summary_proved(made.fragment, made.summary, pool)
    for extent in ("int(n) - 1", "int(n) + 1"):
        other = Build((made.term(extent),), right.binders, right.body)
        wrong = replace(made.summary, outputs=(("return", other),))
        assert not summary_proved(made.fragment, wrong, pool)


def test_an_array_that_a_loop_writes_and_its_summary_leaves_out_is_not_kept(tmp_path: Path, pool: SolverPool) -> None:
    made = kernel("void f(int n, int *x) { for (int i = 0; i < n; i++) x[i] = 0; }", tmp_path)
    (loop,) = made.summary.loops
    assert isinstance(loop, LoopSummary)
    state = tuple((var, term) for var, term in loop.state if not isinstance(var.type, TensorType))
    silent = replace(made.summary, loops=(replace(loop, state=state),), outputs=(("x", Var("x", INTS)),))
    verdicts = by_name(evidence(made.fragment, silent, path_obligations(made.fragment, silent), pool))
    assert verdicts["loop at 1: kept by the body"] is ObligationVerdict.UNKNOWN


def test_reserved_names_are_refused(tmp_path: Path) -> None:
    made = kernel(SUM, tmp_path)
    for name in ("s.1@for.cond", "n!", "?1", "%0"):
        wrong = replace(made.summary, outputs=(("return", Var(name, INT32)),))
        with pytest.raises(IllTyped):
            path_obligations(made.fragment, wrong)
    assert made.fragment.result != BOOL

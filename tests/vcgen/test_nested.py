"""Arrays of several axes, rows of one length, results of several parts: what is right is proved, what is wrong is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift.ir.expr.build import equal, forall, implies, in_range, plus
from metalift.ir.expr.nodes import Apply, Build, Expr, Ite, Length, MakeTuple, Operator, Select, Update, Var, integer
from metalift.ir.expr.types import FLOAT, INT, TensorType
from metalift.ir.interp.interpret import CheckViolated, run
from metalift.ir.program.fragment import Check, Fragment
from metalift.ir.program.summary import LoopSummary, Summary
from metalift.ir.wellformed.check_fragment import check_fragment
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.run.compare.falsify import falsify
from metalift.synth.derive import derive
from tests.support.proofs import Kernel, by_name, evidence, fragment_of, kernel, path_obligations, summary_proved

HEAD = "#include <cstddef>\n#include <utility>\n#include <vector>\nusing Matrix = std::vector<std::vector<float>>;\n"
PUSHED = """Matrix f(const Matrix &a, float s) {
    Matrix out;
    for (std::size_t i = 0; i < a.size(); i++) {
        std::vector<float> row;
        for (std::size_t j = 0; j < a[i].size(); j++) row.push_back(a[i][j] * s);
        out.push_back(row);
    }
    return out;
}"""
INTO_ROWS = """Matrix f(const Matrix &a) {
    Matrix out(a.size());
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t j = 0; j < a[i].size(); j++) out[i].push_back(a[i][j] + 1);
    return out;
}"""
PRODUCT = """Matrix f(const Matrix &a, const Matrix &b) {
    Matrix c(a.size(), std::vector<float>(b[0].size()));
    for (std::size_t i = 0; i < a.size(); i++)
        for (std::size_t k = 0; k < b.size(); k++)
            for (std::size_t j = 0; j < b[0].size(); j++) c[i][j] += a[i][k] * b[k][j];
    return c;
}"""
RAGGED = """Matrix f(int n) {
    Matrix out;
    for (int i = 0; i < n; i++) {
        std::vector<float> row;
        for (int j = 0; j <= i; j++) row.push_back(j);
        out.push_back(row);
    }
    return out;
}"""
ROWS = """void f(float **a, float **out, int n, int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) out[n - 1 - i][2 * j] = a[i][j];
}"""
PAIR = """std::pair<float, float> f(const float *a, int n) {
    float s = 0, q = 0;
    for (int i = 0; i < n; i++) { s += a[i]; q += a[i] * a[i]; }
    return {s, q};
}"""
A = Var("a", TensorType(FLOAT, 2))
R, C = Var("r", INT), Var("c", INT)


def made(text: str, folder: Path) -> Kernel:
    """A C++ kernel with its derived summary."""
    return kernel(HEAD + text, folder, ".cc")


def returned(summary: Summary) -> Expr:
    """The result."""
    return dict(summary.outputs)["return"]


def claiming(summary: Summary, name: str, term: Expr) -> Summary:
    """The summary with another term for an output."""
    return replace(summary, outputs=tuple((output, term if output == name else value) for output, value in summary.outputs))


@pytest.mark.parametrize("text", [PUSHED, INTO_ROWS, PRODUCT, ROWS, PAIR])
def test_derived_summary_is_proved(text: str, tmp_path: Path, pool: SolverPool) -> None:
    found = made(text, tmp_path)
    assert summary_proved(found.fragment, found.summary, pool, 30.0)


def test_local_rows_leave_a_plain_result(tmp_path: Path) -> None:
    result = returned(made(PUSHED, tmp_path).summary)
    assert isinstance(result, Build) and result.extents == (Length(A), Length(A, 1))
    assert any(isinstance(loop, LoopSummary) and loop.unknown for loop in made(PUSHED, tmp_path).summary.loops)


def wrong_results(result: Build) -> list[Expr]:
    """Tensors that differ in an extent or an element."""
    extents, binders, body = result.extents, result.binders, result.body
    swapped = dict(zip(binders, reversed(binders), strict=True))
    return [
        Build((plus(extents[0], integer(1)), extents[1]), binders, body),
        Build((extents[0], plus(extents[1], integer(1))), binders, body),
        Build((extents[1], extents[0]), binders, body),
        Build(extents, binders, Select(A, tuple(swapped[b] for b in binders))),
        Build(extents, binders, Apply(Operator.ADD, (body, body))),
    ]


@pytest.mark.parametrize("number", range(5))
def test_wrong_results_are_refuted_and_not_proved(number: int, tmp_path: Path, pool: SolverPool) -> None:
    found = made(PUSHED, tmp_path)
    result = returned(found.summary)
    assert isinstance(result, Build)
    summary = claiming(found.summary, "return", wrong_results(result)[number])
    assert not summary_proved(found.fragment, summary, pool, 0.5)
    assert falsify(found.fragment, summary, summary.requires, tried=300) is not None


def test_columns_of_a_matrix_without_rows_do_not_count(tmp_path: Path, pool: SolverPool) -> None:
    found = made(PUSHED, tmp_path)
    result = returned(found.summary)
    assert isinstance(result, Build)
    empty = equal(result.extents[0], integer(0))
    other = Build((result.extents[0], Ite(empty, integer(7), result.extents[1])), result.binders, result.body)
    assert summary_proved(found.fragment, claiming(found.summary, "return", other), pool, 5.0)


def test_ragged_rows_are_not_proved(tmp_path: Path, pool: SolverPool) -> None:
    found = made(RAGGED, tmp_path)
    verdicts = by_name(evidence(found.fragment, found.summary, path_obligations(found.fragment, found.summary), pool))
    assert [name for name, verdict in verdicts.items() if verdict is not ObligationVerdict.PROVED] == ["check at 13"]
    assert run(found.fragment, {"n": 1}).result == [[0]]
    with pytest.raises(CheckViolated, match="same length"):
        run(found.fragment, {"n": 2})


def with_check(fragment: Fragment, cond: Expr) -> Fragment:
    """The fragment with another condition in its check."""
    blocks = []
    for block in fragment.blocks:
        body = tuple(replace(one, cond=cond) if isinstance(one, Check) else one for one in block.body)
        blocks.append(replace(block, body=body))
    return replace(fragment, blocks=tuple(blocks))


def test_another_check_is_not_proved(tmp_path: Path, pool: SolverPool) -> None:
    fragment = fragment_of(HEAD + PUSHED, tmp_path, ".cc")
    lengths = Var("out_lengths", TensorType(INT))
    first = Select(lengths, (integer(0),))
    inside = in_range(R, Length(A))
    right = forall((R,), implies(inside, equal(Select(lengths, (R,)), Length(A, 1))))
    wrong = [
        forall((R,), implies(inside, equal(Select(lengths, (R,)), plus(first, integer(1))))),
        forall((R,), implies(in_range(R, plus(Length(A), integer(1))), equal(Select(lengths, (R,)), Length(A, 1)))),
        equal(Length(A), Length(A, 1)),
    ]
    for cond, holds in [(right, True), *((each, False) for each in wrong)]:
        changed = with_check(fragment, cond)
        check_fragment(changed)
        assert summary_proved(changed, derive(changed), pool, 5.0 if holds else 0.5) == holds


def test_writes_to_rows_are_told_apart(tmp_path: Path, pool: SolverPool) -> None:
    found = made(ROWS, tmp_path)
    (name, version), *_ = found.summary.outputs
    update = found.summary.bindings[-1].value
    assert name == "out" and version == found.summary.bindings[-1].var and isinstance(update, Update)
    row, column = update.indices
    wrong = [
        replace(update, indices=(column, row)),
        replace(update, indices=(row, plus(column, integer(1)))),
        replace(update, extents=(update.extents[0], plus(update.extents[1], integer(1)))),
        replace(update, extents=(plus(update.extents[0], integer(-1)), update.extents[1])),
    ]
    for changed in wrong:
        summary = claiming(found.summary, "out", changed)
        assert not summary_proved(found.fragment, summary, pool, 0.5)
        assert falsify(found.fragment, summary, summary.requires, tried=300) is not None


def test_items_of_a_tuple_are_told_apart(tmp_path: Path, pool: SolverPool) -> None:
    found = made(PAIR, tmp_path)
    result = returned(found.summary)
    assert isinstance(result, MakeTuple)
    one, two = result.items
    for wrong in (MakeTuple((two, one)), MakeTuple((one, one)), MakeTuple((one, Apply(Operator.NEG, (two,))))):
        summary = claiming(found.summary, "return", wrong)
        assert not summary_proved(found.fragment, summary, pool, 0.5)
        assert falsify(found.fragment, summary, summary.requires, tried=300) is not None

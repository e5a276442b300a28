"""Arrays of four and five axes in one: indices are rows of rows, which the first effort takes apart from the last length on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Var
from metalift.ir.expr.types import INT
from metalift.prove.efforts import EFFORTS
from metalift.prove.indices import Rows
from metalift.prove.prover import prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from tests.support.proofs import kernel, path_obligations, summary_proved

FIVE_AXES = """void f(float *c, const float *x, int a, int b, int d, int h, int w) {
    for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++)
            for (int k = 0; k < d; k++)
                for (int y = 0; y < h; y++)
                    for (int z = 0; z < w; z++) c[(((i * b + j) * d + k) * h + y) * w + z] = x[y * w + z + k + j + i];
}"""
WINDOWS = """void f(float *columns, const float *image, int channels, int height, int width, int kernel) {
    int rows = height - kernel + 1, cells = width - kernel + 1;
    for (int c = 0; c < channels; c++)
        for (int i = 0; i < kernel; i++)
            for (int j = 0; j < kernel; j++) {
                float *column = columns + ((c * kernel + i) * kernel + j) * rows * cells;
                for (int y = 0; y < rows; y++)
                    for (int x = 0; x < cells; x++)
                        column[y * cells + x] = image[(c * height + y + i) * width + x + j];
            }
}"""
ROWS_THAT_OVERLAP = FIVE_AXES.replace("k < d;", "k < d + 1;")
ROWS_OF_ANOTHER_LENGTH = FIVE_AXES.replace("* h + y) * w + z] =", "* w + y) * w + z] =")


@pytest.mark.parametrize("source", [FIVE_AXES, WINDOWS], ids=["five axes", "windows"])
def test_cells_of_many_axes_are_told_apart_by_few_instances(source: str, tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(source, tmp_path)
    for obligation in path_obligations(made.fragment, made.summary):
        for goal in obligation.goals:
            proof = prove(obligation.premises, goal.formula, pool, 20.0, EFFORTS[:1])
            assert proof.verdict is ObligationVerdict.PROVED, (obligation.name, goal.subject, proof.reason)


@pytest.mark.parametrize("source", [ROWS_THAT_OVERLAP, ROWS_OF_ANOTHER_LENGTH], ids=["overlap", "another length"])
def test_cells_that_are_written_twice_are_not(source: str, tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(source, tmp_path)
    assert not summary_proved(made.fragment, replace(made.summary, requires=()), pool, 1.0)


def test_a_size_is_divided_as_the_indices_are() -> None:
    a, b, c, i, j, k = (Polynomial.atom(Var(name, INT)) for name in "abcijk")
    lengths = {i * b * c + j * c + k: [c], i * b + j: [b], a * b * c: [a, b, c], a * b: [a, b]}
    rows = Rows(lambda index: lengths[index])
    rows.divide(i * b * c + j * c + k)
    rows.divide_alike(a * b * c)
    assert {length: set(numbers) for length, numbers in rows.numbers.items()} == {
        c: {i * b + j, a * b},
        b: {i, a},
    }

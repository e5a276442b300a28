"""Compiled sources with arrays of several axes, several results, and structs, called through their wrapper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT32, INT64, MachineInt, TensorType, TupleType
from metalift.ir.program.fragment import Fragment
from metalift.run.workers.process import WorkerFailed
from tests.run.signatures import field, pointer, scalar, signature, vector, vector_reference
from tests.run.test_native import run


def grid(shape: list[int], *cells: float) -> dict[str, Any]:
    """An array of several axes."""
    return {"shape": shape, "cells": list(cells)}


def test_nested_vectors(tmp_path: Path) -> None:
    source = """
#include <vector>
typedef std::vector<std::vector<float>> matrix;
matrix twice(const matrix &a, std::vector<std::vector<bool>> mask, matrix &out) {
    matrix r;
    for (auto row : a) { for (auto &x : row) x *= 2; r.push_back(row); }
    out.clear();
    for (auto row : mask) { out.push_back({}); for (bool b : row) out.back().push_back(b); }
    return r;
}
"""
    params = (
        vector("a", FLOAT, "const matrix &", 2),
        vector("mask", BOOL, "std::vector<std::vector<bool>>", 2),
        vector_reference("out", FLOAT, "matrix &", 2),
    )
    fragment = signature("twice", params, TensorType(FLOAT, 2))
    a, mask = grid([2, 3], 1, 2, 3, 4, 5, 6), grid([1, 2], True, False)
    empty = grid([0, 0])
    assert run(tmp_path, "k.cpp", source, fragment, [a, mask, a], [grid([0, 3]), grid([2, 0]), a]) == [
        {"results": [grid([2, 3], 2, 4, 6, 8, 10, 12)], "arrays": [a, mask, grid([1, 2], 1, 0)]},
        {"results": [empty], "arrays": [grid([0, 3]), grid([2, 0]), grid([2, 0])]},
    ]


def test_rows_of_unequal_length_have_no_shape(tmp_path: Path) -> None:
    source = "#include <vector>\nstd::vector<std::vector<int>> f(int n) { return {{1, 2}, {3}}; }"
    fragment = signature("f", (scalar("n", INT32, "int"),), TensorType(INT32, 2))
    assert run(tmp_path, "k.cpp", source, fragment, [0]) == [{"results": [grid([-1, 2])], "arrays": [None]}]


def test_three_axes(tmp_path: Path) -> None:
    source = """
#include <vector>
using cube = std::vector<std::vector<std::vector<double>>>;
double f(const cube &a, cube &b) { double s = a[1][0][2]; b[0][1][0] = s; return s; }
"""
    params = (vector("a", DOUBLE, "const cube &", 3), vector_reference("b", DOUBLE, "cube &", 3))
    cells = [float(n) for n in range(6)]
    [answer] = run(
        tmp_path, "k.cpp", source, signature("f", params, DOUBLE), [grid([2, 1, 3], *cells), grid([1, 2, 1], 7, 8)]
    )
    assert answer["results"] == [5.0] and answer["arrays"][1] == grid([1, 2, 1], 7, 5)


ROWS = "float f(float **a, const float *const *b, int i, int j) { a[i][j] = b[j][i]; return a[0][0]; }"
ROWS_PARAMS = (
    pointer("a", FLOAT, "float **", 2),
    pointer("b", FLOAT, "const float *const *", 2),
    scalar("i", INT32, "int"),
    scalar("j", INT32, "int"),
)


@pytest.mark.parametrize("file", ["k.c", "k.cpp"])
def test_rows_of_pointers(tmp_path: Path, file: str) -> None:
    a, b = grid([2, 3], 1, 2, 3, 4, 5, 6), grid([3, 2], 7, 8, 9, 10, 11, 12)
    [first, second] = run(
        tmp_path, file, ROWS, signature("f", ROWS_PARAMS, FLOAT), [a, b, 1, 2], [a, {"same": 0}, 1, 0]
    )
    assert first == {"results": [1.0], "arrays": [grid([2, 3], 1, 2, 3, 4, 5, 12), b, None, None]}
    assert second["arrays"][:2] == [grid([2, 3], 1, 2, 3, 2, 5, 6)] * 2


@pytest.mark.parametrize(("i", "j"), [(2, 0), (0, 3), (-1, 0), (1, -1)])
def test_leaving_a_row_or_the_rows_is_a_crash(tmp_path: Path, i: int, j: int) -> None:
    a, b = grid([2, 3], *[0.0] * 6), grid([9, 9], *[0.0] * 81)
    with pytest.raises(WorkerFailed) as failure:
        run(tmp_path, "k.c", ROWS.replace("b[j][i]", "0"), signature("f", ROWS_PARAMS, FLOAT), [a, b, i, j], [a, b, i, j])
    assert failure.value.crashed


def test_pairs_and_tuples(tmp_path: Path) -> None:
    source = """
#include <tuple>
#include <utility>
#include <vector>
std::pair<float, int> f(float x, int n) { return {x * n, n}; }
static std::tuple<long, std::vector<std::vector<float>>, bool> g(int n) {
    return std::make_tuple(n, std::vector<std::vector<float>>(n, std::vector<float>(2, 1.5f)), n > 1);
}
"""
    pair = signature("f", (scalar("x", FLOAT, "float"), scalar("n", INT32, "int")), TupleType((FLOAT, INT32)))
    assert run(tmp_path, "k.cpp", source, pair, [1.5, 3]) == [{"results": [4.5, 3], "arrays": [None, None]}]
    items = TupleType((INT64, TensorType(FLOAT, 2), BOOL))
    assert run(tmp_path, "k.cpp", source, signature("g", (scalar("n", INT32, "int"),), items), [2]) == [
        {"results": [2, grid([2, 2], 1.5, 1.5, 1.5, 1.5), True], "arrays": [None]}
    ]


STRUCT = """
#include <stdint.h>
typedef struct { int rows, cols; } shape_t;
typedef struct { const char *name; shape_t shape; float *vals; float bias[3]; int used; const shape_t *other; } matrix_t;
"""


@pytest.mark.parametrize("file", ["k.c", "k.cpp"])
@pytest.mark.parametrize("passed", ["value", "pointer"])
def test_structs(tmp_path: Path, file: str, passed: str) -> None:
    arrow, spelled = ("->", "const matrix_t *") if passed == "pointer" else (".", "matrix_t")
    source = STRUCT + f"""
double f(int k, {spelled} m, float *out) {{
    double s = m{arrow}name != 0;
    for (int i = 0; i < m{arrow}shape.rows; i++) {{ s += m{arrow}vals[i] * m{arrow}bias[i]; out[i] = m{arrow}other->cols; }}
    m{arrow}vals[0] = k;
    return s;
}}
"""
    params = (
        scalar("k", INT32, "int"),
        field(scalar("m_rows", INT32, "int"), "m", spelled, f"{arrow}shape.rows"),
        field(pointer("m_vals", FLOAT, "float *"), "m", spelled, f"{arrow}vals"),
        field(pointer("m_bias", FLOAT, "float[3]"), "m", spelled, f"{arrow}bias"),
        field(scalar("m_cols", INT32, "int"), "m", spelled, f"{arrow}other->cols"),
        pointer("out", FLOAT, "float *"),
    )
    [answer] = run(
        tmp_path, file, source, signature("f", params, DOUBLE), [9, 2, [1.0, 2.0], [3.0, 4.0], 5, [0.0, 0.0]]
    )
    assert answer == {"results": [11.0], "arrays": [None, None, [9.0, 2.0], [3.0, 4.0], None, [5.0, 5.0]]}


@pytest.mark.parametrize("file", ["k.c", "k.cpp"])
def test_written_fields_come_back(tmp_path: Path, file: str) -> None:
    source = STRUCT + "void f(matrix_t *m, int n) { m->used += n; m->bias[1] = 2; m->shape.rows++; }"
    params = (
        field(pointer("m_rows", INT32, "int"), "m", "matrix_t *", "->shape.rows"),
        field(pointer("m_bias", FLOAT, "float[3]"), "m", "matrix_t *", "->bias"),
        field(pointer("m_used", INT32, "int"), "m", "matrix_t *", "->used"),
        scalar("n", INT32, "int"),
    )
    [answer] = run(tmp_path, file, source, signature("f", params), [[4], [0.0, 0.0], [5], 6])
    assert answer == {"results": [], "arrays": [[5], [0.0, 2.0], [11], None]}


def test_member_functions_and_references(tmp_path: Path) -> None:
    source = """
#include <vector>
namespace n {
class Scaler {
    std::vector<float> factors; int count;
    float scale(float x) const { float s = 0; for (int i = 0; i < count; i++) s += factors[i] * x; return s; }
    void reset(int n) { factors.assign(n, 1.0f); count = n; }
    friend float apply(const Scaler &s, float x) { return s.scale(x); }
};
float twice(const Scaler &s, float x);
}
"""
    self = "const n::Scaler *"
    fields = (
        field(vector("factors", FLOAT, "std::vector<float>"), "this", self, "->factors"),
        field(scalar("count", INT32, "int"), "this", self, "->count"),
    )
    scale = signature("n::Scaler::scale", (*fields, scalar("x", FLOAT, "float")), FLOAT)
    assert run(tmp_path, "k.cpp", source, scale, [[1.0, 2.0], 2, 3.0]) == [
        {"results": [9.0], "arrays": [[1.0, 2.0], None, None]}
    ]
    changed = (
        field(vector_reference("factors", FLOAT, "std::vector<float>"), "this", "n::Scaler *", "->factors"),
        field(pointer("count", INT32, "int"), "this", "n::Scaler *", "->count"),
        scalar("n", INT32, "int"),
    )
    assert run(tmp_path, "k.cpp", source, signature("n::Scaler::reset", changed), [[5.0], [1], 2]) == [
        {"results": [], "arrays": [[1.0, 1.0], [2], None]}
    ]


def test_structs_by_reference_and_overloads(tmp_path: Path) -> None:
    source = """
struct P { double x; struct { float *v; } in; };
double f(const P &p, int i) { return p.x + p.in.v[i]; }
double f(P *p) { return p->x; }
"""
    params = (
        field(scalar("p_x", DOUBLE, "double"), "p", "const P &", ".x"),
        field(pointer("p_v", FLOAT, "float *"), "p", "const P &", ".in.v"),
        scalar("i", INT32, "int"),
    )
    fragment: Fragment = signature("f", params, DOUBLE)
    assert run(tmp_path, "k.cpp", source, fragment, [0.5, [1.0, 2.0], 1]) == [
        {"results": [2.5], "arrays": [None, [1.0, 2.0], None]}
    ]


@pytest.mark.parametrize("file", ["k.c", "k.cpp"])
def test_results_that_are_structs(tmp_path: Path, file: str) -> None:
    source = """
typedef struct { char sign; double value; unsigned short count; } found;
static found f(int n) { found r = {'-', n / 2.0, (unsigned short)n}; return r; }
"""
    items = TupleType((MachineInt(8, True), DOUBLE, MachineInt(16, False)))
    fragment = signature("f", (scalar("n", INT32, "int"),), items)
    assert run(tmp_path, file, source, fragment, [5]) == [{"results": [45, 2.5, 5], "arrays": [None]}]

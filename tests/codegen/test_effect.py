"""What docstrings say is computed: what is, on all elements, of what arrays hold before."""

from __future__ import annotations

import ast

import pytest

import metalift

HEAD = "#include <stdint.h>\n"


def said(source: str, signature: str = "source") -> list[str]:
    """The formulas in the docstring of the code for a source's one function."""
    (function,) = metalift.lift(HEAD + source, to="numpy", signature=signature).functions
    assert function.ok, function.report()
    functions = [each for each in ast.parse(function.code).body if isinstance(each, ast.FunctionDef)]
    made = next(each for each in functions if each.name == function.name)
    first, *others = (ast.get_docstring(made) or "").split("\n\n")
    found = others[0].splitlines() if first.endswith("computes:") else [first.removesuffix(".")]
    return [line.strip() for line in found]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("out[i] = x[i] == 0.0f ? 5.0f : x[i];", ["out[i] = (5 if x[i] == 0 else x[i]) for i < n"]),
        ("out[i] = x[i + 1] - x[i];", ["out[i] = x[i + 1] - x[i] for i < n"]),
        ("out[2 * i] = x[i] * 3.0f;", ["out[2 * i] = x[i] * 3 for i < n"]),
    ],
)
def test_elements_are_those_that_are_written(body: str, wanted: list[str]) -> None:
    assert said(f"void f(float *out, const float *x, int n) {{ for (int i = 0; i < n; i++) {body} }}") == wanted


def test_quotients_are_without_what_is_in_the_place_of_zero() -> None:
    source = "void f(int *out, const int *x, int n) { for (int i = 0; i < n; i++) out[i] = x[i] == 0 ? 7 : 100 / x[i]; }"
    assert said(source) == ["out[i] = (7 if x[i] == 0 else trunc(100 / x[i])) for i < n"]


def test_old_contents_are_named_as_such() -> None:
    source = "float f(float *x, int n) { float s = 0; for (int i = 0; i < n; i++) { s += x[i]; x[i] = 0; } return s; }"
    wanted = ["x[i] = 0.0 for i < n", "result = sum(x[i] for i < n)", "all from what the arrays hold before"]
    assert said(source) == wanted
    assert said(source, "tensor") == ["new_x[i] = 0.0", "result = sum(x[i] for i < n)"]


def test_an_index_of_a_row_is_one_of_its_columns() -> None:
    source = """void f(float *out, const float *x, int n, int m) {
        float t = 0;
        for (int k = 0; k < n * m; k++) t += x[k] * x[k];
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) out[i * m + j] = x[i * m + j] / t;
    }"""
    assert said(source, "tensor") == ["out[i, j] = x[i, j] / sum(x.flat[k] ** 2 for k < m * n)"]


def test_a_start_is_part_of_its_sum() -> None:
    source = "float f(const float *x, int n, float y, float s) { for (int i = 0; i < n; i++) s += x[i]; return s * y; }"
    assert said(source) == ["Returns (s + sum(x[i] for i < n)) * y"]


def test_a_value_that_is_written_in_two_places_has_a_name_of_its_own() -> None:
    source = """void f(float *y, float *z, const float *v, int n) {
        for (int i = 0; i < n; i++) { float x = v[i]; float t = (x * x + 3 * x + 1) * x; y[2 * i] = t; z[i] = t; }
    }"""
    first, *others = said(source)
    assert first == "product[i] = (v[i] ** 2 + 3 * v[i] + 1) * v[i]"
    assert others == ["y[2 * i] = product[i] for i < n", "z[i] = product[i] for i < n"]


def test_indices_keep_what_a_conversion_takes_from_them() -> None:
    source = "void f(uint8_t *o, const uint8_t *x, int n) { for (int i = 0; i < n; i++) o[i] = (uint8_t)i ^ x[i]; }"
    assert said(source) == ["o[i] = uint8(i) ^ x[i] for i < n"]

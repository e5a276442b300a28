"""Tests for 0 that a condition around them decides are left out, and no others."""

from __future__ import annotations

import ast

import pytest

from metalift.codegen.plain_numbers import without_known_tests

GUARDED = "x / n if n != 0 else math.nan"
TREES = [
    (f"0.0 if n == 0 else {GUARDED}", "0.0 if n == 0 else x / n"),
    (f"0.0 if n <= 0 else f({GUARDED}) + 1", "0.0 if n <= 0 else f(x / n) + 1"),
    (f"({GUARDED}) if 0 < n else 0.0", "x / n if 0 < n else 0.0"),
    (f"0.0 if m == 0 else {GUARDED}", f"0.0 if m == 0 else {GUARDED}"),
    (f"({GUARDED}) if n == 0 else 0.0", f"({GUARDED}) if n == 0 else 0.0"),
    (f"0.0 if n > 0 else {GUARDED}", f"0.0 if n > 0 else {GUARDED}"),
    ("0.0 if n == 0 else (1 if n > 0 else 2)", "0.0 if n == 0 else 1 if n > 0 else 2"),
    (f"0.0 if n == 0 else y.map(lambda n: {GUARDED})", f"0.0 if n == 0 else y.map(lambda n: {GUARDED})"),
]


@pytest.mark.parametrize(("given", "wanted"), TREES)
def test_only_what_is_known_is_left_out(given: str, wanted: str) -> None:
    found = without_known_tests(ast.parse(given, mode="eval").body)
    assert ast.unparse(found) == ast.unparse(ast.parse(wanted, mode="eval"))


def test_a_part_that_stands_under_two_conditions_keeps_its_test_where_nothing_is_known() -> None:
    part = ast.parse(GUARDED, mode="eval").body
    tree = ast.Tuple([ast.IfExp(ast.parse("n == 0", mode="eval").body, ast.Constant(0), part), part], ast.Load())
    assert ast.unparse(without_known_tests(tree)) == f"(0 if n == 0 else x / n, {GUARDED})"

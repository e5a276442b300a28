"""Branches are written as a person would, and do what they did."""

from __future__ import annotations

import textwrap
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metalift.codegen.tidy_branches import tidy_branches

CASES = {
    "one test in the place of two": (
        "if a:\n    if b < 3:\n        x = 1\n        y = 2\nreturn x",
        "if a and b < 3:\n    x = 1\n    y = 2\nreturn x",
    ),
    "a side of its own stays": (
        "if a:\n    if b:\n        x = 1\n    else:\n        x = 2\n",
        "if a:\n    if b:\n        x = 1\n    else:\n        x = 2\n",
    ),
    "a name for both sides goes": (
        "while n:\n    if a:\n        x_1 = x\n    else:\n        y = 2\n        x_1 = (\n            y\n        )\n    x = x_1",
        "while n:\n    if not a:\n        y = 2\n        x = (\n            y\n        )",
    ),
    "it stays where it is used": (
        "if a:\n    x_1 = 1\nelse:\n    x_1 = 2\nx = x_1\nreturn x_1",
        "if a:\n    x_1 = 1\nelse:\n    x_1 = 2\nx = x_1\nreturn x_1",
    ),
    "it stays where one side has none": ("x_1 = 3\nif a:\n    x_1 = 1\nx = x_1", "x_1 = 3\nif a:\n    x_1 = 1\nx = x_1"),
    "a comparison of integers is turned": ("if a == 0:\n    pass\nelse:\n    x = 1", "if a != 0:\n    x = 1"),
    "one that NaN may fail is not": ("if a < 0:\n    pass\nelse:\n    x = 1", "if not a < 0:\n    x = 1"),
    "nothing is else behind a break": (
        "while n:\n    if a:\n        x = 1\n        break\n    else:\n        x = 2\n        y = 3\n    z = 4",
        "while n:\n    if a:\n        x = 1\n        break\n    x = 2\n    y = 3\n    z = 4",
    ),
    "what leaves comes first": (
        "if a == 1:\n    x = 2\n    y = (\n        3\n    )\nelse:\n    return 0\nz = 4",
        "if a != 1:\n    return 0\nx = 2\ny = (\n    3\n)\nz = 4",
    ),
    "an elif is left": ("if a:\n    pass\nelif b:\n    x = 1", "if a:\n    pass\nelif b:\n    x = 1"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_becomes_of_branches(case: str) -> None:
    before, after = (textwrap.indent(each, "    ").split("\n") for each in CASES[case])
    assert [line for line in tidy_branches(before) if line.strip()] == [line for line in after if line.strip()]


NAMES = ("x", "y", "z")
SIMPLE = st.sampled_from([f"{name} = {value}" for name in NAMES for value in (*NAMES, "1", "x + y", "z - 1") if name != value])
TESTS = st.sampled_from(["a < b", "a == 1", "not b == 0", "0 <= a", "a < 2 and b != 1", "x < z"])


def branches(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    """An `if`, with or without `else`, around blocks."""

    def made(test: str, then: list[str], other: list[str]) -> list[str]:
        lines = [f"if {test}:", *(f"    {line}" for line in then or ["pass"])]
        return [*lines, "else:", *(f"    {line}" for line in other)] if other else lines

    return st.builds(made, TESTS, inner, inner)


def chosen(test: str, then: list[str], one: str, other: list[str], two: str) -> list[str]:
    """A choice that gets a name of its own, which is then that of another value."""
    sides = [*(f"    {line}" for line in then), f"    t = {one}"], [*(f"    {line}" for line in other), f"    t = {two}"]
    return [f"if {test}:", *sides[0], "else:", *sides[1], "x = t"]


VALUES = st.sampled_from(("x", "y", "x + z", "2"))
FEW = st.lists(SIMPLE, max_size=1)
def leaving(test: str, first: list[str], other: list[str], turned: bool) -> list[str]:
    """A branch of which one side leaves the function."""
    jump, stay = [*(f"    {line}" for line in first), "    return z, y, x"], [f"    {line}" for line in other or ["x = 1"]]
    return [f"if {test}:", *(stay if turned else jump), "else:", *(["    return y, x, z"] if turned else stay)]


BLOCKS = st.recursive(
    st.lists(SIMPLE, max_size=2)
    | st.builds(chosen, TESTS, FEW, VALUES, FEW, VALUES)
    | st.builds(leaving, TESTS, FEW, FEW, st.booleans()),
    lambda inner: st.builds(lambda first, branch, last: [*first, *branch, *last], FEW, branches(inner), inner),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(BLOCKS)
def test_they_compute_the_same(block: list[str]) -> None:
    lines = [f"    {line}" for line in [*block, "return x, y, z"]]

    def results(body: list[str]) -> list[object]:
        made: dict[str, object] = {}
        exec("\n".join(["def f(a, b, x, y, z):", *body]), made)  # noqa: S102
        return [made["f"](a, b, 3, 5, 7) for a, b in product(range(-1, 3), repeat=2)]  # type: ignore[operator]

    assert results(tidy_branches(lines)) == results(lines)

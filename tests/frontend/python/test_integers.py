"""Python's own integers, indices and slices, for arbitrary numbers."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metalift.frontend import import_function
from metalift.frontend.python import parse_source
from metalift.ir.interp.interpret import AssumeViolated, SourceUndefined, run
from metalift.ir.program.fragment import Fragment

OPERATORS = ("//", "%", "+", "-", "*", "&", "|", "^", "<", "<=", "==", "!=", "and", "or")
SLICES = (":", "i:", ":i", "-2:", ":-2", "1:-1", "::2", "1::2", "::-1", ":3", "i:i + 2", "5:2", "::i", "1:4:i")
OF_INTEGERS = (
    "math.gcd(a, b)",
    "math.lcm(a, b)",
    "math.isqrt(a)",
    "math.factorial(a)",
    "math.comb(a, b)",
    "a ** b",
    "pow(a, b)",
    "pow(a, b, c)",
    "sum(a ** k * c for k in range(b))",
)
FIRSTS = (
    "next((v for v in x if v > i), i)",
    "next(v * v for v in x if v % 2 == 1 if v > 0)",
    "next((k for k, v in enumerate(x) if v == i), len(x)) + i",
    "[next((v for v in x if v > w), w) for w in x]",
    "next((x for x in x if x < i), 9)",
)
NUMBERS = st.integers(-40, 40) | st.integers(-(2**70), 2**70)
LISTS = st.lists(st.integers(-9, 9), max_size=6)


@lru_cache(maxsize=128)
def compiled(text: str) -> tuple[Fragment, Any]:
    """The fragment of `f` in a text, and CPython's function."""
    folder = Path(__file__).parent
    path = folder / "generated.py"
    module = parse_source(path, text)
    scope: dict[str, Any] = {}
    exec(compile(text, "generated", "exec"), scope)
    return import_function(module, "f"), scope["f"]


def same(text: str, **args: Any) -> None:  # noqa: ANN401 - numbers and lists
    """CPython and the interpreter agree, unless CPython raises or an assumption does not hold."""
    fragment, function = compiled(text)
    try:
        expected = function(**{name: list(value) if isinstance(value, list) else value for name, value in args.items()})
    except (ZeroDivisionError, IndexError, ValueError, StopIteration):
        return
    try:
        found = run(fragment, args).result
    except AssumeViolated:
        return
    assert found == expected, (text, args)


@pytest.mark.parametrize("operator", OPERATORS)
@settings(max_examples=60, deadline=None)
@given(a=NUMBERS, b=NUMBERS)
def test_operator(operator: str, a: int, b: int) -> None:
    same(f"def f(a: int, b: int):\n    return a {operator} b\n", a=a, b=b)


@settings(max_examples=40, deadline=None)
@given(a=NUMBERS, b=st.integers(0, 70))
def test_shifts(a: int, b: int) -> None:
    same("def f(a: int, b: int):\n    return (a << b) + (a >> b) + ~a\n", a=a, b=b)


@settings(max_examples=60, deadline=None)
@given(a=st.integers(-9, 9), b=st.integers(-9, 9), c=st.integers(-9, 9))
def test_chains_of_comparisons(a: int, b: int, c: int) -> None:
    same("def f(a: int, b: int, c: int):\n    return (a < b <= c != a) + (a == b == c) * 2 + (not a or b and c)\n", a=a, b=b, c=c)


@settings(max_examples=60, deadline=None)
@given(x=LISTS, i=st.integers(-7, 7))
def test_negative_indices(x: list[int], i: int) -> None:
    same("def f(x: list[int], i: int):\n    return x[i] * 100 + x[-1] * 10 + x[i - 1]\n", x=x, i=i)
    same("def f(x: list[int], i: int):\n    x[i] = 50\n    return sum(x)\n", x=x, i=i)


@pytest.mark.parametrize("bounds", SLICES)
@settings(max_examples=40, deadline=None)
@given(x=LISTS, i=st.integers(-7, 7))
def test_slices(bounds: str, x: list[int], i: int) -> None:
    same(f"def f(x: list[int], i: int):\n    return x[{bounds}]\n", x=x, i=i)
    same(f"def f(x: list[int], i: int):\n    return sum(v * 7 for v in x[{bounds}]) + len(x[{bounds}])\n", x=x, i=i)


@pytest.mark.parametrize("term", OF_INTEGERS)
@settings(max_examples=60, deadline=None)
@given(a=st.integers(-9, 40), b=st.integers(-5, 12), c=st.integers(-7, 7))
def test_functions_of_integers(term: str, a: int, b: int, c: int) -> None:
    same(f"import math\ndef f(a: int, b: int, c: int):\n    return {term}\n", a=a, b=b, c=c)


@pytest.mark.parametrize("term", FIRSTS)
@settings(max_examples=60, deadline=None)
@given(x=LISTS, i=st.integers(-7, 7))
def test_the_first_that_is_asked_for(term: str, x: list[int], i: int) -> None:
    same(f"def f(x: list[int], i: int):\n    return {term}\n", x=x, i=i)


@settings(max_examples=80, deadline=None)
@given(start=st.integers(-8, 8), stop=st.integers(-8, 8), step=st.sampled_from([-3, -2, -1, 1, 2, 3]))
def test_ranges(start: int, stop: int, step: int) -> None:
    text = f"""
def f(start: int, stop: int):
    i = 99
    out = [len(range(start, stop, {step}))]
    for i in range(start, stop, {step}):
        out.append(i)
    for k, j in enumerate(reversed(range(start, stop, {step})), 5):
        out.append(k * j)
    return out + [i]
"""
    same(text, start=start, stop=stop)


@settings(max_examples=60, deadline=None)
@given(x=LISTS, y=LISTS)
def test_zips_stop_at_the_shortest(x: list[int], y: list[int]) -> None:
    same("def f(x: list[int], y: list[int]):\n    return [a * b + c for a, b, c in zip(x, y, x[1:])]\n", x=x, y=y)


@settings(max_examples=60, deadline=None)
@given(x=LISTS)
def test_names_after_loops(x: list[int]) -> None:
    text = """
def f(x: list[int]):
    for i, v in enumerate(x):
        if v < 0:
            break
        last = v
    else:
        i = -1
    return i
"""
    same(text, x=x)


def test_a_name_that_may_be_unbound_has_no_value() -> None:
    fragment, _ = compiled("def f(x: list[int]):\n    for v in x:\n        last = v\n    return last\n")
    assert run(fragment, {"x": [3, 4]}).result == 4
    with pytest.raises(SourceUndefined, match="last"):
        run(fragment, {"x": []})

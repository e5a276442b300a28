"""What generated functions refuse, what they accept, and that a compiler takes them as one graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metalift.codegen import generate
from metalift.codegen.expressions import Printer
from metalift.codegen.guards import distinct, formula_guards
from metalift.codegen.spelled import Spelled
from metalift.driver.templates import name
from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import Var
from metalift.ir.expr.types import INT
from metalift.ir.interp.interpret import evaluate
from metalift.ir.text import parse
from tests.codegen.programs import CASES, Case
from tests.codegen.test_generated_code import LIBRARIES, arguments, call, load
from tests.support.lazily import module

torch = module("torch")

BY_NAME = {case.name: case for case in CASES}


def function_of(name: str, library: str = "numpy") -> Callable[..., Any]:
    """The generated function of a case."""
    return load(generate(BY_NAME[name].request_for(library)).text)


def ones(count: int, dtype: type = np.float32) -> np.ndarray[Any, Any]:
    """An array argument."""
    return np.ones(count, dtype=dtype)


@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 5), min_size=1, max_size=4))
def test_what_is_left_of_guards_implies_the_others(factors: list[tuple[int, ...]]) -> None:
    """On all small numbers: sums and products of two of them, at most a number."""
    n, m = Var("n", INT), Var("m", INT)
    request = BY_NAME["dot"].request_for("numpy")
    printer = Printer(request.driver, request.target, Facts(), lambda _, tree: tree)
    printer.values = {each.name: Spelled(name(each.name), number=True) for each in (n, m)}
    wanted = []
    for a, b, c, d, e in factors:
        low = Polynomial.of(n) * a + Polynomial.of(m) * b + Polynomial.of(n) * Polynomial.of(m) * c
        wanted.append(at_most(low.to_expr(), (Polynomial.of(m) * d + e).to_expr()))
    found = [guard for formula in wanted for guard in formula_guards(formula, printer) or []]
    kept = [compile(guard.wanted, "<guard>", "eval") for guard in distinct(found)]
    for env in ({"n": i, "m": j} for i in range(-4, 5) for j in range(-4, 5)):
        assert all(eval(each, {}, env) for each in kept) == all(evaluate(each, env) for each in wanted), (env, kept)


@pytest.mark.quick("softmax", "strided", "every")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_compiles_as_one_graph(case: Case) -> None:
    given = arguments(case, 4, 1)
    function = load(generate(case.request_for("pytorch")).text)
    torch.compiler.reset()
    compiled = torch.compile(function, fullgraph=True, backend="eager")
    plain, plain_arrays = call(function, given, "pytorch")
    traced, traced_arrays = call(compiled, given, "pytorch")
    for called, array in plain_arrays.items():
        torch.testing.assert_close(traced_arrays[called], array)
    torch.testing.assert_close(traced, plain)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ones(4), ones(4), ones(4), -1), "size >= 0 is required"),
        ((ones(4), ones(3), ones(4), 4), "x must have at least 4 elements, not 3"),
        ((ones(4), ones(4), ones(4, np.float64), 4), "weight must be a 1-D np.ndarray of float32"),
        ((ones(4), ones(4), ones(4).reshape(2, 2), 4), "weight must be a 1-D np.ndarray of float32"),
        (([1.0] * 4, ones(4), ones(4), 4), "o must be a 1-D np.ndarray of float32"),
    ],
)
def test_bad_arguments_raise(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function_of("rmsnorm")(*arguments)


@pytest.mark.parametrize("library", LIBRARIES)
def test_overlap(library: str) -> None:
    buffer = np.arange(1, 21, dtype=np.float32)
    shared: Any = torch.from_numpy(buffer) if library == "pytorch" else buffer
    rmsnorm = function_of("rmsnorm", library)
    with pytest.raises(ValueError, match="o and x must be the same array or not overlap"):
        rmsnorm(shared[1:9], shared[:8], shared[12:], 8)
    with pytest.raises(ValueError, match="same array"):
        rmsnorm(shared[:8:2], shared[:4], shared[12:], 4)
    with pytest.raises(ValueError, match="out and x must be arrays that do not overlap"):
        function_of("strided", library)(shared, shared, 4)
    rmsnorm(shared[:8], shared[8:16], shared[12:], 4)
    scaled = buffer[:4] / np.sqrt(np.mean(buffer[:4] ** 2) + 1e-5) * buffer[12:16]
    result = rmsnorm(shared[:4], shared[:6], shared[12:], 4)
    np.testing.assert_allclose(np.asarray(result), scaled, rtol=1e-5)


@pytest.mark.parametrize("library", LIBRARIES)
def test_strided_arguments(library: str) -> None:
    buffer = np.arange(40, dtype=np.float32)
    shared: Any = torch.from_numpy(buffer) if library == "pytorch" else buffer
    function_of("swap", library)(shared[:20:2], shared[20::2], 10)
    np.testing.assert_array_equal(buffer[:20:2], np.arange(20, 40, 2))
    with pytest.raises(ValueError, match="image must be contiguous"):
        function_of("window", library)(shared[::2], 2.0, 2, 2, 3)


def test_vectors_are_used_whole() -> None:
    dot = function_of("dot")
    assert dot(ones(3, np.float64), ones(5, np.float64)) == 3
    with pytest.raises(ValueError, match=r"len\(a\) <= len\(b\) is required"):
        dot(ones(5, np.float64), ones(3, np.float64))


def test_which_assumptions_are_checked() -> None:
    generated = generate(BY_NAME["rmsnorm"].request_for("numpy"))
    assert generated.guarded == (False, True, True, True)


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("0 <= n - 1", "n >= 1"),
        ("0 < n + 1", "n >= 0"),
        ("n < 5", "n <= 4"),
        ("-3 <= -n", "n <= 3"),
        ("-n < 4", "n >= -3"),
        ("n <= m", "n <= m"),
    ],
)
def test_bounds_are_plain(formula: str, wanted: str) -> None:
    n, m = Var("n", INT), Var("m", INT)
    request = BY_NAME["swap"].request_for("numpy")
    printer = Printer(request.driver, request.target, Facts(), lambda _, tree: tree)
    printer.values.update({var.name: Spelled(name(var.name), number=True) for var in (n, m)})
    guards = formula_guards(parse(formula, {"n": INT, "m": INT}), printer)
    assert [guard.wanted for guard in guards or []] == [wanted]

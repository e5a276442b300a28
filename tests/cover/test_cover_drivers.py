"""Covers with other drivers than the tensor driver, and summaries that have no cover."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from drivers import fma, tensor
from metalift.driver import Driver, Elem, Int, Real, Target, Vec
from metalift.frontend import compile_source, import_function
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.ir.text import show
from metalift.synth.cover import NotCovered, cover
from metalift.synth.derive import derive
from tests.cover.evaluation import close, computed, inputs, operators, summarised

Summarise = Callable[[str], tuple[Fragment, Summary]]


@pytest.fixture
def summarise(tmp_path: Path) -> Summarise:
    """The fragment and summary of the one function `f` of a C text."""

    def made(text: str) -> tuple[Fragment, Summary]:
        source = tmp_path / "source.c"
        source.write_text(f"#include <math.h>\n#include <stdint.h>\n{text}\n")
        fragment = import_function(compile_source(source), "f")
        return fragment, derive(fragment)

    return made


def agrees(fragment: Fragment, summary: Summary, program: TargetProgram, driver: Driver) -> bool:
    """Whether the program gives what the summary says on a few inputs."""
    for seed in range(8):
        env = inputs(fragment, seed)
        wanted, found = summarised(summary, env), computed(program, driver, env)
        if wanted.keys() != found.keys() or not all(close(wanted[key], found[key]) for key in wanted):
            return False
    return True


TUTORIAL = "int f(int base, int arg1, int base2, int arg2) { int a = (base + base2) + arg1 * arg2; return a + a; }"


@pytest.mark.parametrize("target", ["python", "numpy", "pytorch"])
def test_one_operator_makes_sums_and_products_with_neutral_elements(summarise: Summarise, target: str) -> None:
    fragment, summary = summarise(TUTORIAL)
    program = cover(summary, fragment, fma.driver, target)
    assert set(operators(program)) == {"fma"}
    assert agrees(fragment, summary, program, fma.driver)


def test_what_an_operator_lacks_is_named(summarise: Summarise) -> None:
    fragment, summary = summarise("int f(int a, int b) { return a / b + 1; }")
    with pytest.raises(NotCovered) as caught:
        cover(summary, fragment, fma.driver, "python")
    assert show(caught.value.missing) == "tdiv(a, b)"


def test_a_fused_operator_wins_by_its_cost(summarise: Summarise) -> None:
    dsl = Driver("conv", targets=(Target("toy"),))

    @dsl.define
    def fma(x: Int, y: Int, z: Int) -> Int:
        return x + y * z

    @dsl.define
    def relu(x: Int) -> Int:
        return max(x, 0)

    @dsl.define
    def fused_fma_relu(x: Int, y: Int, z: Int) -> Int:
        return max(x + y * z, 0)

    fragment, summary = summarise("int f(int b, int w, int x) { int r = b + w * x; if (r < 0) r = 0; return r; }")
    program = cover(summary, fragment, dsl, "toy")
    assert operators(program) == ["fused_fma_relu"]
    assert agrees(fragment, summary, program, dsl)


def test_an_operator_may_be_cheaper_than_its_parts_or_dearer(summarise: Summarise) -> None:
    def driver_with(cost: float) -> Driver:
        dsl = Driver("costs", targets=(Target("toy"),))

        @dsl.elementwise()
        def mul(a: Elem, b: Elem) -> Elem:
            return a * b

        @dsl.define()
        def total(x: Vec[Elem]) -> Elem:
            return sum(x)

        @dsl.define(cost=cost)
        def inner(x: Vec[Elem], y: Vec[Elem]) -> Elem:
            return sum(a * b for a, b in zip(x, y, strict=True))

        return dsl

    fragment, summary = summarise(
        "float f(const float *x, const float *y, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }"
    )
    assert operators(cover(summary, fragment, driver_with(1.5), "toy")) == ["inner"]
    assert operators(cover(summary, fragment, driver_with(2.5), "toy")) == ["total", "mul"]


def test_an_operator_needs_a_spelling_for_the_target(summarise: Summarise) -> None:
    fragment, summary = summarise("void f(float *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] > 0 ? x[i] : 0; }")
    assert operators(cover(summary, fragment, tensor.driver, "pytorch")) == ["relu"]
    assert operators(cover(summary, fragment, tensor.driver, "numpy")) == ["maximum"]


def test_an_unknown_target_is_named(summarise: Summarise) -> None:
    fragment, summary = summarise(TUTORIAL)
    with pytest.raises(KeyError, match="no target 'cuda'"):
        cover(summary, fragment, fma.driver, "cuda")


SQUARING = "float f(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s = s * s + x[i]; return s; }"


def test_a_fold_without_an_operator_is_reported(summarise: Summarise) -> None:
    fragment, summary = summarise(SQUARING)
    with pytest.raises(NotCovered) as caught:
        cover(summary, fragment, tensor.driver, "numpy")
    assert show(caught.value.missing).startswith("fold(int(n)")
    assert caught.value.candidate.lets == ()


def test_numbers_get_a_type_where_only_they_have_it(summarise: Summarise) -> None:
    fragment, summary = summarise(
        "void f(uint8_t *o, const float *x, int n) { for (int i = 0; i < n; i++) o[i] = x[i] > 0 ? 7 : 9; }"
    )
    program = cover(summary, fragment, tensor.driver, "numpy")
    assert operators(program) == ["where", "greater", "scalar"]


def test_reals_and_integers_are_told_apart() -> None:
    dsl = Driver("reals", targets=(Target("toy"),))

    @dsl.elementwise()
    def half(a: Real) -> Real:
        return a / 2

    assert dsl.operators["half"].spelling("toy") == "half({a})"

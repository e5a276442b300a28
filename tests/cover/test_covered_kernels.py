"""C kernels covered by the tensor driver: which operators, and that the program computes the summary."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from drivers.tensor import driver
from metalift.frontend import Module, compile_source, functions_of, import_function
from metalift.ir.interp.interpret import SourceUndefined, evaluate
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.ir.wellformed.check_summary import check_program
from metalift.synth.cover import cover
from metalift.synth.derive import derive
from tests.cover.evaluation import close, computed, inputs, operators, summarised

SOURCE = Path(__file__).parent / "kernels.c"
RUNS = 12

# The operators for PyTorch, from the outside in, one program after the other in the file.
EXPECTED = {
    "dot": "dot",
    "sum": "total",
    "sum_from": "add total",
    "mean_square": "dot div",
    "difference_norm": "norm sub",
    "product": "product cast",
    "greatest": "greatest",
    "least_from": "clamp_max least",
    "count_above": "count greater",
    "sum_above": "total where greater",
    "checksum": "wrapping_total",
    "moments": "sub div dot mul mean mean mean",
    "total": "total_2d",
    "axpy": "add mul",
    "blend": "cast quotient add mul cast mul sub cast",
    "burn": "where equal cast sub quotient sub cast clamp_min cast",
    "burn_int": "where equal sub truncated_quotient sub where equal",
    "darken": "minimum",
    "saturate": "cast clamp",
    "threshold": "where greater cast scalar",
    "rotate_bits": "cast bit_or shift_right cast shift_left bit_and cast",
    "gray": "cast shift_right add add mul cast mul cast mul cast",
    "negate_saturated": "where equal neg",  # what is not chosen would wrap
    "shift_up": "shift_left_by",
    "remainders": "truncated_remainder",
    "half_sum": "cast total where greater mul cast",
    "parity_of_floor": "tensor.floor where equal truncated_remainder scalar scalar neg",
    "magnitudes": "absolute",
    "peak": "greatest absolute",
    "relu": "relu",
    "silu": "sigmoid_linear_unit",
    "ramp": "add mul arange",
    "fill": "",
    "reverse": "",
    "every_other": "",
    "strided": "",
    "look_up": "take cast",
    "smooth": "add add mul mul mul",
    "clear_odd": "where equal truncated_remainder",
    "gemv": "mv",
    "gemv_lda": "mv",
    "gemv_transposed": "vm",
    "gemm": "add mul mm mul",
    "outer": "outer",
    "add_bias": "add",
    "transpose": "",
    "row_sums": "total_2d_axis1",
    "rmsnorm": "rms_norm",
    "softmax": "softmax",
    "layer_norm": "layer_norm",
    "attention": "div mv tensor.sqrt",
    "swap": "",
    "differences": "sub",
    "edges": "mul add",
    "alternate": "where equal floor_remainder arange neg",
    "prefix_sums": "running_totals",
    "arg_max": "argmax",
    "any_negative": "any_flag less",
    "unsigned_minimum": "cast minimum cast cast",
    "rotary": "sub mul mul add mul mul",
    "convolve": "vm",
    "sum_of_squares": "dot arange_from arange_from",
    "scale_then_shift": "mul add mul",
}
FUNCTIONS = (*EXPECTED, "guarded_quotient", "fused")


@cache
def module() -> Module:
    """The kernels, compiled once."""
    return compile_source(SOURCE)


@cache
def summary_of(name: str) -> tuple[Fragment, Summary]:
    """A kernel's fragment and summary."""
    fragment = import_function(module(), name)
    return fragment, derive(fragment)


@cache
def covered(name: str, target: str) -> TargetProgram:
    """A kernel's program."""
    fragment, summary = summary_of(name)
    return cover(summary, fragment, driver, target)


def test_every_kernel_of_the_file_is_tested() -> None:
    assert {name for name, _ in functions_of(module())} == set(FUNCTIONS)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_expected_operators_are_chosen(name: str) -> None:
    assert " ".join(operators(covered(name, "pytorch"))) == EXPECTED[name]


@pytest.mark.parametrize("target", ["numpy", "pytorch"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_program_computes_the_summary(name: str, target: str) -> None:
    fragment, summary = summary_of(name)
    program = covered(name, target)
    check_program(program, fragment, summary)
    compared = 0
    for seed in range(RUNS):
        env = inputs(fragment, seed)
        if not all(evaluate(condition, env) for condition in program.requires):
            continue
        try:
            wanted = summarised(summary, env)
        except SourceUndefined:  # an input on which the source itself is undefined
            continue
        found = computed(program, driver, env)
        assert wanted.keys() == found.keys()
        assert all(close(wanted[key], found[key]) for key in wanted), seed
        compared += 1
    assert compared >= RUNS // 3


@pytest.mark.parametrize("target", ["numpy", "pytorch"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_only_operators_with_a_spelling_are_used(name: str, target: str) -> None:
    for used in operators(covered(name, target)):
        operator = driver.operators[used]
        assert operator.spelling(target) is not None or operator.spelling(target, on_numbers=True) is not None

"""Faults in calls of Gemmini's library are refuted by proof; faults in their text, when it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metalift import lift
from metalift.ir.expr.nodes import Build, Call, Expr, Select, integer
from metalift.ir.expr.walk import substitute
from metalift.prove.solver import SolverPool
from tests.gemmini.calls import Made, made
from tests.support.generated import load_function
from tests.support.lazily import Each

SECONDS = 4.0
ROOT = Path(__file__).parents[2]
SUITE = ROOT / "benchmarks" / "int8"
RUNNER = ROOT / "drivers" / "gemmini" / "runner.py"
KERNELS = ("matmul", "matmul_full", "gemm", "linear_relu", "matvec", "residual_add", "residual_relu", "average")
Fault = Callable[[Call], Expr]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    folder = tmp_path_factory.mktemp("sources")
    return Each(lambda name: made((SUITE / f"{name}.c").read_text(encoding="utf-8"), folder))


def number(position: int, value: int) -> Fault:
    """Another number: a scale, an activation."""
    return lambda call: replace(call, args=(*call.args[:position], integer(value), *call.args[position + 1 :]))


def exchanged(call: Call) -> Expr:
    """The operands in the other order."""
    return replace(call, args=(call.args[1], call.args[0], *call.args[2:]))


def turned(which: int) -> Fault:
    """A matrix is read along its columns: strides are swapped."""

    def fault(call: Call) -> Expr:
        view = call.args[which]
        assert isinstance(view, Build)
        row, column = view.binders
        body = substitute(view.body, {row: column, column: row})
        return replace(call, args=(*call.args[:which], replace(view, body=body), *call.args[which + 1 :]))

    return fault


def shorter(call: Call) -> Expr:
    """The last of what is summed is left out: a remainder is dropped."""
    a, b = call.args[:2]
    assert isinstance(a, Build) and isinstance(b, Build)
    less = integer(15)
    a = replace(a, extents=(a.extents[0], less))
    return replace(call, args=(a, replace(b, extents=(less, b.extents[1])), *call.args[2:]))


def wider(call: Call) -> Expr:
    """Each row of the bias is one element further."""
    bias = call.args[2]
    assert isinstance(bias, Build) and isinstance(bias.body, Select)
    body = substitute(bias.body, {bias.binders[1]: bias.binders[0]})
    return replace(call, args=(*call.args[:2], replace(bias, body=body), *call.args[3:]))


def without_bias(call: Call) -> Expr:
    """What was in the result is overwritten, not added to."""
    return Call(call.function.replace("_bias", ""), (*call.args[:2], *call.args[3:]), call.type)


def with_relu(call: Call) -> Expr:
    """A relu that the source has not."""
    return replace(call, args=(*call.args[:-3], integer(1), *call.args[-2:]))


FAULTS: dict[str, tuple[str, Fault]] = {
    "matmul: half the scale": ("matmul", number(4, 1)),
    "matmul: twice the scale": ("matmul", number(3, 2)),
    "matmul: operands exchanged": ("matmul", exchanged),
    "matmul: strides of a swapped": ("matmul", turned(0)),
    "matmul: strides of b swapped": ("matmul", turned(1)),
    "matmul: relu": ("matmul", with_relu),
    "matmul: remainder dropped": ("matmul", shorter),
    "matmul_full: operands exchanged": ("matmul_full", exchanged),
    "matmul_full: strides swapped": ("matmul_full", turned(1)),
    "gemm: overwrites instead of accumulating": ("gemm", without_bias),
    "gemm: strides of c swapped": ("gemm", turned(2)),
    "gemm: remainder dropped": ("gemm", shorter),
    "linear_relu: no bias": ("linear_relu", without_bias),
    "linear_relu: bias by rows": ("linear_relu", wider),
    "linear_relu: no relu": ("linear_relu", number(3, 0)),
    "linear_relu: another shift": ("linear_relu", number(5, 7)),
    "linear_relu: weights not transposed": ("linear_relu", turned(1)),
    "matvec: another shift": ("matvec", number(4, 5)),
    "matvec: relu": ("matvec", with_relu),
    "residual_add: half the scale": ("residual_add", number(8, 1)),
    "residual_add: one input is not added": ("residual_add", number(4, 0)),
    "residual_add: subtracted": ("residual_add", number(4, -1)),
    "residual_add: relu": ("residual_add", number(6, 1)),
    "residual_relu: no relu": ("residual_relu", number(6, 0)),
    "residual_relu: inputs exchanged": ("residual_relu", exchanged),
    "residual_relu: doubled after the sum": (
        "residual_relu",
        lambda call: replace(call, args=(*call.args[:4], integer(1), integer(0), integer(1), integer(2), integer(0))),
    ),
    "average: each half rounded by itself": (
        "average",
        lambda call: replace(call, args=(*call.args[:2], *map(integer, (1, 1, 1, 1, 0, 1, 0)))),
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_calls_without_a_fault_are_proved(name: str, kernels: dict[str, Made], pool: SolverPool) -> None:
    assert kernels[name].proved(kernels[name].program, pool, 30.0)


@pytest.mark.quick(
    "matmul: remainder dropped", "gemm: overwrites instead of accumulating", "linear_relu: no bias", "residual_add: subtracted"
)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_not_proved(fault: str, kernels: dict[str, Made], pool: SolverPool) -> None:
    name, change = FAULTS[fault]
    kernel = kernels[name]
    other = kernel.calling(change(kernel.call))
    assert other != kernel.program
    assert not kernel.proved(other, pool, SECONDS)


HEAD = "#include <stdint.h>\n"
LOOP = HEAD + "void f(int8_t *o, const int8_t *a, const int8_t *b, int n) {{ for (int i = 0; i < n; i++) {} }}"
SUMS = HEAD + """void f(int8_t *c, const int8_t *a, const int8_t *b, int m, int n, int k) {{
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {{
        int32_t s = 0; for (int l = 0; l < k; l++) s += a[i * k + l] * b[l * n + j]; {} }} }}"""
CLAMPED = "c[i * n + j] = s > 127 ? 127 : s < -128 ? -128 : s;"
OTHERS = {  # what the library computes differently
    "a sum that wraps": LOOP.format("o[i] = (int8_t)(a[i] + b[i]);"),
    "a sum that saturates below only": LOOP.format("{ int v = a[i] + b[i]; o[i] = v < -128 ? -128 : v; }"),
    "a saturated difference: -(-128) is 127": LOOP.format(
        "{ int v = a[i] - b[i]; o[i] = v > 127 ? 127 : v < -128 ? -128 : v; }"
    ),
    "a mean that is rounded down": LOOP.format("o[i] = (a[i] + b[i]) >> 1;"),
    "a mean that is rounded to zero": LOOP.format("o[i] = (a[i] + b[i]) / 2;"),
    "a mean that is rounded up": LOOP.format("o[i] = (a[i] + b[i] + 1) >> 1;"),
    "a minimum": LOOP.format("o[i] = a[i] < b[i] ? a[i] : b[i];"),
    "a product of elements": LOOP.format("{ int v = a[i] * b[i]; o[i] = v > 127 ? 127 : v < -128 ? -128 : v; }"),
    "a matrix product that wraps": SUMS.format("c[i * n + j] = (int8_t)s;"),
    "a matrix product that is rounded down": SUMS.format("s >>= 4; " + CLAMPED),
    "a matrix product that is rounded half up": SUMS.format("s = (s + 8) >> 4; " + CLAMPED),
    "a matrix product in 16 bits": SUMS.replace("int32_t s", "int16_t s").format(CLAMPED),
    "a matrix product that saturates to 7 bits": SUMS.format("c[i * n + j] = s > 63 ? 63 : s < -64 ? -64 : s;"),
    "elements that another one overwrites": LOOP.format(
        "{ int v = a[i] + a[i + 1]; o[i] = v > 127 ? 127 : v < -128 ? -128 : v; }"
    ),
    "unsigned elements": LOOP.replace("int8_t", "uint8_t").format("{ int v = a[i] + b[i]; o[i] = v > 255 ? 255 : v; }"),
}


@pytest.mark.quick("a sum that wraps", "a mean that is rounded down", "a matrix product that is rounded down")
@pytest.mark.parametrize("name", OTHERS)
def test_what_the_library_computes_differently_is_not_lifted(name: str, tmp_path: Path) -> None:
    source = tmp_path / "source.c"
    source.write_text(OTHERS[name], encoding="utf-8")
    (function,) = lift(source, to=("gemmini",), driver="gemmini", out=tmp_path / "out").functions
    assert function.verdict.value in ("NOT_LIFTED", "UNSUPPORTED"), function
    assert not list((tmp_path / "out").glob("gemmini/*"))


TEXT = {  # what stands in the text of `linear_relu`, and what a fault makes of it
    "scale": ("1.0f / 256.0f", "1.0f / 128.0f"),
    "activation": ("RELU,", "NO_ACTIVATION,"),
    "strides": ("inputs, inputs, outputs, outputs,", "inputs, outputs, outputs, outputs,"),
    "transposition": ("false, true, /* transposed */", "false, false, /* transposed */"),
    "bias by rows": ("0, true, /* one bias", "0, false, /* one bias"),
    "bias": ("x, w, bias, y,", "x, w, NULL, y,"),
    "dimensions": ("tiled_matmul_auto(rows, outputs, inputs,", "tiled_matmul_auto(rows, outputs, inputs - 1,"),
    "operands": ("x, w, bias, y,", "w, x, bias, y,"),
    "32-bit result": ("false, false, 0, WS", "true, false, 0, WS"),
}


@pytest.mark.quick()
def test_faults_in_the_text_are_seen_when_it_is_run(tmp_path: Path) -> None:
    (function,) = lift(SUITE / "linear_relu.c", functions=["linear_relu"], to=("gemmini",), out=tmp_path).functions
    path = Path(function.targets["gemmini"].file or "")
    text, load = path.read_text(encoding="utf-8"), load_function(RUNNER, "load")
    random = np.random.default_rng(1)
    rows, outputs, inputs = 5, 19, 33
    x, w = (random.integers(-128, 128, size, dtype=np.int8) for size in (rows * inputs, outputs * inputs))
    bias = random.integers(-20000, 20000, outputs, dtype=np.int32)
    sums = x.reshape(rows, inputs).astype(int) @ w.reshape(outputs, inputs).T.astype(int) + bias
    wanted = np.clip(np.rint(sums / 256), 0, 127).astype(np.int8).ravel()

    def result() -> object:
        y = np.zeros(rows * outputs, np.int8)
        try:
            return load(str(path), "linear_relu")(y, x, w, bias, rows, outputs, inputs).tolist()
        except ValueError as refused:
            return str(refused)

    assert result() == wanted.tolist()
    for fault, (right, wrong) in TEXT.items():
        assert text.count(right) == 1, fault
        path.write_text(text.replace(right, wrong), encoding="utf-8")
        assert result() != wanted.tolist(), fault

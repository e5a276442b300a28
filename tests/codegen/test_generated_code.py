"""Code written for programs made by hand: its text, what it computes against the interpreter, and what it may not hold."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import pytest

from drivers.tensor import driver
from metalift.codegen import generate
from metalift.driver.expansion import expand
from metalift.ir.expr.nodes import Build, Expr, Select
from metalift.ir.expr.types import DOUBLE, FLOAT, UINT8, RealType, ScalarType, TensorType
from metalift.ir.interp.interpret import FLOATS, Tensor, Value, evaluate
from tests.codegen.programs import CASES, Case
from tests.support.lazily import module
from tests.support.tensor_code import forbidden

torch = module("torch")

GOLDEN = Path(__file__).parent / "golden"
LIBRARIES = ("numpy", "pytorch")
DTYPES: dict[ScalarType, Any] = {FLOAT: np.float32, DOUBLE: np.float64, UINT8: np.uint8}
case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
library = pytest.mark.parametrize("library", LIBRARIES)


def load(text: str) -> Callable[..., Any]:
    """The function of a generated file: the last that it defines."""
    scope: dict[str, Any] = {}
    exec(compile(text, "generated.py", "exec"), scope)
    functions = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    found: Callable[..., Any] = scope[functions[-1]]
    return found


def numbers(element: ScalarType, count: int, seed: int) -> np.ndarray[Any, Any]:
    """Array contents."""
    generator = np.random.default_rng(seed)
    if isinstance(element, RealType):
        return generator.uniform(-2, 2, count).astype(DTYPES[element])
    return generator.integers(0, 256, count).astype(DTYPES.get(element, np.int32))


def sizes(case: Case, base: int) -> dict[str, int | float]:
    """Values of the scalar parameters: the first size is `base`, a leading dimension is larger than the width."""
    found: dict[str, int | float] = {}
    for param in case.params:
        if not isinstance(param.var.type, TensorType):
            isfloat = isinstance(param.var.type, RealType)
            found[param.var.name] = 1.5 if isfloat else 2 if param.var.name == "step" else base + len(found)
    return found


def arguments(case: Case, base: int, spare: int) -> dict[str, Any]:
    """An argument for each parameter; arrays have `spare` more elements than the source touches."""
    scalars = sizes(case, base)
    result: dict[str, Any] = {}
    for seed, param in enumerate(case.params):
        var = param.var
        if not isinstance(var.type, TensorType):
            result[var.name] = scalars[var.name]
            continue
        needed = dict(case.extents).get(var.name)
        count = _size(needed, scalars) if needed is not None else 3 * base + 1
        result[var.name] = numbers(var.type.element, max(count, 0) + spare, seed)
    return result


def expected(case: Case, given: dict[str, Any]) -> tuple[Any, dict[str, np.ndarray[Any, Any]]]:
    """What the program means, by the interpreter: the result and the arrays afterwards."""
    env: dict[str, Any] = {}
    for name, value in given.items():
        plain = [Fraction(float(each)) if value.dtype.kind == "f" else int(each) for each in value] if _is_array(value) else value
        env[name] = Fraction(plain) if isinstance(plain, float) else plain
    for let in case.program.lets:
        env[let.var.name] = _value(let.value, env)
    values = [_value(write.value, env) for write in case.program.writes]
    result = None if case.program.result is None else _value(case.program.result, env)
    arrays = {name: value.copy() for name, value in given.items() if _is_array(value)}
    for write, value in zip(case.program.writes, values, strict=True):
        window = write.window
        assert isinstance(window, Build) and isinstance(window.body, Select)
        cells = evaluate(Build(window.extents, window.binders, window.body.indices[0]), env)
        for cell, element in zip(_flat(cells), _flat(value), strict=True):
            arrays[write.array.name][int(cell)] = element
    return result, arrays


def _size(expr: Expr, scalars: Mapping[str, int | float]) -> int:
    value = evaluate(expr, dict(scalars))
    assert isinstance(value, int)
    return value


def _value(expr: Expr, env: dict[str, Any]) -> Value:
    return evaluate(expand(expr, driver), env, reals=FLOATS)


def _is_array(value: object) -> TypeGuard[np.ndarray[Any, Any]]:
    return isinstance(value, np.ndarray)


def _flat(value: object) -> list[Any]:
    if isinstance(value, Tensor):
        return value.cells
    if isinstance(value, list):
        return [each for part in value for each in _flat(part)]
    return [value]


def call(function: Callable[..., Any], given: dict[str, Any], library: str) -> tuple[Any, dict[str, Any]]:
    """Runs the code; the result, and the arrays afterwards."""
    own = {name: value.copy() if _is_array(value) else value for name, value in given.items()}
    if library == "pytorch":
        own = {name: torch.from_numpy(value) if _is_array(value) else value for name, value in own.items()}
    result = function(*own.values())
    return result, {name: value for name, value in own.items() if _is_array(value) or isinstance(value, torch.Tensor)}


@case
@library
def test_text(case: Case, library: str) -> None:
    text = generate(case.request_for(library)).text
    assert text == (GOLDEN / f"{case.name}_{library}.txt").read_text(encoding="utf-8")
    assert forbidden(text) == []


@case
@library
@pytest.mark.parametrize(("base", "spare"), [(1, 0), (2, 0), (3, 2), (17, 5), (0, 0), (0, 3)])
def test_values(case: Case, library: str, base: int, spare: int) -> None:
    given = arguments(case, max(base, case.least), spare)
    function = load(generate(case.request_for(library)).text)
    result, arrays = call(function, given, library)
    wanted, wanted_arrays = expected(case, given)
    for name, array in wanted_arrays.items():
        np.testing.assert_allclose(np.asarray(arrays[name]), array, rtol=2e-5, atol=1e-6, err_msg=name)
        assert np.asarray(arrays[name]).dtype == array.dtype
    outputs = result if isinstance(result, tuple) else (result,)
    if wanted is not None:
        np.testing.assert_allclose(np.asarray(outputs[0]), float(wanted), rtol=2e-5)
        outputs = outputs[1:]
    written = [param.var.name for param in case.params if param.var.name in {w.array.name for w in case.program.writes}]
    assert [id(output) for output in outputs] == [id(arrays[name]) for name in written]


@pytest.mark.quick(every=2)
@case
@library
def test_text_is_clean(case: Case, library: str, tmp_path: Path) -> None:
    path = tmp_path / "generated.py"
    path.write_text(generate(case.request_for(library)).text, encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    rules = ["--select", "E,F,W,I,B,UP,SIM,C4,PIE,RET", "--ignore", "RET504", "--line-length", "120"]
    check = subprocess.run([*ruff, "check", "--isolated", *rules, str(path)], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout
    layout = ["format", "--isolated", "--line-length", "100", "--diff", str(path)]
    laid_out = subprocess.run([*ruff, *layout], capture_output=True, text=True, check=False)
    assert laid_out.returncode == 0, laid_out.stdout

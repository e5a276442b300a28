"""Kernels from source files: their fragments as text, and run by the interpreter against native code.

METALIFT_GOLDEN=write writes the golden files anew.
"""

from __future__ import annotations

import ctypes
import math
import os
import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, SupportsFloat

import pytest

from metalift.frontend import Module, compile_source, functions, import_function
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.ir.expr.types import BoolType, MachineInt, RealType, TensorType, Type
from metalift.ir.interp.interpret import AssumeViolated, SourceUndefined, Value, run
from metalift.ir.program.fragment import Fragment, Param, ParamKind
from metalift.ir.text import show_fragment
from metalift.ir.wellformed.check_fragment import check_fragment
from tests.support.compiled import shared_library

FOLDER = Path(__file__).parent
KERNELS = (
    "rmsnorm softmax matmul dot_bump sum_range color_burn blend first_match any_pair histogram checksum mixed clampf clamp_all "
    "kind checked span scale_rows polynomial wrapped unrolled without_total with_total"
).split()
VECTORS = (
    "pairwise_max scaled filled positives until_zero by_value reversed copied through_helper from_range total ends"
).split()
CELLS = 24  # of each array


@cache
def compiled(name: str, plugin: str) -> Module:
    """A source of this folder; `plugin` is the fixture's."""
    module = compile_source(FOLDER / "sources" / name)
    assert (module.without_plugin == "") == (plugin == "plugin"), module.without_plugin
    return module


@pytest.mark.parametrize("source", ["kernels.c", "vectors.cc"])
def test_golden(source: str, plugin: str) -> None:
    if source == "vectors.cc" and find_clang().zig:
        pytest.skip("zig's standard library has other blocks")
    module = compiled(source, plugin)
    wanted = KERNELS if source == "kernels.c" else VECTORS
    texts = []
    for name, _, _ in functions(module):
        if name in wanted:
            fragment = import_function(module, name)
            check_fragment(fragment)
            texts.append(show_fragment(fragment))
    text = "\n\n".join(texts).replace(str(FOLDER / "sources"), "sources") + "\n"
    golden = FOLDER / "golden" / f"{source}.{plugin.replace(' ', '-')}.txt"
    if os.environ.get("METALIFT_GOLDEN") == "write":
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def native_kernels(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """kernels.c compiled, with its static function exported."""
    return shared_library(FOLDER / "sources" / "kernels.c", tmp_path_factory.mktemp("native"), "-Dstatic=")


@pytest.fixture(scope="module")
def native_vectors(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """vectors.cc compiled."""
    return shared_library(FOLDER / "sources" / "vectors.cc", tmp_path_factory.mktemp("native"))


def c_type(type_: Type) -> Callable[..., object]:
    """The ctypes type of a scalar."""
    if isinstance(type_, BoolType):
        return ctypes.c_bool
    if isinstance(type_, RealType):
        return ctypes.c_float if type_.bits == 32 else ctypes.c_double
    assert isinstance(type_, MachineInt)
    found: Callable[..., object] = getattr(ctypes, f"c_{'' if type_.signed else 'u'}int{type_.bits}")
    return found


def random_scalar(source: random.Random, type_: Type) -> Value:
    """A value that is often small."""
    if isinstance(type_, BoolType):
        return source.random() < 0.4
    if isinstance(type_, RealType):
        return Fraction(source.randint(-40, 40), 16)
    assert isinstance(type_, MachineInt)
    small = source.randint(max(type_.low, -4), min(type_.high, 9))
    return small if source.random() < 0.8 else source.randint(max(type_.low, -40000), min(type_.high, 40000))


def random_argument(source: random.Random, param: Param) -> Value:
    """An argument; an array has more cells than any kernel reads."""
    type_ = param.var.type
    if isinstance(type_, TensorType):
        return [random_scalar(source, type_.element) for _ in range(CELLS)]
    return random_scalar(source, type_)


def call_native(library: ctypes.CDLL, fragment: Fragment, args: dict[str, Value]) -> tuple[object, dict[str, list[object]]]:
    """The result and the final contents of the arrays."""
    passed: list[object] = []
    arrays: dict[str, Any] = {}  # ctypes arrays
    for param in fragment.params:
        value, type_ = args[param.var.name], param.var.type
        if isinstance(type_, TensorType):
            assert isinstance(value, list)
            cells = [float(cell) if isinstance(cell, Fraction) else cell for cell in value]
            cell_type: Any = c_type(type_.element)
            arrays[param.var.name] = (cell_type * len(cells))(*cells)
            passed.append(arrays[param.var.name])
        else:
            passed.append(c_type(type_)(float(value) if isinstance(value, Fraction) else value))
    function = getattr(library, fragment.symbol)
    function.restype = None if fragment.result is None else c_type(fragment.result)
    result = function(*passed)
    return result, {name: list(array) for name, array in arrays.items()}


def agrees(read: object, native: object) -> bool:
    """Equality, of floats up to rounding."""
    if isinstance(native, float):
        assert isinstance(read, SupportsFloat)
        return math.isclose(float(read), native, rel_tol=2e-5, abs_tol=1e-5)
    return read == native


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_does_what_native_code_does(name: str, native_kernels: ctypes.CDLL, plugin: str) -> None:
    fragment = import_function(compiled("kernels.c", plugin), name)
    source = random.Random(name)
    compared = 0
    for _ in range(300):
        args = {param.var.name: random_argument(source, param) for param in fragment.params}
        try:
            outcome = run(fragment, args, max_steps=5000)
        except (SourceUndefined, AssumeViolated):
            continue
        result, arrays = call_native(native_kernels, fragment, args)
        assert fragment.result is None or agrees(outcome.result, result), (args, outcome.result, result)
        for array, cells in arrays.items():
            found = outcome.arrays[array]
            assert isinstance(found, list) and all(map(agrees, found, cells)), (args, array)
        compared += 1
        if compared == 40:
            break
    assert compared >= 20


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_do_what_native_code_does(name: str, native_vectors: ctypes.CDLL, plugin: str) -> None:
    fragment = import_function(compiled("vectors.cc", plugin), name)
    function = getattr(native_vectors, f"native_{name}")
    source = random.Random(name)
    compared = 0
    for length in (0, 1, 2, 3, 5, 8, 13, 20):
        for _ in range(4):
            cells = [source.randint(-3, 3) if source.random() < 0.5 else source.randint(-(10**9), 10**9) for _ in range(length)]
            scalar = source.choice([0, 1, -1, 7, 300, -300])
            out = (ctypes.c_int * (length + 8))()
            args: dict[str, Value] = {fragment.params[0].var.name: list(cells)}
            second = fragment.params[1]
            args[second.var.name] = [scalar] * (length // 2) if second.kind is ParamKind.VECTOR else scalar
            try:
                outcome = run(fragment, args, max_steps=5000)
            except (SourceUndefined, AssumeViolated):
                continue
            result = function((ctypes.c_int * length)(*cells), length, scalar, out)
            read = outcome.result
            assert (read == result) if not isinstance(fragment.result, TensorType) else (read == list(out[:result])), args
            compared += 1
    assert compared >= 20

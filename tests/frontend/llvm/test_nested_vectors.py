"""Vectors of vectors: what the front end reads, run by the interpreter, does what the compiled source does."""

from __future__ import annotations

import ctypes
import math
import os
import random
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import SupportsFloat

import pytest

from metalift.frontend import Module, compile_source, import_function
from metalift.ir.expr.types import MachineInt, RealType, ScalarType, TensorType, Type, show_type
from metalift.ir.interp.execute import Outcome
from metalift.ir.interp.interpret import AssumeViolated, LimitExceeded, SourceUndefined, run
from metalift.ir.interp.values import CheckViolated, Tensor, Value
from metalift.ir.program.fragment import Check, Fragment, ParamKind
from metalift.ir.wellformed.check_fragment import check_fragment
from tests.support.compiled import nested, numbers, shared_library

SOURCE = Path(__file__).parent / "sources" / "nested.cc"
KERNELS = (
    "blend_add screen_8 matmul_ijk matmul_ikj matmul_rows transpose_sized transpose_pushed outer row_sums column_sums "
    "total trace double_all add_to softmax_rows normalise_rows stencil max_pool gray batch_add cube matvec scale_rows "
    "copied assigned reused flipped mirrored padded cropped swap_rows identity flattened reshaped lookups emplaced "
    "listed ping_pong backwards part ragged "
    "tabled filtered sorted_by_sign paired blur joined stacked doubled"
).split()
ROWS_NEEDED = frozenset(  # these read a[0], or rows that the caller names
    "blend_add screen_8 matmul_ijk matmul_ikj matmul_rows transpose_sized transpose_pushed column_sums trace add_to softmax_rows "
    "stencil max_pool gray copied mirrored padded cropped swap_rows lookups emplaced filtered blur".split()
)
CELLS_NEEDED = frozenset({"swap_rows", "lookups", "part"})
C_NAMES = {"i32": "int", "u8": "uint8_t", "f32": "float", "f64": "double"}
FORMATS = """
template <class T> struct Format {
  static T read(const double *&in) { return (T)*in++; }
  static void write(double *&out, T value) { *out++ = value; }
};
template <class T> struct Format<std::vector<T>> {
  static std::vector<T> read(const double *&in) {
    std::vector<T> found((size_t)*in++);
    for (T &item : found) item = Format<T>::read(in);
    return found;
  }
  static void write(double *&out, const std::vector<T> &items) {
    *out++ = items.size();
    for (const T &item : items) Format<T>::write(out, item);
  }
};
"""


@cache
def compiled(plugin: str) -> Module:
    """The kernels; `plugin` tells apart what is compiled with other settings."""
    module = compile_source(SOURCE)
    used = plugin == "plugin" and os.environ.get("METALIFT_PLUGIN") != "none"
    assert (module.without_plugin == "") == used, module.without_plugin
    return module


def spelled(type_: Type) -> str:
    """A type in C++."""
    if isinstance(type_, TensorType):
        return "std::vector<" * type_.rank + C_NAMES[show_type(type_.element)] + ">" * type_.rank
    return C_NAMES[show_type(type_)]


def caller(fragment: Fragment) -> str:
    """A function that reads the arguments from doubles and writes the result and what references refer to as doubles."""
    lines = [f'extern "C" void call_{fragment.name}(const double *from_, double *to_) {{']
    lines += [f"{spelled(p.var.type)} {p.var.name} = Format<{spelled(p.var.type)}>::read(from_);" for p in fragment.params]
    call = f"{fragment.name}({', '.join(param.var.name for param in fragment.params)})"
    lines.append(f"{call};" if fragment.result is None else f"Format<{spelled(fragment.result)}>::write(to_, {call});")
    for param in fragment.params:
        if param.kind is ParamKind.VECTOR_REF:
            lines.append(f"Format<{spelled(param.var.type)}>::write(to_, {param.var.name});")
    return "\n".join([*lines, "}"])


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The kernels compiled, with a caller for each."""
    folder = tmp_path_factory.mktemp("nested")
    module = compiled("plugin")
    callers = "\n".join(caller(import_function(module, name)) for name in KERNELS)
    (folder / "callers.cc").write_text(f'#include "{SOURCE}"\n{FORMATS}{callers}\n', encoding="utf-8")
    return shared_library(folder / "callers.cc", folder)


def scalar(source: random.Random, type_: ScalarType) -> Value:
    """A number, often a small one."""
    if isinstance(type_, RealType):
        return Fraction(source.randint(-40, 40), 16)
    assert isinstance(type_, MachineInt)
    if type_.bits == 8:
        return source.randint(type_.low, type_.high)
    return source.randint(-1, 4) if source.random() < 0.9 else source.randint(-50, 50)


def tensor(source: random.Random, type_: ScalarType, shape: list[int]) -> Value:
    """Nested lists of numbers."""
    if not shape:
        return scalar(source, type_)
    return [tensor(source, type_, shape[1:]) for _ in range(shape[0])]


def arguments(source: random.Random, fragment: Fragment) -> dict[str, Value]:
    """Arguments whose shapes often fit together."""
    square, sides = source.random() < 0.6, [source.choice([0, 1, 2, 2, 3, 3, 4]) for _ in range(4)]
    least_rows, least = int(fragment.name in ROWS_NEEDED), int(fragment.name in CELLS_NEEDED)
    made: dict[str, Value] = {}
    for number, param in enumerate(fragment.params):
        type_ = param.var.type
        if isinstance(type_, TensorType):
            first = 0 if square else number % 2
            shape = [max(least, sides[0] if square else sides[first + axis]) for axis in range(type_.rank)]
            shape[:-1] = [max(least_rows, extent) for extent in shape[:-1]]
            made[param.var.name] = tensor(source, type_.element, shape)
        else:
            assert isinstance(type_, MachineInt | RealType)
            made[param.var.name] = scalar(source, type_)
    return made


def agrees(read: object, seen: object) -> bool:
    """Equality, of floats up to rounding. A tensor without rows has no columns."""
    if isinstance(read, Tensor):
        read = read.nested()
    if isinstance(read, list):
        return isinstance(seen, list) and len(read) == len(seen) and all(map(agrees, read, seen))
    assert isinstance(read, SupportsFloat) and isinstance(seen, float)
    return math.isclose(float(read), seen, rel_tol=2e-5, abs_tol=1e-5)


def observed(library: ctypes.CDLL, fragment: Fragment, args: dict[str, Value]) -> list[object]:
    """The result, if there is one, and what the references refer to after the native call."""
    given = [number for param in fragment.params for number in numbers(args[param.var.name])]
    out = (ctypes.c_double * 4096)()
    getattr(library, f"call_{fragment.name}")((ctypes.c_double * max(1, len(given)))(*given), out)
    types = [fragment.result] if fragment.result is not None else []
    types += [param.var.type for param in fragment.params if param.kind is ParamKind.VECTOR_REF]
    cells = iter(out)
    return [nested(type_.rank if isinstance(type_, TensorType) else 0, cells) for type_ in types]


def expected(fragment: Fragment, outcome: Outcome) -> list[object]:
    """The same of a run by the interpreter."""
    arrays: list[object] = [outcome.arrays[param.var.name] for param in fragment.params if param.kind is ParamKind.VECTOR_REF]
    return arrays if fragment.result is None else [outcome.result, *arrays]


@pytest.mark.quick(every=5)
@pytest.mark.parametrize("plugin", ["plugin", "no plugin"])
@pytest.mark.parametrize("name", KERNELS)
def test_does_what_native_code_does(name: str, native: ctypes.CDLL, plugin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if plugin == "no plugin":
        monkeypatch.setenv("METALIFT_PLUGIN", "none")
    fragment = import_function(compiled(plugin), name)
    check_fragment(fragment)
    source = random.Random(name)
    compared = irregular = 0
    for _ in range(60):
        args = arguments(source, fragment)
        try:
            outcome = run(fragment, args, max_steps=20_000)
        except (SourceUndefined, AssumeViolated, LimitExceeded):
            continue
        except CheckViolated:
            irregular += 1
            continue
        assert all(map(agrees, expected(fragment, outcome), observed(native, fragment, args))), args
        compared += 1
    assert compared >= 5
    assert (irregular > 0) == (name in ("ragged", "stacked"))


def test_results_with_rows_are_checked() -> None:
    fragment = import_function(compiled("plugin"), "ragged")
    checks = [item for block in fragment.blocks for item in block.body if isinstance(item, Check)]
    assert [check.message for check in checks] == ["the rows of out have the same length"]


def test_rows_of_a_parameter_keep_their_length() -> None:
    fragment = import_function(compiled("plugin"), "swap_rows")
    checks = [item for block in fragment.blocks for item in block.body if isinstance(item, Check)]
    assert {check.message for check in checks} <= {"the length of a row of the parameter a stays as it is"}

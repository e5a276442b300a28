"""Structs, rows of pointers, local arrays and tables: kernels run by the interpreter against the compiled source."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from metalift.frontend import Module, compile_source, functions_of, import_function
from metalift.frontend.lower.infinities import PREMISE
from metalift.ir.expr.types import BoolType, MachineInt, RealType, TensorType, TupleType, Type
from metalift.ir.interp.interpret import AssumeViolated, LimitExceeded, SourceUndefined, Value, run
from metalift.ir.interp.values import Tensor
from metalift.ir.program.fragment import Assume, Diagnostic, Field, Fragment, Location, Param, ParamKind
from metalift.ir.wellformed.check_fragment import check_fragment
from metalift.run.workers.compiled import RANK
from metalift.run.workers.wrapper import wrapper_text
from tests.frontend.llvm.test_kernels import agrees, c_type
from tests.support.compiled import shared_library

SOURCE = Path(__file__).parent / "sources" / "data.c"
SIDE = 7  # cells along an axis of each array that has rows
CELLS = 60
HELPERS = {"get_pixel", "set_pixel", "scale_copy"}


@cache
def compiled(plugin: str) -> Module:
    """The kernels; `plugin` is the fixture's."""
    return compile_source(SOURCE)


KERNELS = [name for name, _ in functions_of(compile_source(SOURCE)) if name not in HELPERS]


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """All kernels, each behind the wrapper that makes it callable through flat pointers."""
    module = compile_source(SOURCE)
    parts = [f'#include "{SOURCE}"']
    for name in KERNELS:
        text = wrapper_text(import_function(module, name), cplusplus=False, checked=False)
        parts.append(text.replace("metalift_call", f"call_{name}").replace("metalift_invoke", f"invoke_{name}"))
    wrapper = tmp_path_factory.mktemp("native") / "wrapped.c"
    wrapper.write_text("\n".join(parts), encoding="utf-8")
    return shared_library(wrapper, wrapper.parent)


def scalar(source: random.Random, type_: Type) -> Value:
    """A small value: an extent, an index, a number of few bits."""
    match type_:
        case BoolType():
            return source.random() < 0.5
        case RealType():
            return Fraction(source.randint(-32, 32), 8)
        case MachineInt(bits, signed):
            return source.randint(0, 6) if bits > 8 else source.randint(-5 if signed else 0, 127 if signed else 255)
        case _:
            raise AssertionError(type_)


def argument(source: random.Random, param: Param) -> Value:
    """An argument with more cells than any kernel reads."""
    type_ = param.var.type
    return nested(source, type_, type_.rank) if isinstance(type_, TensorType) else scalar(source, type_)


def nested(source: random.Random, type_: TensorType, rank: int) -> Value:
    """An array, as nested lists."""
    count = SIDE if type_.rank > 1 else CELLS
    return [scalar(source, type_.element) if rank == 1 else nested(source, type_, rank - 1) for _ in range(count)]


class Passed:
    """The arguments of one call in memory."""

    def __init__(self) -> None:
        self.kept: list[Any] = []  # ctypes objects

    def put(self, value: Value, type_: Type) -> Any:  # noqa: ANN401 (a ctypes array)
        """What holds the value; a scalar is an array of one, and an array of several axes one of pointers."""
        if not isinstance(type_, TensorType):
            assert isinstance(type_, BoolType | MachineInt | RealType)
            return self.put([value], TensorType(type_))
        assert isinstance(value, list)
        if type_.rank > 1:
            rows = [self.put(row, TensorType(type_.element, type_.rank - 1)) for row in value]
            made: Any = (ctypes.c_void_p * len(rows))(*map(ctypes.addressof, rows))
        else:
            cells = [float(cell) if isinstance(cell, Fraction) else cell for cell in value]
            cell_type: Any = c_type(type_.element)
            made = (cell_type * len(cells))(*cells)
        self.kept.append(made)
        return made

    def get(self, made: ctypes.Array[Any], type_: Type) -> list[object]:
        """The contents of an array."""
        assert isinstance(type_, TensorType)
        if type_.rank == 1:
            return list(made)
        by_address = {ctypes.addressof(one): one for one in self.kept}
        return [self.get(by_address[address], TensorType(type_.element, type_.rank - 1)) for address in made]


def call(library: ctypes.CDLL, fragment: Fragment, args: Mapping[str, Value]) -> tuple[list[object], dict[str, list[object]]]:
    """The results and the final contents of the arrays."""
    passed = Passed()
    held = [passed.put(args[param.var.name], param.var.type) for param in fragment.params]
    items = fragment.result.items if isinstance(fragment.result, TupleType) else (fragment.result,) if fragment.result else ()
    results = [passed.put(0, item) for item in items]
    data = (ctypes.c_void_p * (len(held) + len(results) + 1))(*map(ctypes.addressof, (*held, *results)))
    lengths = (ctypes.c_int64 * (RANK * (len(held) + len(results) + 1)))()
    for position, param in enumerate(fragment.params):
        if isinstance(param.var.type, TensorType):
            count = SIDE if param.var.type.rank > 1 else CELLS
            lengths[RANK * position : RANK * position + param.var.type.rank] = [count] * param.var.type.rank
    getattr(library, f"call_{fragment.name}")(data, lengths)
    pairs = zip(fragment.params, held, strict=True)
    arrays = {param.var.name: passed.get(made, param.var.type) for param, made in pairs if param.kind is ParamKind.POINTER}
    return [result[0] for result in results], arrays


def flat(value: object) -> list[object]:
    """The cells of an array, row by row."""
    if isinstance(value, Tensor):
        return list(value.cells)
    return [cell for row in value for cell in flat(row)] if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", KERNELS)
def test_does_what_native_code_does(name: str, plugin: str, native: ctypes.CDLL) -> None:
    fragment = import_function(compiled(plugin), name)
    check_fragment(fragment)
    source = random.Random(name)
    compared = 0
    for _ in range(60):
        args = {param.var.name: argument(source, param) for param in fragment.params}
        try:
            outcome = run(fragment, args, max_steps=20000)
        except (SourceUndefined, AssumeViolated, LimitExceeded):
            continue
        results, arrays = call(native, fragment, args)
        read = outcome.result if isinstance(outcome.result, tuple) else () if outcome.result is None else (outcome.result,)
        assert len(read) == len(results)
        assert all(map(agrees, read, results)), (args, outcome.result, results)
        for array, cells in arrays.items():
            assert all(map(agrees, flat(outcome.arrays[array]), flat(cells))), (args, array)
        compared += 1
        if compared == 12:
            break
    assert compared >= 6


def test_fields_are_parameters_in_the_order_of_the_struct(plugin: str) -> None:
    params = import_function(compiled(plugin), "layer_forward").params
    assert [(param.var.name, param.kind, param.c_type, param.field) for param in params] == [
        ("l_shape_rows", ParamKind.VALUE, "int", Field("l", "const struct layer *", "->shape.rows")),
        ("l_shape_cols", ParamKind.VALUE, "int", Field("l", "const struct layer *", "->shape.cols")),
        ("l_bias", ParamKind.VALUE, "double", Field("l", "const struct layer *", "->bias")),
        ("l_weights", ParamKind.POINTER, "float[8]", Field("l", "const struct layer *", "->weights")),
        ("l_input", ParamKind.POINTER, "const float *", Field("l", "const struct layer *", "->input")),
        ("k", ParamKind.VALUE, "int", None),
    ]


def test_a_changed_field_is_an_array_of_one_element(plugin: str) -> None:
    params = import_function(compiled(plugin), "count_positive").params
    assert [(param.var.name, param.kind, param.embedded) for param in params] == [
        ("s_n", ParamKind.POINTER, True),
        ("s_values", ParamKind.POINTER, False),
    ]


@pytest.mark.parametrize(
    ("name", "premises"),
    [
        ("clear_pixels", ("nothing that is written overlaps im->w, im->h",)),
        ("tensor_matvec", ()),
        ("largest", (PREMISE,)),
    ],
)
def test_what_is_relied_on(name: str, premises: tuple[str, ...], plugin: str) -> None:
    assert tuple(premise.text for premise in import_function(compiled(plugin), name).premises) == premises


def test_pragmas_are_noted(plugin: str) -> None:
    fragment = import_function(compiled(plugin), "ignored")
    line = fragment.location.line + 1
    note = Diagnostic(Location(str(SOURCE), line, 1), "#pragma omp is ignored: the code is read as it runs without threads")
    assert fragment.notes == (note,)


def test_the_extents_of_variable_arrays_are_assumed_positive(plugin: str) -> None:
    body = import_function(compiled(plugin), "reverse").blocks[0].body
    origins = [item.origin for item in body if isinstance(item, Assume)]
    assert origins == ["the length of t is positive", "the size of a block copy is not negative"]

"""Algorithms, classes, templates and function objects of C++: what the front end reads does what the compiled source does."""

from __future__ import annotations

import ctypes
import math
import os
import random
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import SupportsFloat

import pytest

from metalift.frontend import compile_source, import_function, open_source
from metalift.frontend.llvm.compile.clang import Module
from metalift.frontend.llvm.source import functions
from metalift.ir.expr.types import DOUBLE, FLOAT, INT, INT32, BoolType, MachineInt, RealType, ScalarType, TensorType, TupleType
from metalift.ir.interp.execute import Outcome
from metalift.ir.interp.interpret import AssumeViolated, LimitExceeded, SourceUndefined, run
from metalift.ir.interp.values import Tensor, Value
from metalift.ir.program.fragment import Assume, Fragment, Param, ParamKind
from metalift.ir.wellformed.check_fragment import check_fragment
from tests.support.compiled import nested, numbers, shared_library
from tests.support.native import check_against_native

FOLDER = Path(__file__).parent / "sources"
ALGORITHMS = (
    "total total_pointer product product2 squares dot manhattan scale add squared multiply saxpy largest smallest position where "
    "largest_of least_of largest_by zeros fill_pointer fill_some fill_bytes copied copy_pointer copy_some copy_back positive "
    "counting counting_pointer each each_in_place equal_to above all_positive any_negative none_zero same prefix "
    "prefix_pointer differences swapped swap_vector reverse_it reverse_pointer reverse_copy clamped clamp_all math math_double "
    "math_power absolute limit limit_int norm mean softmax reduced transform_reduced replaced generated rows row_sums ends "
    "strided middle window sorted falling falling_bytes sorted_inside sorted_pointer"
).split()
CLASSES = (
    "Matrix::size Matrix::trace Matrix::scale Matrix::mean matrix_sum matrix_scale matvec gemm matrix_by_value Image::get "
    "Image::brightness invert image_sum made_here array_dot array_value array_scale array_sum array_fill smooth histogram fir "
    "sum_and_squares pair_mixed triple mean_and_more tied first_of stats variance tdot<float> uses_tsum uses_tdot apply_lambda "
    "nn::leaky nn::cubes apply_functor Op::operator() running accumulate_into Counter::add Counter::mean derived_total "
    "Derived::total tensor_sum tensor_add checked by_value caller_keeps transposed own_matrix filtered assigned logged "
    "Grid::total grid_total"
).split()
KERNELS = [("algorithms.cc", name) for name in ALGORITHMS] + [("classes.cc", name) for name in CLASSES]
LONG = 300  # cells of arrays, where no vector says how many there are
PRELUDE = """
#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>
template <class T> struct Format {
  static void read(T &to, const double *&in) { to = (T)*in++; }
  static void write(double *&out, T value) { *out++ = (double)value; }
};
template <class T> struct Format<std::vector<T>> {
  static void read(std::vector<T> &to, const double *&in) {
    to.resize((size_t)*in++);
    for (T &item : to) Format<T>::read(item, in);
  }
  static void write(double *&out, const std::vector<T> &items) {
    *out++ = items.size();
    for (const T &item : items) Format<T>::write(out, item);
  }
};
template <class T> void read_cells(T *to, size_t size, const double *&in) {
  size_t count = (size_t)*in++;
  for (size_t i = 0; i < count; i++, in++) if (i < size) to[i] = (T)*in;
}
template <class T> void write_cells(double *&out, const T *from, size_t size) {
  *out++ = size;
  for (size_t i = 0; i < size; i++) *out++ = (double)from[i];
}
template <class T, size_t N> struct Format<T[N]> {
  static void read(T (&to)[N], const double *&in) { read_cells(to, N, in); }
  static void write(double *&out, const T (&from)[N]) { write_cells(out, from, N); }
};
template <class T, size_t N> struct Format<std::array<T, N>> {
  static void read(std::array<T, N> &to, const double *&in) { read_cells(to.data(), N, in); }
  static void write(double *&out, const std::array<T, N> &from) { write_cells(out, from.data(), N); }
};
template <class T, size_t N, size_t M> struct Format<std::array<std::array<T, N>, M>> {
  static void read(std::array<std::array<T, N>, M> &to, const double *&in) { read_cells(to[0].data(), N * M, in); }
  static void write(double *&out, const std::array<std::array<T, N>, M> &from) { write_cells(out, from[0].data(), N * M); }
};
template <class T, class U> struct Format<std::pair<T, U>> {
  static void write(double *&out, const std::pair<T, U> &value) { *out++ = value.first; *out++ = value.second; }
};
template <class... T> struct Format<std::tuple<T...>> {
  static void write(double *&out, const std::tuple<T...> &value) {
    std::apply([&](auto... item) { ((*out++ = item), ...); }, value);
  }
};
template <class T> struct Format<T *> {
  static void read(T *&to, const double *&in) {
    size_t count = (size_t)*in++;
    auto *cells = new std::remove_const_t<T>[1000]();
    for (size_t i = 0; i < count; i++) cells[i] = (T)*in++;
    to = cells;
  }
  static void write(double *&out, T *from) { write_cells(out, from, LONG); }
};
template <class T> struct Blank {
  union { T value; };
  Blank() { memset((void *)this, 0, sizeof *this); }
  ~Blank() {}
};
"""
OWN = """
using namespace nn;
template <> struct Format<Stats> {
  static void write(double *&out, Stats value) { *out++ = value.sum; *out++ = value.sq; *out++ = value.n; }
};
"""


@cache
def compiled(file: str, plugin: str) -> Module:
    """A source; `plugin` tells apart what is compiled with other settings."""
    module = compile_source(FOLDER / file)
    used = plugin == "plugin" and os.environ.get("METALIFT_PLUGIN") != "none"
    assert (module.without_plugin == "") == used, module.without_plugin
    return module


def objects(fragment: Fragment) -> dict[str, list[Param]]:
    """The source's parameters by name, with the fragment's that they have become."""
    found: dict[str, list[Param]] = {}
    for param in fragment.params:
        found.setdefault(param.field.parameter if param.field else param.var.name, []).append(param)
    return found


def is_seen(param: Param) -> bool:
    """Whether the caller sees changes of a parameter."""
    if param.kind is ParamKind.VECTOR_REF:
        return True
    type_ = param.field.c_type if param.field else param.c_type
    return param.kind is ParamKind.POINTER and "const" not in param.c_type and type_.endswith(("*", "&", "restrict"))


def is_cell(param: Param) -> bool:
    """Whether a parameter is a scalar field that is changed: an array of one element."""
    return param.field is not None and param.kind is ParamKind.POINTER and not re.search(r"[*\[<&]", param.c_type)


def caller(number: int, fragment: Fragment) -> str:
    """A function that reads the arguments from doubles and writes the result and what the caller sees changed."""
    lines = [f'extern "C" void call_{number}(const double *in, double *out) {{']
    args, after = [], []
    for name, params in objects(fragment).items():
        first = params[0]
        spelled = first.field.c_type if first.field else first.c_type
        pointer = spelled.rstrip().endswith("*")
        base = re.sub(r"\b(const|struct|restrict)\b", "", spelled).strip(" &*")
        own = f"{name}_"
        lines.append(f"Blank<{base}{' *' if pointer and not first.field else ''}> {own};")
        for param in params:
            place = f"{own}.value" + (f".{param.field.access.removeprefix('->').removeprefix('.')}" if param.field else "")
            type_ = f"std::remove_const_t<std::remove_reference_t<decltype({place})>>"
            lines += ["in++;"] if is_cell(param) else []
            lines.append(f"Format<{type_}>::read(const_cast<{type_} &>({place}), in);")
            if is_seen(param):
                after += ["*out++ = 1;"] if is_cell(param) else []
                after.append(f"Format<{type_}>::write(out, {place});")
        args.append(f"&{own}.value" if pointer and first.field else f"{own}.value")
    called = fragment.name
    if "this" in objects(fragment):
        called, args = f"this_.value.{fragment.name.rpartition('::')[2]}", args[1:]
    call = f"{called}({', '.join(args)})"
    lines.append(f"{call};" if fragment.result is None else f"Format<decltype({call})>::write(out, {call});")
    return "\n".join([*lines, *after, "}"])


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ctypes.CDLL]:
    """The sources compiled, with a caller for each kernel."""
    libraries = {}
    for file in ("algorithms.cc", "classes.cc"):
        folder = tmp_path_factory.mktemp("native")
        module = compiled(file, "plugin")
        texts = [caller(at, imported(module, name)) for at, (of, name) in enumerate(KERNELS) if of == file]
        parts = [PRELUDE.replace("LONG", str(LONG)), f'#include "{FOLDER / file}"', OWN if file == "classes.cc" else "", *texts]
        (folder / "callers.cc").write_text("\n".join(parts), encoding="utf-8")
        libraries[file] = shared_library(folder / "callers.cc", folder, "-fno-access-control")
    return libraries


def imported(module: Module, name: str) -> Fragment:
    """The fragment of a function of that name; of overloaded ones, the first that can be imported."""
    symbols = [symbol for known, _, symbol in functions(module) if known == name]
    assert symbols, name
    return import_function(module, symbols[0])


def scalar(source: random.Random, type_: ScalarType) -> Value:
    """A number, often a small one."""
    if isinstance(type_, BoolType):
        return source.random() < 0.5
    if isinstance(type_, RealType):
        return Fraction(source.randint(-40, 40), 16)
    assert isinstance(type_, MachineInt)
    if type_.bits == 8:
        return source.randint(type_.low, type_.high)
    return source.randint(0 if not type_.signed else -1, 5) if source.random() < 0.9 else source.randint(0, 50)


def arguments(source: random.Random, fragment: Fragment) -> dict[str, Value]:
    """Arguments whose lengths often fit together."""
    length = source.choice([0, 1, 2, 3, 4, 5, 8, 9, 25])
    made: dict[str, Value] = {}
    for param in fragment.params:
        type_ = param.var.type
        if isinstance(type_, TensorType):
            count = length if param.kind is not ParamKind.POINTER else 1 if is_cell(param) else LONG
            inner = source.randint(0, 4)
            rows = [[scalar(source, type_.element) for _ in range(inner)] for _ in range(count)]
            made[param.var.name] = rows if type_.rank == 2 else [scalar(source, type_.element) for _ in range(count)]
        else:
            assert isinstance(type_, MachineInt | RealType | BoolType)
            made[param.var.name] = scalar(source, type_)
    return made


def agrees(read: object, seen: object) -> bool:
    """Equality, of floats up to rounding; of arrays, as far as both go."""
    if isinstance(read, Tensor):
        read = read.nested()
    if isinstance(read, list | tuple):
        return isinstance(seen, list) and all(map(agrees, read, seen))
    assert isinstance(read, SupportsFloat) and isinstance(seen, float)
    return math.isclose(float(read), seen, rel_tol=2e-5, abs_tol=1e-4)


def observed(call: object, fragment: Fragment, args: dict[str, Value]) -> list[object]:
    """The result, if there is one, and what the caller sees changed."""
    given = [number for params in objects(fragment).values() for param in params for number in numbers(args[param.var.name])]
    out = (ctypes.c_double * 20_000)()
    call((ctypes.c_double * max(1, len(given)))(*given), out)  # type: ignore[operator]
    cells = iter(out)
    found: list[object] = []
    if isinstance(fragment.result, TupleType):
        found.append([next(cells) for _ in fragment.result.items])
    elif fragment.result is not None:
        found.append(nested(fragment.result.rank if isinstance(fragment.result, TensorType) else 0, cells))
    for params in objects(fragment).values():
        found += [nested(param.var.type.rank, cells) for param in params if is_seen(param)]  # type: ignore[union-attr]
    return found


def expected(fragment: Fragment, outcome: Outcome) -> list[object]:
    """The same of a run by the interpreter."""
    seen = [param for params in objects(fragment).values() for param in params if is_seen(param)]
    arrays: list[object] = [outcome.arrays[param.var.name] for param in seen]
    return arrays if fragment.result is None else [outcome.result, *arrays]


@pytest.mark.quick(every=7)
@pytest.mark.parametrize("plugin", ["plugin", "no plugin"])
@pytest.mark.parametrize(("file", "name"), KERNELS, ids=lambda part: str(part).removesuffix(".cc"))
def test_does_what_native_code_does(
    file: str, name: str, native: dict[str, ctypes.CDLL], plugin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if plugin == "no plugin":
        monkeypatch.setenv("METALIFT_PLUGIN", "none")
    fragment = imported(compiled(file, plugin), name)
    check_fragment(fragment)
    source, compared = random.Random(name), 0
    call = getattr(native[file], f"call_{KERNELS.index((file, name))}")
    for _ in range(30):
        args = arguments(source, fragment)
        try:
            outcome = run(fragment, args, max_steps=20_000)
        except (SourceUndefined, AssumeViolated, LimitExceeded):
            continue
        assert all(map(agrees, expected(fragment, outcome), observed(call, fragment, args))), args
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize(("name", "line"), [("checked", "a.size() != b.size()"), ("logged", "i < 0")])
def test_that_nothing_is_thrown_is_an_assumption(name: str, line: str) -> None:
    fragment = imported(compiled("classes.cc", "plugin"), name)
    assumed = [item for block in fragment.blocks for item in block.body if isinstance(item, Assume)]
    assert {item.origin for item in assumed} == {"no exception is thrown"}
    where = fragment.source.splitlines()[assumed[0].location.line - fragment.location.line]
    assert line in where


def test_a_tuple_has_the_order_of_the_source() -> None:
    fragment = imported(compiled("classes.cc", "plugin"), "triple")
    assert fragment.result == TupleType((FLOAT, DOUBLE, INT32))


def test_an_array_class_is_one_parameter() -> None:
    fragment = imported(compiled("classes.cc", "plugin"), "transposed")
    assert [(param.var.name, param.var.type, param.field) for param in fragment.params] == [
        ("m", TensorType(FLOAT), None),
        ("t", TensorType(FLOAT), None),
    ]


def test_a_largest_element_is_carried_as_a_value() -> None:
    fragment = imported(compiled("algorithms.cc", "plugin"), "largest")
    arguments_of_blocks = [arg.type for block in fragment.blocks for arg in block.args]
    assert FLOAT in arguments_of_blocks


CARRIED = """
int kept(const int *x, int n) {
    const int *best = x;
    for (int i = 1; i < n; i++) if (*best < x[i]) best = x + i;
    return *best;
}
int changed(int *x, int n) {
    const int *best = x;
    for (int i = 1; i < n; i++) { if (*best < x[i]) best = x + i; x[0] = i; }
    return *best;
}
int maybe(const int *x, int n) {
    const int *last = x;
    for (int i = 0; i < n; i++) last = x + i;
    return n > 3 ? *last : 0;
}
"""


@pytest.mark.parametrize(("name", "carried"), [("kept", True), ("changed", False), ("maybe", False)])
def test_pointers_are_carried_where_values_could_change_or_need_not_be_there(name: str, carried: bool, tmp_path: Path) -> None:
    path = tmp_path / "carried.c"
    path.write_text(CARRIED, encoding="utf-8")
    fragment = import_function(compile_source(path), name)
    types = [arg.type for block in fragment.blocks for arg in block.args if arg.name.startswith(("best", "last"))]
    assert types == [INT32 if carried else INT] * len(types) and types
    args: dict[str, Value] = {"x": [3, 7, 5, 9, 2], "n": 5}
    wanted = {"kept": 9, "changed": 9, "maybe": 2}[name]
    assert run(fragment, args).result == wanted


COPIES = """
#include <algorithm>
#include <cstring>
void copied(const int *x, int *y, int n) { std::copy(x, x + n, y); }
void shifted(const int *x, int *y, int n) { memmove(y, x + 1, n * sizeof(int)); }
void down(int *x, int n) { std::copy(x + 1, x + n, x); }
void up(int *x, int n) { memmove(x + 1, x, (n - 1) * sizeof(int)); }
"""


@pytest.mark.parametrize(("name", "by_copy"), [("copied", False), ("shifted", True), ("down", True), ("up", True)])
def test_a_move_goes_by_a_copy_where_places_could_overlap(name: str, by_copy: bool, tmp_path: Path) -> None:
    path = tmp_path / "copies.cc"
    path.write_text(COPIES, encoding="utf-8")
    fragment = import_function(compile_source(path), name)
    assert [local.name for local in fragment.locals] == (["moved"] if by_copy else [])
    args: dict[str, Value] = {"x": [1, 2, 3, 4, 5], "y": [0] * 5, "n": 4}
    arrays = run(fragment, {param.var.name: args[param.var.name] for param in fragment.params}).arrays
    wanted = {"copied": [1, 2, 3, 4, 0], "shifted": [2, 3, 4, 5, 0], "down": [2, 3, 4, 4, 5], "up": [1, 1, 2, 3, 5]}[name]
    assert arrays["y" if "y" in arrays else "x"] == wanted


EMPTY = """
#include <vector>
std::vector<int> places(const std::vector<int> &a, int t) {
    for (int i = 0; i < (int)a.size(); i++) for (int j = 0; j < i; j++) if (a[i] - a[j] == t) return {j, i};
    return {};
}
std::vector<int> emptied(const std::vector<int> &a) {
    std::vector<int> r{};
    for (int v : a) { if (v < 0) r = {}; else r.push_back(v); }
    return r;
}
"""


@pytest.mark.parametrize("name", ["places", "emptied"])
def test_empty_braces_are_a_vector_without_elements(name: str, tmp_path: Path) -> None:
    (path := tmp_path / "empty.cc").write_text(EMPTY)
    check_against_native(import_function(open_source(path), name), path)

"""The source compiled with `gcc -O3 -march=native`, called with NumPy's arrays as its memory, and timed inside the call."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from metalift.app.batch.speed.measured_arguments import NotMeasurable, Values, numpy_type
from metalift.frontend.llvm.compile.compilers import is_cplusplus
from metalift.ir.expr.types import TensorType, TupleType, Type
from metalift.ir.program.fragment import Fragment, Param, ParamKind
from metalift.run.workers.compiled import RANK
from metalift.run.workers.jobs import NotRunnable, dtype, rank
from metalift.run.workers.native import compiler_arguments
from metalift.run.workers.wrapper import linker_options, wrapper_text

FLAGS = ("-O3", "-march=native")
COMMON = "-shared -fPIC -w -D_GNU_SOURCE -ffunction-sections -fdata-sections -Wl,--gc-sections".split()
SECONDS = 120.0  # for the compiler


def compiled(fragment: Fragment, source: Path, clang_args: Sequence[str], folder: Path) -> Path:
    """The library. Raises NotMeasurable."""
    cplusplus = is_cplusplus(source, clang_args)
    compiler = shutil.which("g++" if cplusplus else "gcc")
    if compiler is None:
        raise NotMeasurable("gcc is not installed")
    problem = ""
    for spelled in (False, True) if cplusplus else (False,):
        wrapper = folder / f"timed{'.cpp' if cplusplus else '.c'}"
        try:
            wrapper.write_text(wrapper_text(fragment, cplusplus=cplusplus, spelled=spelled, timed=True), encoding="utf-8")
        except NotRunnable as why:
            raise NotMeasurable(str(why)) from why
        output = folder / "timed.so"
        access = ["-fno-access-control"] if cplusplus else []
        command = [compiler, *compiler_arguments(clang_args), *FLAGS, *COMMON, *access, "-include", str(source.resolve())]
        command += [str(wrapper), "-o", str(output), *linker_options(fragment), "-lm"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise NotMeasurable(f"gcc took longer than {SECONDS:g} s") from None
        if done.returncode == 0:
            return output
        problem = problem or next((line for line in done.stderr.splitlines() if "error" in line), "no message")
    raise NotMeasurable(f"gcc does not compile the source: {problem}")


def compiler_version() -> str:
    """Which gcc, for people."""
    program = shutil.which("gcc")
    if program is None:
        return "none"
    return subprocess.run([program, "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()


class Native:
    """The library's function, on memory of its own that is filled anew before each call."""

    name = "source"

    def __init__(self, library: Path, fragment: Fragment, values: Values) -> None:
        self._library = ctypes.CDLL(str(library))
        self._libc = ctypes.CDLL(None)
        self._libc.free.argtypes = [ctypes.c_void_p]
        self._values = values
        self._params = fragment.params
        self._items = _items(fragment.result)
        self._own = {name: array.copy() for name, array in values.arrays.items()}
        self._rows = [_row_pointers(self._own[p.var.name]) if _by_rows(p) else None for p in self._params]
        self._nanoseconds = ctypes.c_int64.in_dll(self._library, "metalift_nanoseconds")
        slots = len(self._params) + max(1, len(self._items))
        self._data = (ctypes.c_void_p * slots)()
        self._lengths = (ctypes.c_int64 * (RANK * slots))()
        self._scalars = [np.zeros(1, numpy_type(dtype(p.var.type))) if not rank(p.var.type) else None for p in self._params]
        self._results = [np.zeros(1, numpy_type(dtype(item))) if not rank(item) else None for item in self._items]

    def prepare(self) -> None:
        """Arguments as they are to be found."""
        for name in self._values.written:
            np.copyto(self._own[name], self._values.arrays[name])
        for position, param in enumerate(self._params):
            self._pass(position, param)
        for place, made in enumerate(self._results, len(self._params)):
            self._data[place] = made.ctypes.data if made is not None else None

    def _pass(self, position: int, param: Param) -> None:
        name, scalar, rows = param.var.name, self._scalars[position], self._rows[position]
        if scalar is not None:
            scalar[0] = self._values.scalars[name]
            self._data[position] = scalar.ctypes.data
            return
        array = self._own[name]
        self._data[position] = rows.ctypes.data if rows is not None else array.ctypes.data
        for axis, extent in enumerate(array.shape):
            self._lengths[RANK * position + axis] = extent

    def call(self) -> float:
        """Seconds that the function takes; what it allocated for its results is freed."""
        self._library.metalift_call(self._data, self._lengths)
        spent = self._nanoseconds.value
        self._take(keep=False)
        return spent / 1e9

    def outputs(self) -> list[Any]:
        """What it computes: results, and arrays that it writes."""
        self.prepare()
        self._library.metalift_call(self._data, self._lengths)
        return self._take(keep=True)

    def _take(self, *, keep: bool) -> list[Any]:
        """Results and written arrays, those that came in memory of their own copied from there; only freed unless to keep."""
        found: list[Any] = []
        for place, (item, made) in enumerate(zip(self._items, self._results, strict=True), len(self._params)):
            found.append(made[0] if made is not None else self._taken(place, dtype(item), rank(item), keep))
        for position, param in enumerate(self._params):
            if param.kind is ParamKind.VECTOR_REF:
                taken = self._taken(position, dtype(param.var.type), rank(param.var.type), keep)
            elif param.var.name in self._own:
                taken = self._own[param.var.name]
            if param.var.name in self._values.written:
                found.append(taken)
        return found

    def _taken(self, place: int, code: str, axes: int, keep: bool) -> Any:  # noqa: ANN401
        address = self._data[place] or 0
        shape = tuple(self._lengths[RANK * place + axis] for axis in range(axes))
        made = None
        if keep and -1 not in shape:
            size = int(np.prod(shape)) * numpy_type(code).itemsize
            made = np.frombuffer(ctypes.string_at(address, size), numpy_type(code)).reshape(shape)
        self._libc.free(address)
        return made


def _items(result: Type | None) -> tuple[Type, ...]:
    if result is None:
        return ()
    return result.items if isinstance(result, TupleType) else (result,)


def _by_rows(param: Param) -> bool:
    """Whether it is a pointer to pointers."""
    return param.kind is ParamKind.POINTER and isinstance(param.var.type, TensorType) and param.var.type.rank > 1


def _row_pointers(array: Any) -> Any:  # noqa: ANN401
    if array.ndim != 2:
        raise NotMeasurable("it has pointers to pointers to pointers")
    return np.array([row.ctypes.data for row in array], dtype=np.uintp)

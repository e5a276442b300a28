"""C text as a library, for runners of targets that are written in C: by the clang, and within the limits, that sources have."""

from __future__ import annotations

import ctypes
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metalift.frontend.compilers import find_clang
from metalift.frontend.confined import CACHES, start_compiler

COMMON = ("-std=gnu11", "-O1", "-shared", "-fPIC", "-ffp-contract=off", "-fsanitize=undefined", "-fsanitize-trap=undefined")


def compile_library(source: Path, arguments: Sequence[str] = ()) -> Path:
    """The library of a C file, beside it; what is undefined in C ends the process. Raises ValueError with the first message."""
    clang, folder = find_clang(), source.parent
    library = source.with_suffix(".so")
    environment = clang.environment(folder)
    for name in CACHES:  # a process with limits cannot write to the user's
        if name in environment and not os.access(environment[name], os.W_OK):
            environment[name] = str(folder / name.lower())
    command = [*clang.command(cplusplus=False, watched=True), *COMMON, *arguments, str(source), "-o", str(library)]
    _, errors = start_compiler(command, source, folder, environment).communicate()
    if not library.exists():
        raise ValueError(errors.strip().partition("\n")[0] or "the text does not compile")
    return library


TYPES = {
    "bool": ctypes.c_bool, "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8, "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64, "float": ctypes.c_float, "double": ctypes.c_double,
}  # fmt: skip
# Leaving a call that is refused is for C to do: nothing of Python's lies between.
START = """
#include <setjmp.h>
static jmp_buf left;
static const char *why;
static void leave(const char *reason) { why = reason; longjmp(left, 1); }
void %(model)s_model_refusal(void (*)(const char *));
const char *metalift_call(%(params)s) {
    %(model)s_model_refusal(leave);
    if (setjmp(left)) return why;
    %(call)s;
    return 0;
}
"""


@dataclass(frozen=True, slots=True)
class Model:
    """A C model of a machine: what its functions begin with, its file, and further arguments of the compiler.

    It has `<name>_model_refuse(why)`, which calls what `<name>_model_refusal` was given; `<name>_model_region` tells it of the
    arrays of a call, after `<name>_model_regions_end`.
    """

    name: str
    file: Path
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Param:
    type: Any
    stars: int
    writable: bool
    name: str


def load_c(path: str, function: str, model: Model) -> Callable[..., Any]:
    """A function of a C file, on NumPy arrays and numbers, compiled with a model.

    It returns its result and the arrays that it may write. Its head stands on a line of its own. Raises ValueError.
    """
    text = Path(path).read_text(encoding="utf-8")
    found = re.search(rf"^(\w+) {re.escape(function)}\((.*?)\) \{{$", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"{path} has no function {function}")
    heads = [each.strip() for each in found[2].split(",")]
    pieces = [re.fullmatch(r"(const )?(\w+) (\*?)(const )?(\*?)(\w+)", each) for each in heads]
    params = [_Param(TYPES[one[2]], len(one[3] + one[5]), not one[1], one[6]) for one in pieces if one]
    result = None if found[1] == "void" else TYPES[found[1]]
    library = _compiled(text, function, heads, params, found[1], model)
    return _caller(library, params, result, model.name)


def _caller(library: ctypes.CDLL, params: Sequence[_Param], result: Any, model: str) -> Callable[..., Any]:  # noqa: ANN401
    """The function, which is told of its arrays before each call."""
    library.metalift_call.restype = ctypes.c_char_p
    region, end = getattr(library, f"{model}_model_region"), getattr(library, f"{model}_model_regions_end")

    def passed(arg: Any, param: _Param) -> Any:  # noqa: ANN401 - arrays and numbers
        if not param.stars:
            return param.type(arg)
        region(ctypes.c_void_p(arg.ctypes.data), ctypes.c_size_t(arg.nbytes), param.writable)
        if param.stars == 1:
            return ctypes.c_void_p(arg.ctypes.data)
        return (ctypes.c_void_p * max(1, len(arg)))(*(row.ctypes.data for row in arg))

    def call(*args: Any) -> Any:  # noqa: ANN401 - arrays and numbers
        end()
        returned = [] if result is None else [result()]
        given = [passed(arg, param) for arg, param in zip(args, params, strict=True)]
        why = library.metalift_call(*given, *map(ctypes.byref, returned))
        if why is not None:
            raise ValueError(why.decode())
        found = [each.value for each in returned]
        found += [arg for arg, param in zip(args, params, strict=True) if param.stars and param.writable]
        return found[0] if len(found) == 1 else tuple(found) or None

    return call


def _compiled(
    text: str, function: str, heads: Sequence[str], params: Sequence[_Param], result: str, model: Model
) -> ctypes.CDLL:
    """The text with the model, as a library."""
    source = Path(tempfile.mkdtemp(prefix=f"metalift-{model.name}-")) / "kernel.c"
    refusing = f"void {model.name}_model_refuse(const char *);\n#define REFUSE(why) {model.name}_model_refuse(why)\n"
    called = f"{function}({', '.join(param.name for param in params)})"
    more, call = ([], called) if result == "void" else ([f"{result} *metalift_result"], f"*metalift_result = {called}")
    start = START % {"model": model.name, "params": ", ".join([*heads, *more]), "call": call}
    source.write_text(f'{refusing}#line 1 "{function}.c"\n{text}{start}', encoding="utf-8")
    warned = ("-Wall", "-Wextra", "-Werror", *model.arguments, str(model.file), "-I", str(model.file.parent))
    return ctypes.CDLL(str(compile_library(source, warned)))

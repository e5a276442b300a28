"""C text as a library, for runners of targets that are written in C: by the clang, and within the limits, that sources have."""

from __future__ import annotations

import ctypes
import inspect
import json
import keyword
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.frontend.llvm.compile.confined import CACHES, start_compiler

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
    arrays of a call, after `<name>_model_regions_end`. One that counts has `<name>_model_costs()`: what the last call took, in
    JSON.
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
    shape: str  # of an array, as the text tells it: "float32[n]"


class Compiled:
    """A function of a C file, on NumPy arrays and numbers; it returns its result and the arrays that it may write.

    Its signature has the shapes that the comment at the head of the text tells. Raises ValueError for what the model refuses.
    """

    def __init__(self, library: ctypes.CDLL, params: Sequence[_Param], result: Any, model: str) -> None:  # noqa: ANN401
        self.library, self.params, self.result, self.model = library, params, result, model
        library.metalift_call.restype = ctypes.c_char_p
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = [param.name + "_" * keyword.iskeyword(param.name) for param in params]
        shown = [inspect.Parameter(name, kind, annotation=_annotation(each)) for name, each in zip(names, params, strict=True)]
        self.__signature__ = inspect.Signature(shown)

    def __call__(self, *args: Any) -> Any:  # noqa: ANN401 - arrays and numbers
        self._of_model("regions_end")()
        returned = [] if self.result is None else [self.result()]
        given = [self._passed(arg, param) for arg, param in zip(args, self.params, strict=True)]
        why = self.library.metalift_call(*given, *map(ctypes.byref, returned))
        if why is not None:
            raise ValueError(why.decode())
        found = [each.value for each in returned]
        found += [arg for arg, param in zip(args, self.params, strict=True) if param.stars and param.writable]
        return found[0] if len(found) == 1 else tuple(found) or None

    def costs(self) -> dict[str, Any]:
        """What the last call took, by the model, of one that counts."""
        told = self._of_model("costs")
        told.restype = ctypes.c_char_p
        found: dict[str, Any] = json.loads(told())
        return found

    def _of_model(self, name: str) -> Any:  # noqa: ANN401 - a function of the library
        return getattr(self.library, f"{self.model}_model_{name}")

    def _passed(self, arg: Any, param: _Param) -> Any:  # noqa: ANN401 - arrays and numbers
        """An argument as C takes it; the model is told of arrays."""
        if not param.stars:
            return param.type(arg)
        if getattr(arg, "dtype", None) != param.type or not arg.flags.c_contiguous:
            raise ValueError(f"{param.name} is no contiguous array of {ctypes_name(param.type)}")
        self._of_model("region")(ctypes.c_void_p(arg.ctypes.data), ctypes.c_size_t(arg.nbytes), param.writable)
        if param.stars == 1:
            return ctypes.c_void_p(arg.ctypes.data)
        return (ctypes.c_void_p * max(1, len(arg)))(*(row.ctypes.data for row in arg))


def ctypes_name(type_: Any) -> str:  # noqa: ANN401 - a type of ctypes
    """What C calls it."""
    return next(name for name, each in TYPES.items() if each is type_)


def _annotation(param: _Param) -> object:
    """The shape of an array, the kind of a number."""
    if param.stars:
        return param.shape or inspect.Parameter.empty
    return bool if param.type is ctypes.c_bool else float if param.type in (ctypes.c_float, ctypes.c_double) else int


def load_c(path: str, function: str, model: Model) -> Compiled:
    """A function of a C file, compiled with a model.

    Its head stands on a line of its own. Raises KeyError where there is none of that name, ValueError where it does not compile.
    """
    text = Path(path).read_text(encoding="utf-8")
    found = re.search(rf"^(\w+) {re.escape(function)}\((.*?)\) \{{$", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise KeyError(function)
    shapes = dict(re.findall(r"^ \*   (\w+): (\w+\[.*\])$", text.partition("*/")[0], re.MULTILINE))
    heads = [each.strip() for each in found[2].split(",")]
    pieces = [re.fullmatch(r"(const )?(\w+) (\*?)(const )?(\*?)(\w+)", each) for each in heads]
    params = [
        _Param(TYPES[one[2]], len(one[3] + one[5]), not one[1], one[6], shapes.get(one[6], "")) for one in pieces if one
    ]
    result = None if found[1] == "void" else TYPES[found[1]]
    library = _compiled(text, function, heads, params, found[1], model)
    return Compiled(library, params, result, model.name)


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

"""Runs the C text that is written for Gemmini with a C model of its library, compiled as sources are.

It imports nothing of the driver. The model is told the arrays of each call: what leaves them is refused.
"""

from __future__ import annotations

import ctypes
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from metalift.compiling import compile_library

MODEL = Path(__file__).with_name("model")
TYPES = {
    "bool": ctypes.c_bool, "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8, "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
}  # fmt: skip
# Leaving a call that is refused is for C to do: nothing of Python's lies between.
START = """
#include <setjmp.h>
static jmp_buf left;
static const char *why;
static void leave(const char *reason) { why = reason; longjmp(left, 1); }
void gemmini_model_refusal(void (*)(const char *));
const char *metalift_call(%(params)s) {
    gemmini_model_refusal(leave);
    if (setjmp(left)) return why;
    %(function)s(%(args)s);
    return 0;
}
"""


def load(path: str, function: str) -> Callable[..., Any]:
    """The function of the file, on NumPy arrays and numbers; it returns the arrays that it may write. Raises ValueError."""
    text = Path(path).read_text(encoding="utf-8")
    found = re.search(rf"^void {re.escape(function)}\((.*?)\) \{{$", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"{path} has no function {function}")
    params = [each.strip() for each in found[1].split(",")]
    pieces = [re.fullmatch(r"(const )?(\w+) (\*?)(\w+)", each) for each in params]
    library = compiled(text, function, params, [piece[4] for piece in pieces if piece])
    library.metalift_call.restype = ctypes.c_char_p
    kinds = [(bool(piece[3]), not piece[1], TYPES[piece[2]]) for piece in pieces if piece]

    def call(*args: Any) -> Any:  # noqa: ANN401 - arrays and numbers
        library.gemmini_model_regions_end()
        passed: list[Any] = []
        for arg, (array, writable, type_) in zip(args, kinds, strict=True):
            if array:
                library.gemmini_model_region(ctypes.c_void_p(arg.ctypes.data), ctypes.c_size_t(arg.nbytes), writable)
            passed.append(ctypes.c_void_p(arg.ctypes.data) if array else type_(arg))
        why = library.metalift_call(*passed)
        if why is not None:
            raise ValueError(why.decode())
        written = [arg for arg, (array, writable, _) in zip(args, kinds, strict=True) if array and writable]
        return written[0] if len(written) == 1 else tuple(written) or None

    return call


def compiled(text: str, function: str, params: list[str], names: list[str]) -> ctypes.CDLL:
    """The text with the model, as a library."""
    folder = Path(tempfile.mkdtemp(prefix="metalift-gemmini-"))
    source = folder / "kernel.c"
    refusing = "void gemmini_model_refuse(const char *);\n#define REFUSE(why) gemmini_model_refuse(why)\n"
    start = START % {"params": ", ".join(params), "function": function, "args": ", ".join(names)}
    source.write_text(f'{refusing}#line 1 "{function}.c"\n{text}{start}', encoding="utf-8")
    model = ("-Wall", "-Wextra", "-Werror", str(MODEL / "gemmini_model.c"), "-I", str(MODEL))
    return ctypes.CDLL(str(compile_library(source, model)))

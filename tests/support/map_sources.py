"""C++ functions that make maps and sets of two lists, compared with what the compiler makes of them."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from metalift.frontend.llvm.compile.clang import compile_source
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.frontend.llvm.source import import_function
from metalift.ir.expr.types import MachineInt
from metalift.ir.interp.interpret import AssumeViolated, run
from metalift.ir.program.fragment import Fragment, ParamKind, Unsupported

HEAD = """#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
typedef const std::vector<int> &List;
"""
LOOP = "for (std::size_t i = 0; i < keys.size(); i++)"
NOT_OF_LIBCXX = (".second) ", "found.first")  # pairs that are returned
MOST = 50  # entries
Bodies = Mapping[str, tuple[str, str]]  # result type and body of each function


def text_of(bodies: Bodies, head: str = HEAD, numbers: Sequence[str] | None = None) -> str:
    """A file with the functions, and for each one that calls it with arrays; `numbers` are those in the value of an entry `p`."""
    parts = [head]
    for name, (type_, body) in bodies.items():
        parts.append(f"{type_} {name}(List keys, List xs) {{ typedef {type_} M; {body} }}")
        of_map = "k[n] = p.first; " + " ".join(f"*v++ = {number};" for number in numbers or ["p.second"])
        put = f"{of_map if 'map' in type_ else 'k[n] = p; *v++ = 0;'} n++;"
        parts.append(
            f'extern "C" int call_{name}(const int *a, const int *b, int size, long *k, double *v) {{ int n = 0; try {{'
            f" for (const auto &p : {name}(std::vector<int>(a, a + size), std::vector<int>(b, b + size))) {{ {put} }}"
            " } catch (...) { return -1; } return n; }"
        )
    return "\n".join(parts) + "\n"


def fragments(path: Path, names: Sequence[str]) -> dict[str, Fragment]:
    """Those that are not refused."""
    module, found = compile_source(path), {}
    for name in names:
        try:
            found[name] = import_function(module, name)
        except Unsupported:
            continue
    return found


def check(path: Path, found: Mapping[str, Fragment], width: int) -> None:
    """Compare the fragments with what the compiler makes of the file; there are so many numbers in a value."""
    library = path.with_suffix(".so")
    command = (*find_clang().command(cplusplus=True), "-O1", "-shared", "-fPIC", "-std=c++17", str(path), "-o", str(library))
    subprocess.run(command, check=True)
    native, rng = ctypes.CDLL(str(library)), random.Random(3)
    for name, fragment in found.items():
        assert fragment.key is not None and fragment.params[-1].kind is ParamKind.KEY
        for _ in range(12):
            size = rng.randrange(7)
            keys, xs = ([rng.randint(-2, 3) for _ in range(size)] for _ in range(2))
            arrays = [(ctypes.c_int * size)(*values) for values in (keys, xs)]
            out, values = (ctypes.c_long * MOST)(), (ctypes.c_double * (MOST * width))()
            count = getattr(native, f"call_{name}")(*arrays, size, out, values)
            entries = {out[at]: tuple(values[at * width : (at + 1) * width]) for at in range(count)} if count >= 0 else None
            violated = False
            for key in sorted({*range(-6, 7), *(entries or {})}):
                at = fragment.params[-1].var
                assert isinstance(at.type, MachineInt)
                if not at.type.low <= key <= at.type.high:
                    continue
                try:
                    result = run(fragment, {"keys": keys, "xs": xs, at.name: key}).result
                except AssumeViolated:
                    violated = True
                    continue
                if entries is None:
                    continue
                there, *found_values = result if isinstance(result, tuple) else (result, 0)
                assert (there, tuple(found_values)) == (key in entries, entries.get(key, (0,) * width)), (name, keys, xs, key)
            assert violated == (entries is None), (name, keys, xs)


def check_all(path: Path, bodies: Bodies, head: str = HEAD, numbers: Sequence[str] | None = None) -> None:
    """All functions are accepted, but for what is not of libc++, and do what the compiled source does."""
    path.write_text(text_of(bodies, head, numbers))
    found = fragments(path, list(bodies))
    refused = {name for name, (_, body) in bodies.items() if find_clang().zig and any(part in body for part in NOT_OF_LIBCXX)}
    assert sorted(bodies.keys() - found.keys()) == sorted(refused)
    check(path, found, len(numbers or ["p.second"]))

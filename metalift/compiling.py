"""C text as a library, for runners of targets that are written in C: by the clang, and within the limits, that sources have."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

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

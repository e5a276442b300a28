"""C and C++ sources compiled and loaded by the clang that metalift uses."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

from metalift.frontend.llvm.compile.compilers import find_clang, is_cplusplus


def shared_library(source: Path, folder: Path, *flags: str) -> ctypes.CDLL:
    """The source, compiled into `folder` without optimisation unless a flag asks for it, loaded."""
    library = folder / f"{source.stem}.so"
    clang = find_clang()
    command = clang.command(cplusplus=is_cplusplus(source, ()))
    command += ["-shared", "-fPIC", "-O0", "-ffp-contract=off", "-w", *flags, str(source), "-lm", "-o", str(library)]
    subprocess.run(command, check=True, env=clang.environment(folder))
    return ctypes.CDLL(str(library))

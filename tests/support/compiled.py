"""C and C++ sources compiled and loaded by the clang that metalift uses, and values as lists of numbers for what calls them."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from fractions import Fraction
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


def numbers(value: object) -> list[float]:
    """A value as the callers read it."""
    if isinstance(value, list):
        return [float(len(value)), *(number for item in value for number in numbers(item))]
    assert isinstance(value, int | Fraction)
    return [float(value)]


def nested(rank: int, cells: Iterator[float]) -> object:
    """A value as the callers write it."""
    return [nested(rank - 1, cells) for _ in range(int(next(cells)))] if rank else next(cells)

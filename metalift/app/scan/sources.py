"""Which files of a folder are scanned, with which arguments clang reads them, and what they may include.

The folder may come from a stranger: no file outside of it is read, whatever links or a compile_commands.json say.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from metalift.frontend.files import units_in
from metalift.frontend.llvm.compile.clang import Unit
from metalift.frontend.llvm.compile.confined import Reach, named, project
from metalift.frontend.python import SUFFIXES
from metalift.result.errors import UsageError


def reach_of(root: Path, clang_args: Sequence[str]) -> Reach:
    """What the sources may include: what lies in the folder (of one file: in its project), and what the arguments name."""
    own = (root,) if root.is_dir() else tuple(map(Path, project(root)))
    return Reach((*own, *map(Path, named(clang_args))))


def find_sources(root: Path, clang_args: Sequence[str]) -> tuple[tuple[Unit, ...], tuple[str, ...]]:
    """The C, C++ and Python files in a folder (see `units_in`), or the one file, and notes for people.

    Raises UsageError where there is nothing at that path.
    """
    if not root.exists():
        raise UsageError(f"{root}: no such file or folder")
    if root.is_file():
        return (Unit(root, () if root.suffix in SUFFIXES else tuple(clang_args)),), ()
    found, notes = units_in(root, clang_args)
    if not found:
        raise UsageError(f"{root} has no C, C++ or Python files (such as .c, .cc, .cpp, .py)")
    return found, notes

"""Which files of a folder are sources, and which arguments of clang only say how to read one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from metalift.frontend.clang import SOURCE_SUFFIXES
from metalift.frontend.python import SUFFIXES

# Arguments with a value, which may stand in the next one: where headers are, what is read first, what is defined.
FOLDERS = ("-I", "-isystem", "-iquote", "-idirafter")
READ_FIRST = "-include"
DEFINED = ("-D", "-U")
STANDARD = "-std="
_MADE = ("CMakeCache.txt", "pyvenv.cfg")  # what tells a folder that a tool made


def source_files(root: Path) -> Iterator[Path]:
    """The C, C++ and Python files in a folder, in order.

    Hidden folders, build folders of CMake and virtual environments are left out; symbolic links to folders are not followed.
    """
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not _left_out(Path(folder, name)))
        for name in sorted(files):
            path = Path(folder) / name
            if path.suffix in SOURCE_SUFFIXES or path.suffix in SUFFIXES:
                yield path


def _left_out(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name == "__pycache__" or any((folder / name).is_file() for name in _MADE)


def refused(arguments: Sequence[str], allowed: Sequence[str], *, separate: bool = False) -> str | None:
    """The first of clang's arguments that is not one of those allowed; with `separate`, values may be arguments of their own.

    A value that begins with a dash is refused: where an argument before it is dropped later, it would become an option. And so is
    what begins with `-include-`, which is another option than `-include`.
    """
    value = False  # whether the argument is the value of the one before
    for argument in arguments:
        if argument.startswith("-" if value else f"{READ_FIRST}-") or not (value or argument.startswith(tuple(allowed))):
            return argument
        value = separate and not value and argument in allowed and argument != STANDARD
    return None

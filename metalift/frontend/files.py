"""Which files of a folder are sources."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from metalift.frontend.llvm.compile.clang import SOURCE_SUFFIXES
from metalift.frontend.python import SUFFIXES

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

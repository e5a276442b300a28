"""Which files of a folder are scanned, with which arguments clang reads them, and what they may include.

The folder may come from a stranger: no file outside of it is read, whatever links or a compile_commands.json say.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metalift.frontend.files import source_files
from metalift.frontend.llvm.compile.confined import Reach, named, project
from metalift.frontend.llvm.compile.options import Option, absolute, kept_options, located
from metalift.frontend.python import SUFFIXES
from metalift.result.errors import UsageError
from metalift.system.files import read_text_of

COMMANDS = "compile_commands.json"
LARGEST = 64 << 20  # bytes of a compile_commands.json


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file with the arguments that clang needs for it."""

    path: Path
    clang_args: tuple[str, ...] = ()


def reach_of(root: Path, clang_args: Sequence[str]) -> Reach:
    """What the sources may include: what lies in the folder (of one file: in its project), and what the arguments name."""
    own = (root,) if root.is_dir() else tuple(map(Path, project(root)))
    return Reach((*own, *map(Path, named(clang_args))))


def find_sources(root: Path, clang_args: Sequence[str]) -> tuple[tuple[SourceFile, ...], tuple[str, ...]]:
    """The C, C++ and Python files in a folder, or the one file, and notes for people.

    Which files those are, `source_files` says. Arguments come from a compile_commands.json in the folder or in its `build`, and
    from the caller. Raises UsageError where there is nothing at that path.
    """
    if not root.exists():
        raise UsageError(f"{root}: no such file or folder")
    if root.is_file():
        return (SourceFile(root, () if root.suffix in SUFFIXES else tuple(clang_args)),), ()
    known, notes = _commands(root, reach_of(root, clang_args))
    found, left_out = [], 0
    inside = Reach((root,))
    for path in source_files(root):
        if not path.is_file() or not inside.holds(path):
            left_out += 1
        elif path.suffix in SUFFIXES:
            found.append(SourceFile(path))
        else:
            found.append(SourceFile(path, (*known.get(path.resolve(), ()), *clang_args)))
    if not found:
        raise UsageError(f"{root} has no C, C++ or Python files (such as .c, .cc, .cpp, .py)")
    if left_out:
        notes = (*notes, f"{left_out} of the files are left out: links that lead out of {root}, pipes or devices")
    return tuple(found), notes


def _commands(root: Path, reach: Reach) -> tuple[dict[Path, tuple[str, ...]], tuple[str, ...]]:
    """What compile_commands.json says of each file; a note where it cannot be read."""
    for file in (root / COMMANDS, root / "build" / COMMANDS):
        if file.is_file():
            try:
                entries = json.loads(read_text_of(root, str(file.relative_to(root)), LARGEST))
                if not isinstance(entries, list):
                    raise TypeError("it is not a list")
                return dict(_command(file.parent, entry, reach) for entry in entries), ()
            except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
                said = problem.strerror if isinstance(problem, OSError) else problem
                return {}, (f"{file} is not used: {type(problem).__name__}: {said}",)
    return {}, ()


def _command(beside: Path, entry: dict[str, object], reach: Reach) -> tuple[Path, tuple[str, ...]]:
    """The file of an entry and the arguments for it: what says where headers within reach are, what is defined, which language.

    Nothing else of a build is run or believed.
    """
    folder = beside.absolute() / str(entry["directory"])
    given = entry.get("arguments")
    words = [str(word) for word in given] if isinstance(given, list) else shlex.split(str(entry.get("command", "")))
    options = (located(option, absolute(folder)) for option in kept_options(words))
    return (folder / str(entry["file"])).resolve(), tuple(option.word for option in options if _is_within(option, reach))


def _is_within(option: Option, reach: Reach) -> bool:
    """Whether an option names no file or folder out of reach."""
    return not option.kind.names_file or reach.holds(option.value)

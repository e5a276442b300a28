"""Which files of a folder are scanned, and with which arguments clang reads them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from metalift.errors import UsageError
from metalift.frontend.files import DEFINED, FOLDERS, READ_FIRST, STANDARD, source_files
from metalift.frontend.python import SUFFIXES

COMMANDS = "compile_commands.json"
PATHS = (*FOLDERS, READ_FIRST)
WITH_VALUE = (*PATHS, *DEFINED)
LARGEST = 64 << 20  # bytes of a compile_commands.json


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file with the arguments that clang needs for it."""

    path: Path
    clang_args: tuple[str, ...] = ()


def find_sources(root: Path, clang_args: Sequence[str]) -> tuple[tuple[SourceFile, ...], tuple[str, ...]]:
    """The C, C++ and Python files in a folder, or the one file, and notes for people.

    Which files those are, `source_files` says. Arguments come from a compile_commands.json in the folder or in its `build`, and
    from the caller. Raises UsageError where there is nothing at that path.
    """
    if not root.exists():
        raise UsageError(f"{root}: no such file or folder")
    if root.is_file():
        return (SourceFile(root, () if root.suffix in SUFFIXES else tuple(clang_args)),), ()
    known, notes = _commands(root)
    found = []
    for path in source_files(root):
        if path.suffix in SUFFIXES:
            found.append(SourceFile(path))
        else:
            found.append(SourceFile(path, (*known.get(path.resolve(), ()), *clang_args)))
    if not found:
        raise UsageError(f"{root} has no C, C++ or Python files (such as .c, .cc, .cpp, .py)")
    return tuple(found), notes


def _commands(root: Path) -> tuple[dict[Path, tuple[str, ...]], tuple[str, ...]]:
    """What compile_commands.json says of each file; a note where it cannot be read."""
    for file in (root / COMMANDS, root / "build" / COMMANDS):
        if file.is_file():
            try:
                if file.stat().st_size > LARGEST:
                    raise ValueError(f"it has more than {LARGEST >> 20} MiB")
                return dict(map(_command, json.loads(file.read_text(encoding="utf-8")))), ()
            except (OSError, ValueError, TypeError, KeyError, AttributeError) as problem:
                return {}, (f"{file} is not used: {type(problem).__name__}: {problem}",)
    return {}, ()


def _command(entry: dict[str, object]) -> tuple[Path, tuple[str, ...]]:
    """The file of an entry and the arguments for it."""
    folder = Path(str(entry["directory"]))
    given = entry.get("arguments")
    words = [str(word) for word in given] if isinstance(given, list) else shlex.split(str(entry.get("command", "")))
    return (folder / str(entry["file"])).resolve(), tuple(_kept(words, folder))


def _kept(words: Sequence[str], folder: Path) -> Iterator[str]:
    """What says where headers are, what is defined, and which language it is: nothing else of a build is run or believed."""
    rest = iter(words)
    for word in rest:
        option = next((each for each in WITH_VALUE if word.startswith(each)), None)
        if option is not None:
            value = word[len(option) :] or next(rest, "")
            yield from (option, str(folder / value) if option in PATHS else value)
        elif word.startswith(STANDARD):
            yield word

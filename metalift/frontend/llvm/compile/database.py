"""A build's compile_commands.json: which files it compiles, and which of its arguments are used. Nothing else of it is believed.

It may come from a stranger: no file outside of its folder is read, whatever it says, and of its commands only what says where
headers within reach are, what is defined, and which language it is.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from metalift.frontend.llvm.compile.clang import Unit
from metalift.frontend.llvm.compile.confined import PROJECT, Reach
from metalift.frontend.llvm.compile.options import Option, absolute, kept_options, located
from metalift.system.files import read_text_of

COMMANDS = "compile_commands.json"
LARGEST = 64 << 20  # bytes of a compile_commands.json
MEANING = re.compile(r"-f(un)?signed-char|-fwrapv|-ftrapv|-fshort-|-fpack-struct|-ffast-math|-Ofast|-m(x?32|16)\Z|-?-target\b")
Known = dict[Path, Unit]  # by the path without links


def real(path: Path) -> Path:
    """The path without links, as far as there are no loops of them."""
    return Path(os.path.realpath(path))


def read_database(root: Path, reach: Reach) -> tuple[Known, tuple[str, ...]]:
    """The files that the compile_commands.json of a folder, or of its `build`, names; notes on what of it is not used."""
    file = next((file for file in (root / COMMANDS, root / "build" / COMMANDS) if file.is_file()), None)
    if file is None:
        return {}, ()
    try:
        entries = json.loads(read_text_of(root, str(file.relative_to(root)), LARGEST))
        if not isinstance(entries, list):
            raise TypeError("it is not a list")
    except (OSError, ValueError, TypeError, RecursionError) as problem:
        said = problem.strerror if isinstance(problem, OSError) else problem
        return {}, (f"{file} is not used: {type(problem).__name__}: {said}",)
    known: Known = {}
    notes = []
    unused: set[str] = set()
    for number, entry in enumerate(entries, 1):
        try:
            words = _words(entry)
            unit = _unit(file.parent, entry, words, reach)
            known[real(unit.path)] = unit
            unused |= {word for word in words if MEANING.match(word)}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError) as problem:
            notes.append(f"{file}: entry {number} is not used: {type(problem).__name__}: {problem}")
    if unused:
        notes.append(f"{file}: {', '.join(sorted(unused))} is not used, and what is proved is of files compiled without")
    return known, tuple(notes)


def database_of(source: Path, reach: Reach) -> tuple[Path, Known, tuple[str, ...]] | None:
    """The nearest database above a file, up to its repository, that names it: its folder, its files, notes; or None."""
    private = (Path.home(), *Path.home().parents)
    for folder in _above(real(source).parent):
        if folder in private:
            return None
        known, notes = read_database(folder, Reach((folder, *reach.folders)))
        if real(source) in known:
            return folder, known, notes
    return None


def _above(folder: Path) -> Iterator[Path]:
    """A folder and those above it, up to the repository that it is in."""
    for each in (folder, *folder.parents):
        yield each
        if (each / PROJECT).exists():
            return


def _words(entry: dict[str, object]) -> list[str]:
    """The words of the command of an entry."""
    given = entry.get("arguments")
    return [str(word) for word in given] if isinstance(given, list) else shlex.split(str(entry.get("command", "")))


def _unit(beside: Path, entry: dict[str, object], words: list[str], reach: Reach) -> Unit:
    """The file of an entry and the arguments for it."""
    folder = beside.absolute() / str(entry["directory"])
    options = (located(option, absolute(folder)) for option in kept_options(words))
    return Unit(folder / str(entry["file"]), tuple(option.word for option in options if _is_within(option, reach)))


def _is_within(option: Option, reach: Reach) -> bool:
    """Whether an option names no file or folder out of reach."""
    return not option.kind.names_file or reach.holds(option.value)

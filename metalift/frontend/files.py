"""Which files of a folder are sources, and which make up a program with a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from metalift.frontend.llvm.compile.clang import Unit
from metalift.frontend.llvm.compile.confined import Reach, named
from metalift.frontend.llvm.compile.database import Known, database_of, read_database, real
from metalift.frontend.llvm.read.metadata import SOURCE_SUFFIXES
from metalift.frontend.python import SUFFIXES
from metalift.system.arguments import BATCH_OUT, OUT

_MADE = ("CMakeCache.txt", "pyvenv.cfg", "certificate.json")  # what tells a folder that a tool made
_INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
LARGEST = 1 << 26  # bytes of a source file


@dataclass(frozen=True, slots=True)
class Program:
    """What a file is compiled with: arguments of clang, the files that are `named` to be linked, and those that may be.

    Functions that are said to be `pure` have no body in it.

    `build` is the folder of the compile_commands.json that names the file; `notes` are for people.
    """

    clang_args: tuple[str, ...] = ()
    named: tuple[Unit, ...] = ()
    offered: tuple[Unit, ...] = ()
    notes: tuple[str, ...] = ()
    build: Path | None = None
    pure: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The program as JSON's object, for another process; without notes."""
        named, offered = ([[str(unit.path), list(unit.clang_args)] for unit in units] for units in (self.named, self.offered))
        return {"clang_args": list(self.clang_args), "named": named, "offered": offered, "pure": list(self.pure)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Program:
        """The program of an object."""
        named, offered = (tuple(Unit(Path(path), tuple(args)) for path, args in data[kind]) for kind in ("named", "offered"))
        return cls(tuple(data["clang_args"]), named, offered, pure=tuple(data["pure"]))


def program_of(source: Path, others: Sequence[Path], clang_args: Sequence[str]) -> Program:
    """The program of a C or C++ file: with other files that are named, those of folders that are, and those of its build.

    The build is the compile_commands.json nearest above the file that names it. Python files are programs by themselves.
    """
    if source.suffix in SUFFIXES:
        return Program(tuple(clang_args))
    build = database_of(source, Reach(tuple(map(Path, named(clang_args)))))
    if build is None:
        return with_others(Program(tuple(clang_args)), others, clang_args, {})
    folder, known, notes = build
    arguments = (*known[real(source)].clang_args, *clang_args)
    program = Program(arguments, offered=_built(folder, known, clang_args), notes=notes, build=folder)
    return with_others(program, others, clang_args, known)


def program_in(root: Path, files: Sequence[Unit], others: Sequence[Path], clang_args: Sequence[str]) -> Program:
    """The program of any of the `files` of a folder, but for its arguments: with those that its build names, else with all."""
    known, _ = read_database(root, Reach((root, *map(Path, named(clang_args)))))
    sources = tuple(unit for unit in files if unit.path.suffix not in SUFFIXES)
    return with_others(Program(offered=_built(root, known, clang_args) or sources), others, clang_args, known)


def with_others(program: Program, others: Sequence[Path], clang_args: Sequence[str], known: Known) -> Program:
    """The program with other files that are named, and those of folders that are; the build has arguments for those it knows."""
    files = [known.get(real(path), Unit(path)) for path in others if not path.is_dir()]
    offered, notes = list(program.offered), list(program.notes)
    for folder in (path for path in others if path.is_dir()):
        units, said = units_in(folder, clang_args)
        offered += units
        notes += said
    units = tuple(_with_args(unit, clang_args) for unit in files)
    return replace(program, named=units, offered=tuple(offered), notes=tuple(notes))


def _built(folder: Path, known: Known, clang_args: Sequence[str]) -> tuple[Unit, ...]:
    """The files of a build that lie in its folder."""
    inside = Reach((folder,))
    return tuple(_with_args(unit, clang_args) for unit in known.values() if inside.holds(unit.path))


def units_in(root: Path, clang_args: Sequence[str]) -> tuple[tuple[Unit, ...], tuple[str, ...]]:
    """The C, C++ and Python files in a folder with the arguments for them, and notes for people.

    Arguments come from a compile_commands.json in the folder or in its `build`, and from the caller. A file that another one
    includes is compiled by itself only where the build says so.
    """
    known, notes = read_database(root, Reach((root, *map(Path, named(clang_args)))))
    inside = Reach((root,))
    files = list(source_files(root))
    found = [path for path in files if path.is_file() and inside.holds(path)]
    if len(found) < len(files):
        count = len(files) - len(found)
        notes = (*notes, f"{count} of the files are left out: links that lead out of {root}, pipes or devices")
    included = _included(found)
    units = []
    for path in found:
        unit = known.get(real(path))
        if path.suffix in SUFFIXES:
            units.append(Unit(path))
        elif unit is not None or real(path) not in included:
            units.append(_with_args(Unit(path, unit.clang_args if unit else ()), clang_args))
    return tuple(units), notes


def _with_args(unit: Unit, clang_args: Sequence[str]) -> Unit:
    return replace(unit, clang_args=(*unit.clang_args, *clang_args))


def _included(files: Sequence[Path]) -> frozenset[Path]:
    """Those of the files that another one of them includes: beside it, or by the end of their paths."""
    found: set[Path] = set()
    for path in (path for path in files if _is_source(path.name)):
        with path.open("rb") as file:
            names = {os.fsdecode(name) for name in _INCLUDED.findall(file.read(LARGEST))}
        for name in filter(_is_source, names):
            beside = real(path.parent / name)
            ends = {real(each) for each in files if each.parts[-len(Path(name).parts) :] == Path(name).parts}
            found |= ({beside} if beside.is_file() else ends) - {real(path)}
    return frozenset(found)


def _is_source(name: str) -> bool:
    return os.path.splitext(name)[1] in SOURCE_SUFFIXES


def source_files(root: Path) -> Iterator[Path]:
    """The C, C++ and Python files in a folder, in order.

    Hidden folders, build folders of CMake, virtual environments and what metalift made are left out; symbolic links to folders
    are not followed.
    """
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not _left_out(Path(folder, name)))
        for name in sorted(files):
            path = Path(folder) / name
            if path.suffix in SOURCE_SUFFIXES or path.suffix in SUFFIXES:
                yield path


def _left_out(folder: Path) -> bool:
    known = ("__pycache__", str(OUT), str(BATCH_OUT))
    return folder.name.startswith(".") or folder.name in known or any((folder / name).is_file() for name in _MADE)

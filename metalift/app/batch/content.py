"""Keys of results: hashes of all that a result depends on."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from metalift.app.batch.suite import Kernel
from metalift.driver.files import Loaded
from metalift.frontend.files import Program
from metalift.frontend.llvm.compile.clang import Unit
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.frontend.llvm.compile.options import own_options
from metalift.result.errors import SourceError
from metalift.system.files import digest

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
SOLVERS = ("cvc5",)
LARGEST = 64 << 20  # bytes of a source


@dataclass(slots=True)
class Contents:
    """Makes keys for the kernels of one run. `options` are those of the run that a result depends on."""

    drivers: Sequence[Loaded]
    options: tuple[str, ...]
    _common: str = ""
    _files: dict[Path, str] = field(default_factory=dict)
    _programs: dict[tuple[Unit, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """What all kernels share: this version, its tools, the drivers."""
        self._common = _hash([*_installed(self.drivers), _clang(), *self.options])

    def key(self, kernel: Kernel, target: str) -> str:
        """The key of one kernel for one target."""
        own = [kernel.label, kernel.function, str(kernel.line), target, *kernel.assume, "--", *kernel.clang_args, "--"]
        others = [] if kernel.program is None else self._others(kernel.program)
        return _hash([self._common, *own, *self._read(kernel.path, kernel.clang_args), *others])

    def source(self, path: Path, clang_args: Sequence[str], program: Program | None = None) -> str:
        """The key of a source file as such, or of one with other files."""
        others = [] if program is None else self._others(program)
        return _hash([self._common, *clang_args, *self._read(path, clang_args), *others])

    def _others(self, program: Program) -> list[str]:
        """What a program is made of beside the file that it is the program of."""
        units = (*program.named, *program.offered)
        if units not in self._programs:
            read = (part for unit in units for part in (*unit.clang_args, *self._read(unit.path, unit.clang_args)))
            self._programs[units] = _hash(read)
        return [*program.clang_args, *program.pure, self._programs[units]]

    def _read(self, path: Path, clang_args: Sequence[str]) -> list[str]:
        """What clang reads of a project's files."""
        files = [Path(option.value) for option in own_options(tuple(clang_args)) if option.kind.names_file]
        starts = [path, *(each for each in files if each.is_file())]
        return [self._file(each) for start in starts for each in _included(start, files)]

    def _file(self, path: Path) -> str:
        if path not in self._files:
            self._files[path] = _hash_of(path)
        return self._files[path]


def tools(drivers: Sequence[Loaded]) -> str:
    """A digest of what another machine has to have as well: metalift, the solver, clang's version, the drivers."""
    try:
        command = [find_clang().program, "--version"]
        version = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except (SourceError, OSError):
        version = "none"
    return _hash([*_installed(drivers), version])


def _installed(drivers: Sequence[Loaded]) -> list[str]:
    """The solver, this version of metalift, and the drivers."""
    own = Path(__file__).resolve().parents[2]
    found = [f"{name} {importlib.metadata.version(name)}" for name in SOLVERS] + [digest(own, _sources(own))]
    for path in (driver.path for driver in drivers):
        files = _sources(path.parent) if path.name == "__init__.py" else (path,)
        found += [path.name, digest(path.parent, files)]
    return found


def _included(source: Path, folders: Sequence[Path]) -> Iterator[Path]:
    """A source and the headers of its project that it includes; those of the system come with the compiler."""
    work, seen = [source], {source}
    while work:
        path = work.pop()
        yield path
        text = _content(path)
        if text is None:
            continue
        for mark, name in INCLUDE.findall(text):
            near = [path.parent] if mark == b'"' else []
            for folder in (*near, *folders):
                header = folder / name.decode(errors="replace")
                if header not in seen and header.is_file():
                    seen.add(header)
                    work.append(header)
                    break


def _sources(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix in (".py", ".toml", ".md", ".smt2"))


@cache
def _clang() -> str:
    """The compiler: the file that is run, as it is now."""
    try:
        compiler = find_clang()
    except SourceError:
        return "none"
    path = Path(shutil.which(compiler.program) or compiler.program).resolve()
    try:
        found = path.stat()
    except OSError:
        return f"{compiler} {path}"
    return f"{compiler} {path} {found.st_size} {found.st_mtime_ns}"


def _content(path: Path) -> bytes | None:
    """What a file holds; None where it is not a file, cannot be read, or is too large to be a source."""
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= LARGEST else None
    except OSError:
        return None


def _hash_of(path: Path) -> str:
    text = _content(path)
    if text is not None:
        return hashlib.sha256(text).hexdigest()
    try:
        found = path.stat()
    except OSError:
        return "absent"
    return f"{found.st_mode} {found.st_size} {found.st_mtime_ns}"


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()

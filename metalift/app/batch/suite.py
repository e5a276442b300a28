"""What a batch lifts: the kernels of a manifest, of a folder of sources, or of a list of `file:function`."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from metalift.frontend import functions_of, open_source
from metalift.frontend.files import Program, source_files
from metalift.frontend.llvm.compile.confined import Reach
from metalift.frontend.llvm.compile.options import absolute, located, strict_options
from metalift.frontend.llvm.read.metadata import SOURCE_SUFFIXES
from metalift.frontend.python import SUFFIXES
from metalift.result.errors import UsageError

MANIFEST = "manifest.toml"
KEYS = {
    **dict.fromkeys(("name", "style", "file", "function", "expected"), str),
    **dict.fromkeys(("assume", "clang_args"), list),
    "sizes": dict,
}


@dataclass(frozen=True, slots=True)
class Kernel:
    """One function of a source file. `problem` says why it cannot even be tried.

    `expected` is the verdict that its suite asks for, `sizes` are values of parameters to measure its speed with, by what each is
    called. A loop nest in the function is named by its line, other files by the `program` that has the arguments of clang, too.
    """

    suite: str
    name: str
    style: str
    path: Path
    function: str
    assume: tuple[str, ...] = ()
    clang_args: tuple[str, ...] = ()
    problem: str = ""
    expected: str = ""
    sizes: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)
    line: int = 0
    program: Program | None = None

    @property
    def label(self) -> str:
        """Suite, name and style, for people and for folders; bytes of file names that are no UTF-8 are spelled out."""
        return "/".join(filter(None, (self.suite, self.name, self.style))).encode(errors="backslashreplace").decode()


@dataclass(frozen=True, slots=True)
class Whole:
    """A source file of which every function is meant."""

    suite: str
    path: Path


@dataclass(frozen=True, slots=True)
class Listed:
    """The functions of a source file; `problem` says why they are not known."""

    names: tuple[str, ...] = ()
    problem: str = ""


Lister = Callable[[Sequence[Path]], Mapping[Path, Listed]]


def list_functions(files: Iterable[Path]) -> dict[Path, Listed]:
    """The functions of files, found here and now: reading a file can take long, or crash."""
    return {path: _listed(path) for path in files}


def _listed(path: Path) -> Listed:
    try:
        return Listed(tuple(name for name, _ in functions_of(open_source(path))))
    except UsageError as problem:
        return Listed(problem=str(problem))


def read_suites(suites: Sequence[Path], lister: Lister = list_functions) -> tuple[Kernel, ...]:
    """The kernels of all suites, in their order. Raises UsageError as `read` and `kernels_of` do."""
    return kernels_of(read(suites), lister)


def read(suites: Sequence[Path]) -> tuple[Kernel | Whole, ...]:
    """What the suites name. Raises UsageError where a suite is not one."""
    same = Counter(suite.stem for suite in dict.fromkeys(suites) if _is_source(suite))
    return tuple(entry for suite in suites for entry in _read(suite, by_path=same[suite.stem] > 1))


def kernels_of(entries: Sequence[Kernel | Whole], lister: Lister) -> tuple[Kernel, ...]:
    """The kernels, those of whole files included. Raises UsageError where two have one label."""
    wholes = list(dict.fromkeys(entry.path for entry in entries if isinstance(entry, Whole)))
    found = lister(wholes) if wholes else {}
    labels: set[str] = set()
    kernels: list[Kernel] = []
    for entry in entries:
        for kernel in (entry,) if isinstance(entry, Kernel) else _functions(entry, found[entry.path]):
            if kernel.label in labels:
                raise UsageError(f"{kernel.path}: two kernels are called {kernel.label}; give one of them another name or style")
            labels.add(kernel.label)
            kernels.append(kernel)
    return tuple(kernels)


def _functions(whole: Whole, listed: Listed) -> Iterator[Kernel]:
    """Every function of a source; one entry with the reason where it cannot be read."""
    if listed.problem:
        yield Kernel(whole.suite, "(the file)", "", whole.path, "", problem=listed.problem)
    for name in listed.names:
        yield Kernel(whole.suite, name, "", whole.path, name)


def _is_source(suite: Path) -> bool:
    return suite.suffix in SOURCE_SUFFIXES | set(SUFFIXES) and suite.is_file()


def _read(suite: Path, by_path: bool) -> Iterator[Kernel | Whole]:
    """What one suite names; of files that share a name, each is called by its path."""
    if (suite / MANIFEST).is_file():
        return _manifest(suite / MANIFEST)
    if suite.is_dir():
        return _folder(suite)
    if suite.suffix == ".toml" and suite.is_file():
        return _manifest(suite)
    if _is_source(suite):
        path = "/".join(part for part in suite.parts if part not in (suite.anchor, ".."))
        return iter((Whole(path if by_path else suite.stem, suite),))
    if suite.is_file():
        return _list(suite)
    raise UsageError(f"{suite}: no such suite; it is a folder, a TOML manifest, or a file with lines of file:function")


def _manifest(file: Path) -> Iterator[Kernel]:
    """The kernels of a manifest; files are named from its own folder, and lie in it."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:  # no TOML, no UTF-8, numbers of thousands of digits
        raise UsageError(f"{file} cannot be read: {problem}") from problem
    entries = data.get("kernel")
    if not isinstance(entries, list) or not entries:
        raise UsageError(f"{file} has no [[kernel]]")
    for number, entry in enumerate(entries, start=1):
        yield _kernel(file, str(data.get("suite", file.parent.name)), number, entry)


def _kernel(file: Path, suite: str, number: int, entry: object) -> Kernel:
    where = f"{file}: kernel {number}"
    if not isinstance(entry, dict):
        raise UsageError(f"{where} is not a table")
    for key, value in entry.items():
        if key in KEYS and not isinstance(value, KEYS[key]):
            raise UsageError(f"{where}: {key} is of the wrong type")
    for key in ("file", "function"):
        if key not in entry:
            raise UsageError(f"{where} has no {key!r}")
    path = file.parent / entry["file"]
    if not path.resolve().is_relative_to(file.parent.resolve()):
        raise UsageError(f"{where}: {entry['file']} lies outside of the manifest's folder")
    return Kernel(
        suite,
        str(entry.get("name", entry["function"])),
        str(entry.get("style", "")),
        path,
        entry["function"],
        tuple(map(str, entry.get("assume", ()))),
        _clang_args(file.parent, where, entry.get("clang_args", ())),
        expected=entry.get("expected", ""),
        sizes=_sizes(where, entry.get("sizes", {})),
    )


def _clang_args(folder: Path, where: str, words: Sequence[object]) -> tuple[str, ...]:
    """The options that are asked for; folders of headers are named from the manifest's own folder, and lie in it."""
    found = []
    for option in strict_options(tuple(map(str, words)), f"{where}: clang is asked for"):
        placed = located(option, absolute(folder))
        if option.kind.names_file and not Reach((folder,)).holds(placed.value):
            raise UsageError(f"{where}: {option.value} lies outside of the manifest's folder")
        found.append(placed.word)
    return tuple(found)


def _sizes(where: str, given: Mapping[str, object]) -> dict[str, dict[str, float]]:
    """Values of parameters, by name, for each size."""
    found = {}
    for name, values in given.items():
        if not isinstance(values, dict) or not all(isinstance(value, int | float) for value in values.values()):
            raise UsageError(f"{where}: the size {name} is not a table of numbers, such as {{ n = 1000 }}")
        found[name] = dict(values)
    return found


def _folder(folder: Path) -> Iterator[Whole]:
    """Every source in a folder."""
    files = list(source_files(folder))
    if not files:
        raise UsageError(f"{folder} has neither a {MANIFEST} nor C, C++ or Python files")
    return (Whole("/".join(path.relative_to(folder).parts), path) for path in files)


def _list(file: Path) -> Iterator[Kernel]:
    """The lines `file:function` of a file; files are named from its own folder."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"{file} cannot be read: {problem}") from problem
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        source, colon, function = text.rpartition(":")
        if not colon or not source or not function:
            raise UsageError(f"{file}:{number}: {text!r} is not file:function")
        yield Kernel(file.stem, f"{Path(source).name}:{function}", "", file.parent / source, function)

"""The settings of a project, which are [tool.metalift] of the pyproject.toml nearest to a source: a lift there needs no flags.

A project may come from a stranger. So its settings name no file that is run, no server that is sent anything, and of clang's
options only those that say what the source means.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metalift.result.errors import UsageError
from metalift.system.names import did_you_mean
from metalift.system.parser import Parser

NAME = "pyproject.toml"
PYTHON = ".py"  # which clang does not read
HARMLESS = re.compile(r"-(I|isystem|iquote|idirafter|include|D|U|std=|x).*")
WITH_VALUE = {"-I", "-isystem", "-iquote", "-idirafter", "-include", "-D", "-U", "-x"}


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a project sets. `options` are values of options of commands, by the names that the parser has for them."""

    file: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    clang_args: tuple[str, ...] = ()
    assume: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by function

def configuration_of(source: Path) -> Configuration:
    """The settings for a source: those of the nearest pyproject.toml that has some. Raises UsageError where they are wrong."""
    start = source.absolute()
    for folder in (start, *start.parents) if start.is_dir() else start.parents:
        file = folder / NAME
        if file.is_file() and (table := _table(file)) is not None:
            return _read(file, table)
    return Configuration()


def configured(parser: Parser, options: argparse.Namespace, arguments: Sequence[str]) -> argparse.Namespace:
    """The options, with the project's settings in the places of those that are not given; what may be repeated is added."""
    sources = _sources(options)
    found = _of_all(sources)
    command = parser.commands()[options.command]
    command.set_defaults(**{name: value for name, value in found.options.items() if name in options})
    again = parser.parse_args(arguments)
    own = () if all(source.suffix == PYTHON for source in sources) else found.clang_args
    again.clang_args = [*own, *options.clang_args]
    again.configuration = found
    return again


def _sources(options: argparse.Namespace) -> list[Path]:
    """What a command is about."""
    if options.command == "batch":
        return list(options.suite)
    return [options.path if options.command == "scan" else Path(str(options.file).rpartition(":")[0] or options.file)]


def _of_all(sources: Sequence[Path]) -> Configuration:
    """The settings for sources of one project. Raises UsageError where they are of several."""
    found = {each.file: each for each in map(configuration_of, sources)}
    if len(found) > 1:
        files = ", ".join(str(file or "none") for file in found)
        raise UsageError(f"the suites have settings of several projects ({files}): run a batch for each")
    return next(iter(found.values()))


def _table(file: Path) -> Mapping[str, Any] | None:
    """[tool.metalift] of a file, None where it has none."""
    try:
        text = file.read_text(encoding="utf-8")
        if "metalift" not in text:
            return None
        table = tomllib.loads(text).get("tool", {}).get("metalift")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise UsageError(f"{file} cannot be read: {problem}") from problem
    return table if isinstance(table, dict) else None


def _read(file: Path, table: Mapping[str, Any]) -> Configuration:
    """The settings of a table, all of which must be known."""
    options: dict[str, Any] = {}
    clang_args: tuple[str, ...] = ()
    assume: dict[str, tuple[str, ...]] = {}
    for key, value in table.items():
        where = f"{file}: tool.metalift.{key}"
        if key == "clang-args":
            clang_args = _clang_args(where, value, file.parent)
        elif key == "assume" and isinstance(value, dict):
            assume = {name: _texts(f"{where}.{name}", conditions) for name, conditions in value.items()}
        elif key in KNOWN:
            name, read = KNOWN[key]
            options[name] = read(where, value)
        else:
            known = ("clang-args", "assume", *KNOWN)
            raise UsageError(f"{where}: no such setting{did_you_mean(key, known)}; there are: {', '.join(sorted(known))}")
    if "out" in options:
        options["out"] = file.parent / options["out"]
    return Configuration(file, options, clang_args, assume)


def _texts(where: str, value: object) -> tuple[str, ...]:
    """A list of texts; one text is a list of one."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(text, str) and text.strip() for text in found):
        raise UsageError(f"{where}: it is {value!r}, and has to be a list of texts")
    return tuple(found)


def _models(where: str, value: object) -> list[str]:
    """Names of models; a server is for the user to name."""
    found = list(_texts(where, value))
    if named := [text for text in found if "@" in text]:
        raise UsageError(f"{where}: {named[0]} names a server, which only --model may")
    return found


def _number(where: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise UsageError(f"{where}: it is {value!r}, and has to be a positive number")
    return value


def _count(where: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 1e6:
        raise UsageError(f"{where}: it is {value!r}, and has to be a positive whole number")
    return value


def _flag(where: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{where}: it is {value!r}, and has to be true or false")
    return value


def _folder(where: str, value: object) -> Path:
    (text,) = _texts(where, value)
    if Path(text).is_absolute() or ".." in Path(text).parts:
        raise UsageError(f"{where}: {text} is not a folder in the project")
    return Path(text)


def _clang_args(where: str, value: object, root: Path) -> tuple[str, ...]:
    """Options of clang, with folders as they are seen from the file."""
    found: list[str] = []
    after = ""
    for text in _texts(where, value):
        if not after and not HARMLESS.fullmatch(text):
            raise UsageError(f"{where}: {text} may only be given on the command line, after --")
        if after in ("-D", "-U", "-x"):
            found.append(text)
        elif after:
            found.append(str(root / text))
        elif text.startswith("-I") and text != "-I":
            found.append(f"-I{root / text[2:]}")
        else:
            found.append(text)
        after = text if not after and text in WITH_VALUE else ""
    return tuple(found)


KNOWN: Mapping[str, tuple[str, Callable[[str, object], Any]]] = {
    "targets": ("to", _texts),
    "models": ("model", _models),
    "timeout": ("timeout", _number),
    "time-limit": ("time_limit", _number),
    "memory": ("memory", _count),
    "jobs": ("jobs", _count),
    "nests": ("nests", _flag),
    "out": ("out", _folder),
}

"""Clang's options as they are understood: each of a kind, with its value; nothing else reaches clang from a stranger's file.

Clang takes a word that begins with `@` for a file with more options, in the driver and again in the compiler that the driver
starts, where `-IDIR` has become two words. So it is not enough to join an option and its value: no value begins with `@`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from metalift.result.errors import UsageError

LANGUAGES = ("c", "c++", "c-header", "c++-header", "cpp-output", "c++-cpp-output")
MACRO = re.compile(r"[A-Za-z_]\w*(\([\w\s,.]*\))?(=.*)?", re.ASCII)
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
STANDARD = re.compile(r"(c|gnu|iso)[\w+:]*", re.ASCII)
RESPONSE = "@"  # what a word begins with that clang, gcc and zig replace by the words of a file


class Kind(Enum):
    """What an option says; the value is its spelling. All may be joined to their values."""

    INCLUDE = "-I"
    SYSTEM = "-isystem"
    QUOTED = "-iquote"
    AFTER = "-idirafter"
    FIRST = "-include"
    DEFINE = "-D"
    UNDEFINE = "-U"
    LANGUAGE = "-x"
    STANDARD = "-std="
    OTHER = ""  # of the user's own: passed on as it is

    @property
    def names_file(self) -> bool:
        """Whether the value is a folder or a file."""
        return self in (Kind.INCLUDE, Kind.SYSTEM, Kind.QUOTED, Kind.AFTER, Kind.FIRST)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of clang's."""

    kind: Kind
    value: str

    @property
    def word(self) -> str:
        """The one word for a command line; of a stranger's option, no part of it is taken for a file with options."""
        guarded = f"./{self.value}" if self.kind.names_file and self.value.startswith(RESPONSE) else self.value
        return f"{self.kind.value}{guarded}"


def strict_options(words: Sequence[str], asked: str) -> tuple[Option, ...]:
    """The options of a stranger's file. Raises UsageError at the first that is not understood; `asked` begins its text."""
    found = []
    for option in _parsed(words):
        if option.kind is Kind.OTHER:
            raise UsageError(f"{asked} {option.value!r}; only {ALLOWED} with plain values may be asked for")
        found.append(option)
    return tuple(found)


def kept_options(words: Sequence[str]) -> tuple[Option, ...]:
    """The options of a build's command that are understood; the others are left out."""
    return tuple(option for option in _parsed(words) if option.kind is not Kind.OTHER)


def own_options(words: Sequence[str]) -> tuple[Option, ...]:
    """The user's own options, of which those that are not understood are passed on. Raises UsageError."""
    if any("\0" in word for word in words):
        raise UsageError("an argument of clang has a character of code 0, which no command line can hold")
    return tuple(_parsed(words))


def located(option: Option, place: Callable[[str], str]) -> Option:
    """The option with another place for the file or folder that it names."""
    return Option(option.kind, place(option.value)) if option.kind.names_file else option


def language(options: Sequence[Option]) -> str:
    """The language that the last `-x` says, empty where none does."""
    return next((option.value for option in reversed(options) if option.kind is Kind.LANGUAGE), "")


def _parsed(words: Sequence[str]) -> Iterator[Option]:
    """The options. A word after an option that takes a value is its value, unless it begins with a dash."""
    position = 0
    while position < len(words):
        word, position = words[position], position + 1
        kind = next((kind for kind in SPELLED if word.startswith(kind.value)), Kind.OTHER)
        value = word[len(kind.value) :]
        separate = not value and kind not in (Kind.STANDARD, Kind.OTHER) and position < len(words)
        if separate:
            value = words[position]
        if kind is Kind.OTHER or not _sensible(kind, value):
            yield Option(Kind.OTHER, word)
            continue
        position += separate
        yield Option(kind, value)


def _sensible(kind: Kind, value: str) -> bool:
    """Whether it is a value of the kind; what begins with a dash would be, or belong to, another option."""
    if not value or not value.isprintable() or value.startswith("-"):
        return False
    patterns = {Kind.DEFINE: MACRO, Kind.UNDEFINE: NAME, Kind.STANDARD: STANDARD}
    if kind in patterns:
        return patterns[kind].fullmatch(value) is not None
    return kind is not Kind.LANGUAGE or value in LANGUAGES


def absolute(folder: Path) -> Callable[[str], str]:
    """Names from a folder become absolute ones."""
    return lambda value: str(folder.absolute() / value)


SPELLED = tuple(sorted((kind for kind in Kind if kind.value), key=lambda kind: -len(kind.value)))  # `-include` before `-I`
ALLOWED = ", ".join(kind.value for kind in Kind if kind.value)

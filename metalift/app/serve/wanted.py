"""What the page asks for. It comes from outside: it is read as JSON, and anything but what is expected is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from metalift.app.api.given import SUFFIXES, Text
from metalift.app.shell_completion import targets
from metalift.app.style import SIGNATURES, STYLES
from metalift.result.errors import UsageError
from metalift.system.names import chosen

LARGEST = 1 << 18  # bytes of a request
MOST_TARGETS, MOST_CONDITIONS, LONGEST_CONDITION = 4, 16, 500
NAME = "kernel"  # of the file, without its suffix


@dataclass(frozen=True, slots=True)
class Wanted:
    """A source as text and how it is to be lifted."""

    source: str
    language: str
    to: tuple[str, ...]
    style: str = STYLES[0]
    signature: str = SIGNATURES[0]
    nests: bool = False
    assume: tuple[str, ...] = ()

    @staticmethod
    def read(body: bytes) -> Wanted:
        """Raises UsageError where it is no request."""
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            raise UsageError("the request is no JSON") from None
        if not isinstance(given, Mapping) or not given.keys() <= set(Wanted.__slots__):
            raise UsageError(f"a request is an object with {', '.join(Wanted.__slots__)}")
        source, language = _text(given, "source", ""), _text(given, "language", "c")
        chosen([language], SUFFIXES, "language", "is read")
        to, assume = _texts(given, "to", MOST_TARGETS), _texts(given, "assume", MOST_CONDITIONS)
        if not to or any(len(each) > LONGEST_CONDITION for each in assume):
            raise UsageError(f"a request names a target, and conditions of at most {LONGEST_CONDITION} characters")
        nests = given.get("nests", False)
        if not isinstance(nests, bool):
            raise UsageError("nests is true or false")
        style = chosen([_text(given, "style", STYLES[0])], STYLES, "style", "of code")[0]
        signature = chosen([_text(given, "signature", SIGNATURES[0])], SIGNATURES, "signature", "of code")[0]
        return Wanted(source, language, chosen(to, targets(), "target", "is there"), style, signature, nests, assume)

    def file(self) -> Text:
        """The source as a file. It is never taken for a path, whatever it says."""
        suffix = SUFFIXES[self.language]
        return Text(self.source, suffix, f"{NAME}{suffix}")


def _text(given: Mapping[str, object], name: str, default: str) -> str:
    """A text that a file can hold."""
    found = given.get(name, default)
    if not isinstance(found, str) or "\0" in found or any("\ud800" <= each <= "\udfff" for each in found):
        raise UsageError(f"{name} is no text")
    return found


def _texts(given: Mapping[str, object], name: str, most: int) -> tuple[str, ...]:
    found = given.get(name, [])
    if not isinstance(found, list) or len(found) > most:
        raise UsageError(f"{name} is a list of at most {most}")
    return tuple(_text({name: each}, name, "") for each in found)

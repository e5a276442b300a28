"""Names in generated code: those of the source where they can be used."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable

RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


def identifier(wanted: str) -> str:
    """The name as Python allows it: without C++ scopes and template arguments, other characters as underscores."""
    last = re.sub(r"<.*>", "", wanted).rsplit("::", 1)[-1]
    plain = re.sub(r"\W", "_", last, flags=re.ASCII)
    return f"_{plain}" if not plain or plain[0].isdigit() else plain


def stem(wanted: str) -> str:
    """The name without the suffix that tells versions of one variable apart: ss.3 and ss_1 give ss."""
    return re.sub(r"(?<=[A-Za-z])[._]\d+$", "", re.sub(r"\.(\d+)$", r"_\1", wanted)).strip(".") or wanted


class Names:
    """The names that are in use in one function; each is given out once."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._reserved = frozenset(taken) | RESERVED
        self._taken = set(self._reserved)

    def take(self, wanted: str) -> str:
        """An identifier that nobody has: the wanted one, or with an underscore or a number behind it."""
        base = identifier(wanted)
        candidate = base
        number = 1
        while candidate in self._taken:
            candidate = f"{base}_" if number == 1 and base in self._reserved else f"{base}_{number}"
            number += 1
        self._taken.add(candidate)
        return candidate

    def apart(self) -> Names:
        """These names for a function inside: what it takes is free again behind it."""
        return Names(self._taken)

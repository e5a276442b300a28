"""Recognises calls of std::string's members and operators by their mangled names, as both usual libraries spell them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from metalift.frontend.llvm.read.mangled import demangle

MENTIONED = re.compile(r"basic_string")
STRING = "std::string"
CHARACTERS = "char const*"
OPERATORS = re.compile(r"operator(?:==|!=|<=>|[<>+]=?|<<|>>)\Z")
OWN = (f"{STRING} const&", f"{STRING}&&", f"{STRING}&", "std::basic_string<?> const&")


@dataclass(frozen=True, slots=True)
class StringCall:
    """A member of std::string, or an operator on strings: its name, the types of its parameters without the object, and its
    template arguments."""

    name: str
    params: tuple[str, ...]
    member: bool
    template: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def string_call(symbol: str) -> StringCall | None:
    """What a linker name means; None for functions that are not std::string's."""
    found = demangle(symbol) if MENTIONED.search(symbol) else None
    if found is None:
        return None
    if found.scope == STRING:
        return StringCall(found.name, found.params, True, found.template)
    of_strings = any(type_ in OWN for type_ in found.params) and found.template[:1] == ("char",)
    if found.scope == "std" and OPERATORS.match(found.name) and of_strings:
        params = found.params
        if found.template == ("char",):  # an overload for equal types, of which the linker name spells out a condition
            params = (f"{STRING} const&",) * 2
        return StringCall(found.name, params, False)
    return None

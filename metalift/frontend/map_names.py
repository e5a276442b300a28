"""Recognises calls of the members of std::map, std::set, their unordered forms and their iterators, by their mangled names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from metalift.frontend.mangled import demangle
from metalift.frontend.metadata import CODES, ELEMENTS
from metalift.frontend.vector_names import LLVM_TYPES
from metalift.ir.types import MachineInt, ScalarType

MENTIONED = re.compile(
    r"3map|3set|unordered_(?:map|set)|_Rb_tree|_Node_(?:const_)?iterator|__(?:map|tree|hash(?:_map)?)_(?:const_)?iterator"
)
WHOLE = re.compile(r"std::(?:unordered_)?(map|set)<(.*)>\Z")
ITERATOR = re.compile(
    r"std::(?:_Rb_tree_(?:const_)?iterator|__detail::_Node_(?:const_)?iterator(?:_base)?|__(?:map|tree|hash(?:_map)?)_(?:const_)?iterator)<"
)


@dataclass(frozen=True, slots=True)
class Container:
    """A map or set: the codes of its keys and values, the latter empty for a set. Keys are integers."""

    key: str
    value: str = ""

    @property
    def kind(self) -> str:
        """What a Python programmer calls it."""
        return "dict" if self.value else "set"

    @property
    def key_type(self) -> str:
        """The LLVM type of a key."""
        return LLVM_TYPES.get(self.key, "i64")

    @property
    def value_type(self) -> str:
        """The LLVM type of a value."""
        return LLVM_TYPES.get(self.value, "i64")

    @property
    def entry(self) -> str:
        """The LLVM type of what its iterators point to."""
        return f"{{ {self.key_type}, {self.value_type} }}" if self.value else self.key_type


@dataclass(frozen=True, slots=True)
class MapMember:
    """A member function: of which container (None for those that are not supported), its name, template arguments, parameters."""

    whole: str
    container: Container | None
    name: str
    template: tuple[str, ...]
    params: tuple[str, ...]


def container(type_: str) -> Container | None:
    """The container that a type is, with integers as keys and numbers as values; None for others."""
    found = WHOLE.match(type_)
    codes = [CODES.get(part, "") for part in found[2].split(", ")] if found else []
    if not found or len(codes) != (2 if found[1] == "map" else 1) or not all(codes) or not is_key(codes[0]):
        return None
    return Container(*codes)


def is_key(code: str) -> bool:
    """Whether keys may have the type: of floats, some that are equal differ."""
    return isinstance(ELEMENTS[code][1], MachineInt)


def scalar_of(code: str) -> ScalarType:
    """The type of a key or value."""
    return ELEMENTS[code][1]


@lru_cache(maxsize=4096)
def map_member(symbol: str) -> MapMember | None:
    """The member of a map or set that a linker name means."""
    found = demangle(symbol) if MENTIONED.search(symbol) else None
    if found is None or not WHOLE.match(found.scope):
        return None
    return MapMember(found.scope, container(found.scope), found.name, found.template, found.params)


@lru_cache(maxsize=4096)
def iterator_operator(symbol: str) -> str:
    """The operator of an iterator of a map or set that a linker name means: ==, !=, *, ->, ++, or `?` for another; else empty."""
    found = demangle(symbol) if MENTIONED.search(symbol) else None
    if found is None or not found.name.startswith("operator"):
        return ""
    operator = found.name.removeprefix("operator")
    if operator in ("==", "!=") and found.params and ITERATOR.match(found.params[0]):
        return operator
    if operator != "=" and ITERATOR.match(found.scope):
        return operator if operator in ("*", "->", "++") and not found.params else "?"
    return ""


def is_of_map(symbol: str) -> bool:
    """Whether it is a member of a map or set, or an operator of their iterators."""
    return map_member(symbol) is not None or iterator_operator(symbol) != ""

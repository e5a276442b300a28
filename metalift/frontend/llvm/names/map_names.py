"""Recognises calls of the members of std::map, std::set, their unordered forms and their iterators, by their mangled names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from metalift.frontend.llvm.names.vector_names import LLVM_TYPES
from metalift.frontend.llvm.read.mangled import demangle
from metalift.frontend.llvm.read.metadata import CODES, ELEMENTS, Record
from metalift.ir.expr.types import STRING, IntType, MachineInt, ScalarType

MENTIONED = re.compile(
    r"3map|3set|unordered_(?:map|set)|_Rb_tree|_Node_(?:const_)?iterator|__(?:map|tree|hash(?:_map)?)_(?:const_)?iterator"
)
WHOLE = re.compile(r"std::(?:unordered_)?(map|set)<(.*)>\Z")
TUPLE = re.compile(r"std::(?:pair|tuple)<(.*)>\Z")
ZEROS = frozenset({"0", "0.0", "false", "0.000000e+00"})
IDENTITY = "identity"  # the pseudo type of keys that are pairs or tuples
ITERATOR = re.compile(
    r"std::(?:_Rb_tree_(?:const_)?iterator|__detail::_Node_(?:const_)?iterator(?:_base)?|__(?:map|tree|hash(?:_map)?)_(?:const_)?iterator)<"
)


@dataclass(frozen=True, slots=True)
class ValuePart:
    """A number in a value of a map: its name, where it begins in the value, its LLVM type and its type, what it is at first."""

    name: str
    offset: int
    llvm: str
    type: ScalarType
    initial: str


@dataclass(frozen=True, slots=True)
class Container:
    """A map or set: the codes of its keys and values, the latter empty for a set.

    Keys are integers, strings, or pairs and tuples of these: of such, `key` is the name of the type, and `record` says where the
    parts are in memory, once it is known. Values are numbers, or pairs, tuples, structs and vectors of these: of such, `value` is
    the name of the type, and `held` are the numbers in them, once they are known.
    """

    key: str
    value: str = ""
    record: Record | None = None
    held: tuple[ValuePart, ...] = ()

    @property
    def kind(self) -> str:
        """What a Python programmer calls it."""
        return "dict" if self.value else "set"

    @property
    def key_name(self) -> str:
        """The type of a key as linker names spell it."""
        return ELEMENTS[self.key][0] if self.key in ELEMENTS else self.key

    @property
    def key_scalar(self) -> ScalarType:
        """What a key is in a fragment."""
        return ELEMENTS[self.key][1] if self.record is None else self.record.type

    @property
    def key_type(self) -> str:
        """The LLVM type of a key."""
        return LLVM_TYPES.get(self.key, "i64") if self.key in ELEMENTS else IDENTITY

    @property
    def key_memory(self) -> str:
        """The LLVM type of a key in memory."""
        if self.record is None:
            return self.key_type
        parts = sorted(zip(self.record.offsets, self.parts, strict=True))
        return f"{{ {', '.join(LLVM_TYPES.get(code, 'i64') for _, code in parts)} }}"

    @property
    def parts(self) -> tuple[str, ...]:
        """The codes of the parts of a key that is a pair or tuple; empty for others."""
        return key_parts(self.key)

    @property
    def value_name(self) -> str:
        """The type of a value as linker names spell it."""
        return ELEMENTS[self.value][0] if self.value in ELEMENTS else self.value

    @property
    def values(self) -> tuple[ValuePart, ...]:
        """The numbers in a value; none for a set."""
        if self.value in ELEMENTS:
            llvm = LLVM_TYPES.get(self.value, "i64")
            return (ValuePart("value", 0, llvm, ELEMENTS[self.value][1], zero(llvm)),)
        return self.held

    @property
    def of_lists(self) -> bool:
        """Whether values are vectors: `held` are then what is computed of these, and none of it is in memory."""
        return self.value.startswith("std::vector<")

    @property
    def value_memory(self) -> str:
        """The LLVM type of a value in memory."""
        if self.value in ELEMENTS:
            return self.values[0].llvm
        if self.of_lists:
            return "{ ptr, ptr, ptr }"
        return f"{{ {', '.join(part.llvm for part in sorted(self.held, key=lambda part: part.offset))} }}"

    @property
    def entry(self) -> str:
        """The LLVM type of what its iterators point to."""
        return f"{{ {self.key_memory}, {self.value_memory} }}" if self.value else self.key_memory


@dataclass(frozen=True, slots=True)
class MapMember:
    """A member function: of which container (None for those that are not supported), its name, template arguments, parameters."""

    whole: str
    container: Container | None
    name: str
    template: tuple[str, ...]
    params: tuple[str, ...]


def zero(type_: str) -> str:
    """The 0 of an LLVM type."""
    return "0.0" if type_ in ("float", "double") else "0"


def container(type_: str) -> Container | None:
    """The container that a type is; None for others, for keys that are not supported, and for strings as values."""
    found = WHOLE.match(type_)
    names = split_arguments(found[2]) if found else []
    if not found or len(names) != (2 if found[1] == "map" else 1) or not ELEMENTS.keys().isdisjoint(names):
        return None  # a class of the source may have the name of a code
    key, value = (CODES.get(name, name) for name in (names[0], names[1] if len(names) == 2 else ""))
    known = is_key(key) if key in ELEMENTS else bool(key_parts(key))
    if not known or (value in ELEMENTS and ELEMENTS[value][1] == STRING):
        return None
    return Container(key, value)


def key_parts(name: str) -> tuple[str, ...]:
    """The codes of the parts of a pair or tuple that may be a key; empty for others."""
    found = TUPLE.match(name)
    codes = [CODES.get(part, "") for part in split_arguments(found[1])] if found else []
    return tuple(codes) if all(code and is_key(code) for code in codes) else ()


def split_arguments(text: str) -> list[str]:
    """The arguments of a template."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "<") - (char == ">")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def is_key(code: str) -> bool:
    """Whether keys may have the type: of floats, some that are equal differ."""
    return isinstance(ELEMENTS[code][1], MachineInt | IntType)


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

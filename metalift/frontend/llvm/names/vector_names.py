"""Recognises calls of std::vector's members, std::min and std::max by their mangled names, as both usual libraries spell them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metalift.frontend.llvm.read.llvm_ir import Instr
from metalift.frontend.llvm.read.mangled import UNKNOWN, demangle
from metalift.frontend.llvm.read.metadata import ELEMENTS, vector_element

SIZE = 24  # the bytes of a std::vector
ANY_VECTOR = re.compile(r"_ZNK?(?:St6vectorI|St3__16vectorI)")
EXTREMUM = re.compile(
    r"_ZSt3(?P<gnu>max|min)I(?P<gnu_type>\w)ERKT_S2_S2_\Z|_ZNSt3__13(?P<llvm>max|min)(?:B\w+?)?I(?P<llvm_type>\w)EERKT_S3_S3_\Z"
)
ITERATOR = re.compile(r"(?:__gnu_cxx::__normal_iterator<|std::__wrap_iter<)?(.*?)(?: const)?\*(?:, .*)?>?\Z")
PURE = frozenset(
    {"size", "empty", "operator[]", "at", "front", "back", "data", "begin", "end", "cbegin", "cend", "capacity"}
)  # change nothing
ALLOCATORS = ("std::allocator<", "std::__new_allocator<")
LLVM_TYPES = {"f": "float", "d": "double", "i": "i32", "j": "i32", "h": "i8", "a": "i8", "c": "i8", "s": "i16", "t": "i16",
              "S": "string"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Member:
    """A member function of a vector: its name, the code of the innermost elements, the number of axes, its template arguments
    and the types of its parameters."""

    name: str
    element: str
    rank: int = 1
    template: tuple[str, ...] = ()
    params: tuple[str, ...] = ()

    @property
    def llvm_type(self) -> str:
        """The LLVM type of an innermost element."""
        return LLVM_TYPES.get(self.element, "i64")

    @property
    def row(self) -> str:
        """The type of what the vector holds: of a number, or of a vector."""
        return _vector(self.element, self.rank - 1)

    @property
    def whole(self) -> str:
        """The type of the vector."""
        return _vector(self.element, self.rank)

    @property
    def of_numbers(self) -> bool:
        """Whether the innermost elements are numbers or strings; otherwise `element` is the name of their type."""
        return self.element in ELEMENTS


def _vector(element: str, rank: int) -> str:
    return "std::vector<" * rank + (ELEMENTS[element][0] if element in ELEMENTS else element) + ">" * rank


def vector_member(symbol: str) -> Member | None:
    """The member that a linker name means; None for other functions and for vectors of vectors of what is no number."""
    found = demangle(symbol) if ANY_VECTOR.match(symbol) else None
    if found is None:
        return None
    parts = vector_element(found.scope)
    if parts is None and UNKNOWN not in found.scope and not found.scope.startswith("std::vector<std::vector<"):
        parts = (found.scope.removeprefix("std::vector<").removesuffix(">"), 1)
    if parts is None or (vector_element(found.scope) is None and parts[0] in ELEMENTS):
        return None  # a class of the source may have the name of a code
    return Member(found.name, *parts, found.template, found.params)


def is_push(instr: Instr) -> bool:
    """Whether it adds an element to a vector."""
    member = vector_member(instr.detail[0][1:]) if instr.op == "call" else None
    return member is not None and member.name in ("push_back", "emplace_back")


def extremum(symbol: str) -> tuple[str, str] | None:
    """`max` or `min` with the code of the type, for std::max and std::min of two values."""
    found = EXTREMUM.match(symbol)
    if found is None:
        return None
    name, code = (found["gnu"], found["gnu_type"]) if found["gnu"] else (found["llvm"], found["llvm_type"])
    return (name, code) if code in ELEMENTS else None


def iterated(type_: str) -> str | None:
    """The type of the elements that a pointer or an iterator of a vector goes through; None for other types."""
    found = ITERATOR.match(type_)
    return found[1] if found else None


def is_allocator(symbol: str) -> bool:
    """Whether a function makes or ends an allocator object."""
    found = demangle(symbol) if "allocatorI" in symbol or "SaI" in symbol else None
    return found is not None and found.scope.startswith(ALLOCATORS) and found.name in ("constructor", "destructor")

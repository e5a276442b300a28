"""Recognises calls of std::vector's members, std::min and std::max by their mangled names, as both usual libraries spell them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metalift.frontend.metadata import ELEMENTS

ANY_VECTOR = re.compile(r"_ZNK?(?:St6vectorI|St3__16vectorI)")
VECTOR = re.compile(
    r"_ZNK?(?:St6vectorI(?P<gnu>\w)SaI(?P=gnu)EE|St3__16vectorI(?P<llvm>\w)NS_9allocatorI(?P=llvm)EEE)(?P<rest>.*)"
)
EXTREMUM = re.compile(
    r"_ZSt3(?P<gnu>max|min)I(?P<gnu_type>\w)ERKT_S2_S2_\Z|_ZNSt3__13(?P<llvm>max|min)(?:B\w+?)?I(?P<llvm_type>\w)EERKT_S3_S3_\Z"
)
ALLOCATOR = re.compile(r"_ZNK?(?:SaI\wE|St15__new_allocatorI\wE|St3__19allocatorI\wE)[CD]\d")
OPERATORS = {
    "ix": "operator[]",
    "aS": "operator=",
    "C1": "constructor",
    "C2": "constructor",
    "D1": "destructor",
    "D2": "destructor",
}
INLINED = frozenset({"rbegin", "rend", "crbegin", "crend"})
LLVM_TYPES = {"f": "float", "d": "double", "i": "i32", "j": "i32", "h": "i8", "a": "i8", "c": "i8", "s": "i16", "t": "i16"}


@dataclass(frozen=True, slots=True)
class Member:
    """A member function of a vector: its name, the code of the element type, the mangled types of its parameters."""

    name: str
    element: str
    template: str
    signature: str

    @property
    def llvm_type(self) -> str:
        """The LLVM type of an element."""
        return LLVM_TYPES.get(self.element, "i64")


def vector_member(symbol: str) -> Member | None:
    """The member that a linker name means, None for other functions and for vectors with elements that are not supported."""
    found = VECTOR.match(symbol)
    if found is None or (found["gnu"] or found["llvm"]) not in ELEMENTS:
        return None
    rest = found["rest"]
    number = re.match(r"\d+", rest)
    if number:
        end = number.end() + int(number[0])
        name, rest = rest[number.end() : end], rest[end:]
    else:
        name, rest = OPERATORS.get(rest[:2], rest[:2]), rest[2:]
    while tag := re.match(r"B(\d+)", rest):
        rest = rest[tag.end() + int(tag[1]) :]
    template = ""
    if rest.startswith("I"):
        cut = _template_end(rest)
        template, rest = rest[:cut], rest[cut:]
    return Member(name, found["gnu"] or found["llvm"], template, rest.removeprefix("E"))


def _template_end(text: str) -> int:
    """Where the template arguments that begin the text end: by counting the brackets I, N and J that an E closes."""
    depth, at = 0, 0
    while at < len(text):
        number = re.match(r"\d+", text[at:])
        if number:
            at += number.end() + int(number[0])
            continue
        if text[at] in "INJ":
            depth += 1
        elif text[at] == "E":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return len(text)


def extremum(symbol: str) -> tuple[str, str] | None:
    """`max` or `min` with the code of the type, for std::max and std::min of two values."""
    found = EXTREMUM.match(symbol)
    if found is None:
        return None
    name, code = (found["gnu"], found["gnu_type"]) if found["gnu"] else (found["llvm"], found["llvm_type"])
    return (name, code) if code in ELEMENTS else None


def has_own_meaning(symbol: str) -> bool:
    """Whether calls of a function are not inlined."""
    if ANY_VECTOR.match(symbol):
        member = vector_member(symbol)
        return member is None or member.name not in INLINED
    return extremum(symbol) is not None or ALLOCATOR.match(symbol) is not None

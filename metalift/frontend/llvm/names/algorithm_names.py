"""Recognises calls of the algorithms of C++'s standard library that have a meaning of their own, by their mangled names.

All others are inlined. These are the ones whose bodies in the libraries are block operations, unrolled, or begin with a special
case: what they do is simpler than how they do it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from metalift.frontend.llvm.names.vector_names import iterated
from metalift.frontend.llvm.read.mangled import demangle
from metalift.frontend.llvm.read.metadata import CODES, ELEMENTS
from metalift.ir.expr.types import MachineInt, RealType

CANDIDATE = re.compile(r"_ZN?St(?:3__1)?\d+(?:copy|move|equal|partial_sum|reduce|reverse|stable_sort|sort|iota|max|min)(?:B|I)")
LIST = re.compile(r"std::initializer_list<(.*)>\Z")
OF_ONE, OF_TWO = "reduce reverse iota sort stable_sort".split(), "copy move equal partial_sum".split()
ITERATORS = {**dict.fromkeys(OF_ONE, 1), **dict.fromkeys(OF_TWO, 2)}
PARAMS = {"copy": 3, "move": 3, "equal": 3, "partial_sum": 3, "reverse": 2, "iota": 3}


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An algorithm on elements of one type, which is given by its code; `params` are the types of what it takes."""

    name: str
    element: str
    params: tuple[str, ...]


def algorithm(symbol: str) -> Algorithm | None:
    """The algorithm that a linker name means, None for other functions and for what is inlined."""
    found = demangle(symbol) if CANDIDATE.match(symbol) else None
    if found is None or found.scope != "std" or not found.template:
        return None
    if found.name in ("max", "min"):
        listed = LIST.match(found.params[0]) if len(found.params) == 1 else None
        code = CODES.get(listed[1]) if listed else None
        return Algorithm(found.name, code, found.params) if code else None
    codes = [CODES.get(iterated(type_) or "") for type_ in found.template[: ITERATORS[found.name]]]
    if len(codes) != ITERATORS[found.name] or codes[0] is None or set(codes) != {codes[0]}:
        return None
    known = _is_known(found.name, codes[0], found.template, len(found.params))
    return Algorithm(found.name, codes[0], found.params) if known else None


def _is_known(name: str, code: str, template: tuple[str, ...], count: int) -> bool:
    """Whether the algorithm is called without a function, and adds up in the type of the elements."""
    element, value = ELEMENTS[code][0], template[-1]
    if name == "reduce":
        return count == 2 or (count == 3 and len(template) == 2 and value == element)
    if name in ("sort", "stable_sort"):
        falling = len(template) == 2 and template[1] in ("std::greater<void>", f"std::greater<{element}>")
        numbers = isinstance(ELEMENTS[code][1], RealType | MachineInt)
        return numbers and ((count, len(template)) == (2, 1) or (count == 3 and falling))
    if name == "iota":
        return isinstance(ELEMENTS[code][1], RealType) and value == element
    return count == PARAMS[name] and len(template) == ITERATORS[name]

"""Which functions of the standard library have a meaning of their own here, whatever their bodies do."""

from __future__ import annotations

from metalift.frontend.llvm.names.algorithm_names import algorithm
from metalift.frontend.llvm.names.map_names import is_of_map
from metalift.frontend.llvm.names.string_names import string_call
from metalift.frontend.llvm.names.vector_names import ANY_VECTOR, extremum, is_allocator, vector_member

INLINED = frozenset({"rbegin", "rend", "crbegin", "crend"})


def has_own_meaning(symbol: str) -> bool:
    """Whether calls of a function are not inlined."""
    if ANY_VECTOR.match(symbol):
        member = vector_member(symbol)
        return member is None or member.name not in INLINED
    if (of_string := string_call(symbol)) is not None:
        return not of_string.member or of_string.name not in INLINED
    known = extremum(symbol) is not None or is_allocator(symbol) or algorithm(symbol) is not None
    return known or is_of_map(symbol)

"""The lines that begin a function, with the types of what it takes and returns."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.codegen.python_text import INDENT, LINE_LENGTH
from metalift.driver import Layout
from metalift.ir.expr.types import RealType, TensorType, Type, is_integer


def head(function: str, taken: Sequence[tuple[str, str]], more: Sequence[str], returned: str) -> list[str]:
    """The `def`, on one line where that is short enough; `more` are parameters with defaults."""
    given = [f"{shown}: {hint}" if hint else shown for shown, hint in taken] + list(more)
    ending = f") -> {returned}:" if returned else "):"
    flat = f"def {function}({', '.join(given)}{ending}"
    if len(flat) <= LINE_LENGTH:
        return [flat]
    joined = f"{INDENT}{', '.join(given)}"
    return [f"def {function}(", *([joined] if len(joined) <= LINE_LENGTH else [f"{INDENT}{each}," for each in given]), ending]


def type_hint(type_: Type, layout: Layout | None) -> str:
    """The type of a tensor or number in a library of tensors; empty elsewhere."""
    if layout is None:
        return ""
    if isinstance(type_, TensorType):
        return layout.array_type
    return "float" if isinstance(type_, RealType) else "int" if is_integer(type_) else "bool"


def returned_hint(types: Sequence[Type], layout: Layout | None) -> str:
    """The type of what is returned; empty where that has numbers, which may be Python's or the library's."""
    if layout is None or not all(isinstance(type_, TensorType) for type_ in types):
        return ""
    made = [layout.array_type] * len(types)
    return "None" if not made else made[0] if len(made) == 1 else f"tuple[{', '.join(made)}]"

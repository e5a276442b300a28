"""Constants with a name: global scalars and tables that the source declares const."""

from __future__ import annotations

import re

from metalift.frontend.llvm_instructions import Tokens
from metalift.frontend.llvm_ir import array_parts, scalar_size
from metalift.frontend.llvm_text import LlvmModule

LIMIT = 64  # cells of a table that may be read at an index that is not a literal


def constant_cells(module: LlvmModule, name: str) -> tuple[str, tuple[str, ...]] | None:
    """The scalar LLVM type and the values of a constant `@name`, in order; None for what is none or not of scalars."""
    found = re.match(r"(?:[\w()]+ )*?constant (.*)", module.globals.get(name, ""))
    if found is None or found[0].startswith("external"):
        return None
    tokens = Tokens(found[1])
    type_ = tokens.type()
    element = type_
    while (array := array_parts(element)) is not None:
        element = array[1]
    if scalar_size(element) is None or element == "ptr":
        return None
    cells = _cells(tokens, type_)
    return None if cells is None else (element, tuple(cells))


def _cells(tokens: Tokens, type_: str) -> list[str] | None:
    """The scalars of an initialiser at the cursor."""
    array = array_parts(type_)
    if array is None:
        token = tokens.take()
        return ["0.0" if type_ in ("float", "double") else "0"] if token == "zeroinitializer" else [token]
    count, element = array
    if tokens.skip("zeroinitializer"):
        inner = _cells(Tokens("zeroinitializer"), element)
        return None if inner is None else inner * count
    if tokens.current.startswith('c"'):
        return _bytes(tokens.take())
    if not tokens.skip("["):
        return None
    cells: list[str] = []
    while not tokens.skip("]"):
        inner = _cells(tokens, tokens.type())
        if inner is None or not tokens.current:
            return None
        cells += inner
        tokens.skip(",")
    return cells


def _bytes(token: str) -> list[str]:
    """The cells of c"..."."""
    parts = re.findall(r"\\\\|\\[0-9A-F]{2}|.", token[2:-1])
    return [str(92 if part == "\\\\" else int(part[1:], 16) if len(part) == 3 else ord(part)) for part in parts]

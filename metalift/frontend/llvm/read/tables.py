"""Constants with a name: global scalars and tables that the source declares const."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from metalift.frontend.llvm.read.llvm_instructions import Tokens
from metalift.frontend.llvm.read.llvm_ir import array_parts, scalar_size
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.ir.expr.types import ScalarType

NAME = re.compile(r'[@%](?:"[^"]*"|[-\w.$]+)')
LIMIT = 256  # cells of a table that may be read at an index that is not a literal


def constant_cells(module: LlvmModule, name: str) -> tuple[str, tuple[str, ...]] | None:
    """The scalar LLVM type and the values of a constant `@name`, in order; None for what is none or not of scalars."""
    found = re.match(r"(?:[\w()]+ )*?(constant|global) (.*)", module.globals.get(name, ""))
    if found is None or found[0].startswith("external"):
        return None
    if found[1] == "global" and not (found[0].startswith("internal ") and name in _unchanged(module)):
        return None
    tokens = Tokens(found[2])
    type_ = module.layout.unwrapped(tokens.type())
    element = type_
    while (array := array_parts(element)) is not None:
        element = array[1]
    if scalar_size(element) is None or element == "ptr":
        return None
    cells = _cells(tokens, type_)
    return None if cells is None else (element, tuple(cells))


@lru_cache(maxsize=8)
def _unchanged(module: LlvmModule) -> frozenset[str]:
    """The global variables of the file alone that nothing in it can change: they are only read."""
    candidates = {name for name, text in module.globals.items() if text.startswith("internal ") and " global " in f" {text}"}
    candidates -= {name for text in module.globals.values() for name in NAME.findall(text)}
    for body in module.bodies.values():
        if candidates and any("@" in line for line in body[1:]):
            candidates -= _changed(body, candidates)
    return frozenset(candidates)


def _changed(body: list[str], candidates: set[str]) -> set[str]:
    """The variables of which a function does more than read elements."""
    origins = {name: {name} for name in candidates}
    lines = [(line, re.match(r"\s*(%\S+) = getelementptr ", line)) for line in body[1:]]
    size = -1
    while size != len(origins):  # a use may stand before what it uses
        size = len(origins)
        for line, moved in lines:
            if moved and (found := _mentioned(line, origins)):
                origins[moved[1]] = found
    reads = re.compile(r"\s*%\S+ = load (?!volatile)")
    return set().union(*(_mentioned(line, origins) for line, moved in lines if not moved and not reads.match(line)))


def _mentioned(line: str, origins: dict[str, set[str]]) -> set[str]:
    """The variables into which something that a line mentions points."""
    return {origin for name in NAME.findall(line) for origin in origins.get(name, ())}


def keeper_of_address(module: LlvmModule, name: str) -> str:
    """A variable that the file lets point to the variable `@name`, empty if there is none."""
    holders = (other for other, text in module.globals.items() if other != name and name in NAME.findall(text))
    stores = re.compile(rf"\s*store ptr (?:getelementptr[^@]*)?{re.escape(name)}\b.*, ptr (@[^,]+),")
    found = (stores.match(line) for body in module.bodies.values() for line in body[1:] if name in line)
    return next(chain(holders, (match[1] for match in found if match)), "")[1:]


def declared_type(module: LlvmModule, name: str) -> ScalarType | None:
    """The type of the scalars of a global variable `@name` as its source declares it."""
    found = re.search(r"!dbg (!\d+)", module.globals.get(name, ""))
    variable = module.metadata.fields(module.metadata.fields(found[1]).get("var", "")) if found else {}
    return module.metadata.type(variable.get("type", "")).scalar


def _cells(tokens: Tokens, type_: str) -> list[str] | None:
    """The scalars of an initialiser at the cursor."""
    array = array_parts(type_)
    if tokens.skip("{"):  # a struct around an array, as std::array is
        tokens.type()
        held = _cells(tokens, type_)
        return held if tokens.skip("}") else None
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
        tokens.type()
        inner = _cells(tokens, element)
        if inner is None or not tokens.current:
            return None
        cells += inner
        tokens.skip(",")
    return cells


def _bytes(token: str) -> list[str]:
    """The cells of c"..."."""
    parts = re.findall(r"\\\\|\\[0-9A-F]{2}|.", token[2:-1])
    return [str(92 if part == "\\\\" else int(part[1:], 16) if len(part) == 3 else ord(part)) for part in parts]

"""Local structs and small arrays that are copied or filled in bulk: loads and stores of their scalars instead.

What lies between the fields is only left out where nothing of the function can see it there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from metalift.frontend.llvm.read.llvm_ir import (
    Instr,
    Layout,
    LlvmFunction,
    array_parts,
    is_literal,
    leaves,
    offset_of,
    scalar_size,
)
from metalift.ir.program.graphs import reached

FILL = "@llvm.memset"
BULK = (FILL, "@llvm.memcpy", "@llvm.memmove")
MOVED = re.compile(r"%copy\.(?:to|from|value)\..*\.(\d+)\.\d+")
Slot = tuple[str, int]  # an alloca and an offset in bytes


def is_lifetime(instr: Instr) -> bool:
    """Whether it is a marker of a local variable's life."""
    return instr.op == "call" and instr.detail[0].startswith(("@llvm.lifetime", "@llvm.invariant"))


def is_bulk(instr: Instr) -> bool:
    """Whether it copies or fills memory in bulk."""
    return instr.op == "call" and instr.detail[0].startswith(BULK)


def expand_copies(function: LlvmFunction, layout: Layout) -> None:
    """Write a memcpy, a memmove or a memset to zero of a local struct or small array, or of some fields, as loads and stores."""
    allocated = _with_known_accesses(function, layout)
    places = {name: (name, 0) for name in allocated}
    for instr in function.instructions():
        offset = offset_of(instr, layout) if instr.op == "getelementptr" and instr.args[0] in places else None
        if offset is not None:
            root, start = places[instr.args[0]]
            places[instr.result] = (root, start + offset)
    beside = _beside_fields(function, allocated, places, layout)
    earlier = [found for instr in function.instructions() if (found := MOVED.fullmatch(instr.result))]
    count = max((int(found[1]) for found in earlier), default=0)
    for block in function.blocks:
        expanded: list[Instr] = []
        for instr in block.instrs:
            parts = _parts(instr, allocated, places, beside, layout)
            count += parts is not None
            expanded += [instr] if parts is None else _moved(instr, f"{function.symbol}.{count}", parts)
        block.instrs[:] = expanded


def _parts(
    instr: Instr, allocated: Mapping[str, str], places: Mapping[str, Slot], beside: set[str], layout: Layout
) -> list[tuple[int, str]] | None:
    """The scalars that an instruction copies or fills, with their offsets; None where it does something else, or more."""
    if not is_bulk(instr) or not is_literal(instr.args[2]) or instr.args[3] != "false":
        return None
    fill = instr.detail[0].startswith(FILL)
    if fill and instr.args[1] != "0":
        return None
    ends = [places.get(arg) for arg in instr.args[: 1 if fill else 2]]
    found = [_covered(allocated[end[0]], end[1], int(instr.args[2]), layout) for end in ends if end is not None]
    if not found or found[0] is None:
        return None
    if sum(layout.size(item) or 0 for _, item in found[0]) == int(instr.args[2]):
        return found[0]
    seen = any(end is not None and end[0] in beside for end in ends) or (not found[0] and None in ends)
    return None if seen or any(each != found[0] for each in found) else found[0]


def _beside_fields(
    function: LlvmFunction, allocated: Mapping[str, str], places: Mapping[str, Slot], layout: Layout
) -> set[str]:
    """The local variables of which something else than their scalars is read or written, as bytes between fields; and those that
    pass on such bytes, from memory that is none of them to memory that is none.
    """
    fields = {root: set(leaves(type_, layout) or ()) for root, type_ in allocated.items()}
    found: set[str] = set()
    for instr in function.instructions():
        known = instr.op == "declare" or is_lifetime(instr) or instr.result in places
        if instr.op in ("load", "store") and (place := places.get(instr.args[-1])) is not None:
            root, offset = place
            sizes = {scalar_size(type_) for at, type_ in fields[root] if at == offset}
            found |= set() if scalar_size(instr.type) in sizes - {None} else {root}
            known = instr.op == "load"
        used = () if known else instr.args[:-1] if instr.op == "store" else instr.args
        found |= {places[arg][0] for arg in used if arg in places} if not is_bulk(instr) else set()
    return found | _passing(function, places)


def _passing(function: LlvmFunction, places: Mapping[str, Slot]) -> set[str]:
    """The local variables into which other memory is copied, directly or through others, and that are copied to other memory."""
    copies = [instr for instr in function.instructions() if is_bulk(instr) and not instr.detail[0].startswith(FILL)]
    pairs = [tuple(places[arg][0] if arg in places else "" for arg in instr.args[:2]) for instr in copies]
    behind = reached([""], lambda root: [target for target, source in pairs if source == root])
    before = reached([""], lambda root: [source for target, source in pairs if target == root])
    return behind & before - {""}


def _covered(type_: str, start: int, size: int, layout: Layout) -> list[tuple[int, str]] | None:
    """The scalars of a type in so many bytes of it, with their offsets from there: none in padding. None where one is only partly
    inside.
    """
    found: list[tuple[int, str]] = []
    whole = leaves(type_, layout)
    if whole is None:
        return None
    for offset, item in whole:
        end = offset + (layout.size(item) or 0)
        if start <= offset and end <= start + size:
            found.append((offset - start, item))
        elif offset < start + size and start < end:
            return None
    return found


def _moved(instr: Instr, number: str, parts: Sequence[tuple[int, str]]) -> list[Instr]:
    """A memcpy, a memmove or a memset to zero of some scalars: all are read before any is written."""
    reads: list[Instr] = []
    writes: list[Instr] = []
    for at, (offset, item) in enumerate(parts):
        target, source, value = (f"%copy.{kind}.{number}.{at}" for kind in ("to", "from", "value"))
        where, place = instr.location, str(offset)
        writes.append(Instr("getelementptr", target, "ptr", (instr.args[0], place), ("ptr", "i64"), ("i8",), location=where))
        if instr.detail[0].startswith(FILL):
            value = "0.0" if item in ("float", "double") else "null" if item == "ptr" else "0"
        else:
            reads.append(Instr("getelementptr", source, "ptr", (instr.args[1], place), ("ptr", "i64"), ("i8",), location=where))
            reads.append(Instr("load", value, item, (source,), ("ptr",), location=where))
        writes.append(Instr("store", "", item, (value, target), (item, "ptr"), location=where))
    return [*reads, *writes]


def _with_known_accesses(function: LlvmFunction, layout: Layout) -> dict[str, str]:
    """The types of local variables; of arrays, only of those whose every access is at a place known from the text."""
    allocated = {instr.result: instr.detail[0] for instr in function.instructions() if instr.op == "alloca" and not instr.args}
    roots = {name: name for name in allocated}
    for instr in function.instructions():
        known = instr.op in ("load", "declare") or is_lifetime(instr) or is_bulk(instr)
        if instr.op == "getelementptr" and instr.args[0] in roots:
            roots[instr.result] = roots[instr.args[0]]
            known = offset_of(instr, layout) is not None
        used = instr.args[:1] if instr.op == "store" else () if known else instr.args
        for arg in used:
            if arg in roots and array_parts(allocated.get(roots[arg], "")):
                del allocated[roots[arg]]
    return allocated

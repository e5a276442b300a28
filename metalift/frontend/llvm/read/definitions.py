"""Structs that a file only declares and another file of the program defines, as definitions in C.

The file cannot place such a struct in memory, or reach into one; with these definitions behind it, it can.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from metalift.frontend.llvm.read.metadata import Member, Metadata, SourceType
from metalift.ir.expr.types import BoolType, MachineInt, RealType, ScalarType

WORD = re.compile(r"[A-Za-z_]\w*")


def definitions(metadata: Metadata, roots: Iterable[str]) -> tuple[str, ...]:
    """One for each struct that another file defines and that a signature leads to: its members where they are, and what has no
    simple type as bytes.
    """
    found: dict[str, str] = {}
    pending, seen = list(roots), set[str]()
    while pending:
        ref = pending.pop(0)
        if ref in seen:
            continue
        seen.add(ref)
        defined = metadata.definition(ref)
        fields = metadata.fields(defined or ref)
        tag = fields.get("name", "")
        if defined and "identifier" not in fields and WORD.fullmatch(tag):
            found[tag] = defined
        pending += filter(None, (fields.get("baseType"), *metadata.items(fields.get("elements", ""))))
    return tuple(f"struct {tag} {_body(ref, metadata)};" for tag, ref in found.items())


def _body(ref: str, metadata: Metadata) -> str:
    """The members of a struct, where they are; no more is asked of where it may lie."""
    lines, end = [], 0
    for member in sorted(metadata.members(ref), key=lambda each: each.offset):
        if member.bit_field or member.offset < end or not WORD.fullmatch(member.name):
            continue
        lines += [f"char metalift_before_{member.name}[{member.offset - end}];"] if member.offset > end else []
        lines.append(_declared(member, metadata))
        end = member.offset + member.size
    size = int(metadata.fields(ref).get("size", 0)) // 8
    lines += [f"char metalift_rest[{size - end}];"] if size > end else []
    return f"{{ {' '.join(lines)} }} __attribute__((packed))"


def _declared(member: Member, metadata: Metadata) -> str:
    """A member, with a type of the same size."""
    type_, stars = member.type, ""
    if type_.kind == "struct":
        return f"struct {_body(type_.ref, metadata)} {member.name};"
    while type_.kind == "pointer" and type_.target is not None and type_.target.kind in ("pointer", "scalar", "struct"):
        type_, stars = type_.target, stars + "*"
    base = _base(type_, metadata)
    brackets = member.type.spelling.partition("[")[2] if type_.kind == "array" else ""
    if base and (stars or type_.kind == "scalar"):
        return f"{base} {stars}{member.name};"
    if base and re.fullmatch(r"\d+(\]\[\d+)*\]", brackets):
        return f"{base} {member.name}[{brackets};"
    return f"char {member.name}[{member.size}];"


def _base(type_: SourceType, metadata: Metadata) -> str:
    if type_.kind == "struct":
        tag = metadata.fields(type_.ref).get("name", "")
        return f"struct {tag}" if WORD.fullmatch(tag) else "void"
    return _scalar(type_.scalar) if type_.kind in ("scalar", "array") and type_.scalar is not None else ""


def _scalar(type_: ScalarType) -> str:
    match type_:
        case MachineInt(bits, signed):
            return f"__{'INT' if signed else 'UINT'}{bits}_TYPE__"
        case RealType(bits):
            return "float" if bits == 32 else "double"
        case BoolType():
            return "_Bool"
        case _:
            return ""

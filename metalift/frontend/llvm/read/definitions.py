"""Structs that a file only declares and another file of the program defines, as definitions in C.

The file cannot place such a struct in memory, or reach into one; with these definitions behind it, it can.
"""

from __future__ import annotations

import re

from metalift.frontend.llvm.read.metadata import Member, Metadata, SourceType
from metalift.ir.expr.types import BoolType, MachineInt, RealType, ScalarType

WORD = re.compile(r"[A-Za-z_]\w*")


def definitions(metadata: Metadata) -> tuple[str, ...]:
    """One for each struct whose definition in another file was used so far: its members where they are, and what has no simple
    type as bytes."""
    return tuple(_definition(tag, ref, metadata) for tag, ref in metadata.defined_elsewhere.items() if WORD.fullmatch(tag))


def _definition(tag: str, ref: str, metadata: Metadata) -> str:
    return f"struct {tag} {_body(ref, metadata)};"


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

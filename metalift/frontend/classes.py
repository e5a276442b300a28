"""Classes of the standard library that are passed and returned as what they hold: std::array, std::pair, std::tuple."""

from __future__ import annotations

import re
from dataclasses import replace

from metalift.frontend.llvm_ir import Instr, Layout, LlvmFunction, array_parts, struct_fields
from metalift.frontend.metadata import Metadata, SourceType
from metalift.ir.types import ScalarType

ITEM = re.compile(r"(?:_Head_base|__tuple_leaf)<(\d+)")  # the part of a std::tuple that holds one item


def unwrap_arrays(function: LlvmFunction, layout: Layout) -> None:
    """Let structs around one array be that array, in place."""
    for block in function.blocks:
        for at, instr in enumerate(block.instrs):
            if instr.op == "alloca":
                block.instrs[at] = replace(instr, detail=(layout.unwrapped(instr.detail[0]),))
            elif instr.op == "getelementptr" and layout.unwrapped(instr.detail[0]) != instr.detail[0]:
                block.instrs[at] = _unwrapped_step(instr, layout)


def _unwrapped_step(instr: Instr, layout: Layout) -> Instr:
    """The address of the same place, without the indices that choose the only field of a struct."""
    element = instr.detail[0]
    kept = [0, 1]
    for at, token in enumerate(instr.args[2:], start=2):
        array = array_parts(element)
        fields = struct_fields(layout.named.get(element, element)) or ()
        if array:
            element = array[1]
        elif token.isdigit() and int(token) < len(fields):
            element = fields[int(token)]
        else:
            return instr
        if array or len(fields) > 1:
            kept.append(at)
    args, types = (tuple(values[at] for at in kept) for values in (instr.args, instr.types))
    return replace(instr, args=args, types=types, detail=(layout.unwrapped(instr.detail[0]),))


def result_fields(type_: SourceType, metadata: Metadata) -> list[tuple[int, ScalarType]]:
    """Where the scalars of a struct begin and their types, in the order of the source; empty where it holds something else."""
    found = _fields(type_, metadata, 0, 0)
    return [(offset, scalar) for _, offset, scalar in sorted(found, key=lambda item: item[0])] if found else []


def _fields(type_: SourceType, metadata: Metadata, start: int, item: int) -> list[tuple[int, int, ScalarType]] | None:
    """The scalars of a struct; those of a std::tuple, which may lie in memory from last to first, with their numbers."""
    found: list[tuple[int, int, ScalarType]] = []
    named = ITEM.match(metadata.fields(type_.ref).get("name", ""))
    item = int(named[1]) if named else item
    for member in metadata.members(type_.ref):
        offset = start + member.offset
        if member.type.kind == "struct":
            inner = _fields(member.type, metadata, offset, item)
            if inner is None:
                return None
            found += inner
        elif member.type.kind != "scalar" or member.type.scalar is None or member.bit_field:
            return None
        else:
            found.append((item, offset, member.type.scalar))
    return found


def order_results(function: LlvmFunction, metadata: Metadata) -> None:
    """Let a function that returns a struct return its fields, in the order of the source, and no padding between them."""
    signature = metadata.signature(function.subprogram)
    type_ = metadata.type(signature[0]) if signature else None
    offsets = [str(offset) for offset, _ in result_fields(type_, metadata)] if type_ and type_.kind == "struct" else []
    for block in function.blocks:
        end = block.end
        if end.type == "tuple" and set(offsets) <= set(end.detail):
            places = [end.detail.index(offset) for offset in offsets]
            args, types = (tuple(values[place] for place in places) for values in (end.args, end.types))
            block.instrs[-1] = replace(end, args=args, types=types, detail=())

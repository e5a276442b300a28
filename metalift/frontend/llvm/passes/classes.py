"""Classes of the standard library that are passed and returned as what they hold: std::array, std::pair, std::tuple."""

from __future__ import annotations

from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import Instr, Layout, LlvmFunction, array_parts, struct_fields
from metalift.frontend.llvm.read.metadata import Metadata, parts_of


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


def order_results(function: LlvmFunction, metadata: Metadata) -> None:
    """Let a function that returns a struct return its fields, in the order of the source, and no padding between them."""
    offsets = [str(offset) for offset, _ in parts_of(metadata.result(function.subprogram), metadata)]
    for block in function.blocks:
        end = block.end
        if end.type == "tuple" and set(offsets) <= set(end.detail):
            places = [end.detail.index(offset) for offset in offsets]
            args, types = (tuple(values[place] for place in places) for values in (end.args, end.types))
            block.instrs[-1] = replace(end, args=args, types=types, detail=())

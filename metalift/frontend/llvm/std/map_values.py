"""Pairs, tuples and structs as values of maps: the numbers in them, where these are, and what they are in a new entry.

A map makes a new value by value-initialisation: its numbers are 0, but those of a struct with a constructor are what that writes.
"""

from __future__ import annotations

from metalift.frontend.llvm.names.map_names import ValuePart, zero
from metalift.frontend.llvm.read.llvm_ir import is_literal, offset_of
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.mangled import demangle
from metalift.frontend.llvm.read.metadata import Record
from metalift.frontend.llvm.ssa.bulk import is_lifetime
from metalift.frontend.llvm.ssa.inline import Inliner
from metalift.frontend.llvm.ssa.promote import promote
from metalift.ir.expr.types import BOOL, BoolType, MachineInt, RealType, ScalarType

CONSTRUCTORS = ("C1Ev", "C2Ev")


def value_parts(name: str, module: LlvmModule) -> tuple[ValuePart, ...]:
    """The numbers in a value of the type; none where it is not supported."""
    if name == "bool":
        return (ValuePart("value", 0, memory_type(BOOL), BOOL, zero(memory_type(BOOL))),)
    record = module.metadata.record(name)
    types = [memory_type(part) for _, part in record.type.fields] if record is not None else []
    if record is None or not all(types) or (not name.startswith("std::") and module.metadata.copies_itself(name)):
        return ()
    written = _initial(record, module)
    if written is None:
        return ()
    parts = [
        ValuePart(f"value.{field}", offset, llvm, type_, written.get(offset, zero(llvm)))
        for (field, type_), offset, llvm in zip(record.type.fields, record.offsets, types, strict=True)
    ]
    inside = sorted(parts, key=lambda part: part.offset)
    memory = f"{{ {', '.join(part.llvm for part in inside)} }}"
    places = [module.layout.field(memory, number) for number in range(len(inside))]
    laid = all(place is not None and place[0] == part.offset for place, part in zip(places, inside, strict=True))
    return tuple(parts) if laid and module.layout.size(memory) == record.size else ()


def memory_type(type_: ScalarType) -> str:
    """The LLVM type of a number in memory; empty for what is none."""
    match type_:
        case BoolType():
            return "i8"
        case MachineInt(bits, _):
            return f"i{bits}"
        case RealType(bits):
            return {32: "float", 64: "double"}.get(bits or 0, "")
        case _:
            return ""


def _initial(record: Record, module: LlvmModule) -> dict[int, str] | None:
    """What a class's constructor without parameters writes, by offsets; None where that is not known.

    A class without such a constructor is filled with 0. So is one whose constructor the source does not write before that runs.
    """
    if record.name.startswith("std::"):
        return {}
    symbols = (symbol for symbol in module.bodies if symbol.endswith(CONSTRUCTORS))
    made = next((symbol for symbol in symbols if (found := demangle(symbol)) and found.scope == record.name), None)
    declared = module.metadata.declares_constructor(record.name)
    if made is None:
        return None if declared else {}
    written = _stores(made, module)
    return None if written is None or (declared and written.keys() != set(record.offsets)) else written


def _stores(symbol: str, module: LlvmModule) -> dict[int, str] | None:
    """The numbers that a function stores at offsets from its first argument; None where it does anything else."""
    function = Inliner(module, lambda _: False).function(symbol)
    promote(function, module.layout)
    places = {function.args[0].name: 0}
    found: dict[int, str] = {}
    for instr in function.instructions():
        match instr.op:
            case "getelementptr" if instr.args[0] in places and (offset := offset_of(instr, module.layout)) is not None:
                places[instr.result] = places[instr.args[0]] + offset
            case "store" if instr.args[1] in places and is_literal(instr.args[0]) and not instr.flags:
                found[places[instr.args[1]]] = instr.args[0]
            case "br" if len(instr.detail) == 1:
                pass
            case "ret" | "declare":
                pass
            case _ if is_lifetime(instr):
                pass
            case _:
                return None
    return found

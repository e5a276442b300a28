"""What the members of std::vector do where its elements are structs, pairs or tuples: whole ones are added at the end.

An element is one value, made of its parts; a copy of an element of another vector is the value that this one is.
"""

from __future__ import annotations

from metalift.frontend.llvm.names.vector_names import Member
from metalift.frontend.llvm.read.llvm_ir import Instr
from metalift.frontend.llvm.read.metadata import CODES, ELEMENTS, Record
from metalift.frontend.llvm.std.map_values import memory_type
from metalift.frontend.llvm.std.vector_members import Handler, clear, converted, nothing
from metalift.frontend.llvm.std.vector_writer import Writer
from metalift.ir.expr.types import STRING, ScalarType

WHOLE = "identity"  # the pseudo type of a value that is a whole element


def construct(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """vector()"""
    write.set_length(vector, "0", call)
    return not member.params and not member.template


def push(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """push_back(x)"""
    return _copied(write, call, member, vector, member.params[0])


def emplace(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """emplace_back(x), and for pairs and tuples emplace_back(a, b, ...)"""
    record, types = write.records[member.element], member.template
    if len(types) == 1 and _plain(types[0]) == member.element:
        plain = types[0].endswith(" const&") or not types[0].endswith("&")  # others may be for a constructor that is a template
        return (plain or record.type.of == "tuple") and _copied(write, call, member, vector, types[0])
    fields = [type_ for _, type_ in record.type.fields]
    if record.type.of != "tuple" or len(types) != len(fields) or not all(map(_is_made, types, fields)):
        return False
    parts = []
    for place, type_, wanted in zip(call.args[1:], types, fields, strict=True):
        value = write.load(place, _memory(wanted), call) if wanted == STRING else ""
        parts.append(value or converted(write, call, place, _plain(type_), _code(wanted)))
    _append(write, call, member, vector, _made(write, call, record, parts))
    return True


def _plain(type_: str) -> str:
    return type_.removesuffix("&&").removesuffix("&").removesuffix(" const")


def _is_made(type_: str, wanted: ScalarType) -> bool:
    """Whether a part is made of an argument of the type: a number of any number, a string of one that stays what it is."""
    if wanted == STRING:
        return _plain(type_) == ELEMENTS["S"][0] and type_.endswith("&") and not type_.endswith("&&")
    return _plain(type_) in CODES and _plain(type_) != ELEMENTS["S"][0] and _code(wanted) != ""


def _code(type_: ScalarType) -> str:
    return next((code for code, (_, known) in ELEMENTS.items() if known == type_), "")


def _memory(type_: ScalarType) -> str:
    return "string" if type_ == STRING else memory_type(type_)


def _copied(write: Writer, call: Instr, member: Member, vector: str, type_: str) -> bool:
    """A copy of the struct at a place as the new last element."""
    record, place = write.records[member.element], call.args[1]
    moved = type_.endswith("&&") or not type_.endswith("&")
    fields = [type_ for _, type_ in record.type.fields]
    if write.origins(place):
        if moved and STRING in fields:
            return False
        _append(write, call, member, vector, write.load(place, WHOLE, call))
        return True
    places = [_inside(write, call, place, offset) for offset in record.offsets]
    parts = [write.load(inside, _memory(part), call) for inside, part in zip(places, fields, strict=True)]
    _append(write, call, member, vector, _made(write, call, record, parts))
    for inside, part in zip(places, fields, strict=True):
        if moved and part == STRING:
            lost = write.emit(Instr("undefined", write.fresh("moved"), "string", detail=(place[1:],), location=call.location))
            write.store(lost, inside, "string", call)
    return True


def _inside(write: Writer, call: Instr, place: str, offset: int) -> str:
    """The place so many bytes after another."""
    args, types = (place, str(offset)), ("ptr", "i64")
    return write.emit(Instr("getelementptr", write.fresh("inside"), "ptr", args, types, ("i8",), location=call.location))


def _made(write: Writer, call: Instr, record: Record, parts: list[str]) -> str:
    """The value of the parts."""
    types = tuple(_memory(type_) for _, type_ in record.type.fields)
    made = Instr("vector.record", write.fresh("whole"), WHOLE, tuple(parts), types, (record.name,), location=call.location)
    return write.emit(made)


def _append(write: Writer, call: Instr, member: Member, vector: str, value: str) -> None:
    length = write.length(vector, call)
    write.store(value, write.element(vector, member, length, call, result=call.result), WHOLE, call)
    write.set_length(vector, write.more(length, call), call)


OF_RECORDS: dict[str, Handler] = {
    "constructor": construct,
    "destructor": nothing,
    "reserve": nothing,
    "clear": clear,
    "push_back": push,
    "emplace_back": emplace,
}

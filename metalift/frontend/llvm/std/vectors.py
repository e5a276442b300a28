"""Writes std::vector out as an array and a length.

A vector object %v becomes the array %v.data and the local variable %v.length of the pseudo type `length`, a mathematical integer
that later promotion turns into SSA values. What changes many elements at once becomes a loop. A vector is a value here: what its
members do to capacity and storage is nothing that a program can compute with.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.frontend.llvm.names.algorithm_names import algorithm
from metalift.frontend.llvm.names.vector_names import (
    ANY_VECTOR,
    LLVM_TYPES,
    PURE,
    SIZE,
    Member,
    extremum,
    is_allocator,
    is_push,
    vector_member,
)
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, array_parts, scalar_size
from metalift.frontend.llvm.read.mangled import UNKNOWN, demangle
from metalift.frontend.llvm.read.metadata import ELEMENTS, Metadata
from metalift.frontend.llvm.std.algorithms import write_algorithm
from metalift.frontend.llvm.std.kept_pointers import refuse_kept_pointers
from metalift.frontend.llvm.std.vector_members import MEMBERS
from metalift.frontend.llvm.std.vector_records import OF_RECORDS
from metalift.frontend.llvm.std.vector_writer import Writer

MUTATING = frozenset({"push_back", "emplace_back", "pop_back", "clear", "resize", "assign", "operator=", "swap", "insert"})
READING = frozenset({"size", "empty", "operator[]", "at", "front", "back", "data", "begin", "end", "cbegin", "cend"})


def expand_vectors(function: LlvmFunction, metadata: Metadata, written: frozenset[str] = frozenset()) -> None:
    """Replace all calls of vector members, std::min and std::max, in place.

    `written` has the names of parameters by value that the function writes: it works on copies of them.
    """
    defined = {instr.result: instr for instr in function.instructions() if instr.result}
    write = Writer(function, set(written), defined=defined)
    _find_params(write)
    _find_objects(write, metadata)
    refuse_kept_pointers(write)
    _expand(write)


def _expand(write: Writer) -> None:
    """Rewrite the function."""
    function = write.function
    result = next((arg.name for arg in function.args if "sret" in arg.attributes and arg.name in write.objects), None)
    for number, block in enumerate(function.blocks):
        _end_of_life(block)
        write.start(block.label)
        original = block.label
        if number == 0:
            _declare(write)
        for at, instr in enumerate(block.instrs):
            if instr.op == "call":
                _call(write, block, at, instr)
            elif instr.op == "ret" and result is not None:
                args, types = (write.data(result, instr), write.length(result, instr)), ("ptr", "length")
                write.emit(Instr("ret", type="vector", args=args, types=types, location=instr.location))
            elif not (instr.op == "alloca" and (instr.result in write.objects or instr.result in write.arrays)):
                write.emit(instr)
        if write.current.label != original:
            _rename_source(write, original, write.current.label)
    function.blocks = write.blocks


def _find_params(write: Writer) -> None:
    """The vectors among the parameters, by their types."""
    for parameter in write.function.parameters:
        type_ = parameter.type
        vector = type_.target if type_.kind == "reference" and type_.target else type_
        if vector.kind == "vector":
            write.params[parameter.register] = type_.kind == "vector"
            if vector.record is not None:
                write.records[vector.record.name] = vector.record
                write.objects[parameter.register] = Member("", vector.record.name)
                continue
            code = next(code for code, (_, scalar) in ELEMENTS.items() if scalar == vector.scalar)
            write.objects[parameter.register] = Member("", code, vector.rank)


def _find_objects(write: Writer, metadata: Metadata) -> None:
    """The other vectors, by what is called on them; and which parameters are changed."""
    own = {instr.result for instr in write.defined.values() if instr.op == "alloca" and not array_parts(instr.detail[0])}
    own |= {arg.name for arg in write.function.args if "sret" in arg.attributes}
    calls = [instr for instr in write.function.instructions() if instr.op == "call" and instr.args]
    members = [(call, member) for call in calls if (member := vector_member(call.detail[0][1:]))]
    for _, member in members:
        record = None if member.of_numbers or member.element in write.records else metadata.record(member.element)
        if record is not None:
            write.records[record.name] = record
    write.special = {name for name in write.records if not name.startswith("std::") and metadata.copies_itself(name)}
    members = [(call, member) for call, member in members if member.of_numbers or member.element in write.records]
    write.arrays = {instr.result: Member("", "") for instr in write.defined.values() if _of_objects(instr)}
    for call, member in members:
        if call.args[0] in own:
            write.objects[call.args[0]] = member
        for array in write.origins(call.args[0]) & write.arrays.keys():
            write.arrays[array] = replace(member, rank=member.rank + 1)
    write.arrays = {array: member for array, member in write.arrays.items() if member.element}
    for call, member in members:
        changed = write.origins(call.args[0]) if member.name in MUTATING else set()
        if any(type_.endswith(">&&") for type_ in member.params) or member.name == "swap":
            changed |= {found for arg in call.args[1:2] for found in write.origins(arg)}
        write.copied |= {found for found in changed if write.params.get(found)}


def _of_objects(instr: Instr) -> bool:
    """Whether it is a local array of something other than numbers."""
    parts = array_parts(instr.detail[0]) if instr.op == "alloca" and not instr.args else None
    return parts is not None and scalar_size(parts[1]) is None and array_parts(parts[1]) is None


def _end_of_life(block: BasicBlock) -> None:
    """Leave out the loop that ends the lives of an array's elements: nothing that a program can compute with."""
    ends = [at for at, instr in enumerate(block.instrs) if instr.op == "call"]
    others = {instr.op for instr in block.instrs} - {"call"}
    if len(ends) != 1 or block.label not in block.end.targets() or not others <= {"phi", "getelementptr", "icmp", "br"}:
        return
    member = vector_member(block.instrs[ends[0]].detail[0][1:])
    if member is not None and member.name == "destructor":
        after = next(label for label in block.end.detail if label != block.label)
        block.instrs[:] = [Instr("br", detail=(after,), location=block.end.location)]


def _declare(write: Writer) -> None:
    """Emit the arrays and lengths of all vectors; copies of parameters are filled."""
    for array, of in write.arrays.items():
        write.emit(Instr("vector.new", array, "ptr", detail=(write.name(array), of.element, str(of.rank))))
    for vector, member in write.objects.items():
        write.declare(vector, member)
        initial = "0"
        if vector in write.params:
            data = f"{vector}.data"
            initial = write.emit(Instr("vector.length", f"{vector}.initial", "length", (data,), ("ptr",)))
        write.store(initial, f"{vector}.length", "length", Instr("call"))
        if vector in write.copied:
            write.copy_elements(Instr("call"), vector, member, f"{vector}.data", initial)


def _rename_source(write: Writer, old: str, new: str) -> None:
    """Phis that named a split block as their source name its last part."""
    pending = [block for block in write.function.blocks if block.label not in {done.label for done in write.blocks[:-1]}]
    for block in [*write.blocks, *pending]:
        if block.label not in write.current.end.targets():
            continue
        for at, instr in enumerate(block.instrs):
            if instr.op == "phi":
                block.instrs[at] = replace(instr, detail=tuple(new if label == old else label for label in instr.detail))


def _call(write: Writer, block: BasicBlock, at: int, call: Instr) -> None:
    symbol = call.detail[0][1:]
    chosen = extremum(symbol)
    if chosen is not None:
        _extremum(write, block, at, call, *chosen)
    elif (known := algorithm(symbol)) is not None:
        write_algorithm(write, call, known)
    elif ANY_VECTOR.match(symbol):
        _member(write, call, symbol)
    elif symbol.startswith("llvm.memset.") and _made_empty(write, call):
        write.set_length(call.args[0], "0", call)
    elif not is_allocator(symbol):
        write.emit(call)


def _made_empty(write: Writer, call: Instr) -> bool:
    """Whether it fills a vector of the function itself with zeros, as `return {}` does: that is one without elements."""
    vector, value, size, *_ = call.args
    return vector in write.objects.keys() - write.params.keys() and value == "0" and size == str(SIZE)


def _member(write: Writer, call: Instr, symbol: str) -> None:
    member = vector_member(symbol)
    if member is None:
        raise write.fail(call, f"a {_readable(symbol)}")
    vector = call.args[0]
    if not member.of_numbers and member.element not in write.records:
        raise write.fail(call, f"a {_readable(symbol)}")
    if not member.of_numbers and member.name in MUTATING and vector in write.params:
        raise write.fail(call, f"std::vector::{member.name} on a {member.whole} that is a parameter")
    if not write.origins(vector) and member.name != "destructor":
        raise write.fail(call, f"std::vector::{member.name} on a vector that is reached through a pointer or reference")
    whole = write.wholes(vector) if vector not in write.objects else set()
    if whole:
        raise write.fail(call, f"std::vector::{member.name} on any of {', '.join(sorted(map(write.name, whole)))}")
    if member.element in write.special and member.name not in READING:
        raise write.fail(call, f"copies of {member.element}, which has a copy constructor or a destructor of its own")
    handler = (MEMBERS if member.of_numbers or member.name in READING else OF_RECORDS).get(member.name)
    if handler is None or not handler(write, call, member, vector):
        raise write.fail(call, f"std::vector::{member.name} as it is used here")


def _readable(symbol: str) -> str:
    """What a vector is whose elements are not supported."""
    found = demangle(symbol)
    scope = found.scope if found else ""
    if scope.startswith("std::vector<") and UNKNOWN not in scope:
        return f"{scope}, whose elements are neither numbers nor strings, nor structs, pairs or tuples of these"
    return "std::vector with elements that are not numbers or with its own allocator"


def _extremum(write: Writer, block: BasicBlock, at: int, call: Instr, name: str, code: str) -> None:
    """std::max(a, b): the values are read at once, so the reference it returns has to be read before anything changes."""
    used = [
        (other, place) for other in write.function.blocks for place, instr in enumerate(other.instrs) if call.result in instr.args
    ]
    for other, place in used:
        between = block.instrs[at + 1 : place]
        changed = any(_changes(write, item, call) or (item.op == "call" and not _is_pure(item)) for item in between)
        user = other.instrs[place]
        reads = user.op == "load" or (user.op == "call" and (extremum(user.detail[0][1:]) or is_push(user)))
        if other is not block or changed or not reads:
            raise write.fail(call, f"a reference kept from std::{name}")
    type_ = LLVM_TYPES.get(code, "i64")
    values = tuple(write.load(arg, type_, call) for arg in call.args)
    made = Instr("extremum", write.fresh(name), type_, values, (type_, type_), (name, code), location=call.location)
    write.emit(Instr("alloca", call.result, "ptr", detail=(type_,), location=call.location))
    write.emit(made)
    write.store(made.result, call.result, type_, call)


def _changes(write: Writer, store: Instr, call: Instr) -> bool:
    """Whether a store may change what the result of std::max refers to: it goes elsewhere if to a variable of its own, such as a
    temporary value, that is none of the values compared.
    """
    if store.op != "store":
        return False
    target = store.args[1]
    made = write.defined.get(target)
    if made is None or made.op != "alloca" or target in _referred(write, call):
        return True
    uses = [instr for instr in write.function.instructions() if target in instr.args]
    return not all(_reads(instr) or (instr.op == "store" and instr.args[0] != target) for instr in uses)


def _referred(write: Writer, call: Instr) -> set[str]:
    """What is compared: arguments, and those of calls whose results they are."""
    found = set(call.args)
    for arg in call.args:
        made = write.defined.get(arg)
        if made is not None and _is_extremum(made):
            found |= _referred(write, made)
    return found


def _reads(instr: Instr) -> bool:
    """Whether an instruction on a variable keeps no pointer to it."""
    return instr.op == "load" or _is_extremum(instr) or (instr.op == "call" and instr.detail[0].startswith("@llvm.lifetime."))


def _is_extremum(instr: Instr) -> bool:
    return instr.op == "call" and extremum(instr.detail[0][1:]) is not None


def _is_pure(call: Instr) -> bool:
    """Whether a call changes no memory."""
    if call.op != "call":
        return False
    symbol = call.detail[0][1:]
    member = vector_member(symbol)
    return extremum(symbol) is not None or symbol.startswith("llvm.") or (member is not None and member.name in PURE)


assert set(LLVM_TYPES) <= set(ELEMENTS)

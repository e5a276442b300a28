"""What each member function of std::vector does, written as instructions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from metalift.frontend.llvm.names.vector_names import LLVM_TYPES, Member, iterated
from metalift.frontend.llvm.read.llvm_ir import Instr
from metalift.frontend.llvm.read.metadata import CODES, ELEMENTS
from metalift.frontend.llvm.std.vector_writer import ZERO, Writer, row_of
from metalift.ir.expr.types import MachineInt, RealType

SIZE = "unsigned long"
TERMINATED = "terminated"  # the flag of an operator[] that may be of the null behind a string's characters


def size(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """size()"""
    length = write.length(vector, call)
    write.emit(Instr("vector.size", call.result, "i64", (length,), ("length",), location=call.location))
    return True


def empty(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """empty()"""
    length = write.length(vector, call)
    write.emit(Instr("vector.equal", call.result, "i1", (length, "0"), ("length", "length"), location=call.location))
    return True


def subscript(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """operator[] and at(); at() is assumed not to throw, and the null behind a string not to be read."""
    if member.name == "at" or TERMINATED in call.flags:
        op, args = "vector.check" if member.name == "at" else "vector.before_null", (call.args[1], write.length(vector, call))
        write.emit(Instr(op, args=args, types=("i64", "length"), detail=(write.name(vector),), location=call.location))
    write.element(vector, member, call.args[1], call, "i64", call.result)
    return True


def first(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """front(), begin(), cbegin(), data()"""
    write.element(vector, member, "0", call, result=call.result)
    return True


def past_last(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """end(), cend()"""
    write.element(vector, member, write.length(vector, call), call, result=call.result)
    return True


def last(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """back()"""
    write.element(vector, member, write.less(write.length(vector, call), call), call, result=call.result)
    return True


def push(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """push_back(x)"""
    return len(call.args) == 2 and _append(write, call, member, vector, member.params[:1])


def emplace(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """emplace_back(x) with x of the element type or a number, emplace_back(), for rows emplace_back(n) and emplace_back(n, x)"""
    return _append(write, call, member, vector, member.template)


def _append(write: Writer, call: Instr, member: Member, vector: str, types: tuple[str, ...]) -> bool:
    """A new last element made from arguments of the types."""
    plain = tuple(type_.removesuffix("&&").removesuffix("&").removesuffix(" const") for type_ in types)
    if not _makes(member, plain):
        return False
    args, row = call.args[1:], row_of(member)
    value = ZERO.get(member.llvm_type, "0")
    if args and member.rank == 1:
        value = converted(write, call, args[0], plain[0], member.element)
    elif args and plain[0] != member.row:
        extra = converted(write, call, args[1], plain[1], row.element) if len(args) > 1 else value
        value = extra
    length = write.length(vector, call)
    place = write.element(vector, member, length, call, result=call.result)
    if member.rank == 1:
        write.store(value, place, member.llvm_type, call)
    elif not args:
        write.set_length(place, "0", call)
    elif plain[0] == member.row:
        write.copy(call, place, row, args[0])
    else:
        wanted = _count(write, call, args[0], plain[0])
        write.fill(call, place, row, "0", wanted, value if row.rank == 1 else "")
        write.set_length(place, wanted, call)
    write.set_length(vector, write.more(length, call), call)
    if args and plain[0] == member.row and member.rank > 1 and _is_moved(types[0]):
        write.empty_moved(call, args[0])
    return True


def _makes(member: Member, types: tuple[str, ...]) -> bool:
    """Whether an element can be made from arguments of these types here."""
    if member.rank == 1:
        texts = {member.row, *types} & {"std::string"}
        return not types or (len(types) == 1 and types[0] in CODES and (not texts or types[0] == member.row))
    if len(types) == 1 and types[0] == member.row:
        return True
    if len(types) == 2 and (member.rank != 2 or types[1] not in CODES):
        return False
    return len(types) <= 2 and all(type_ in CODES for type_ in types)


def _is_moved(type_: str) -> bool:
    """Whether an argument of the type is an rvalue: `T&&`, or as a template argument plain `T`."""
    return type_.endswith("&&") or not type_.endswith(("&", " const"))


def _count(write: Writer, call: Instr, place: str, type_: str) -> str:
    """A number of elements that is passed by reference."""
    code = CODES[type_]
    value = write.load(place, LLVM_TYPES.get(code, "i64"), call)
    return write.requested(_cast(write, call, value, code, "m"), call)


def converted(write: Writer, call: Instr, place: str, type_: str, wanted: str) -> str:
    """The number that is passed by reference, as a value of the type of a code."""
    code = CODES[type_]
    value = write.load(place, LLVM_TYPES.get(code, "i64"), call)
    return _cast(write, call, value, code, wanted)


def _cast(write: Writer, call: Instr, value: str, source: str, target: str) -> str:
    """A number of one type as C++ converts it to another."""
    before, after = ELEMENTS[source][1], ELEMENTS[target][1]
    types = LLVM_TYPES.get(source, "i64"), LLVM_TYPES.get(target, "i64")
    op = ""
    if isinstance(before, RealType) and isinstance(after, RealType):
        op = "fpext" if after.bits > before.bits else "fptrunc" if after.bits < before.bits else ""
    elif isinstance(before, RealType):
        op = "fptosi" if isinstance(after, MachineInt) and after.signed else "fptoui"
    elif isinstance(before, MachineInt) and isinstance(after, RealType):
        op = "sitofp" if before.signed else "uitofp"
    elif isinstance(before, MachineInt) and isinstance(after, MachineInt) and after.bits != before.bits:
        op = "trunc" if after.bits < before.bits else "sext" if before.signed else "zext"
    if not op:
        return value
    return write.emit(Instr(op, write.fresh("converted"), types[1], (value,), (types[0],), location=call.location))


def pop(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """pop_back()"""
    write.set_length(vector, write.less(write.length(vector, call), call), call)
    return True


def clear(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """clear()"""
    write.set_length(vector, "0", call)
    return True


def nothing(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """reserve(), shrink_to_fit(), the destructor"""
    return True


def resize(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """resize(n), resize(n, x)"""
    wanted = write.requested(call.args[1], call)
    value = _filling(write, call, member, call.args[2] if len(call.args) > 2 else "")
    write.fill(call, vector, member, write.length(vector, call), wanted, value)
    write.set_length(vector, wanted, call)
    return True


def _filling(write: Writer, call: Instr, member: Member, place: str) -> str:
    """What fills a vector: the number at a place, the row at a place, or without one what an element is by default."""
    if member.rank > 1:
        return place
    return write.load(place, member.llvm_type, call) if place else ZERO.get(member.llvm_type, "0")


def assign(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """operator= from another vector or a list, assign(n, x), assign(first, last)"""
    if member.template:
        return vector not in _sources(write, call) and _copy_range(write, call, member, vector)
    if member.name == "operator=" or member.params[:1] != (SIZE,):
        return _copy(write, call, member, vector)
    wanted = write.requested(call.args[1], call)
    write.fill(call, vector, member, "0", wanted, _filling(write, call, member, call.args[2]))
    write.set_length(vector, wanted, call)
    return True


def _sources(write: Writer, call: Instr) -> set[str]:
    return {found for arg in call.args[1:] for found in write.origins(arg)}


def construct(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """vector(), vector(n), vector(n, x), vector(other), vector(first, last), vector{...}"""
    params = [type_ for type_ in member.params if type_ != f"std::allocator<{member.row}> const&"]
    if member.template:
        return _copy_range(write, call, member, vector)
    if not params:
        write.set_length(vector, "0", call)
        return True
    if params[0] != SIZE:
        return _copy(write, call, member, vector)
    wanted = write.requested(call.args[1], call)
    filled = params[1:] == [f"{member.row} const&"]
    if len(params) > 1 and not filled:
        return False
    write.fill(call, vector, member, "0", wanted, _filling(write, call, member, call.args[2] if filled else ""))
    write.set_length(vector, wanted, call)
    return True


def _copy(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """A copy or a move of a whole vector, or of a list."""
    type_, other = member.params[0], call.args[1]
    if type_ == f"std::initializer_list<{member.row}>":
        return _copy_list(write, call, member, vector)
    origins = write.origins(other)
    if type_ not in (f"{member.whole} const&", f"{member.whole}&&") or not origins:
        return False
    if _is_moved(type_) and vector in origins:  # C++ does not say what a vector that is moved to itself holds
        return False
    write.copy(call, vector, member, other)
    if _is_moved(type_):
        write.empty_moved(call, other)
    return True


def _copy_list(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """The elements of { ... }: a pointer to them, and how many there are."""
    count = call.args[2] if len(call.args) > 2 else ""
    if not count.isdigit() or int(count) > LONGEST_LIST:
        return False
    for number in range(int(count)):
        place = write.element(vector, member, str(number), call)
        item = write.step(call.args[1], member, str(number), call, "i64")
        if member.rank == 1:
            write.store(write.load(item, member.llvm_type, call), place, member.llvm_type, call)
        else:
            write.copy(call, place, row_of(member), item)
    write.set_length(vector, count, call)
    return True


def _copy_range(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """The elements from one iterator to another, forwards or backwards."""
    found = _range(write, call, member, member.params)
    if found is None:
        return False
    begin, end, backwards = found
    write.copy_elements(call, vector, member, begin, end, backwards)
    write.set_length(vector, end, call)
    return True


def _range(write: Writer, call: Instr, member: Member, params: tuple[str, ...]) -> tuple[str, str, bool] | None:
    """The last arguments as a range: where it begins, how many elements it has, and whether it runs backwards."""
    passed = call.args[:-1] if params[-1:] == (f"std::allocator<{member.row}> const&",) else call.args
    passed = passed[len(passed) % 2 :]
    kind = member.template[0] if member.template else ""
    backwards = REVERSED.match(kind)
    element = iterated(backwards[1] if backwards else kind)
    if element != member.row or len(passed) not in (2, 4) or (len(passed) == 4 and not backwards):
        return None
    if any(type_ != "ptr" for arg, type_ in zip(call.args, call.types, strict=True) if arg in passed):
        return None
    begin, stop = (_iterator(write, call, arg) for arg in passed[len(passed) // 2 - 1 :: len(passed) // 2])
    bounds = (stop, begin) if backwards else (begin, stop)
    return begin, write.length_op("vector.distance", bounds, ("ptr", "ptr"), call), backwards is not None


def insert(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """insert(end(), first, last), insert(end(), n, x), insert(end(), x)"""
    length = write.length(vector, call)
    place = _iterator(write, call, call.args[1])
    args, types = (write.data(vector, call), place, length), ("ptr", "ptr", "length")
    if member.template:
        bounds = replace(call, args=(vector, *call.args[2:]), types=("ptr", *call.types[2:]))
        found = _range(write, bounds, member, ())
        if found is None or vector in _sources(write, bounds):
            return False
        begin, count, backwards = found
    else:
        several = member.params[1:2] == (SIZE,)
        if member.params[1 + several :] not in ((f"{member.row} const&",), (f"{member.row}&&",)):
            return False
        count = write.requested(call.args[2], call) if several else "1"
        begin, backwards = _filling(write, call, member, call.args[-1]), False
    write.emit(Instr("vector.at_end", args=args, types=types, location=call.location))
    if member.template:
        write.copy_elements(call, vector, member, begin, count, backwards, length)
    else:
        write.fill(call, vector, member, "0", count, begin, length)
    if call.result:
        write.element(vector, member, length, call, result=call.result)
    write.set_length(vector, write.length_op("vector.plus", (length, count), ("length", "length"), call), call)
    return True


def _iterator(write: Writer, call: Instr, arg: str) -> str:
    """The pointer inside an iterator, which is passed as it is or, where copying it is not trivial, by its place.

    A reverse iterator of libc++ is two pointers, of which the second counts.
    """
    made = write.defined.get(arg)
    return write.load(arg, "ptr", call) if made is not None and made.op == "alloca" else arg


def swap(write: Writer, call: Instr, member: Member, vector: str) -> bool:
    """swap(other), by a third vector"""
    other, third = call.args[1], write.fresh("swapped")
    if other == vector:
        return True
    write.objects[third] = member
    write.declare(third, member)
    for target, source in ((third, vector), (vector, other), (other, third)):
        write.copy(call, target, member, source)
    return True


LONGEST_LIST = 64
REVERSED = re.compile(r"std::reverse_iterator<(.*)>\Z")
Handler = Callable[[Writer, Instr, Member, str], bool]
MEMBERS: dict[str, Handler] = {
    "size": size,
    "empty": empty,
    "operator[]": subscript,
    "at": subscript,
    "front": first,
    "begin": first,
    "cbegin": first,
    "data": first,
    "end": past_last,
    "cend": past_last,
    "back": last,
    "push_back": push,
    "emplace_back": emplace,
    "pop_back": pop,
    "clear": clear,
    "reserve": nothing,
    "shrink_to_fit": nothing,
    "destructor": nothing,
    "resize": resize,
    "assign": assign,
    "operator=": assign,
    "constructor": construct,
    "swap": swap,
    "insert": insert,
}

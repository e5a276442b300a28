"""Writes instructions in place of calls of std::vector's members: lengths, elements, rows, loops over them.

A vector object %v is an array %v.data and a local variable %v.length. A row, reached by a pointer, is a part of the array of
the object that it belongs to, and its length is a cell of an array of lengths (of a parameter, the extent of an axis).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from metalift.frontend.llvm.names.vector_names import Member, vector_member
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Hint, Instr, LlvmFunction
from metalift.frontend.llvm.read.metadata import Record
from metalift.ir.interp.identities import of_text
from metalift.ir.program.fragment import Diagnostic, Unsupported

SUPPORTED = (
    "supported are std::vector of structs, pairs or tuples of numbers and strings, which are read and, where they are made here, "
    "filled with push_back and emplace_back, and std::vector of numbers, and of such vectors, with size, empty, [], at, front, "
    "back, data, begin, end, push_back, emplace_back, pop_back, clear, reserve, resize, assign, swap, insert at the end, copies, "
    "moves and range-for"
)
ROW = "{ptr, ptr, ptr}"  # the layout of a std::vector
ZERO = {"float": "0.0", "double": "0.0", "string": str(of_text(""))}
INTO = frozenset("operator[] at front back begin end cbegin cend data emplace_back".split())  # give a pointer into the vector


@dataclass(slots=True)
class Writer:
    """The state of one function's expansion: the block that is being filled, and the vector objects found.

    `arrays` are local arrays of vectors, by what their elements are, seen as vectors with one more axis.
    `params` are the objects that are parameters and whether they are passed by value; `copied` those that the function changes
    and therefore works on a copy of; `defined` the instructions of the function before the expansion.
    """

    function: LlvmFunction
    copied: set[str]
    blocks: list[BasicBlock] = field(default_factory=list)
    current: BasicBlock = field(default_factory=lambda: BasicBlock("", []))
    objects: dict[str, Member] = field(default_factory=dict)
    arrays: dict[str, Member] = field(default_factory=dict)
    params: dict[str, bool] = field(default_factory=dict)
    defined: dict[str, Instr] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)  # the elements that are no numbers, by their types
    special: set[str] = field(default_factory=set)  # those of these that declare how they are copied, moved or ended
    count: int = 0

    def start(self, label: str) -> None:
        """Begin a block."""
        self.current = BasicBlock(label, [])
        self.blocks.append(self.current)

    def emit(self, instr: Instr) -> str:
        """Write an instruction; its result."""
        self.current.instrs.append(instr)
        return instr.result

    def fresh(self, base: str) -> str:
        """A new register."""
        self.count += 1
        return f"%{base}.v{self.count}"

    def fail(self, call: Instr, found: str) -> Exception:
        """What to raise for something that is not modelled."""
        return Unsupported(Diagnostic(call.location, f"{found}; {SUPPORTED}"))

    def name(self, vector: str) -> str:
        """The source's name for a vector object."""
        hint = self.function.hints.get(vector)
        plain = hint.name if hint else re.sub(r"(\.i\d+)+\Z", "", vector[1:]).strip('"')
        return "result" if plain == "agg.result" else plain

    def origins(self, register: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """The vector objects that a pointer may point into, or at."""
        if register in self.objects or register in self.arrays:
            return {register}
        instr = self.defined.get(register)
        if instr is None or register in seen:
            return set()
        seen |= {register}
        if instr.op in ("getelementptr", "freeze"):
            return self.origins(instr.args[0], seen)
        if instr.op in ("phi", "select"):
            sources = instr.args if instr.op == "phi" else instr.args[1:]
            return {found for source in sources for found in self.origins(source, seen)}
        member = vector_member(instr.detail[0][1:]) if instr.op == "call" else None
        return self.origins(instr.args[0], seen) if member and member.name in INTO else set()

    def wholes(self, register: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """The vector objects that a pointer may point at, chosen when the program runs."""
        instr = self.defined.get(register)
        if register in self.objects:
            return {register}
        if instr is None or register in seen or instr.op not in ("phi", "select", "freeze"):
            return set()
        sources = instr.args[1:] if instr.op == "select" else instr.args
        return {found for source in sources for found in self.wholes(source, seen | {register})}

    def declare(self, vector: str, member: Member) -> None:
        """The array and the length of a vector object that is no parameter, or of the copy of one."""
        self.function.hints.setdefault(f"{vector}.length", Hint(f"{self.name(vector)}_length", ""))
        self.emit(Instr("alloca", f"{vector}.length", "ptr", detail=("length",)))
        if vector not in self.params or vector in self.copied:
            detail = (self.name(vector), member.element, str(member.rank))
            array = f"{vector}.copy" if vector in self.copied else f"{vector}.data"
            self.emit(Instr("vector.new", array, "ptr", detail=detail))

    def data(self, vector: str, call: Instr) -> str:
        """A pointer to the first element of a vector."""
        if vector in self.objects:
            return f"{vector}.copy" if vector in self.copied else f"{vector}.data"
        return self.emit(Instr("vector.inside", self.fresh("data"), "ptr", (vector,), ("ptr",), location=call.location))

    def length(self, vector: str, call: Instr) -> str:
        """How many elements a vector has."""
        op, place = ("load", f"{vector}.length") if vector in self.objects else ("vector.row_length", vector)
        return self.emit(Instr(op, self.fresh("length"), "length", (place,), ("ptr",), location=call.location))

    def set_length(self, vector: str, value: str, call: Instr) -> None:
        """Change the length. The caller's vectors may not change theirs; of their rows that is checked where it is known."""
        if vector not in self.objects:
            args, types = (vector, value), ("ptr", "length")
            self.emit(Instr("vector.set_row_length", args=args, types=types, location=call.location))
            return
        if not self.params.get(vector, True):
            raise self.fail(call, f"a change of the length of the parameter {self.name(vector)}")
        self.store(value, f"{vector}.length", "length", call)

    def element(self, vector: str, member: Member, index: str, call: Instr, index_type: str = "length", result: str = "") -> str:
        """A pointer to an element: a number or a row."""
        return self.step(self.data(vector, call), member, index, call, index_type, result)

    def step(self, data: str, member: Member, index: str, call: Instr, index_type: str = "length", result: str = "") -> str:
        """The pointer `index` elements after another."""
        type_ = (self._element_type(member),)
        args, types, flags = (data, index), ("ptr", index_type), frozenset({"nuw"})
        return self.emit(Instr("getelementptr", result or self.fresh("element"), "ptr", args, types, type_, flags, call.location))

    def _element_type(self, member: Member) -> str:
        if not member.of_numbers:
            return f"[{self.records[member.element].size} x i8]"
        return member.llvm_type if member.rank == 1 else ROW

    def length_op(self, op: str, args: tuple[str, ...], types: tuple[str, ...], call: Instr) -> str:
        """A length computed from others."""
        return self.emit(Instr(op, self.fresh("length"), "length", args, types, location=call.location))

    def more(self, length: str, call: Instr) -> str:
        """The length and one."""
        return self.length_op("vector.one_more", (length,), ("length",), call)

    def less(self, length: str, call: Instr) -> str:
        """The length without one."""
        return self.length_op("vector.less_one", (length,), ("length",), call)

    def requested(self, size: str, call: Instr) -> str:
        """A requested length; one that is too large for any vector throws."""
        return self.length_op("vector.request", (size,), ("i64",), call)

    def load(self, place: str, type_: str, call: Instr) -> str:
        """The number that a pointer points to."""
        return self.emit(Instr("load", self.fresh("value"), type_, (place,), ("ptr",), location=call.location))

    def store(self, value: str, place: str, type_: str, call: Instr) -> None:
        """Store a number."""
        self.emit(Instr("store", "", type_, (value, place), (type_, "ptr"), location=call.location))

    def loop(self, base: str, start: str, end: str, call: Instr, body: Callable[[str], None]) -> None:
        """for k in start .. end-1: body(k)"""
        self.count += 1
        base, before = f"{base}.elements{self.count}", self.current.label
        head, inside, after = f"{base}.head", f"{base}.body", f"{base}.after"
        index, following, cond = self.fresh("k"), self.fresh("k"), self.fresh("more")
        where = call.location
        self.function.hints[index] = Hint("k", "", own=False)
        self.emit(Instr("br", detail=(head,), location=where))
        self.start(head)
        top = self.current
        phi = Instr("phi", index, "length", (start, following), ("length",) * 2, (before, inside), location=where)
        self.emit(phi)
        self.emit(Instr("vector.less", cond, "i1", (index, end), ("length", "length"), location=where))
        self.emit(Instr("br", args=(cond,), types=("i1",), detail=(inside, after), location=where))
        self.start(inside)
        body(index)
        self.emit(Instr("vector.one_more", following, "length", (index,), ("length",), location=where))
        self.emit(Instr("br", detail=(head,), location=where))
        top.instrs[0] = replace(phi, detail=(before, self.current.label))
        self.start(after)

    def fill(self, call: Instr, vector: str, member: Member, start: str, end: str, value: str, base: str = "0") -> None:
        """for k in start .. end-1: v[base + k] = value; a number, or the row to copy, none for an empty one."""

        def body(index: str) -> None:
            place = self.element(vector, member, self.plus(base, index, call), call)
            if member.rank == 1:
                self.store(value, place, member.llvm_type, call)
            elif value:
                self.copy(call, place, row_of(member), value)
            else:
                self.set_length(place, "0", call)

        self.loop(self.name(vector), start, end, call, body)

    def plus(self, base: str, index: str, call: Instr) -> str:
        """The sum of two lengths."""
        return index if base == "0" else self.length_op("vector.plus", (base, index), ("length", "length"), call)

    def copy(self, call: Instr, vector: str, member: Member, source: str) -> None:
        """Copy a whole vector into another, whatever that held."""
        end = self.length(source, call)
        self.copy_elements(call, vector, member, self.data(source, call), end)
        self.set_length(vector, end, call)

    def copy_elements(
        self, call: Instr, vector: str, member: Member, source: str, count: str, backwards: bool = False, base: str = "0"
    ) -> None:
        """for k in 0 .. count-1: v[base + k] = source[k], or backwards the elements before the source."""

        def body(index: str) -> None:
            offset = index
            if backwards:
                offset = self.length_op("vector.minus", ("0", self.more(index, call)), ("length", "length"), call)
            taken = self.step(source, member, offset, call)
            if member.rank == 1:
                value = self.load(taken, member.llvm_type, call)
                self.store(value, self.element(vector, member, self.plus(base, index, call), call), member.llvm_type, call)
            else:
                self.copy(call, self.element(vector, member, self.plus(base, index, call), call), row_of(member), taken)

        self.loop(self.name(vector), "0", count, call, body)

    def empty_moved(self, call: Instr, source: str) -> None:
        """After a move the source is empty; the caller's would be seen to be."""
        if any(not self.params.get(found, True) for found in self.origins(source)):
            raise self.fail(call, "std::move of a parameter's elements, which belong to the caller")
        self.set_length(source, "0", call)


def row_of(member: Member) -> Member:
    """What the member's name says of a row of the vector."""
    return replace(member, rank=member.rank - 1)

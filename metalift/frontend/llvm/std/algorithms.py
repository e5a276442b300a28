"""What the algorithms of C++'s standard library do that are not inlined, written as instructions."""

from __future__ import annotations

from collections.abc import Callable

from metalift.frontend.llvm.names.algorithm_names import Algorithm
from metalift.frontend.llvm.names.vector_names import LLVM_TYPES, Member
from metalift.frontend.llvm.read.llvm_ir import Instr, scalar_size
from metalift.frontend.llvm.read.metadata import ELEMENTS
from metalift.frontend.llvm.std.vector_writer import ZERO, Writer
from metalift.ir.expr.types import RealType

LONGEST_LIST = 64


def write_algorithm(write: Writer, call: Instr, found: Algorithm) -> None:
    """Write what a call of an algorithm does."""
    ALGORITHMS[found.name](_Range(write, call, found))


class _Range:
    """The call of an algorithm: its arguments, and the elements from the first to the last."""

    def __init__(self, write: Writer, call: Instr, found: Algorithm) -> None:
        self.write, self.call, self.name, self.params = write, call, found.name, found.params
        self.member = Member("", found.element)
        self.type = LLVM_TYPES.get(found.element, "i64")
        self.real = isinstance(ELEMENTS[found.element][1], RealType)

    def pointer(self, at: int) -> str:
        """The pointer that an argument is, or is a struct around."""
        arg = self.call.args[at]
        made = self.write.defined.get(arg)
        return self.write.load(arg, "ptr", self.call) if made is not None and made.op == "alloca" else arg

    def length(self) -> str:
        """How many elements there are."""
        result, ends = self.write.fresh("length"), (self.pointer(0), self.pointer(1))
        flags, where = frozenset({"range"}), self.call.location
        return self.write.emit(Instr("vector.distance", result, "length", ends, ("ptr", "ptr"), (), flags, where))

    def element(self, pointer: str, index: str) -> str:
        """The element so many after a pointer."""
        return self.write.load(self.place(pointer, index), self.type, self.call)

    def place(self, pointer: str, index: str) -> str:
        """A pointer so many elements further."""
        return self.write.step(pointer, self.member, index, self.call)

    def loop(self, end: str, body: Callable[[str], None]) -> None:
        """for k in 0 .. end-1: body(k)"""
        self.write.loop(self.name, "0", end, self.call, body)

    def operation(self, op: str, args: tuple[str, str], type_: str = "", detail: tuple[str, ...] = ()) -> str:
        """A number computed from two others."""
        result, own = self.write.fresh(self.name), type_ or self.type
        return self.write.emit(Instr(op, result, own, args, (self.type,) * 2, detail, location=self.call.location))

    def sum(self, left: str, right: str) -> str:
        """The sum of two elements. It is computed in a type at least as wide as int."""
        if self.real:
            return self.operation("fadd", (left, right))
        code = next(code for code in ELEMENTS if code == self.member.element)
        narrow = (scalar_size(self.type) or 0) < 4
        signed = getattr(ELEMENTS[code][1], "signed", False)
        flags = frozenset({"nsw"}) if signed and not narrow else frozenset()
        result, types = self.write.fresh(self.name), (self.type,) * 2
        return self.write.emit(Instr("add", result, self.type, (left, right), types, (), flags, self.call.location))

    def variable(self, type_: str, value: str) -> str:
        """A local variable."""
        name = self.write.fresh(self.name)
        self.write.emit(Instr("alloca", name, "ptr", detail=(type_,), location=self.call.location))
        self.write.store(value, name, type_, self.call)
        return name

    def copied(self, source: str, count: str, name: str) -> str:
        """A new array with so many elements from a pointer on."""
        made = self.write.fresh(name)
        new = Instr("vector.new", made, "ptr", detail=(name, self.member.element, "1"))
        self.write.blocks[0].instrs.insert(0, new)
        self.loop(count, lambda k: self.write.store(self.element(source, k), self.place(made, k), self.type, self.call))
        return made

    def give(self, place: str, type_: str) -> None:
        """Let the result of the call be what a local variable holds."""
        if self.call.result:
            self.write.emit(Instr("load", self.call.result, type_, (place,), ("ptr",), location=self.call.location))

    def give_pointer(self, pointer: str, index: str) -> None:
        """Let the result of the call be an iterator."""
        if self.call.result:
            self.write.step(pointer, self.member, index, self.call, result=self.call.result)


def _copy(range_: _Range) -> None:
    """copy(first, last, out), move(first, last, out)"""
    write, call = range_.write, range_.call
    source, target, count = range_.pointer(0), range_.pointer(2), range_.length()
    args, types = (target, source, count, "false"), ("ptr", "ptr", "length", "i1")
    write.emit(Instr("call", "", "void", args, types, ("@llvm.memmove.p0.p0.i64",), location=call.location))
    range_.give_pointer(target, count)


def _equal(range_: _Range) -> None:
    """equal(first, last, other)"""
    left, right = range_.pointer(0), range_.pointer(2)
    same = range_.variable("i1", "true")

    def body(index: str) -> None:
        op, predicate = ("fcmp", "oeq") if range_.real else ("icmp", "eq")
        equal = range_.operation(op, (range_.element(left, index), range_.element(right, index)), "i1", (predicate,))
        held = range_.write.load(same, "i1", range_.call)
        types, where = ("i1", "i1"), range_.call.location
        both = range_.write.emit(Instr("and", range_.write.fresh("equal"), "i1", (held, equal), types, location=where))
        range_.write.store(both, same, "i1", range_.call)

    range_.loop(range_.length(), body)
    range_.give(same, "i1")


def _partial_sum(range_: _Range) -> None:
    """partial_sum(first, last, out)"""
    source, target = range_.pointer(0), range_.pointer(2)
    total = range_.variable(range_.type, ZERO.get(range_.type, "0"))
    count = range_.length()

    def body(index: str) -> None:
        value = range_.sum(range_.write.load(total, range_.type, range_.call), range_.element(source, index))
        range_.write.store(value, total, range_.type, range_.call)
        range_.write.store(value, range_.place(target, index), range_.type, range_.call)

    range_.loop(count, body)
    range_.give_pointer(target, count)


def _reduce(range_: _Range) -> None:
    """reduce(first, last), reduce(first, last, start)"""
    source = range_.pointer(0)
    start = range_.call.args[2] if len(range_.call.args) > 2 else ZERO.get(range_.type, "0")
    total = range_.variable(range_.type, start)

    def body(index: str) -> None:
        value = range_.sum(range_.write.load(total, range_.type, range_.call), range_.element(source, index))
        range_.write.store(value, total, range_.type, range_.call)

    range_.loop(range_.length(), body)
    range_.give(total, range_.type)


def _reverse(range_: _Range) -> None:
    """reverse(first, last), by a copy of the elements"""
    write, call, source, count = range_.write, range_.call, range_.pointer(0), range_.length()
    copied = range_.copied(source, count, "reversed")

    def body(index: str) -> None:
        taken = write.length_op("vector.minus", (count, write.more(index, call)), ("length", "length"), call)
        write.store(range_.element(copied, taken), range_.place(source, index), range_.type, call)

    range_.loop(count, body)


def _sort(range_: _Range) -> None:
    """sort(first, last), sort(first, last, greater): at place k is the element of a copy that has k elements before it, which are
    those that are less (or greater), and of equal ones those that stand before it
    """
    write, call, source, count = range_.write, range_.call, range_.pointer(0), range_.length()
    falling = len(range_.params) > 2  # greater<>, an empty struct, is no argument of the call
    copied = range_.copied(source, count, "unsorted")
    found, rank = range_.variable(range_.type, ZERO.get(range_.type, "0")), range_.variable("length", "0")
    signed = "s" if getattr(ELEMENTS[range_.member.element][1], "signed", False) else "u"
    op, before, same = ("fcmp", "olt", "oeq") if range_.real else ("icmp", f"{signed}lt", "eq")

    def logical(op: str, left: str, right: str) -> str:
        return write.emit(Instr(op, write.fresh(op), "i1", (left, right), ("i1", "i1"), location=call.location))

    def less(op: str, left: str, right: str) -> str:
        types = ("length", "length")
        return write.emit(Instr(op, write.fresh("is"), "i1", (left, right), types, location=call.location))

    def choose(cond: str, then: str, place: str, type_: str) -> None:
        args = (cond, then, write.load(place, type_, call))
        value = write.emit(Instr("select", write.fresh("chosen"), type_, args, ("i1", type_, type_), location=call.location))
        write.store(value, place, type_, call)

    def take(index: str, each: str) -> None:
        write.store("0", rank, "length", call)

        def counted(other: str) -> None:
            pair = (range_.element(copied, other), range_.element(copied, each))
            first = range_.operation(op, pair[::-1] if falling else pair, "i1", (before,))
            equal = range_.operation(op, pair, "i1", (same,))
            comes = logical("or", first, logical("and", equal, less("vector.less", other, each)))
            choose(comes, write.more(write.load(rank, "length", call), call), rank, "length")

        range_.loop(count, counted)
        here = less("vector.equal", write.load(rank, "length", call), index)
        choose(here, range_.element(copied, each), found, range_.type)

    def body(index: str) -> None:
        write.store(range_.element(copied, index), found, range_.type, call)
        range_.loop(count, lambda each: take(index, each))
        write.store(write.load(found, range_.type, call), range_.place(source, index), range_.type, call)

    range_.loop(count, body)


def _iota(range_: _Range) -> None:
    """iota(first, last, start) with numbers that are not integers"""
    write, call, target = range_.write, range_.call, range_.pointer(0)

    def body(index: str) -> None:
        where = call.location
        number = write.emit(Instr("vector.size", write.fresh("k"), "i64", (index,), ("length",), location=where))
        number = write.emit(Instr("uitofp", write.fresh("k"), range_.type, (number,), ("i64",), location=where))
        write.store(range_.operation("fadd", (call.args[2], number)), range_.place(target, index), range_.type, call)

    range_.loop(range_.length(), body)


def _extremum(range_: _Range) -> None:
    """max({...}), min({...})"""
    write, call = range_.write, range_.call
    count = call.args[1] if len(call.args) > 1 else ""
    if not count.isdigit() or not 0 < int(count) <= LONGEST_LIST:
        raise write.fail(call, f"std::{range_.name} of a list of unknown length")
    best = range_.element(call.args[0], "0")
    for number in range(1, int(count)):
        args = (best, range_.element(call.args[0], str(number)))
        best = range_.operation("extremum", args, detail=(range_.name, range_.member.element))
    range_.give(range_.variable(range_.type, best), range_.type)


ALGORITHMS: dict[str, Callable[[_Range], None]] = {
    "copy": _copy,
    "move": _copy,
    "equal": _equal,
    "partial_sum": _partial_sum,
    "reduce": _reduce,
    "reverse": _reverse,
    "sort": _sort,
    "stable_sort": _sort,
    "iota": _iota,
    "max": _extremum,
    "min": _extremum,
}

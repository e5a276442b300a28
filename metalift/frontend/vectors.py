"""Writes std::vector out as an array and a length.

A vector object %v becomes the array %v.data and the local variable %v.length of the pseudo type `length`, a mathematical integer
that later promotion turns into SSA values. What changes many elements at once becomes a loop. A vector is a value here: what its
members do to capacity and storage is nothing that a program can compute with.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from metalift.frontend.llvm_ir import BasicBlock, Hint, Instr, LlvmFunction
from metalift.frontend.metadata import ELEMENTS, Metadata
from metalift.frontend.vector_names import ALLOCATOR, ANY_VECTOR, LLVM_TYPES, Member, extremum, vector_member
from metalift.ir.fragment import Diagnostic, Unsupported

SUPPORTED = (
    "supported are 1-D std::vector of numbers with size, empty, [], at, front, back, data, begin, end, push_back, emplace_back, "
    "pop_back, clear, reserve, resize, assign(n, x), copies and range-for"
)
MUTATING = frozenset({"push_back", "emplace_back", "pop_back", "clear", "resize", "assign", "operator="})
PURE = frozenset({"size", "empty", "operator[]", "at", "front", "back", "data", "begin", "end", "cbegin", "cend", "capacity"})


def expand_vectors(function: LlvmFunction, metadata: Metadata, written: frozenset[str] = frozenset()) -> None:
    """Replace all calls of vector members, std::min and std::max, in place.

    `written` has the names of parameters by value that the function writes: it works on copies of them.
    """
    _Expansion(function, metadata, set(written)).run()


@dataclass(slots=True)
class _Expansion:
    """The state of one function's expansion: the block that is being filled, and the vector objects found."""

    function: LlvmFunction
    metadata: Metadata
    copied: set[str]
    blocks: list[BasicBlock] = field(default_factory=list)
    current: BasicBlock = field(default_factory=lambda: BasicBlock("", []))
    objects: dict[str, Member] = field(default_factory=dict)
    params: dict[str, bool] = field(default_factory=dict)  # whether it is passed by value
    count: int = 0

    def run(self) -> None:
        """Rewrite the function."""
        self._find_objects()
        result = next((arg.name for arg in self.function.args if "sret" in arg.attributes and arg.name in self.objects), None)
        for number, block in enumerate(self.function.blocks):
            self._start(block.label)
            original = block.label
            if number == 0:
                self._declare()
            for at, instr in enumerate(block.instrs):
                if instr.op == "call":
                    self._call(block, at, instr)
                elif instr.op == "ret" and result is not None:
                    length = self._length(result, instr)
                    args, types = (self._data(result), length), ("ptr", "length")
                    self._emit(Instr("ret", type="vector", args=args, types=types, location=instr.location))
                elif not (instr.op == "alloca" and instr.result in self.objects):
                    self._emit(instr)
            if self.current.label != original:
                self._rename_source(original, self.current.label)
        self.function.blocks = self.blocks

    def _find_objects(self) -> None:
        """The vectors: parameters by their types, locals by what is called on them."""
        types = [self.metadata.type(ref) for ref in self.metadata.signature(self.function.subprogram)]
        plain = [arg for arg in self.function.args if "sret" not in arg.attributes]
        for arg, type_ in zip(plain, types[1:], strict=False):
            vector = type_.target if type_.kind == "reference" and type_.target else type_
            if vector.kind == "vector":
                self.params[arg.name] = type_.kind == "vector"
                code = next(code for code, (_, scalar) in ELEMENTS.items() if scalar == vector.scalar)
                self.objects[arg.name] = Member("", code, "", "")
        allocas = {instr.result for instr in self.function.instructions() if instr.op == "alloca"}
        sret = {arg.name for arg in self.function.args if "sret" in arg.attributes}
        for instr in self.function.instructions():
            member = vector_member(instr.detail[0][1:]) if instr.op == "call" else None
            if member and instr.args and instr.args[0] in allocas | sret | set(self.params):
                self.objects[instr.args[0]] = member
                if self.params.get(instr.args[0]) and member.name in MUTATING:
                    self.copied.add(instr.args[0])

    def _declare(self) -> None:
        """Emit the arrays and lengths of all vectors; copies of parameters are filled."""
        for vector, member in self.objects.items():
            self.function.hints.setdefault(f"{vector}.length", Hint(f"{self._name(vector)}_length", ""))
            self._emit(Instr("alloca", f"{vector}.length", "ptr", detail=("length",)))
            initial = "0"
            if vector in self.params:
                made = Instr("vector.length", f"{vector}.initial", "length", (f"{vector}.data",), ("ptr",))
                initial = self._emit(made)
            if vector not in self.params or vector in self.copied:
                detail = (self._name(vector), member.element)
                self._emit(Instr("vector.new", self._data(vector), "ptr", detail=detail))
            self._emit(Instr("store", "", "length", (initial, f"{vector}.length"), ("length", "ptr")))
            if vector in self.copied:
                self._loop(Instr("call"), member, vector, "0", initial, self._original(vector, member))

    def _original(self, vector: str, member: Member) -> Callable[[str], str]:
        return lambda index: self._read(f"{vector}.data", member, index, Instr("call"))

    def _data(self, vector: str) -> str:
        """The array of a vector; of a copied parameter it is the copy's."""
        return f"{vector}.copy" if vector in self.copied else f"{vector}.data"

    def _name(self, vector: str) -> str:
        hint = self.function.hints.get(vector)
        plain = hint.name if hint else re.sub(r"(\.i\d+)+\Z", "", vector[1:]).strip('"')
        return "result" if plain == "agg.result" else plain

    def _start(self, label: str) -> None:
        self.current = BasicBlock(label, [])
        self.blocks.append(self.current)

    def _emit(self, instr: Instr) -> str:
        self.current.instrs.append(instr)
        return instr.result

    def _fresh(self, base: str) -> str:
        self.count += 1
        return f"%{base}.v{self.count}"

    def _rename_source(self, old: str, new: str) -> None:
        """Phis that named a split block as their source name its last part."""
        pending = [block for block in self.function.blocks if block.label not in {done.label for done in self.blocks[:-1]}]
        for block in [*self.blocks, *pending]:
            if block.label not in self.current.end.targets():
                continue
            for at, instr in enumerate(block.instrs):
                if instr.op == "phi":
                    block.instrs[at] = replace(instr, detail=tuple(new if label == old else label for label in instr.detail))

    def _fail(self, call: Instr, found: str) -> Exception:
        return Unsupported(Diagnostic(call.location, f"{found}; {SUPPORTED}"))

    def _call(self, block: BasicBlock, at: int, call: Instr) -> None:
        symbol = call.detail[0][1:]
        chosen = extremum(symbol)
        if chosen is not None:
            self._extremum(block, at, call, *chosen)
        elif ANY_VECTOR.match(symbol):
            self._member(call, symbol)
        elif not ALLOCATOR.match(symbol):
            self._emit(call)

    def _extremum(self, block: BasicBlock, at: int, call: Instr, name: str, code: str) -> None:
        """std::max(a, b): the values are read at once, so the reference it returns has to be read before anything changes."""
        used = [
            (other, place)
            for other in self.function.blocks
            for place, instr in enumerate(other.instrs)
            if call.result in instr.args
        ]
        for other, place in used:
            between = block.instrs[at + 1 : place]
            changed = any(item.op == "store" or (item.op == "call" and not _is_pure(item)) for item in between)
            user = other.instrs[place]
            reads = user.op == "load" or (user.op == "call" and (extremum(user.detail[0][1:]) or _is_push(user)))
            if other is not block or changed or not reads:
                raise self._fail(call, f"a reference kept from std::{name}")
        type_ = LLVM_TYPES.get(code, "i64")
        values = []
        for arg in call.args:
            loaded = Instr("load", self._fresh("operand"), type_, (arg,), ("ptr",), location=call.location)
            values.append(self._emit(loaded))
        detail = (name, code)
        made = Instr("extremum", self._fresh(name), type_, tuple(values), (type_, type_), detail, location=call.location)
        self._emit(Instr("alloca", call.result, "ptr", detail=(type_,), location=call.location))
        self._emit(made)
        self._emit(Instr("store", "", type_, (made.result, call.result), (type_, "ptr"), location=call.location))

    def _length(self, vector: str, call: Instr) -> str:
        loaded = Instr("load", self._fresh("length"), "length", (f"{vector}.length",), ("ptr",), location=call.location)
        return self._emit(loaded)

    def _set_length(self, vector: str, value: str, call: Instr) -> None:
        if vector in self.params and vector not in self.copied:
            raise self._fail(call, f"a change of the length of the parameter {vector[1:]}")
        self._emit(Instr("store", "", "length", (value, f"{vector}.length"), ("length", "ptr"), location=call.location))

    def _element(self, vector: str, member: Member, index: str, index_type: str, call: Instr, result: str = "") -> str:
        args, types = (self._data(vector), index), ("ptr", index_type)
        flags = frozenset({"nuw"})
        element = (member.llvm_type,)
        return self._emit(
            Instr("getelementptr", result or self._fresh("element"), "ptr", args, types, element, flags, call.location)
        )

    def _length_op(self, op: str, args: tuple[str, ...], types: tuple[str, ...], call: Instr, result: str = "") -> str:
        return self._emit(Instr(op, result or self._fresh("length"), "length", args, types, location=call.location))

    def _member(self, call: Instr, symbol: str) -> None:
        member = vector_member(symbol)
        if member is None:
            raise self._fail(call, "a std::vector with elements that are not numbers or with its own allocator")
        vector = call.args[0]
        if vector not in self.objects:
            raise self._fail(call, f"std::vector::{member.name} on a vector that is reached through a pointer or reference")
        handler = MEMBERS.get(member.name)
        if handler is None or not handler(self, call, member, vector):
            raise self._fail(call, f"std::vector::{member.name} as it is used here")

    def size(self, call: Instr, member: Member, vector: str) -> bool:
        """size()"""
        length = self._length(vector, call)
        self._emit(Instr("vector.size", call.result, "i64", (length,), ("length",), location=call.location))
        return True

    def empty(self, call: Instr, member: Member, vector: str) -> bool:
        """empty()"""
        length = self._length(vector, call)
        self._emit(Instr("vector.equal", call.result, "i1", (length, "0"), ("length", "length"), location=call.location))
        return True

    def subscript(self, call: Instr, member: Member, vector: str) -> bool:
        """operator[] and at(); at() is assumed not to throw."""
        if member.name == "at":
            length = self._length(vector, call)
            args, types = (call.args[1], length), ("i64", "length")
            self._emit(Instr("vector.check", "", args=args, types=types, location=call.location))
        self._element(vector, member, call.args[1], "i64", call, call.result)
        return True

    def first(self, call: Instr, member: Member, vector: str) -> bool:
        """front(), begin(), cbegin(), data()"""
        self._element(vector, member, "0", "length", call, call.result)
        return True

    def past_last(self, call: Instr, member: Member, vector: str) -> bool:
        """end(), cend()"""
        self._element(vector, member, self._length(vector, call), "length", call, call.result)
        return True

    def last(self, call: Instr, member: Member, vector: str) -> bool:
        """back()"""
        index = self._length_op("vector.less_one", (self._length(vector, call),), ("length",), call)
        self._element(vector, member, index, "length", call, call.result)
        return True

    def push(self, call: Instr, member: Member, vector: str) -> bool:
        """push_back(x), emplace_back(x) with x of the element type"""
        if len(call.args) != 2:
            return False
        if member.template and not re.fullmatch(rf"IJR?K?{member.element}EE", member.template):
            return False
        type_ = member.llvm_type
        value = self._emit(Instr("load", self._fresh("pushed"), type_, (call.args[1],), ("ptr",), location=call.location))
        length = self._length(vector, call)
        place = self._element(vector, member, length, "length", call, call.result)
        self._emit(Instr("store", "", type_, (value, place), (type_, "ptr"), location=call.location))
        self._set_length(vector, self._length_op("vector.one_more", (length,), ("length",), call), call)
        return True

    def pop(self, call: Instr, member: Member, vector: str) -> bool:
        """pop_back()"""
        self._set_length(vector, self._length_op("vector.less_one", (self._length(vector, call),), ("length",), call), call)
        return True

    def clear(self, call: Instr, member: Member, vector: str) -> bool:
        """clear()"""
        self._set_length(vector, "0", call)
        return True

    def nothing(self, call: Instr, member: Member, vector: str) -> bool:
        """reserve(), shrink_to_fit(), the destructor"""
        return True

    def resize(self, call: Instr, member: Member, vector: str) -> bool:
        """resize(n), resize(n, x)"""
        wanted = self._wanted(call, call.args[1])
        self._fill(call, member, vector, self._length(vector, call), wanted, call.args[2] if len(call.args) > 2 else None)
        self._set_length(vector, wanted, call)
        return True

    def assign(self, call: Instr, member: Member, vector: str) -> bool:
        """assign(n, x) and operator= from another vector"""
        if member.name == "operator=":
            return self._copy(call, member, vector)
        if member.template or not member.signature.startswith("m"):
            return False
        wanted = self._wanted(call, call.args[1])
        self._fill(call, member, vector, "0", wanted, call.args[2])
        self._set_length(vector, wanted, call)
        return True

    def construct(self, call: Instr, member: Member, vector: str) -> bool:
        """vector(), vector(n), vector(n, x), vector(other), vector(first, last)"""
        if member.signature in ("v", "RKS0_") or re.fullmatch(r"RKNS_9allocatorI\wEE", member.signature):
            self._set_length(vector, "0", call)
            return True
        if member.template:
            return self._copy_range(call, member, vector)
        if member.signature.startswith("m"):
            fills = member.signature[1:].startswith(f"RK{member.element}")
            wanted = self._wanted(call, call.args[1])
            self._fill(call, member, vector, "0", wanted, call.args[2] if fills else None)
            self._set_length(vector, wanted, call)
            return True
        return self._copy(call, member, vector)

    def _wanted(self, call: Instr, size: str) -> str:
        """A requested length; one that is too large for any vector throws."""
        return self._length_op("vector.request", (size,), ("i64",), call)

    def _fill(self, call: Instr, member: Member, vector: str, start: str, end: str, value: str | None) -> None:
        """for k in start .. end-1: v[k] = value"""
        type_ = member.llvm_type
        zero = "0.0" if type_ in ("float", "double") else "0"
        if value is not None:
            zero = self._emit(Instr("load", self._fresh("value"), type_, (value,), ("ptr",), location=call.location))
        self._loop(call, member, vector, start, end, lambda _: zero)

    def _loop(self, call: Instr, member: Member, vector: str, start: str, end: str, value: Callable[[str], str]) -> None:
        """Store `value(k)` in v[k] for k in start .. end-1; `value` may emit instructions."""
        self.count += 1
        base, before = f"{self._name(vector)}.elements{self.count}", self.current.label
        head, body, after = f"{base}.head", f"{base}.body", f"{base}.after"
        index, following, cond = self._fresh("k"), self._fresh("k"), self._fresh("more")
        where, type_ = call.location, member.llvm_type
        self.function.hints[index] = Hint("k", "", own=False)
        self._emit(Instr("br", detail=(head,), location=where))
        self._start(head)
        self._emit(Instr("phi", index, "length", (start, following), ("length",) * 2, (before, body), location=where))
        self._emit(Instr("vector.less", cond, "i1", (index, end), ("length", "length"), location=where))
        self._emit(Instr("br", args=(cond,), types=("i1",), detail=(body, after), location=where))
        self._start(body)
        stored = value(index)
        place = self._element(vector, member, index, "length", call)
        self._emit(Instr("store", "", type_, (stored, place), (type_, "ptr"), location=where))
        self._emit(Instr("vector.one_more", following, "length", (index,), ("length",), location=where))
        self._emit(Instr("br", detail=(head,), location=where))
        self._start(after)

    def _copy(self, call: Instr, member: Member, vector: str) -> bool:
        """A copy or a move of a whole vector."""
        moves = re.match(r"OS\d*_\Z", member.signature) is not None
        if not (moves or re.match(r"RKS\d*_\Z", member.signature)):
            return False
        other = call.args[1]
        if other not in self.objects:
            return False
        end = self._length(other, call)
        self._loop(call, member, vector, "0", end, lambda k: self._read(self._data(other), member, k, call))
        self._set_length(vector, end, call)
        if moves and other not in self.params:
            self._set_length(other, "0", call)
        return True

    def _read(self, data: str, member: Member, index: str, call: Instr) -> str:
        """The element of an array at an index."""
        type_, place = member.llvm_type, self._fresh("source")
        self._emit(Instr("getelementptr", place, "ptr", (data, index), ("ptr", "length"), (type_,), location=call.location))
        return self._emit(Instr("load", self._fresh("copied"), type_, (place,), ("ptr",), location=call.location))

    def _copy_range(self, call: Instr, member: Member, vector: str) -> bool:
        """The elements from one iterator to another."""
        if len(call.args) < 3 or not all(type_ == "ptr" for type_ in call.types[1:3]):
            return False
        first, last = call.args[1], call.args[2]
        end = self._length_op("vector.distance", (first, last), ("ptr", "ptr"), call)
        self._loop(call, member, vector, "0", end, lambda k: self._read(first, member, k, call))
        self._set_length(vector, end, call)
        return True


def _is_pure(call: Instr) -> bool:
    """Whether a call changes no memory."""
    if call.op != "call":
        return False
    symbol = call.detail[0][1:]
    member = vector_member(symbol)
    return extremum(symbol) is not None or symbol.startswith("llvm.") or (member is not None and member.name in PURE)


def _is_push(call: Instr) -> bool:
    member = vector_member(call.detail[0][1:])
    return member is not None and member.name in ("push_back", "emplace_back")


MEMBERS: dict[str, Callable[[_Expansion, Instr, Member, str], bool]] = {
    "size": _Expansion.size,
    "empty": _Expansion.empty,
    "operator[]": _Expansion.subscript,
    "at": _Expansion.subscript,
    "front": _Expansion.first,
    "begin": _Expansion.first,
    "cbegin": _Expansion.first,
    "data": _Expansion.first,
    "end": _Expansion.past_last,
    "cend": _Expansion.past_last,
    "back": _Expansion.last,
    "push_back": _Expansion.push,
    "emplace_back": _Expansion.push,
    "pop_back": _Expansion.pop,
    "clear": _Expansion.clear,
    "reserve": _Expansion.nothing,
    "shrink_to_fit": _Expansion.nothing,
    "destructor": _Expansion.nothing,
    "resize": _Expansion.resize,
    "assign": _Expansion.assign,
    "operator=": _Expansion.assign,
    "constructor": _Expansion.construct,
}
assert set(LLVM_TYPES) <= set(ELEMENTS)

"""Structs that are passed and returned by value: undoes how the calling convention of the target packs them.

A convention passes a small struct in registers that hold several of its fields at once: `{int, int, float *}` is an i64 and a
pointer on x86-64. The callee stores these parts into a local struct, the caller loads them from one. Afterwards a struct
parameter is one pointer to the caller's copy, every access to a local struct is to one of its fields, and a function that
returns a struct returns the values of its fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from metalift.frontend.llvm.names.library_names import has_own_meaning
from metalift.frontend.llvm.read.llvm_ir import (
    Argument,
    Instr,
    Layout,
    LlvmFunction,
    array_parts,
    is_literal,
    leaves,
    offset_of,
    reachable_in_order,
    scalar_size,
    struct_fields,
)
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.ssa.bulk import is_lifetime
from metalift.frontend.llvm.ssa.promote import last_name
from metalift.ir.program.graphs import reached

PART = re.compile(r'%"?(.*?)\.coerce\d*"?\Z')
PACKED = re.compile(r'\.coerce\d*["\s,)]|\bbyval\(')
SEVERAL = re.compile(r'define [^@]*[}>\]] @|(?:\bi\d+|>|\])(?: noundef)? %"?[^\s,"]*\.coerce\d*["\s,)]|\bbyval\(')
CALLED = re.compile(r'@(?:"([^"]*)"|([-\w.$]+))\(')
HARMLESS = ("@llvm.lifetime", "@llvm.assume", "@llvm.dbg")
CONTENT = " holds"  # after the name of a local variable: what it holds
COPIES = ("@llvm.memcpy", "@llvm.memmove")


def returns_struct(module: LlvmModule, symbol: str) -> bool:
    """Whether the source's function returns a struct."""
    signature = module.metadata.signature(module.subprogram(symbol))
    return bool(signature) and module.metadata.type(signature[0]).kind == "struct"


def passes_structs(module: LlvmModule, symbol: str) -> bool:
    """Whether the function, or one that it comes to, takes or returns a struct by value.

    Of functions from headers, such as the algorithms of C++, only those count that take several fields in one register or
    return several: iterators are structs too.
    """

    def called(name: str) -> Iterator[str]:
        symbols = (found[1] or found[2] for line in module.bodies[name][1:] for found in CALLED.finditer(line))
        return (other for other in symbols if other in module.bodies and not has_own_meaning(other))

    for name in reached([symbol], called):
        inside = module.is_own(name)
        if (PACKED if inside else SEVERAL).search(module.bodies[name][0]) or (inside and returns_struct(module, name)):
            return True
    return False


def unpack_structs(function: LlvmFunction, layout: Layout, struct_result: bool, *, leaves: bool = False) -> None:
    """Undo the packing, in place; `struct_result` says whether the source's function returns a struct.

    With `leaves`, a struct that it takes is changed where the caller sees it.
    """
    function.blocks = reachable_in_order(function.blocks)
    _forward_copies(function)
    _whole_parameters(function, layout, leaves)
    if struct_result:
        _result_in_memory(function)
    _Split(function, layout, struct_result).run()


def _forward_copies(function: LlvmFunction) -> None:
    """Read a local struct itself where its copy is only there to be loaded in parts at once."""
    homes = {instr.result for instr in function.instructions() if instr.op == "alloca" and not instr.args}
    uses = Counter(arg for instr in function.instructions() if instr.op != "declare" for arg in set(instr.args))
    for block in function.blocks:
        at = 0
        while at < len(block.instrs):
            instr = block.instrs[at]
            between = _is_copy(instr) and homes.issuperset(instr.args[:2])
            if between and _is_only_loaded(block.instrs[at + 1 :], instr.args[0], uses):
                renamed = {instr.args[0]: instr.args[1]}
                block.instrs[at:] = [later.map_values(_renaming(renamed)) for later in block.instrs[at + 1 :]]
            else:
                at += 1


def _renaming(names: Mapping[str, str]) -> Callable[[str], str]:
    return lambda name: names.get(name, name)


def _is_only_loaded(rest: list[Instr], copy: str, uses: Counter[str]) -> bool:
    """Whether all uses of a local struct, but the one that fills it, are loads that follow at once."""
    inside, found = {copy}, Counter({copy: 1})
    for instr in takewhile(lambda instr: instr.op in ("load", "getelementptr"), rest):
        found.update(inside.intersection(instr.args))
        if instr.op == "getelementptr" and instr.args[0] in inside:
            inside.add(instr.result)
    return len(rest) > 0 and all(found[name] == uses[name] for name in inside) and found[copy] > 1


def _whole_parameters(function: LlvmFunction, layout: Layout, leaves: bool) -> None:
    """One pointer for each struct parameter; where the function changes its copy, that becomes a local variable, if need be."""
    homes = {instr.result: instr for instr in function.blocks[0].instrs if instr.op == "alloca"}
    args: list[Argument] = []
    parts: set[str] = set()
    for arg in function.args:
        found = PART.match(arg.name)
        home = _quoted(f"%{found[1]}") if found else ""
        if home not in homes:
            args.append(arg)
            continue
        parts.add(arg.name)
        if not args or args[-1].name != home:
            args.append(Argument(home, "ptr", frozenset({"byval", f"byval {homes[home].detail[0]}"})))
    if parts:
        _drop_parts(function, parts, {arg.name for arg in args})
    written = set() if leaves else _written(function, layout, {arg.name for arg in args if "byval" in arg.attributes})
    function.args = tuple(_with_copy(function, layout, arg) if arg.name in written else arg for arg in args)


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"%[-\w.$]+", name) else f'%"{name[1:]}"'


def _drop_parts(function: LlvmFunction, parts: set[str], wholes: set[str]) -> None:
    """Drop what puts the parts of parameters together: their stores, and the local variables that are parameters now."""
    whole = {instr.result: instr.args[0] for instr in function.instructions() if instr.op == "getelementptr"}
    places = [instr.args[1] for instr in function.instructions() if instr.op == "store" and instr.args[0] in parts]
    between = {*places, *(whole[place] for place in places if place in whole)}  # where parts are not laid out as members are
    for block in function.blocks:
        block.instrs[:] = [
            instr
            for instr in block.instrs
            if not (instr.op == "store" and instr.args[0] in parts)
            and not (instr.op == "alloca" and instr.result in wholes)
            and not (_is_copy(instr) and instr.args[0] in wholes and instr.args[1] in between)
        ]


def _is_copy(instr: Instr) -> bool:
    return instr.op == "call" and instr.detail[0].startswith(COPIES)


def _written(function: LlvmFunction, layout: Layout, wholes: set[str]) -> set[str]:
    """The structs among these that are stored to, wholly or in part, or whose addresses are used in another way."""
    roots = _addresses(function, wholes)
    found: set[str] = set()
    for instr in function.instructions():
        used = instr.args
        harmless = instr.op == "call" and instr.detail[0].startswith(HARMLESS)
        if harmless or instr.op in ("load", "getelementptr", "icmp", "declare"):
            used = ()
        elif _is_copy(instr):
            used = instr.args[:1]
        elif instr.op == "store" and instr.args[1] in roots.kept:
            used = ()
        found |= {roots.of[arg] for arg in used if arg in roots.of}
    return found


@dataclass(slots=True)
class _Roots:
    """The struct that each address is computed from, and the local variables that hold one address for good."""

    of: dict[str, str]
    kept: set[str]


def _addresses(function: LlvmFunction, wholes: set[str]) -> _Roots:
    """The addresses in these structs, also where a local variable such as `this` holds them."""
    stores = Counter(instr.args[1] for instr in function.instructions() if instr.op == "store")
    homes = {instr.result for instr in function.instructions() if instr.op == "alloca" and instr.detail == ("ptr",)}
    uses = Counter(arg for instr in function.instructions() if instr.op not in ("load", "declare") for arg in set(instr.args))
    roots = _Roots({name: name for name in wholes}, set())
    size = -1
    while size != len(roots.of):
        size = len(roots.of)
        for instr in function.instructions():
            if instr.op == "getelementptr" and instr.args[0] in roots.of:
                roots.of[instr.result] = roots.of[instr.args[0]]
            elif instr.op == "store" and instr.args[0] in roots.of:
                home = instr.args[1]
                ends = sum(home in other.args for other in function.instructions() if is_lifetime(other))
                if home in homes and stores[home] == 1 and uses[home] == 1 + ends:
                    roots.kept.add(home)
                    roots.of[home + CONTENT] = roots.of[instr.args[0]]
            elif instr.op == "load" and instr.args[0] + CONTENT in roots.of:
                roots.of[instr.result] = roots.of[instr.args[0] + CONTENT]
    return roots


def _with_copy(function: LlvmFunction, layout: Layout, arg: Argument) -> Argument:
    """Keep the parameter's name for a local copy of the struct; the parameter itself, by another name."""
    size = layout.size(arg.pointee)
    if size is None:
        return arg
    value = _quoted(f"%{arg.name[1:].strip(chr(34))}.value")
    entry = function.blocks[0].instrs
    at = next((at for at, instr in enumerate(entry) if instr.op != "alloca"), 0)
    args = (arg.name, value, str(size), "false")
    copy = Instr("call", "", "void", args, ("ptr", "ptr", "i64", "i1"), ("@llvm.memcpy.p0.p0.i64",))
    entry[at:at] = [Instr("alloca", arg.name, "ptr", detail=(layout.unwrapped(arg.pointee),)), copy]
    return replace(arg, name=value)


def _result_in_memory(function: LlvmFunction) -> None:
    """The struct that a large result is written to becomes a local variable, whose value is returned."""
    result = next((arg for arg in function.args if "sret" in arg.attributes), None)
    if result is None:
        return
    function.args = tuple(arg for arg in function.args if arg is not result)
    function.blocks[0].instrs.insert(0, Instr("alloca", result.name, "ptr", detail=(result.pointee,)))
    for block in function.blocks:
        if block.end.op == "ret":
            name, where = f"{result.name}.whole", block.end.location
            block.instrs[-1:] = [
                Instr("load", name, result.pointee, (result.name,), ("ptr",), location=where),
                Instr("ret", "", result.pointee, (name,), (result.pointee,), location=where),
            ]


@dataclass(frozen=True, slots=True)
class _Part:
    """A field of a value that holds several: where it begins in it, its register and its type."""

    offset: int
    register: str
    type: str


class _Split:
    """Splits loads of several fields at once, and what is done with them."""

    def __init__(self, function: LlvmFunction, layout: Layout, struct_result: bool) -> None:
        self.function = function
        self.layout = layout
        self.struct_result = struct_result
        self.count = 0
        self.values: dict[str, list[_Part]] = {}
        self.places: dict[str, tuple[str, int]] = {}  # a pointer into a struct: the struct and an offset
        self.types: dict[str, str] = {}
        self.renamed: dict[str, str] = {}

    def run(self) -> None:
        """Rewrite the function; its blocks are in reverse postorder."""
        self._forward_phis()
        for arg in self.function.args:
            if arg.pointee:
                self.places[arg.name], self.types[arg.name] = (arg.name, 0), arg.pointee
        for block in self.function.blocks:
            made: list[Instr] = []
            for instr in block.instrs:
                known = instr.map_values(lambda name: last_name(name, self.renamed))
                self._place(known)
                made += self._rewritten(known)
            block.instrs[:] = made
        for block in self.function.blocks:
            block.instrs[:] = [instr.map_values(lambda name: last_name(name, self.renamed)) for instr in block.instrs]

    def _forward_phis(self) -> None:
        """Phis of one value, as at the end of an inlined function, are that value."""
        for block in self.function.blocks:
            single = {instr.result: instr.args[0] for instr in block.instrs if instr.op == "phi" and len(set(instr.args)) == 1}
            self.renamed |= single
            block.instrs[:] = [instr for instr in block.instrs if instr.result not in single]

    def _place(self, instr: Instr) -> None:
        if instr.op == "alloca" and not instr.args:
            self.places[instr.result], self.types[instr.result] = (instr.result, 0), instr.detail[0]
        elif instr.op == "getelementptr" and instr.args[0] in self.places:
            offset = offset_of(instr, self.layout)
            if offset is not None:
                root, start = self.places[instr.args[0]]
                self.places[instr.result] = (root, start + offset)
        elif instr.op == "getelementptr" and (pointee := self._pointee(instr)) is not None:
            self.places[instr.result], self.types[instr.result] = (instr.result, 0), pointee

    def _pointee(self, instr: Instr) -> str | None:
        """The struct that a pointer leads to which is made from one to structs: an element of an array, or a field of one.

        Passes of their own read what the library is made of.
        """
        type_ = instr.detail[0]
        if "std::" in type_:
            return None
        for token in instr.args[2:]:
            found = self.layout.field(type_, int(token)) if is_literal(token) else None
            if found is None:
                return None
            type_ = found[1]
        return type_ if struct_fields(self.layout.named.get(type_, type_)) is not None else None

    def _rewritten(self, instr: Instr) -> list[Instr]:
        if instr.op == "load" and instr.args[0] in self.places and not instr.flags & {"volatile", "atomic"}:
            return self._load(instr)
        if instr.op == "store" and instr.args[0] in self.values and not instr.flags & {"volatile", "atomic"}:
            return self._store(instr)
        if instr.op == "extractvalue" and instr.args[0] in self.values:
            return self._extract(instr)
        if instr.op == "ret" and self.struct_result and instr.args:
            return [self._return(instr)]
        return [instr]

    def _load(self, instr: Instr) -> list[Instr]:
        root, start = self.places[instr.args[0]]
        size = self.layout.size(instr.type)
        whole = leaves(self.types[root], self.layout)
        if size is None or whole is None:
            return [instr]
        fields = [(offset - start, type_) for offset, type_ in whole if start <= offset < start + size]
        if fields == [(0, instr.type)] or not fields:
            return [instr]
        if scalar_size(instr.type) is not None and len(fields) == 1 and scalar_size(fields[0][1]) == size:
            return [instr]
        made, parts = [], []
        for offset, type_ in fields:
            part = _Part(offset, f"{instr.result}.at{offset}", type_)
            parts.append(part)
            made += self._access(instr, instr.args[0], part, "load")
        self.values[instr.result] = parts
        return made

    def _access(self, instr: Instr, base: str, part: _Part, op: str) -> list[Instr]:
        self.count += 1
        place = f"%part.{self.function.symbol}.{self.count}"
        args = (base, str(part.offset))
        step = Instr("getelementptr", place, "ptr", args, ("ptr", "i64"), ("i8",), location=instr.location)
        if op == "load":
            access = Instr("load", part.register, part.type, (place,), ("ptr",), location=instr.location)
        else:
            access = Instr("store", "", part.type, (part.register, place), (part.type, "ptr"), location=instr.location)
        self._place(step)
        return [step, access]

    def _store(self, instr: Instr) -> list[Instr]:
        return [made for part in self.values[instr.args[0]] for made in self._access(instr, instr.args[1], part, "store")]

    def _extract(self, instr: Instr) -> list[Instr]:
        start, whole = 0, instr.types[0]
        for number in map(int, instr.detail):
            array = array_parts(whole)
            found = (number * (self.layout.size(array[1]) or 0), array[1]) if array else self.layout.field(whole, number)
            if found is None:
                return [instr]
            start, whole = start + found[0], found[1]
        size = self.layout.size(whole) or 0
        inside = [part for part in self.values[instr.args[0]] if start <= part.offset < start + size]
        if len(inside) == 1 and inside[0].type == whole:
            self.renamed[instr.result] = inside[0].register
        self.values[instr.result] = [replace(part, offset=part.offset - start) for part in inside]
        return []

    def _return(self, instr: Instr) -> Instr:
        parts = self.values.get(instr.args[0], [_Part(0, instr.args[0], instr.type)])
        args, types = tuple(part.register for part in parts), tuple(part.type for part in parts)
        offsets = tuple(str(part.offset) for part in parts)
        return Instr("ret", "", "tuple", args, types, offsets, location=instr.location)

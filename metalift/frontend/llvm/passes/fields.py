"""Structs that parameters lead to: each field that a function uses becomes a parameter of its own.

A struct may be passed by value, by pointer or by reference; fields may be scalars, arrays, pointers to elements or to rows of
them, std::vector, structs, and pointers to structs. What is not used is not there. A scalar field that is only read is a
scalar parameter; one that is changed where the caller sees it is an array of one element.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeAlias

from metalift.frontend.llvm.names.vector_names import vector_member
from metalift.frontend.llvm.passes.struct_arrays import has_several
from metalift.frontend.llvm.read.llvm_ir import Argument, Instr, LlvmFunction, Parameter, offset_of
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.metadata import SourceType
from metalift.frontend.llvm.read.parameters import element_size, field_name, fits
from metalift.frontend.llvm.ssa.promote import last_name
from metalift.ir.program.fragment import Diagnostic, Field, Location, Unsupported
from metalift.ir.program.graphs import reached

SUPPORTED = (
    "supported are fields that are scalars, arrays of them, pointers to scalars or to rows of them, std::vector of them, "
    "structs, and pointers to structs"
)
LINKED = "supported are pointers to structs that a file of the program defines (--with FILE)"
Key: TypeAlias = tuple[tuple[str, ...], int]
UNCHANGED = "supported are changes of scalar fields and of the elements that pointer fields point to"


@dataclass(frozen=True, slots=True)
class Record:
    """A struct that a parameter leads to: its names for generated code and in the source, up to a member.

    `order` sorts by parameter and by the offsets on the way.
    """

    parameter: Parameter
    type: SourceType
    name: str
    access: str
    order: tuple[int, ...]

    @property
    def spelled(self) -> str:
        """The record in the source's words, with what stands before the name of a member."""
        return f"{self.parameter.name}{self.access}"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A member of a record that is no struct: where it begins, the way to it by names, its type."""

    record: Record
    offset: int
    path: tuple[str, ...]
    type: SourceType

    @property
    def spelled(self) -> str:
        """The member in the source's words."""
        return self.record.spelled + ".".join(self.path)

    @property
    def visible(self) -> bool:
        """Whether the caller sees a change of the member."""
        parameter = self.record.parameter
        seen = parameter.variable is not None or parameter.left
        return seen or parameter.type.kind != "struct" or "->" in self.record.access

    @property
    def passed(self) -> SourceType:
        """The type of the parameter that the member becomes: a std::vector that the caller sees is passed by reference."""
        if self.type.kind == "vector" and self.visible:
            struct = self.record.parameter.type.struct
            const = self.type.const or (struct is not None and struct.const)
            return replace(self.type, kind="reference", target=replace(self.type, const=const))
        return self.type

def _element(array: Leaf, offset: int) -> Leaf | None:
    """The element at an offset of an array of one axis; None of other arrays."""
    scalar = array.type.target
    if scalar is None or scalar.kind != "scalar" or scalar.scalar is None or array.type.spelling.count("[") != 1:
        return None
    number, rest = divmod(offset - array.offset, element_size(scalar.scalar))
    path = (*array.path[:-1], f"{''.join(array.path[-1:])}[{number}]")
    return None if rest else Leaf(array.record, offset, path, scalar)


def _drop_unused_loads(function: LlvmFunction) -> None:
    """Drop the loads that nothing depends on: they would make parameters of fields that are not used."""
    defined = {instr.result: instr for instr in function.instructions() if instr.result}
    used = [arg for instr in function.instructions() if not instr.result or instr.op == "call" for arg in instr.args]
    needed = reached(used, lambda name: defined[name].args if name in defined else ())
    for block in function.blocks:
        kept = [i for i in block.instrs if i.op != "load" or i.result in needed or i.flags & {"volatile", "atomic"}]
        block.instrs[:] = kept


def flatten_structs(function: LlvmFunction, module: LlvmModule) -> None:
    """Make a parameter of each field that is used, in place."""
    if any(parameter.type.struct or parameter.variable for parameter in function.parameters):
        _Flattening(function, module).run()


@dataclass(slots=True)
class _Flattening:
    """The state of one function's flattening."""

    function: LlvmFunction
    module: LlvmModule
    places: dict[str, tuple[Record, int]] = field(default_factory=dict)
    bases: set[str] = field(default_factory=set)  # the registers that point to whole records
    loaded: dict[str, Leaf] = field(default_factory=dict)  # loads of fields
    elements: dict[str, tuple[Key, Leaf]] = field(default_factory=dict)  # loads of elements of arrays
    stored: set[Key] = field(default_factory=set)
    made: dict[tuple[int, ...], Parameter] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def run(self) -> None:
        """Rewrite the function; its blocks are in reverse postorder."""
        for number, parameter in enumerate(self.function.parameters):
            struct = parameter.type.struct
            if parameter.variable is not None:
                access = "." if parameter.type.kind == "struct" else ""
                self.places[parameter.register] = (Record(parameter, parameter.type, parameter.name, access, (number,)), 0)
            elif struct is not None and not (parameter.type.kind == "pointer" and has_several(self.function, parameter.register)):
                access = "->" if parameter.type.kind == "pointer" else "."
                self.places[parameter.register] = (Record(parameter, struct, parameter.name, access, (number,)), 0)
        self.bases |= {register for register, (record, _) in self.places.items() if record.type.kind == "struct"}
        _drop_unused_loads(self.function)
        for block in self.function.blocks:
            for instr in block.instrs:
                self._look(instr)
        whole = self._whole()
        self.loaded |= {result: element for result, (array, element) in self.elements.items() if array not in whole}
        for block in self.function.blocks:
            rewritten: list[Instr] = []
            for instr in block.instrs:
                rewritten += self._rewritten(instr)
            block.instrs[:] = rewritten
        for block in self.function.blocks:
            block.instrs[:] = [instr.map_values(lambda name: last_name(name, self.renamed)) for instr in block.instrs]
        self._enter()

    def _look(self, instr: Instr) -> None:
        """Follow the addresses in records; note which fields are read and which are changed."""
        place = self.places.get(instr.args[-1]) if instr.args and instr.op in ("load", "store") else None
        if place is not None and instr.flags & {"volatile", "atomic"}:
            self._fail(instr.location, f"a volatile or atomic access to {self._leaf(instr, *place).spelled}")
        if instr.op == "getelementptr" and instr.args[0] in self.places:
            record, start = self.places[instr.args[0]]
            offset = offset_of(instr, self.module.layout)
            if offset is not None:
                self.places[instr.result] = (record, start + offset)
        elif instr.op == "load" and place is not None:
            self._look_at_load(instr, *place)
        elif instr.op == "store" and place is not None:
            leaf = self._leaf(instr, *place)
            if leaf.type.kind == "pointer" and not self._is_kept(instr, leaf):
                self._fail(instr.location, f"a change of the pointer {leaf.spelled}", UNCHANGED)
            if leaf.type.kind == "scalar":
                self.stored.add(self._key(leaf))

    def _is_kept(self, instr: Instr, leaf: Leaf) -> bool:
        """Whether the pointer that is stored in a field is the one that it has: it was loaded from it, and no other is stored."""
        return self.loaded.get(instr.args[0]) == leaf

    def _look_at_load(self, instr: Instr, record: Record, offset: int) -> None:
        leaf = self._leaf(instr, record, offset)
        struct = leaf.type.struct if leaf.type.kind == "pointer" else None
        if struct is not None and has_several(self.function, instr.result):
            self.loaded[instr.result] = leaf
        elif struct is not None:
            name = "_".join((record.name, *leaf.path))
            access = f"{record.access}{'.'.join(leaf.path)}->"
            self.places[instr.result] = (Record(record.parameter, struct, name, access, (*record.order, leaf.offset)), 0)
            self.bases.add(instr.result)
        elif leaf.type.kind == "array":
            element = _element(leaf, offset)
            if element is not None:
                self.elements[instr.result] = (self._key(leaf), element)
        elif leaf.type.kind == "scalar" and not (leaf.type.scalar and fits(leaf.type.scalar, instr.type)):
            self._fail(instr.location, f"an access of type {instr.type} to the field {leaf.spelled}")
        else:
            self.loaded[instr.result] = leaf

    def _key(self, leaf: Leaf) -> Key:
        """What members of different structs of one type have in common: they may be the same one."""
        ref = leaf.record.type.ref
        return (self.module.metadata.declared_at(ref) if ref else (leaf.record.name,)), leaf.offset

    def _whole(self) -> set[Key]:
        """The arrays of which more is used than elements that are read at indices known from the text."""
        found = set()
        for instr in self.function.instructions():
            for at, arg in enumerate(instr.args):
                if arg in self.places and instr.result not in self.places and instr.op not in ("icmp", "declare"):
                    if instr.result not in self.elements and self._addresses(instr, at, *self.places[arg]):
                        found.add(self._key(self._leaf(instr, *self.places[arg])))
        return found

    def _fail(self, where: Location, found: str, supported: str = SUPPORTED) -> NoReturn:
        place = where if where.line else self.function.parameters[0].place
        raise Unsupported(Diagnostic(place, f"{found}; {supported}"))

    def _leaf(self, instr: Instr, record: Record, offset: int) -> Leaf:
        """The member at an offset of a record; raises Unsupported where it is of a kind that is not modelled."""
        leaf = self._find(instr, Leaf(record, 0, (), record.type), offset)
        untyped = leaf.type.target is not None and leaf.type.kind == "pointer" and leaf.type.target.kind == "void"
        if leaf.type.scalar is None and leaf.type.kind in ("scalar", "pointer", "array") and not leaf.type.struct and not untyped:
            what = f"the field {leaf.spelled} of type {leaf.type.spelling}"
            if leaf.type.target is not None and leaf.type.target.undefined:
                self._fail(instr.location, f"{what}, which no file of the program defines, or several do otherwise", LINKED)
            self._fail(instr.location, what)
        if leaf.type.volatile:
            self._fail(instr.location, f"the volatile field {leaf.spelled}")
        return leaf

    def _find(self, instr: Instr, outer: Leaf, offset: int) -> Leaf:
        if outer.type.kind != "struct":  # a variable that is no struct
            if outer.type.kind != "array" and offset != 0:
                self._fail(instr.location, f"an access to {outer.spelled} that is not to the whole")
            return outer
        for member in self.module.metadata.members(outer.type.ref):
            start = outer.offset + member.offset
            if not start <= offset < start + max(member.size, 1):
                continue
            leaf = Leaf(outer.record, start, (*outer.path, member.name) if member.name else outer.path, member.type)
            if member.bit_field:
                self._fail(instr.location, f"the bit-field {leaf.spelled}")
            if member.type.kind == "struct":
                return self._find(instr, leaf, offset)
            if member.type.kind == "array" and member.type.target is not None and member.type.target.kind == "struct":
                self._fail(instr.location, f"an array of structs, {leaf.spelled}")
            if member.type.kind == "other":
                self._fail(instr.location, f"the field {leaf.spelled} of type {member.type.spelling}")
            return leaf
        size = int(self.module.metadata.fields(outer.type.ref).get("size", 0)) // 8
        if size and not 0 <= offset < size:
            self._fail(instr.location, f"an array of structs: {outer.record.parameter.name} points to more than one")
        self._fail(instr.location, f"an access to {outer.record.parameter.name} that is to none of its fields")

    def _rewritten(self, instr: Instr) -> list[Instr]:
        leaf = self.loaded.get(instr.result)
        if leaf is not None and not (self._key(leaf) in self.stored and leaf.visible):
            self.renamed[instr.result] = register = self._register(leaf)
            if leaf.type.kind == "pointer" and instr.result in self.function.hints:  # a pointer to another type may be made of it
                self.function.hints.setdefault(register, self.function.hints[instr.result])
            return []
        if instr.result in self.places or instr.op == "declare":
            return []
        place = self.places.get(instr.args[-1]) if instr.op == "store" else None
        if place is not None and self._leaf(instr, *place).type.kind == "pointer":
            return []  # it is there already
        made: list[Instr] = []
        args = list(instr.args)
        for at, arg in enumerate(args):
            if arg in self.places and self._addresses(instr, at, *self.places[arg]):
                steps, args[at] = self._address(instr, *self.places[arg])
                made += steps
        return [*made, replace(instr, args=tuple(args))]

    def _addresses(self, instr: Instr, at: int, record: Record, offset: int) -> bool:
        """Whether an operand that points into a record is the address of a field; else it is the record as a whole."""
        if instr.op in ("load", "store") and at == len(instr.args) - 1:
            return True
        name = record.spelled.rstrip(".->")
        if instr.op == "getelementptr" and instr.detail[0].startswith(("%", "{")):
            self._fail(instr.location, f"an array of structs: {name} points to more than one")
        inside = at == 0 and (self._is_member_call(instr) or self._is_first_array(instr, record))
        if instr.args[at] in self.bases and not inside:
            self._refuse_whole(instr, name)
            return False
        leaf = self._leaf(instr, record, offset)
        if instr.op == "call" and leaf.type.kind == "array" and not self._stays_inside(instr, leaf, offset):
            self._fail(instr.location, f"a fill or copy of more than the field {leaf.spelled}", UNCHANGED)
        if leaf.type.kind == "scalar" and instr.op in ("phi", "select"):
            self._fail(instr.location, f"a pointer to one of several fields of {name}")
        return leaf.type.kind in ("array", "vector") or instr.op == "getelementptr"

    def _is_member_call(self, instr: Instr) -> bool:
        """Whether it is a call on a vector: the first field of a struct is where the struct is."""
        return instr.op == "call" and vector_member(instr.detail[0][1:]) is not None

    def _is_first_array(self, instr: Instr, record: Record) -> bool:
        """Whether it indexes or fills the array that a variable begins with: the compiler leaves out a step to offset 0."""
        if record.parameter.variable is None or record.access != "." or instr.op not in ("call", "getelementptr"):
            return False
        steps = instr.op == "getelementptr" and instr.detail[0].startswith(("%", "{", "<{"))
        return not steps and self._leaf(instr, record, 0).type.kind == "array"

    def _refuse_whole(self, instr: Instr, name: str) -> None:
        """Refuse what is done with a struct as a whole, where what refuses it later would not name it."""
        if instr.op == "getelementptr":
            self._fail(instr.location, f"an index from the struct {name} as a whole")
        if instr.op in ("phi", "select") and instr.type == "ptr":
            self._fail(instr.location, f"a pointer or reference to a struct that is not always {name}, as in a list or a tree")

    def _stays_inside(self, instr: Instr, leaf: Leaf, offset: int) -> bool:
        """Whether a memset or memcpy ends within the array that it begins in; where its size is computed, it has to."""
        size, total = instr.args[2] if len(instr.args) > 2 else "", self._extent(leaf)
        return not size.isdigit() or leaf.offset + total >= offset + int(size)

    def _extent(self, leaf: Leaf) -> int:
        """The bytes of an array in a struct."""
        count = 1
        for number in re.findall(r"\[(\d*)\]", leaf.type.spelling):
            count *= int(number or 0)
        return count * element_size(leaf.type.scalar) if leaf.type.scalar else 0

    def _address(self, instr: Instr, record: Record, offset: int) -> tuple[list[Instr], str]:
        """The address of a field, computed from the parameter that it has become."""
        leaf = self._leaf(instr, record, offset)
        if leaf.type.kind == "pointer":
            self._fail(instr.location, f"the address of the pointer {leaf.spelled}", UNCHANGED)
        if leaf.type.kind == "scalar" and instr.op == "getelementptr":
            self._fail(instr.location, f"an index from the field {leaf.spelled}, which is no array")
        base, rest = self._register(leaf), offset - leaf.offset
        if rest == 0:
            return [], base
        self.count += 1
        args, types = (base, str(rest)), ("ptr", "i64")
        step = Instr("getelementptr", f"{base}.element{self.count}", "ptr", args, types, ("i8",), location=instr.location)
        return [step], step.result

    def _register(self, leaf: Leaf) -> str:
        """The register of the parameter that a field becomes."""
        order = (*leaf.record.order, leaf.offset)
        if order not in self.made:
            others = [each for each in self.function.parameters if each is not leaf.record.parameter or leaf.path]
            taken = {parameter.name for parameter in (*others, *self.made.values())}
            name = field_name(leaf.record.name, leaf.path, taken)
            outer = leaf.record.parameter
            called = outer.variable.name if outer.variable is not None else outer.name
            access = leaf.record.access + ".".join(leaf.path)
            field_ = Field(called, outer.type.spelling, access, outer.variable, outer.left)
            cell = leaf.type.kind == "scalar" and self._key(leaf) in self.stored and leaf.visible
            apart = (outer.variable is not None or outer.left) and "->" not in leaf.record.access  # nothing given leads there
            shared = leaf.type.kind in ("scalar", "pointer") and leaf.visible and not cell and not apart
            made = Parameter(f"%{name}.field", name, leaf.passed, outer.place, field=field_, cell=cell, shared=shared)
            self.made[order] = made
        return self.made[order].register

    def _enter(self) -> None:
        """Put the fields in the place of the structs, and remember the structs for what is still said of them."""
        function = self.function
        parameters: list[Parameter] = []
        for number, parameter in enumerate(function.parameters):
            fields = [made for order, made in sorted(self.made.items()) if order[0] == number]
            parameters += fields if parameter.register in self.places else [parameter]
        known = {arg.name: arg for arg in function.args}
        result = [arg for arg in function.args if "sret" in arg.attributes]
        function.parameters = parameters
        function.args = (*result, *(known.get(one.register) or Argument(one.register, one.llvm_type) for one in parameters))
        for register, (record, offset) in self.places.items():
            if offset == 0:
                function.records[register] = record.spelled.removesuffix("->").removesuffix(".")

"""Arrays of structs: each field that a function uses becomes an array of its own, as long as the array of structs.

A pointer to elements is followed through steps from element to element, phis and choices; in its place there is a pointer into
each field's array. Fields of one array never share memory with each other, and a struct is copied field by field.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn

from metalift.frontend.llvm.read.llvm_ir import Argument, Instr, LlvmFunction, Parameter, offset_of
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.metadata import Member, SourceType
from metalift.frontend.llvm.read.parameters import element_size, field_name, fits
from metalift.ir.expr.types import BoolType, MachineInt, RealType
from metalift.ir.program.fragment import ELEMENT, Diagnostic, Field, Location, Unsupported

SUPPORTED = (
    "supported are fields that are scalars, arrays of them, pointers to them and structs, read and written by field, "
    "and copies of elements"
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A field of the elements: where it begins, its bytes, the way to it by names, and its type.

    That is a scalar, an array or a pointer to scalars; of others, which may be there where they are not used, `problem` says so.
    """

    offset: int
    size: int
    path: tuple[str, ...]
    type: SourceType
    problem: str = ""

    @property
    def llvm_type(self) -> str:
        """The type of an element's field."""
        if self.type.kind == "pointer":
            return "ptr"
        match self.type.scalar:
            case MachineInt(bits, _):
                scalar = f"i{bits}"
            case RealType(bits):
                scalar = "float" if bits == 32 else "double"
            case _:
                scalar = "i8"
        if self.type.kind == "scalar" or self.type.scalar is None:
            return scalar
        return f"[{self.size // element_size(self.type.scalar)} x {scalar}]"


def _problem(member: Member) -> str:
    """What is not modelled of a member that is no struct, empty where it is a scalar, an array or a pointer to scalars."""
    type_ = member.type
    rows = type_.kind == "pointer" and type_.rank == 1 and type_.target is not None and type_.target.kind == "scalar"
    if member.bit_field:
        return "is a bit-field"
    modelled = (type_.kind in ("scalar", "array") or rows) and isinstance(type_.scalar, BoolType | MachineInt | RealType)
    return "" if modelled else f"is of type {type_.spelling}"


def has_several(function: LlvmFunction, register: str) -> bool:
    """Whether a pointer to a struct is used as one to an array of them: it, or one that comes of it, is moved or indexed."""
    reached, pending = {register}, [register]
    while pending:
        pointer = pending.pop()
        for instr in function.instructions():
            if pointer not in instr.args or instr.result in reached:
                continue
            if instr.op == "getelementptr" and instr.args[0] == pointer and _steps(instr):
                if instr.args[1] != "0":
                    return True
            elif instr.op not in ("phi", "select"):
                continue
            if len(instr.args) == 2 or instr.op != "getelementptr":
                reached.add(instr.result)
                pending.append(instr.result)
    return False


def _steps(instr: Instr) -> bool:
    """Whether the first index counts structs."""
    return instr.detail[0].startswith(("%", "{", "<{"))


def split_struct_arrays(function: LlvmFunction, module: LlvmModule) -> None:
    """Make an array of each field that is used of the parameters that point to structs, in place."""
    roots = {parameter.register: parameter for parameter in function.parameters if parameter.type.struct is not None}
    if roots:
        _Splitting(function, module, roots).run()


@dataclass(slots=True)
class _Splitting:
    """The state of one function: where registers point, as a root, the register of the element and the bytes behind its start."""

    function: LlvmFunction
    module: LlvmModule
    roots: dict[str, Parameter]
    places: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    used: dict[str, dict[int, Leaf]] = field(default_factory=dict)  # of each root, by offset
    names: dict[tuple[str, int], str] = field(default_factory=dict)  # of the parameters that fields become
    count: int = 0

    def run(self) -> None:
        """Follow the pointers, see which fields are used, and rewrite."""
        self.places = {register: (register, register, 0) for register in self.roots}
        self.used = {register: {} for register in self.roots}
        while self._followed():
            pass
        for instr in self.function.instructions():
            self._note(instr)
        self._choose_names()
        for block in self.function.blocks:
            block.instrs[:] = [made for instr in block.instrs for made in self._rewritten(instr)]
        self._enter()

    def _followed(self) -> bool:
        """Whether one more register was found to point into elements."""
        before = len(self.places)
        for instr in self.function.instructions():
            if instr.result not in self.places and (place := self._place(instr)) is not None:
                self.places[instr.result] = place
        return len(self.places) > before

    def _place(self, instr: Instr) -> tuple[str, str, int] | None:
        known = [self.places[arg] for arg in instr.args if arg in self.places]
        if not known:
            return None
        root, element, start = known[0]
        if instr.op in ("phi", "select") and instr.type == "ptr":
            return (root, instr.result, 0) if all(place[2] == 0 for place in known) else None
        if instr.op != "getelementptr" or instr.args[0] not in self.places:
            return None
        if not _steps(instr):
            offset = offset_of(instr, self.module.layout)
            return None if offset is None else (root, element, start + offset)
        if start:
            return None
        if str(self.module.layout.size(instr.detail[0])) != self._size(root):
            self._fail(instr.location, f"{self._name(root)} seen as an array of structs of another type")
        offset = offset_of(replace(instr, args=(instr.args[0], "0", *instr.args[2:])), self.module.layout)
        if offset is None:
            self._fail(instr.location, f"an index in a field of {self._name(root)} in one step with that of the element")
        return (root, instr.result if instr.args[1] != "0" else element, offset)

    def _moves(self, instr: Instr) -> bool:
        """Whether the instruction makes a pointer to an element, so that there has to be one into each field's array."""
        return instr.result in self.places and self.places[instr.result][1] == instr.result

    def _note(self, instr: Instr) -> None:
        """Note the fields that an instruction uses; raises Unsupported where it uses structs in another way."""
        if self._moves(instr):
            root = self.places[instr.result][0]
            pointers = [arg for arg, type_ in zip(instr.args, instr.types, strict=True) if type_ == "ptr"]
            if any(arg not in self.places or self.places[arg][0] != root for arg in pointers):
                self._fail(instr.location, f"a pointer that is not always to an element of {self._name(root)}")
            return
        if instr.result in self.places or instr.op == "declare":
            return
        for at, arg in enumerate(instr.args):
            if arg in self.places:
                self._note_use(instr, at)

    def _note_use(self, instr: Instr, at: int) -> None:
        root, _, offset = self.places[instr.args[at]]
        if instr.op in ("load", "store") and at == len(instr.args) - 1:
            self._accessed(instr, root, offset)
        elif instr.op == "getelementptr" and at == 0:
            leaf = self._leaf(instr, root, offset)
            if leaf.type.kind != "array" or leaf.offset != offset or instr.args[1] != "0" or not instr.detail[0].startswith("["):
                self._fail(instr.location, f"an index from the field {'.'.join(leaf.path)} of {self._name(root)} out of it")
            self._use(root, leaf)
        elif instr.op == "icmp":
            self._compared(instr)
        elif self._copied(instr):
            for leaf in self._leaves(root):
                self._use(root, self._modelled(instr, root, leaf))
        else:
            self._fail(instr.location, f"a use of {self._name(root)} other than of a field of an element")

    def _accessed(self, instr: Instr, root: str, offset: int) -> None:
        leaf = self._leaf(instr, root, offset)
        type_ = instr.type if instr.op == "load" else instr.types[0]
        if instr.flags & {"volatile", "atomic"} or leaf.type.volatile:
            self._fail(instr.location, f"a volatile or atomic access to {self._name(root)}")
        if leaf.type.kind == "pointer" and instr.op == "store":
            self._fail(instr.location, f"a change of the pointers {'.'.join(leaf.path)} of {self._name(root)}")
        if type_ != "ptr" if leaf.type.kind == "pointer" else leaf.type.scalar is None or not fits(leaf.type.scalar, type_):
            self._fail(instr.location, f"an access of type {type_} to the field {'.'.join(leaf.path)} of {self._name(root)}")
        self._use(root, leaf)

    def _compared(self, instr: Instr) -> None:
        sides = [self.places.get(arg) for arg in instr.args]
        if None in sides or len({side[0] for side in sides if side}) > 1 or any(side[2] for side in sides if side):
            self._fail(instr.location, "a comparison of pointers to structs that are not elements of one array")

    def _copied(self, instr: Instr) -> bool:
        """Whether it copies one element to another, whole."""
        if instr.op != "call" or not instr.detail[0].startswith(("@llvm.memcpy.", "@llvm.memmove.")):
            return False
        places = [self.places.get(arg) for arg in instr.args[:2]]
        sizes = {self._size(place[0]) for place in places if place is not None and place[2] == 0}
        types = {struct.ref for place in places if place is not None and (struct := self.roots[place[0]].type.struct)}
        return None not in places and len(types) == 1 and sizes == {instr.args[2]}

    def _size(self, root: str) -> str:
        struct = self.roots[root].type.struct
        return "" if struct is None else str(int(self.module.metadata.fields(struct.ref).get("size", 0)) // 8)

    def _use(self, root: str, leaf: Leaf) -> None:
        self.used[root].setdefault(leaf.offset, leaf)

    def _name(self, root: str) -> str:
        """An array of structs in the source's words."""
        parameter = self.roots[root]
        return parameter.name if parameter.field is None else f"{parameter.field.parameter}{parameter.field.access}"

    def _fail(self, where: Location, found: str) -> NoReturn:
        place = where if where.line else self.function.parameters[0].place
        raise Unsupported(Diagnostic(place, f"an array of structs: {found}; {SUPPORTED}"))

    def _leaf(self, instr: Instr, root: str, offset: int) -> Leaf:
        """The field at an offset of the elements."""
        for leaf in self._leaves(root):
            within = leaf.type.kind == "array" or leaf.problem or leaf.offset == offset
            if leaf.offset <= offset < leaf.offset + max(leaf.size, 1) and within:
                return self._modelled(instr, root, leaf)
        self._fail(instr.location, f"an access to bytes between the fields of {self._name(root)}, as a copy in parts makes them")

    def _modelled(self, instr: Instr, root: str, leaf: Leaf) -> Leaf:
        """A field that is used; raises Unsupported where it is of a kind that is not modelled."""
        if leaf.problem:
            self._fail(instr.location, f"the field {'.'.join(leaf.path)} of {self._name(root)} {leaf.problem}")
        return leaf

    def _leaves(self, root: str) -> Iterator[Leaf]:
        struct = self.roots[root].type.struct
        assert struct is not None
        yield from self._inside(struct, 0, ())

    def _inside(self, struct: SourceType, start: int, path: tuple[str, ...]) -> Iterator[Leaf]:
        for member in self.module.metadata.members(struct.ref):
            way = (*path, member.name) if member.name else path
            if member.type.kind == "struct" and not member.bit_field:
                yield from self._inside(member.type, start + member.offset, way)
            else:
                yield Leaf(start + member.offset, member.size, way, member.type, _problem(member))

    # Rewriting

    def _rewritten(self, instr: Instr) -> list[Instr]:
        if self._moves(instr):
            root = self.places[instr.result][0]
            return [self._beside(instr, leaf) for leaf in self.used[root].values()]
        if instr.result in self.places or (instr.op == "declare" and self.places.keys() & set(instr.args)):
            return []
        if not self.places.keys() & set(instr.args):
            return [instr]
        if instr.op == "icmp":
            root = self.places[instr.args[0]][0]
            if not self.used[root]:
                self._fail(instr.location, f"pointers into {self._name(root)}, of which no field is used")
            leaf = next(iter(self.used[root].values()))
            return [instr.map_values(lambda arg: self._at(arg, leaf) if arg in self.places else arg)]
        if instr.op == "call":
            return list(self._copies(instr))
        made: list[Instr] = []
        args = list(instr.args)
        at = 0 if instr.op == "getelementptr" else len(args) - 1
        root, _, offset = self.places[args[at]]
        leaf = self._leaf(instr, root, offset)
        args[at] = self._at(args[at], leaf)
        if offset > leaf.offset:
            self.count += 1
            name = f"{args[at]}.inside{self.count}"
            step = (args[at], str(offset - leaf.offset))
            made.append(Instr("getelementptr", name, "ptr", step, ("ptr", "i64"), ("i8",), location=instr.location))
            args[at] = name
        return [*made, replace(instr, args=tuple(args))]

    def _at(self, register: str, leaf: Leaf) -> str:
        """The pointer to a field of the element that a register points into."""
        root, element, _ = self.places[register]
        return f"%{self.names[root, leaf.offset]}.field" if element == root else f"{element}.at{leaf.offset}"

    def _beside(self, instr: Instr, leaf: Leaf) -> Instr:
        """The step, phi or choice for one field's array."""
        args = tuple(self._at(arg, leaf) if arg in self.places else arg for arg in instr.args)
        result = f"{instr.result}.at{leaf.offset}"
        if instr.op != "getelementptr":
            return replace(instr, result=result, args=args)
        return replace(instr, result=result, args=args[:2], types=instr.types[:2], detail=(leaf.llvm_type,))

    def _copies(self, instr: Instr) -> Iterator[Instr]:
        """A copy of an element, field by field: all are read before any is written."""
        target, source = instr.args[:2]
        writes: list[Instr] = []
        for leaf in self.used[self.places[target][0]].values():
            one, other = self._at(target, leaf), self._at(source, leaf)
            if leaf.type.kind == "array":
                writes.append(replace(instr, args=(one, other, str(leaf.size), *instr.args[3:])))
                continue
            self.count += 1
            value = f"{other}.value{self.count}"
            yield Instr("load", value, leaf.llvm_type, (other,), ("ptr",), location=instr.location)
            types = (leaf.llvm_type, "ptr")
            writes.append(Instr("store", "", leaf.llvm_type, (value, one), types, location=instr.location))
        yield from writes

    def _choose_names(self) -> None:
        """A name for each field that is used, different from all others: `a_b` and `a.b` are two fields."""
        taken = {parameter.name for parameter in self.function.parameters}
        for root, leaves in self.used.items():
            for leaf in leaves.values():
                name = field_name(self.roots[root].name, leaf.path, taken)
                taken.add(name)
                self.names[root, leaf.offset] = name

    def _enter(self) -> None:
        """Put the arrays of fields in the place of those of structs."""
        parameters: list[Parameter] = []
        for parameter in self.function.parameters:
            leaves = sorted(self.used[parameter.register].items()) if parameter.register in self.roots else []
            made = [self._parameter(parameter, leaf) for _, leaf in leaves]
            parameters += made if parameter.register in self.roots else [parameter]
        known = {arg.name: arg for arg in self.function.args}
        result = [arg for arg in self.function.args if "sret" in arg.attributes]
        args = (known.get(each.register) or Argument(each.register, each.llvm_type) for each in parameters)
        self.function.args = (*result, *args)
        self.function.parameters = parameters

    def _parameter(self, root: Parameter, leaf: Leaf) -> Parameter:
        outer = root.field or Field(root.name, root.type.spelling, "")
        place = replace(outer, access=f"{outer.access}{ELEMENT}.{'.'.join(leaf.path)}")
        scalar = leaf.type.scalar
        assert scalar is None or isinstance(scalar, BoolType | MachineInt | RealType)
        rank = leaf.type.rank + (leaf.type.kind == "pointer")
        type_ = SourceType("pointer", f"{leaf.type.spelling} *", scalar, target=leaf.type, rank=rank)
        name = self.names[root.register, leaf.offset]
        return Parameter(f"%{name}.field", name, type_, root.place, root.noalias, field=place)

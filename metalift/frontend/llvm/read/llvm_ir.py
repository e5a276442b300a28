"""LLVM IR as the front end holds it: instructions with their operands as the text writes them.

A value is a token: `%name`, `@name`, a literal, or the text of a constant expression. A type is its text. These are only the
parts that the importer reads; everything else of the IR is dropped by the parser or kept as `other`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from metalift.frontend.llvm.read.metadata import SourceType
from metalift.ir.expr.types import BoolType, IntType, MachineInt, RealType, ScalarType
from metalift.ir.program.fragment import Field, Location, Premise, Variable
from metalift.ir.program.graphs import reverse_postorder

STRING_CLASS = re.compile(r'%"class\.std::(?:__cxx11|__1)::basic_string"')


@dataclass(frozen=True, slots=True)
class Instr:
    """One instruction.

    `types` are the types of `args`; `type` is the type of the result (of the value for a store or ret). `detail` holds what is
    particular to the operation: the predicate of a comparison, the source element type of a getelementptr, the labels of a
    branch, switch (default, then value and label in turn) or phi, the callee of a call, the allocated type of an alloca.
    """

    op: str
    result: str = ""
    type: str = "void"
    args: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    detail: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    location: Location = Location("", 0)

    def targets(self) -> tuple[str, ...]:
        """The labels to which control may pass."""
        if self.op == "br":
            return self.detail
        if self.op == "switch":
            return (self.detail[0], *self.detail[2::2])
        return ()

    def map_values(self, rename: Callable[[str], str]) -> Instr:
        """The instruction with every operand renamed."""
        args = tuple(map(rename, self.args))
        return self if args == self.args else replace(self, args=args)


@dataclass(slots=True)
class BasicBlock:
    """A label and its instructions, the last of which ends the block."""

    label: str
    instrs: list[Instr]

    @property
    def end(self) -> Instr:
        """The instruction that ends the block."""
        return self.instrs[-1]


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of an LLVM function."""

    name: str
    type: str
    attributes: frozenset[str] = frozenset()

    @property
    def pointee(self) -> str:
        """The type of the struct that is passed by value or returned behind the pointer, empty for other parameters."""
        words = [word.split(" ", 1) for word in self.attributes if word.startswith(("byval ", "sret "))]
        return words[0][1] if words else ""


@dataclass(frozen=True, slots=True)
class Hint:
    """The source variable that a value belongs to: its name and the number of its type's debug information.

    `own` is false for variables of functions from headers: their values need no name. `vague`: a `void *`, which leaves it to
    other variables what is pointed to.
    """

    name: str
    type_ref: str
    own: bool = True
    vague: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a function takes, as the source declares it: a parameter, a variable, or a field of a struct that these lead to."""

    register: str
    name: str
    type: SourceType
    place: Location
    noalias: bool = False
    field: Field | None = None
    cell: bool = False  # a scalar field that is changed: an array of one element
    shared: bool = False  # a field that lies in the caller's memory, but is passed as a value
    variable: Variable | None = None
    left: bool = False  # a struct by value; what the function leaves in it is a result

    @property
    def llvm_type(self) -> str:
        """The LLVM type of the argument."""
        match self.type.scalar:
            case MachineInt(bits, _) if self.type.kind == "scalar" and not self.cell:
                return f"i{bits}"
            case RealType(bits) if self.type.kind == "scalar" and not self.cell:
                return "float" if bits == 32 else "double"
            case BoolType() if self.type.kind == "scalar" and not self.cell:
                return "i8"
            case IntType(of, fields) if of and self.type.kind == "scalar" and not self.cell:
                return "identity" if fields else "string"
            case _:
                return "ptr"


@dataclass(frozen=True, slots=True)
class Keyed:
    """The result of a function that returns a map or set, which is seen at one key: "dict", or "set", whose `values` are none.

    `values` are the types of the numbers in a value.
    """

    kind: str
    values: tuple[ScalarType, ...]


@dataclass(slots=True)
class LlvmFunction:
    """A function body. `hints` maps values and allocas to the source variables they hold, `fields` values to the variable and
    the place in it that they are put into last; `subprogram` is its debug information, `arg_places` the places of its
    parameters, counted from 1; `parameters` are the source's, once they are known, `records` the structs among them, by register,
    as they are told to people, and whether they lie behind a pointer. Where the result is a map or set, `keyed` says which, and
    the last parameter is a key of it. `probed` says whether maps or sets are seen at other keys, too, `unused` the positions of
    pointers to what is no number that nothing uses, which are no parameters, `relied_on` what is taken for granted of functions
    whose calls stay calls, `characters` the arguments that are strings whose characters are used, `elements` the types of the
    elements of what it allocates.
    """

    symbol: str
    args: tuple[Argument, ...]
    result: str
    blocks: list[BasicBlock]
    subprogram: str
    variadic: bool = False
    hints: dict[str, Hint] = field(default_factory=dict)
    fields: dict[str, tuple[Hint, int]] = field(default_factory=dict)
    arg_places: dict[int, Location] = field(default_factory=dict)
    parameters: list[Parameter] = field(default_factory=list)
    records: dict[str, str] = field(default_factory=dict)
    keyed: Keyed | None = None
    probed: bool = False
    unused: tuple[int, ...] = ()
    relied_on: tuple[Premise, ...] = ()
    characters: frozenset[str] = frozenset()
    elements: dict[str, ScalarType] = field(default_factory=dict)

    def note(self, value: str, hint: Hint) -> None:
        """Say which variable a value belongs to: the first, or the first that says what is pointed to."""
        known = self.hints.get(value)
        if known is None or (known.vague and not hint.vague):
            self.hints[value] = hint

    def instructions(self) -> Iterator[Instr]:
        """All instructions, block by block."""
        for block in self.blocks:
            yield from block.instrs


def predecessors(blocks: list[BasicBlock]) -> dict[str, list[str]]:
    """The labels of the blocks from which each block is entered, one for each edge."""
    found: dict[str, list[str]] = {block.label: [] for block in blocks}
    for block in blocks:
        for target in block.end.targets():
            found[target].append(block.label)
    return found


def reachable_in_order(blocks: list[BasicBlock]) -> list[BasicBlock]:
    """The blocks that can be reached from the first one, in reverse postorder."""
    by_label = {block.label: block for block in blocks}
    order = reverse_postorder(blocks[0].label, lambda label: reversed(by_label[label].end.targets()))
    return [by_label[label] for label in order]


def is_literal(token: str) -> bool:
    """Whether a value is a plain number or truth value."""
    return token in ("true", "false") or token[:1].isdigit() or token[:1] == "-"


class Layout:
    """Sizes and field offsets of types on the target (x86-64 and AArch64 agree on the types that matter here)."""

    def __init__(self, named: Mapping[str, str]) -> None:
        self.named = named

    def size(self, type_: str) -> int | None:
        """The size in bytes of a type in memory, None where it has none or is not known."""
        found = self._size_and_align(type_)
        return found[0] if found else None

    def _size_and_align(self, type_: str) -> tuple[int, int] | None:
        if type_ == "string":  # the pseudo type of a std::string
            known = (body for name, body in self.named.items() if STRING_CLASS.fullmatch(name))
            return next((found for body in known if (found := self._size_and_align(body))), None)
        scalar = scalar_size(type_)
        if scalar is not None:
            return scalar, scalar
        if type_.startswith("%"):
            body = self.named.get(type_)
            return self._size_and_align(body) if body else None
        array = array_parts(type_)
        if array:
            element = self._size_and_align(array[1])
            return (array[0] * element[0], element[1]) if element else None
        vector = re.fullmatch(r"<(\d+) x (\w+)>", type_)
        if vector:
            size = int(vector[1]) * (scalar_size(vector[2]) or 0)
            return size, size
        offsets = self._offsets(type_)
        return (offsets[1], offsets[2]) if offsets else None

    def unwrapped(self, type_: str) -> str:
        """The type with structs of one field in place of which that field may stand, such as std::array."""
        array = array_parts(type_)
        if array:
            return f"[{array[0]} x {self.unwrapped(array[1])}]"
        if STRING_CLASS.fullmatch(type_):
            return type_
        fields = struct_fields(self.named.get(type_, type_))
        return self.unwrapped(fields[0]) if fields is not None and len(fields) == 1 else type_

    def _offsets(self, type_: str) -> tuple[list[int], int, int] | None:
        fields = struct_fields(type_)
        if fields is None:
            return None
        offset, align = 0, 1
        starts = []
        for item in fields:
            laid = self._size_and_align(item)
            if laid is None:
                return None
            if type_.startswith("<"):
                laid = (laid[0], 1)
            offset = -(-offset // laid[1]) * laid[1]
            starts.append(offset)
            offset += laid[0]
            align = max(align, laid[1])
        return starts, -(-offset // align) * align, align

    def field(self, type_: str, number: int) -> tuple[int, str] | None:
        """The offset in bytes and the type of a field of a struct type."""
        if type_.startswith("%"):
            return self.field(self.named.get(type_, ""), number)
        offsets, fields = self._offsets(type_), struct_fields(type_)
        if offsets is None or fields is None or not 0 <= number < len(fields):
            return None
        return offsets[0][number], fields[number]


def scalar_size(type_: str) -> int | None:
    """The size in bytes of an integer, float, pointer or pseudo type."""
    if type_ == "string":  # at least that; a Layout knows it
        return 24
    if type_ in ("ptr", "length"):  # `length` is the pseudo type of the lengths of vectors
        return 8
    if type_ in ("float", "double"):
        return 4 if type_ == "float" else 8
    bits = int_bits(type_)
    return None if bits is None else max(1, (bits + 7) // 8)


@lru_cache(maxsize=4096)
def int_bits(type_: str) -> int | None:
    """The width of an integer type iN."""
    return int(type_[1:]) if re.fullmatch(r"i\d+", type_) else None


@lru_cache(maxsize=4096)
def array_parts(type_: str) -> tuple[int, str] | None:
    """The count and element type of [N x T]."""
    found = re.fullmatch(r"\[(\d+) x (.*)\]", type_)
    return (int(found[1]), found[2]) if found else None


@lru_cache(maxsize=4096)
def struct_fields(type_: str) -> tuple[str, ...] | None:
    """The field types of a literal struct {A, B} or packed struct <{A, B}>; None for other types."""
    if type_.startswith("<{"):
        type_ = type_[1:-1]
    if not type_.startswith("{"):
        return None
    fields, depth, start = [], 0, 1
    for position, char in enumerate(type_):
        if char in "{[<(":
            depth += 1
        elif char in "}])>":
            depth -= 1
        if (char == "," and depth == 1) or (char == "}" and depth == 0):
            fields.append(type_[start:position].strip())
            start = position + 1
    return tuple(item for item in fields if item)


def offset_of(instr: Instr, layout: Layout) -> int | None:
    """The offset in bytes that a getelementptr with literal indices adds."""
    element, offset = instr.detail[0], 0
    for position, token in enumerate(instr.args[1:]):
        if not is_literal(token):
            return None
        index = int(token)
        if position > 0:
            array = array_parts(layout.named.get(element, element))
            if array:
                element = array[1]
            else:
                found = layout.field(element, index)
                if found is None:
                    return None
                offset, element = offset + found[0], found[1]
                continue
        size = layout.size(element)
        if size is None:
            return None
        offset += index * size
    return offset


def leaves(type_: str, layout: Layout, base: int = 0) -> list[tuple[int, str]] | None:
    """The scalars of a type with their offsets; None where there are many or the type is not known."""
    if scalar_size(type_) is not None:
        return [(base, type_)]
    if STRING_CLASS.fullmatch(type_):
        return [(base, "string")]
    type_ = layout.named.get(type_, type_)
    array = array_parts(type_)
    parts: Iterable[tuple[int, str]]
    if array:
        size = layout.size(array[1])
        if size is None or array[0] > 16:
            return None
        parts = [(number * size, array[1]) for number in range(array[0])]
    else:
        fields = struct_fields(type_)
        found = [layout.field(type_, number) for number in range(len(fields or ()))]
        if fields is None or None in found:
            return None
        parts = [item for item in found if item]
    result: list[tuple[int, str]] = []
    for offset, item in parts:
        inner = leaves(item, layout, base + offset)
        if inner is None:
            return None
        result += inner
    return result

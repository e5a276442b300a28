"""What the importer knows while it translates one function: values, names, the statements of the current block."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NoReturn

from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction, int_bits, is_literal
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.metadata import Record
from metalift.frontend.llvm.read.parameters import SUPPORTED, element_size, fits
from metalift.frontend.llvm.read.tables import constant_cells, declared_type
from metalift.frontend.lower.c_scalars import cast, float_literal, represent
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Const, Expr, Operator, Var, integer, type_of
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, STRING, BoolType, MachineInt, ScalarType, TensorType
from metalift.ir.program.fragment import Assign, Diagnostic, External, Location, Statement, Unsupported

POINTER_SIZE = 8


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer to an element of an array: `root` is the array, `index` counts its elements.

    In an array of several axes `outer` has the indices of the axes before. With fewer indices than axes it points to a row:
    an object of `row` bytes (a std::vector, or a pointer to the elements). `offset` is in bytes from where an element begins that
    is a struct.
    """

    root: Var
    index: Expr
    outer: tuple[Expr, ...] = ()
    row: int = 0
    offset: int = 0

    @property
    def element(self) -> ScalarType:
        """The type of the array's elements."""
        assert isinstance(self.root.type, TensorType)
        return self.root.type.element

    @property
    def indices(self) -> tuple[Expr, ...]:
        """The index on each axis, as far as it goes."""
        return (*self.outer, self.index)

    @property
    def to_row(self) -> bool:
        """Whether it points to a row, not to an element."""
        assert isinstance(self.root.type, TensorType)
        return len(self.indices) < self.root.type.rank

    def inside(self) -> Pointer:
        """The first element of the row that it points to."""
        return replace(self, index=integer(0), outer=self.indices)


@dataclass(frozen=True, slots=True)
class Address:
    """A pointer converted to an integer."""

    pointer: Pointer


@dataclass(frozen=True, slots=True)
class Distance:
    """The difference of two addresses in one array: `count` elements of `size` bytes."""

    count: Expr
    size: int


@dataclass(frozen=True, slots=True)
class Null:
    """The null pointer."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that is not modelled; `what` says to a person what it is. It may stand unused.

    `given` names the object of the caller that it points to, if it does.
    """

    what: str
    given: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A pointer into a constant table of the source: its cells, and the index of one."""

    name: str
    cells: tuple[Expr, ...]
    element: str  # the LLVM type of a cell
    index: Expr


Value = Expr | Pointer | Table | Address | Distance | Null | Opaque


@dataclass(slots=True)
class Scope:
    """The state of a translation."""

    module: LlvmModule
    function: LlvmFunction
    location: Location
    values: dict[str, Value] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    undefined: set[str] = field(default_factory=set)  # the registers of values that were never assigned
    locals: list[Var] = field(default_factory=list)
    records: dict[ScalarType, Record] = field(default_factory=dict)  # what the elements of arrays of structs are
    lengths: dict[Var, tuple[Var, ...]] = field(default_factory=dict)  # of a local vector: the arrays of lengths of its rows
    externals: tuple[External, ...] = ()  # functions whose calls stay calls
    refused: list[Diagnostic] = field(default_factory=list)  # parameters that may stand only if nothing else is wrong
    ends: set[Var] = field(default_factory=set)  # parameters that are places in the array of another one
    numbers: bool = False  # whether comparisons that only NaN fails are decided, as no float is NaN
    without_nan: bool = False  # whether a comparison of floats was decided because none is NaN

    def fail(self, found: str, supported: str) -> NoReturn:
        """Report a construct that is not modelled, at the place of the current instruction."""
        raise Unsupported(Diagnostic(self.location, f"{found}; {supported}"))

    def name(self, base: str, exact: bool = False) -> str:
        """A fresh name: the base itself if asked for and free, otherwise with a numbered suffix."""
        clean = re.sub(r"[^A-Za-z0-9_]", "_", re.sub(r"\.\d+\Z", "", base)) or "t"
        if exact and clean not in self.names:
            self.names.add(clean)
            return clean
        number = 1
        while f"{clean}.{number}" in self.names:
            number += 1
        self.names.add(f"{clean}.{number}")
        return f"{clean}.{number}"

    def base_name(self, register: str) -> str:
        """The source's name for a value, or LLVM's."""
        hint = self.function.hints.get(register)
        if hint:
            return hint.name
        plain = re.sub(r"(\.i\d*|\.\d+)+\Z", "", register[1:].strip('"')).removesuffix(".addr")
        stem = re.sub(r"\d+\Z", "", plain)
        return stem if stem and not stem[0].isdigit() else "t"

    def step(self, pointer: Pointer) -> int:
        """The bytes of what a pointer points to."""
        if pointer.to_row:
            return pointer.row
        if pointer.element != STRING:
            return element_size(pointer.element)
        size = self.module.layout.size("string") or self.module.metadata.string_size
        if not size:
            self.fail("an address in an array of strings of which it is not known how large they are", SUPPORTED)
        return size

    def hinted_type(self, register: str, llvm_type: str) -> ScalarType | None:
        """The type that the source declares for the variable a value belongs to, if it fits the LLVM type."""
        hint = self.function.hints.get(register)
        scalar = self.module.metadata.type(hint.type_ref).scalar if hint else None
        if isinstance(scalar, BoolType):
            return scalar if llvm_type in ("i1", "i8") else None
        return scalar if scalar is not None and fits(scalar, llvm_type) else None

    def assign(self, base: str, value: Expr) -> Var:
        """Name a value by a statement."""
        target = Var(self.name(base), type_of(value))
        self.statements.append(Assign(target, value, self.location))
        return target

    def value(self, token: str, llvm_type: str) -> Value:
        """What an operand stands for."""
        if token.startswith("%"):
            if token not in self.values:
                self.fail(f"the value {token} is not modelled", "supported are scalars, arrays and std::vector")
            return self.values[token]
        if token == "null":
            return Null()
        if token in ("undef", "poison"):
            self.fail("an undefined value", "every value must be assigned before it is used")
        if is_literal(token) or token.startswith("0x"):
            return self.literal(token, llvm_type)
        return self._constant(token)

    def _constant(self, token: str) -> Value:
        """A global, or a constant expression."""
        found = constant_cells(self.module, token)
        if found is not None:
            element, cells = found
            declared = declared_type(self.module, token)
            values = tuple(self.literal(cell, element) for cell in cells)
            if isinstance(declared, MachineInt) and fits(declared, element):
                values = tuple(represent(value, declared) for value in values)
            return Table(token[1:], values, element, integer(0))
        if token.startswith("@"):
            return Opaque(f"the constant {token[1:]}, which is no number or array of numbers that the file says")
        return Opaque(f"the constant {token}")

    def literal(self, token: str, llvm_type: str) -> Expr:
        """A number or truth value."""
        if llvm_type == "length":
            return integer(int(token))
        bits = int_bits(llvm_type)
        if bits == 1:
            return TRUE if token in ("true", "1", "-1") else FALSE
        if bits is not None and bits <= 64:
            type_ = MachineInt(bits, True)
            return Const(type_.wrap(int(token)), type_)
        if llvm_type == "string":
            return Const(int(token), STRING)
        if llvm_type in ("float", "double"):
            width = 32 if llvm_type == "float" else 64
            number = float_literal(token, width)
            if number is None:
                self.fail(
                    "an infinite or NaN constant",
                    "supported are finite constants (floats stand for real numbers), such as FLT_MAX",
                )
            return Const(number, FLOAT if width == 32 else DOUBLE)
        self.fail(f"a constant of type {llvm_type}", "supported are integers of up to 64 bits, float and double")

    def scalar(self, token: str, llvm_type: str) -> Expr:
        """An operand that must be a number or a truth value."""
        value = self.value(token, llvm_type)
        match value:
            case Pointer() | Table() | Address():
                self.fail("a pointer used as a number", "supported are comparisons and differences of pointers into one array")
            case Null():
                self.fail("a null pointer used as a value", "supported are comparisons of pointers with null")
            case Opaque(what, _):
                self.fail(what, "supported are scalars, arrays and std::vector")
            case Distance(count, size):
                return cast(_scaled(count, size), MachineInt(64, True))
            case _:
                return value

    def integer(self, token: str, llvm_type: str) -> Expr:
        """An operand as an integer of the width of its LLVM type; a truth value in a byte becomes 0 or 1."""
        bits = int_bits(llvm_type)
        if bits is None or bits > 64:
            self.fail(f"arithmetic on {llvm_type}", "supported are integers of up to 64 bits, float and double")
        value = self.scalar(token, llvm_type)
        if type_of(value) == BOOL and bits > 1:
            return cast(value, MachineInt(bits, False))
        return value

    def truth(self, token: str) -> Expr:
        """An operand of type i1."""
        return represent(self.scalar(token, "i1"), BOOL)

    def index(self, token: str, llvm_type: str, nonnegative: bool) -> Expr:
        """An operand of address arithmetic as an exact integer."""
        if llvm_type == "length":
            return self.scalar(token, llvm_type)
        value = self.integer(token, llvm_type)
        type_ = type_of(value)
        nonnegative = nonnegative or isinstance(value, Var)  # an unsigned variable of the source counts up from the pointer
        if isinstance(type_, MachineInt) and not type_.signed and type_.bits == int_bits(llvm_type) and not nonnegative:
            value = cast(value, MachineInt(type_.bits, True))
        return cast(value, INT)


def _scaled(count: Expr, size: int) -> Expr:
    return count if size == 1 else Apply(Operator.MUL, (count, integer(size)))


def here(scope: Scope, instr: Instr) -> None:
    """Move the current place to the instruction, where its place is known."""
    if instr.location.line:
        scope.location = instr.location

"""The types of the expression language.

Values are mathematical: an integer of a machine type is the number it stands for, a float is a real number. A machine type
says which numbers a value may be, and, on an arithmetic operator, that leaving that range is undefined in the source.
"""

from __future__ import annotations

from dataclasses import dataclass

from metalift.ir.expr.hashed import Hashed, hash_once


@dataclass(frozen=True, slots=True)
class BoolType:
    """True or false."""


@dataclass(frozen=True, slots=True)
class IntType:
    """A mathematical integer; arithmetic on it is exact and unbounded.

    With a name `of` it is an identity: the number stands for a string ("str"), a tuple ("tuple"), a row ("dict": a dictionary
    whose keys are known) or a record of that name, equal numbers for equal ones. Identities are compared with == and passed to
    functions; nothing is computed of them. `fields` are the names and types of the parts of a tuple, row or record.
    """

    of: str = ""
    fields: tuple[tuple[str, ScalarType], ...] = ()


@hash_once
@dataclass(frozen=True, slots=True)
class MachineInt(Hashed):
    """An integer in the range of a machine type, 1 to 64 bits wide.

    Arithmetic whose operands have one machine type has that type too: its value is the mathematical one, and a value out of
    range is undefined behaviour (a signed overflow in C). Arithmetic that wraps is written as a cast of exact arithmetic.
    """

    bits: int
    signed: bool

    @property
    def low(self) -> int:
        """The least value of the type."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The greatest value of the type."""
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1

    def wrap(self, value: int) -> int:
        """The value of this type that is congruent to `value` modulo 2**bits."""
        return (value - self.low) % (1 << self.bits) + self.low


@hash_once
@dataclass(frozen=True, slots=True)
class RealType(Hashed):
    """A real number; `bits` remembers the float width of the source (32 or 64), 0 means no width."""

    bits: int = 0


@hash_once
@dataclass(frozen=True, slots=True)
class TupleType(Hashed):
    """A fixed number of components."""

    items: tuple[Type, ...]


@hash_once
@dataclass(frozen=True, slots=True)
class TensorType(Hashed):
    """An array of `rank` axes with elements of one scalar type; rank 1 is a list, a vector or what a pointer points to."""

    element: ScalarType
    rank: int = 1


@hash_once
@dataclass(frozen=True, slots=True)
class FunctionType(Hashed):
    """A function of scalars: what an operator such as map takes. Only operators have arguments of such a type."""

    params: tuple[ScalarType, ...]
    result: ScalarType


ScalarType = BoolType | IntType | MachineInt | RealType
Type = BoolType | IntType | MachineInt | RealType | TupleType | TensorType | FunctionType

BOOL = BoolType()
INT = IntType()
STRING = IntType("str")
ROW = "dict"  # the name of rows
REAL = RealType()
FLOAT = RealType(32)
DOUBLE = RealType(64)
INT32 = MachineInt(32, True)
INT64 = MachineInt(64, True)
UINT8 = MachineInt(8, False)


def is_integer(type_: Type) -> bool:
    """Whether values of the type are integers, of a machine type or not; identities are no integers."""
    return isinstance(type_, IntType | MachineInt) and not is_identity(type_)


def element_of(type_: Type) -> Type:
    """The type of a tensor's elements, the type itself where it is no tensor."""
    return type_.element if isinstance(type_, TensorType) else type_


def is_identity(type_: Type) -> bool:
    """Whether values of the type stand for something that no number is: a string, a tuple, a record."""
    return isinstance(type_, IntType) and type_.of != ""


def kind_of(type_: Type) -> int:
    """The order of kinds of numbers, of which each may stand where a later one is wanted: truth values, integers, floats."""
    return 0 if isinstance(type_, BoolType) else 1 if is_integer(type_) else 2 if isinstance(type_, RealType) else 3


def show_type(type_: Type) -> str:
    """The name by which printed expressions call the type: bool, i32, u8, real, f32, (f32, int), f32[], f32[,], (f32) -> bool."""
    match type_:
        case BoolType():
            return "bool"
        case IntType(of, fields):
            parts = (f"{name}: {show_type(part)}" if of == ROW else show_type(part) for name, part in fields)
            return f"{of}[{', '.join(parts)}]" if fields else of or "int"
        case MachineInt(bits, signed):
            return f"{'i' if signed else 'u'}{bits}"
        case RealType(bits):
            return f"f{bits}" if bits else "real"
        case TupleType(items):
            return "(" + ", ".join(show_type(item) for item in items) + ")"
        case TensorType(element, rank):
            return f"{show_type(element)}[{',' * (rank - 1)}]"
        case FunctionType(params, result):
            return f"({', '.join(map(show_type, params))}) -> {show_type(result)}"

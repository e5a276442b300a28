"""What a driver's author writes in annotations and bodies: element types, ranks, and the few functions that Python lacks.

The functions have ordinary Python definitions, so that a meaning also runs in CPython as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Protocol, TypeVar, overload

from metalift.ir.expr.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    INT32,
    INT64,
    UINT8,
    MachineInt,
    RealType,
    ScalarType,
    is_identity,
    is_integer,
)


class Kind(Enum):
    """Which element types a type variable stands for."""

    SCALAR = "any scalar type"
    NUMBER = "an integer or real type"
    INTEGER = "an integer type"
    REAL = "a real type"
    VALUE = "an integer or real type, or that of strings, tuples or records"

    def admits(self, type_: ScalarType) -> bool:
        """Whether the variable may stand for the type."""
        match self:
            case Kind.SCALAR:
                return True
            case Kind.NUMBER:
                return type_ != BOOL and not is_identity(type_)
            case Kind.INTEGER:
                return is_integer(type_)
            case Kind.REAL:
                return isinstance(type_, RealType)
            case Kind.VALUE:
                return type_ != BOOL


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """Stands for one element type throughout an application of an operator."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class TypePattern:
    """The type of a parameter or a result: a scalar (rank 0) or a tensor, of a fixed or a variable element type.

    With `takes`, it is that of a function of scalars of these types, which returns an `element`.
    """

    element: TypeVariable | ScalarType
    rank: int = 0
    takes: tuple[TypeVariable | ScalarType, ...] = ()

    @property
    def variables(self) -> tuple[TypeVariable, ...]:
        """The type variables in it."""
        return tuple(each for each in (self.element, *self.takes) if isinstance(each, TypeVariable))


T_co = TypeVar("T_co", covariant=True)


class Vec(Protocol[T_co]):
    """A tensor with one axis: `x[i]`, `x[a:b]`, `len(x)`, `for v in x`."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[T_co]: ...

    @overload
    def __getitem__(self, index: int, /) -> T_co: ...

    @overload
    def __getitem__(self, index: slice, /) -> Vec[T_co]: ...


class Matrix(Protocol[T_co]):
    """A tensor with two axes: `a[i][j]`, `len(a)` rows, `size(a, 1)` columns."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Vec[T_co]]: ...

    def __getitem__(self, index: int, /) -> Vec[T_co]: ...


class Tensor3(Protocol[T_co]):
    """A tensor with three axes."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Matrix[T_co]]: ...

    def __getitem__(self, index: int, /) -> Matrix[T_co]: ...


class Tensor4(Protocol[T_co]):
    """A tensor with four axes."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Tensor3[T_co]]: ...

    def __getitem__(self, index: int, /) -> Tensor3[T_co]: ...


# Type variables: one name means one type throughout a signature.
Elem = TypeVar("Elem", int, float)
Other = TypeVar("Other", int, float)
Scalar = TypeVar("Scalar", bool, int, float)
Item = TypeVar("Item", int, float, str, tuple[Any, ...])  # of which nothing is computed: what is, is by a function
Beside = TypeVar("Beside", int, float, str, tuple[Any, ...])
Key = TypeVar("Key", int, float, str, tuple[Any, ...])
Int = Annotated[int, TypeVariable("Int", Kind.INTEGER)]
Real = Annotated[float, TypeVariable("Real", Kind.REAL)]
Integer = Annotated[int, TypeVariable("Integer", Kind.INTEGER)]  # another integer type than Int
To = Annotated[Any, TypeVariable("To", Kind.NUMBER)]  # for a result whose type the parameters do not decide
VARIABLES = {
    Elem: TypeVariable("Elem", Kind.NUMBER),
    Other: TypeVariable("Other", Kind.NUMBER),
    Scalar: TypeVariable("Scalar", Kind.SCALAR),
    Item: TypeVariable("Item", Kind.VALUE),
    Beside: TypeVariable("Beside", Kind.VALUE),
    Key: TypeVariable("Key", Kind.VALUE),
    int: TypeVariable("Int", Kind.INTEGER),
    float: TypeVariable("Real", Kind.REAL),
}
# Fixed types. A Size is an exact integer that says how many or where: an extent, an offset.
Size = Annotated[int, INT]
Bool = bool
UInt8 = Annotated[int, UINT8]
UInt16 = Annotated[int, MachineInt(16, False)]
UInt32 = Annotated[int, MachineInt(32, False)]
Int8 = Annotated[int, MachineInt(8, True)]
Int16 = Annotated[int, MachineInt(16, True)]
Int32 = Annotated[int, INT32]
Int64 = Annotated[int, INT64]
Float = Annotated[float, FLOAT]
Double = Annotated[float, DOUBLE]


def size(x: Vec[object] | Matrix[object] | Tensor3[object] | Tensor4[object], axis: int = 0) -> int:
    """The number of elements along an axis of a tensor given as nested lists."""
    lengths = [len(x)]
    row: object = x
    for _ in range(axis):
        row = row[0] if isinstance(row, list) and row else []
        lengths.append(len(row) if isinstance(row, list) else 0)
    return lengths[axis]


@overload
def convert(value: int) -> int: ...


@overload
def convert(value: float) -> Any: ...  # noqa: ANN401 - it is of whatever type the result is


def convert(value: float) -> Any:  # noqa: ANN401
    """The value as one of the result's element type, as a cast does: machine integers wrap, reals are truncated to integers."""
    return value


def word(value: int) -> int:
    """An exact integer as a word of the result's type: modulo its size, or of a type with a sign the number itself.

    That such a number fits is listed, where the source does not show it.
    """
    return value


def exact(value: int) -> int:
    """The integer as an exact one: arithmetic on it does not overflow, and `convert` takes it back modulo the type's size."""
    return value


def round_half_away(a: float) -> float:
    """The nearest integer, halves rounded away from zero as C's round does (Python's rounds them to even)."""
    return math.trunc(2 * a) - math.trunc(a)


def trunc_div(a: int, b: int) -> int:
    """The quotient of integers, rounded to zero as in C."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def trunc_rem(a: int, b: int) -> int:
    """The remainder of `trunc_div`: it has the sign of the dividend."""
    return a - b * trunc_div(a, b)

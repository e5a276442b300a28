"""The one expression language: source code, operator meanings, summaries and invariants are all trees of these nodes.

Nodes are immutable, hashable and compared by structure. `type_of` gives the type of a well-formed tree; `ir.wellformed.check`
says whether a tree is well formed; `ir.interp.interpret` defines what each node means.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import assert_never

from metalift.ir.expr.hashed import Hashed, hash_once
from metalift.ir.expr.types import (
    BOOL,
    INT,
    BoolType,
    FunctionType,
    IntType,
    MachineInt,
    RealType,
    ScalarType,
    TensorType,
    TupleType,
    Type,
)


class Operator(Enum):
    """Scalar operators. Numeric operands of one application have the same type; casts are explicit."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    NEG = "neg"
    DIV = "/"  # reals; by zero it is undefined
    TDIV = "tdiv"  # integers, rounding to zero, as in C; by zero it is undefined
    TREM = "trem"  # integers, remainder of tdiv: the sign of the dividend
    FDIV = "//"  # integers, rounding down, as in Python
    FMOD = "%"  # integers, remainder of //: the sign of the divisor
    MIN = "min"
    MAX = "max"
    ABS = "abs"
    SHL = "<<"  # integers: x * 2**y, y >= 0
    SHR = ">>"  # integers: floor(x / 2**y), y >= 0
    BITAND = "&"  # integers, as infinite two's complement
    BITOR = "|"
    BITXOR = "^"
    LT = "<"
    LE = "<="
    EQ = "=="  # any scalar type
    AND = "and"
    OR = "or"
    NOT = "not"


COMPARISONS = frozenset({Operator.LT, Operator.LE, Operator.EQ})
BITWISE = frozenset({Operator.BITAND, Operator.BITOR, Operator.BITXOR})
CONNECTIVES = frozenset({Operator.AND, Operator.OR, Operator.NOT})


@hash_once
@dataclass(frozen=True, slots=True)
class Var(Hashed):
    """A variable: a parameter, an SSA value, a binder, or an array (of tensor type)."""

    name: str
    type: Type


@hash_once
@dataclass(frozen=True, slots=True)
class Const(Hashed):
    """A literal: bool for Bool, int for integers, Fraction for reals (the exact value of the shortest decimal)."""

    value: bool | int | Fraction
    type: Type


@hash_once
@dataclass(frozen=True, slots=True)
class Apply(Hashed):
    """A scalar operator applied to its operands."""

    op: Operator
    args: tuple[Expr, ...]


@hash_once
@dataclass(frozen=True, slots=True)
class Cast(Hashed):
    """Conversion to a scalar type.

    To a machine integer: from an integer, the congruent value of the type (the identity where it fits); from a real,
    truncation to zero (undefined out of range); from Bool, 0 or 1. To Int: from an integer the same number, from a real
    truncation to zero. To a real: the same number, no rounding.
    """

    arg: Expr
    type: Type


@hash_once
@dataclass(frozen=True, slots=True)
class Ite(Hashed):
    """`then` where `cond` holds, otherwise `other`; only the chosen one has to be defined."""

    cond: Expr
    then: Expr
    other: Expr


@hash_once
@dataclass(frozen=True, slots=True)
class Select(Hashed):
    """An element of a tensor: one index for each axis, 0-based."""

    tensor: Expr
    indices: tuple[Expr, ...]


@hash_once
@dataclass(frozen=True, slots=True)
class Length(Hashed):
    """The number of elements along an axis of a tensor."""

    tensor: Expr
    axis: int = 0


@hash_once
@dataclass(frozen=True, slots=True)
class Call(Hashed):
    """A named function: an uninterpreted one (sqrt, exp, ...) or a driver's operator."""

    function: str
    args: tuple[Expr, ...]
    type: Type


@hash_once
@dataclass(frozen=True, slots=True)
class MakeTuple(Hashed):
    """A tuple of its items."""

    items: tuple[Expr, ...]


@hash_once
@dataclass(frozen=True, slots=True)
class Item(Hashed):
    """A component of a tuple."""

    tuple: Expr
    position: int


@hash_once
@dataclass(frozen=True, slots=True)
class Build(Hashed):
    """The tensor with the given extents (negative counts as 0) whose element at `binders` is `body` (a scalar)."""

    extents: tuple[Expr, ...]
    binders: tuple[Var, ...]
    body: Expr


@hash_once
@dataclass(frozen=True, slots=True)
class Filter(Hashed):
    """The tensor of one axis of `body` (a scalar) for those index = 0 .. extent-1, in order, for which `cond` holds."""

    extent: Expr
    index: Var
    cond: Expr
    body: Expr


@hash_once
@dataclass(frozen=True, slots=True)
class Fold(Hashed):
    """A left fold over index = 0 .. extent-1: acc starts as `init` and becomes `body(acc, index)`; `init` if extent <= 0."""

    extent: Expr
    init: Expr
    acc: Var
    index: Var
    body: Expr


@hash_once
@dataclass(frozen=True, slots=True)
class Update(Hashed):
    """`base` after writing `value` at `indices` for every binding of the binders where `guard` holds.

    Binders run over 0 .. extent-1, the first outermost; a later extent may mention earlier binders; a later write wins.
    `value`, `indices` and `guard` speak of `base` and all other tensors as they are before the first write.
    """

    base: Expr
    binders: tuple[Var, ...]
    extents: tuple[Expr, ...]
    indices: tuple[Expr, ...]
    value: Expr
    guard: Expr


@hash_once
@dataclass(frozen=True, slots=True)
class Forall(Hashed):
    """True where `body` holds for all values of the binders; only in invariants and obligations."""

    binders: tuple[Var, ...]
    body: Expr


@hash_once
@dataclass(frozen=True, slots=True)
class Exists(Hashed):
    """True where `body` holds for some values of the binders; only in invariants and obligations."""

    binders: tuple[Var, ...]
    body: Expr


@hash_once
@dataclass(frozen=True, slots=True)
class Lambda(Hashed):
    """A function of scalars, written out: the argument of an operator such as map. Nothing else has one."""

    params: tuple[Var, ...]
    body: Expr


@hash_once
@dataclass(frozen=True, slots=True)
class Invoke(Hashed):
    """A function of scalars applied to its arguments, which all have to be defined; only in meanings of operators."""

    function: Expr
    args: tuple[Expr, ...]


Expr = (
    Var | Const | Apply | Cast | Ite | Select | Length | Call | MakeTuple | Item
    | Build | Filter | Fold | Update | Forall | Exists | Lambda | Invoke
)  # fmt: skip


@lru_cache(maxsize=1 << 16)
def type_of(expr: Expr) -> Type:  # noqa: C901 (one case for each node)
    """The type of a well-formed expression."""
    match expr:
        case Var(_, type_) | Const(_, type_) | Cast(_, type_) | Call(_, _, type_):
            return type_
        case Apply(op, args):
            return BOOL if op in COMPARISONS or op in CONNECTIVES else type_of(args[0])
        case Ite(_, then, _):
            return type_of(then)
        case Select(tensor, _):
            tensor_type = type_of(tensor)
            assert isinstance(tensor_type, TensorType)
            return tensor_type.element
        case Length():
            return INT
        case MakeTuple(items):
            return TupleType(tuple(type_of(item) for item in items))
        case Item(tuple_, position):
            tuple_type = type_of(tuple_)
            assert isinstance(tuple_type, TupleType)
            return tuple_type.items[position]
        case Build(extents, _, body):
            element = type_of(body)
            assert isinstance(element, BoolType | IntType | MachineInt | RealType)
            return TensorType(element, len(extents))
        case Filter(_, _, _, body):
            element = type_of(body)
            assert isinstance(element, BoolType | IntType | MachineInt | RealType)
            return TensorType(element, 1)
        case Fold(_, init, _, _, _):
            return type_of(init)
        case Update(base):
            return type_of(base)
        case Forall() | Exists():
            return BOOL
        case Lambda(params, body):
            result, types = type_of(body), tuple(param.type for param in params if isinstance(param.type, ScalarType))
            assert isinstance(result, ScalarType) and len(types) == len(params)
            return FunctionType(types, result)
        case Invoke(function, _):
            function_type = type_of(function)
            assert isinstance(function_type, FunctionType)
            return function_type.result
        case _:
            assert_never(expr)


TRUE = Const(True, BOOL)
FALSE = Const(False, BOOL)


def integer(value: int, type_: Type = INT) -> Const:
    """An integer literal."""
    return Const(value, type_)


def is_number(expr: Expr, value: int) -> bool:
    """Whether the expression is this literal."""
    return isinstance(expr, Const) and not isinstance(expr.value, bool) and expr.value == value


def real(value: Fraction | int | str, type_: Type) -> Const:
    """A real literal; a string is a decimal such as "1e-5"."""
    return Const(Fraction(value), type_)

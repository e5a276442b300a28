"""Which expressions and fragments are well formed: the rules that everything else relies on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import assert_never

from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Exists,
    Expr,
    Filter,
    Fold,
    Forall,
    Invoke,
    Ite,
    Item,
    Lambda,
    Length,
    MakeTuple,
    Operator,
    Select,
    Update,
    Var,
    type_of,
)
from metalift.ir.expr.types import (
    BOOL,
    INT,
    BoolType,
    FunctionType,
    IntType,
    MachineInt,
    RealType,
    TensorType,
    TupleType,
    Type,
    is_identity,
    is_integer,
    show_type,
)
from metalift.ir.expr.walk import binders_of, scoped_children
from metalift.ir.interp.functions import FUNCTIONS
from metalift.ir.program.fragment import (
    Assign,
    Block,
    Undefined,
)

NAME = re.compile(r"[A-Za-z0-9_.@]+")

_NUMERIC = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.MIN, Operator.MAX})
_NUMERIC_UNARY = frozenset({Operator.NEG, Operator.ABS})
_INTEGER = frozenset(
    {
        Operator.TDIV,
        Operator.TREM,
        Operator.FDIV,
        Operator.FMOD,
        Operator.SHL,
        Operator.SHR,
        Operator.BITAND,
        Operator.BITOR,
        Operator.BITXOR,
    }
)
_ORDER = frozenset({Operator.LT, Operator.LE})


class IllTyped(Exception):
    """An expression or fragment breaks a rule; `where` is the smallest part that does."""

    def __init__(self, message: str, where: object) -> None:
        super().__init__(message)
        self.where = where


def require(condition: bool, message: str, where: object) -> None:
    """Raises IllTyped unless the condition holds."""
    if not condition:
        raise IllTyped(message, where)


def is_scalar(type_: Type) -> bool:
    """Whether the type is bool, an integer or a real."""
    return isinstance(type_, BoolType | IntType | MachineInt | RealType)


def is_numeric(type_: Type) -> bool:
    """Whether the type is an integer or a real."""
    return isinstance(type_, IntType | MachineInt | RealType) and not is_identity(type_)


def check(expr: Expr) -> None:
    """Raises IllTyped unless the expression and all its parts are well formed."""
    free_types(expr, {})


def check_type(type_: Type) -> None:
    """Raises IllTyped for a type that does not exist, such as one of 65 bits."""
    match type_:
        case BoolType():
            pass
        case IntType(_, fields):
            check_type(TupleType(tuple(part for _, part in fields)))
            require(all(is_scalar(part) for _, part in fields), "the fields of a record are scalars", type_)
        case MachineInt(bits, _):
            require(1 <= bits <= 64, f"there is no integer type of {bits} bits", type_)
        case RealType(bits):
            require(bits in (0, 32, 64), f"there is no float type of {bits} bits", type_)
        case TupleType(items):
            for item in items:
                check_type(item)
        case TensorType(element, rank):
            require(is_scalar(element), "the elements of a tensor are scalars", type_)
            require(rank >= 1, "a tensor has at least one axis", type_)
            check_type(element)
        case FunctionType(params, result):
            require(all(is_scalar(each) for each in (*params, result)), "a function takes scalars and returns one", type_)
            for each in (*params, result):
                check_type(each)
        case _:
            assert_never(type_)


def free_types(expr: Expr, known: Mapping[str, Type]) -> dict[str, Type]:
    """Checks the node in a scope of names; returns the types of its free names."""
    _check_names(expr)
    free: dict[str, Type] = {}
    for child, binders in scoped_children(expr):
        inner = {**known, **{binder.name: binder.type for binder in binders}}
        below = free_types(child, inner)
        for binder in binders:
            require(below.pop(binder.name, binder.type) == binder.type, f"two variables are called {binder.name}", expr)
        _merge(free, below, expr)
    _check_node(expr)
    if isinstance(expr, Var):
        require(known.get(expr.name, expr.type) == expr.type, f"two variables are called {expr.name}", expr)
        _merge(free, {expr.name: expr.type}, expr)
    return free


def _merge(into: dict[str, Type], more: Mapping[str, Type], where: Expr) -> None:
    for name, type_ in more.items():
        require(into.setdefault(name, type_) == type_, f"two variables are called {name}", where)


def _check_names(expr: Expr) -> None:
    binders = binders_of(expr)
    require(len({binder.name for binder in binders}) == len(binders), "binders of one node have different names", expr)
    for var in (expr, *binders) if isinstance(expr, Var) else binders:
        require(NAME.fullmatch(var.name) is not None, f"{var.name!r} is no name", expr)
        check_type(var.type)


def _check_node(expr: Expr) -> None:  # noqa: C901 (one case for each node)
    """The node's own rule; its children are well formed."""
    match expr:
        case Var():
            pass
        case Const():
            _check_const(expr)
        case Apply():
            _check_apply(expr)
        case Cast():
            _check_cast(expr)
        case Ite(cond, then, other):
            require(type_of(cond) == BOOL, "a condition is a bool", expr)
            _same(then, other, expr)
        case Select(tensor, indices):
            _check_axes(tensor, expr)
            tensor_type = type_of(tensor)
            require(isinstance(tensor_type, TensorType) and tensor_type.rank == len(indices), "one index for each axis", expr)
            _all_int(indices, expr)
        case Length(tensor, axis):
            _check_axes(tensor, expr)
            tensor_type = type_of(tensor)
            require(isinstance(tensor_type, TensorType) and 0 <= axis < tensor_type.rank, f"there is no axis {axis}", expr)
        case Call():
            _check_call(expr)
        case MakeTuple():
            pass
        case Item(arg, position):
            arg_type = type_of(arg)
            require(isinstance(arg_type, TupleType) and 0 <= position < len(arg_type.items), f"there is no item {position}", expr)
        case Build():
            _check_build(expr)
        case Filter():
            _check_filter(expr)
        case Fold():
            _check_fold(expr)
        case Update():
            _check_update(expr)
        case Forall(_, body) | Exists(_, body):
            require(type_of(body) == BOOL, "what is quantified is a bool", expr)
        case Lambda(params, body):
            types = [type_of(part) for part in (*params, body)]
            require(all(is_scalar(each) for each in types), "a function takes scalars and returns one", expr)
        case Invoke(function, args):
            wanted = type_of(function)
            given = tuple(type_of(arg) for arg in args)
            require(isinstance(wanted, FunctionType), f"{show_type(wanted)} is no function", expr)
            require(
                isinstance(wanted, FunctionType) and wanted.params == given, "one argument for each parameter, of its type", expr
            )
        case _:
            assert_never(expr)


def _check_axes(tensor: Expr, where: Expr) -> None:
    require(isinstance(type_of(tensor), TensorType), f"{show_type(type_of(tensor))} is no tensor", where)


def _same(left: Expr, right: Expr, where: Expr) -> None:
    a, b = type_of(left), type_of(right)
    require(a == b, f"the types {show_type(a)} and {show_type(b)} have to be the same", where)


def _all_int(parts: tuple[Expr, ...], where: Expr) -> None:
    for part in parts:
        require(type_of(part) == INT, f"indices and extents are of type int, not {show_type(type_of(part))}", where)


def _check_const(const: Const) -> None:
    value, type_ = const.value, const.type
    check_type(type_)
    match type_:
        case BoolType():
            fitting = isinstance(value, bool)
        case IntType():
            fitting = isinstance(value, int) and not isinstance(value, bool)
        case MachineInt():
            fitting = isinstance(value, int) and not isinstance(value, bool) and type_.low <= value <= type_.high
        case RealType():
            fitting = isinstance(value, Fraction)
        case TupleType() | TensorType() | FunctionType():
            fitting = False
        case _:
            assert_never(type_)
    require(fitting, f"{value!r} is no {show_type(type_)}", const)


def _check_apply(expr: Apply) -> None:
    op, args = expr.op, expr.args
    if op in (Operator.AND, Operator.OR):
        require(len(args) >= 2, f"{op.value} takes at least two operands", expr)
    else:
        arity = 1 if op is Operator.NOT or op in _NUMERIC_UNARY else 2
        require(len(args) == arity, f"{op.value} takes {arity} operand{'s' * (arity > 1)}", expr)
    for arg in args[1:]:
        _same(args[0], arg, expr)
    type_ = type_of(args[0])
    require(_takes(op, type_), f"{op.value} does not work on {show_type(type_)}", expr)


def _takes(op: Operator, type_: Type) -> bool:
    """Whether the operator works on operands of the type."""
    if op in _INTEGER:
        return is_integer(type_)
    if op in _NUMERIC or op in _NUMERIC_UNARY or op in _ORDER:
        return is_numeric(type_)
    if op is Operator.EQ:
        return is_scalar(type_)
    return isinstance(type_, RealType) if op is Operator.DIV else type_ == BOOL


def _check_cast(expr: Cast) -> None:
    check_type(expr.type)
    source = type_of(expr.arg)
    require(is_scalar(source) and not is_identity(source), f"{show_type(source)} cannot be cast", expr)
    require(is_numeric(expr.type), f"a cast goes to a number, not to {show_type(expr.type)}", expr)


def _check_call(expr: Call) -> None:
    require(NAME.fullmatch(expr.function) is not None, f"{expr.function!r} is no name", expr)
    check_type(expr.type)
    function = FUNCTIONS.get(expr.function)
    if function is None:
        return
    require(len(expr.args) == function.arity, f"{function.name} takes {function.arity} arguments", expr)
    kinds = "a real argument and a truth value as its result" if function.question else "arguments and a result of one type"
    for arg in expr.args:
        require(isinstance(type_of(arg), RealType), f"{function.name} is a function of reals", expr)
        require(function.result(type_of(arg)) == expr.type, f"{function.name} has {kinds}", expr)


def _int_binders(binders: tuple[Var, ...], where: Expr) -> None:
    require(all(binder.type == INT for binder in binders), "binders of indices are of type int", where)


def _check_build(expr: Build) -> None:
    require(len(expr.binders) == len(expr.extents) >= 1, "one binder for each extent, at least one", expr)
    _int_binders(expr.binders, expr)
    _all_int(expr.extents, expr)
    require(is_scalar(type_of(expr.body)), "the elements of a tensor are scalars", expr)


def _check_filter(expr: Filter) -> None:
    _all_int((expr.extent,), expr)
    _int_binders((expr.index,), expr)
    require(type_of(expr.cond) == BOOL, "a condition is a bool", expr)
    require(is_scalar(type_of(expr.body)), "the elements of a tensor are scalars", expr)


def _check_fold(expr: Fold) -> None:
    _all_int((expr.extent,), expr)
    _int_binders((expr.index,), expr)
    require(expr.acc.type == type_of(expr.init), "the accumulator has the type of its first value", expr)
    _same(expr.init, expr.body, expr)


def _check_update(expr: Update) -> None:
    _check_axes(expr.base, expr)
    type_ = type_of(expr.base)
    require(isinstance(type_, TensorType) and len(expr.indices) == type_.rank, "one index for each axis", expr)
    require(isinstance(type_, TensorType) and type_of(expr.value) == type_.element, "the value has the type of an element", expr)
    require(len(expr.binders) == len(expr.extents), "one binder for each extent", expr)
    _int_binders(expr.binders, expr)
    _all_int((*expr.extents, *expr.indices), expr)
    require(type_of(expr.guard) == BOOL, "a guard is a bool", expr)


def defined_vars(block: Block) -> tuple[Var, ...]:
    """The values that the block defines: its arguments, then its assignments."""
    return (*block.args, *(s.target for s in block.body if isinstance(s, Assign | Undefined)))

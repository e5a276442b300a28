"""What the parts of a text stand for while it is read: numbers, blocks of values, addresses, sizes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from metalift.driver import CannotWrite, Driver
from metalift.driver import Operator as DriverOperator
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Length, Operator, Var, integer, type_of
from metalift.ir.expr.types import BOOL, INT, MachineInt, RealType, TensorType

Dims = tuple[Var | None, ...]
BINARY: dict[type[ast.operator], Operator] = {ast.Add: Operator.ADD, ast.Sub: Operator.SUB, ast.Mult: Operator.MUL}
TRUNCATED: dict[type[ast.operator], Operator] = {ast.FloorDiv: Operator.TDIV, ast.Mod: Operator.TREM}
FLOORED: dict[type[ast.operator], Operator] = {ast.FloorDiv: Operator.FDIV, ast.Mod: Operator.FMOD}


@dataclass(frozen=True)
class Literal:
    """A number without a type of its own."""

    value: bool | int | Fraction


@dataclass(frozen=True)
class Value:
    """A term, and the index along each axis of the block that it is: None where the block has one element there."""

    term: Expr | Literal
    dims: Dims = ()
    anywhere: bool = False  # one number in every lane of a block of any shape


@dataclass(frozen=True)
class Pointer:
    """The start of an array; `copied`: of a copy that was made before any launch."""

    array: Var | None
    copied: bool = False


@dataclass(frozen=True)
class Place:
    """Addresses of elements."""

    pointer: Pointer
    index: Expr
    dims: Dims


@dataclass(frozen=True)
class Read:
    """A read of an array that is not a copy."""

    array: Var
    indices: tuple[Expr, ...]


@dataclass
class Context:
    """What the texts speak of: parameters of the source by their names in the text, block sizes, the driver."""

    driver: Driver
    params: Mapping[str, Var]
    blocks: Mapping[str, Var]


def refuse(node: ast.AST, why: str = "is not read as a part of a kernel") -> CannotWrite:
    """The error for a part of a text."""
    line = getattr(node, "lineno", None)
    return CannotWrite(f"{f'line {line}: ' if line else ''}the text {ast.unparse(node).splitlines()[0]!r} {why}")


def host_size(node: ast.expr, context: Context) -> Expr:
    """A size that Python computes."""
    match node:
        case ast.Constant(int() as value) if not isinstance(value, bool):
            return integer(value)
        case ast.Name(name) if name in context.params and not isinstance(context.params[name].type, TensorType):
            var = context.params[name]
            return var if var.type == INT else Cast(var, INT)
        case ast.UnaryOp(ast.USub(), operand):
            return integer(-host_literal(operand))
        case ast.BinOp(left, op, right) if type(op) in BINARY or type(op) in FLOORED:
            known = {**BINARY, **FLOORED}
            return Apply(known[type(op)], (host_size(left, context), host_size(right, context)))
        case ast.Call(ast.Name("min" | "max" as name), [left, right], []):
            chosen = Operator.MIN if name == "min" else Operator.MAX
            return Apply(chosen, (host_size(left, context), host_size(right, context)))
        case ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant(int() as axis)) if name in context.params:
            return Length(context.params[name], axis)
        case _:
            raise refuse(node, "is not read as a size")


def host_literal(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    raise refuse(node, "is not read as a size")


def typed(operator: DriverOperator, given: Mapping[str, Value]) -> tuple[Expr, ...] | None:
    """The arguments in order, literals with the type of an argument that shares it; None where there is none."""
    params = operator.params
    found: list[Expr] = []
    for param in params:
        term = given[param.name].term
        if isinstance(term, Literal):
            shared = (given[other.name].term for other in params if other.pattern.element == param.pattern.element)
            types = [type_of(each) for each in shared if not isinstance(each, Literal)]
            if not types or types[0] == INT:
                return None
            term = constant(term, types[0])
        found.append(term)
    return tuple(found)


def constant(literal: Literal, type_: object) -> Const:
    """The literal as a number of a type that has it."""
    value = literal.value
    if type_ == BOOL and isinstance(value, bool):
        return Const(value, BOOL)
    whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(type_, MachineInt) and whole and type_.low <= value <= type_.high:
        return Const(value, type_)
    if isinstance(type_, RealType) and not isinstance(value, bool):
        return Const(Fraction(value), type_)
    raise CannotWrite(f"{value} is no number of the type {type_}")


def on_index(term: Expr | Literal) -> bool:
    """Whether it is a condition on indices, not one on values."""
    match term:
        case Apply(Operator.AND, parts):
            return all(map(on_index, parts))
        case Apply(op, (left, _)):
            return op in (Operator.LT, Operator.LE, Operator.EQ) and type_of(left) == INT
        case _:
            return False


def joined(one: Dims, two: Dims) -> Dims:
    """The shape of blocks together."""
    if not one or not two:
        return one or two
    if len(one) != len(two) or any(a is not None and b is not None and a != b for a, b in zip(one, two, strict=True)):
        raise CannotWrite("blocks of different shapes in one operator")
    return tuple(a or b for a, b in zip(one, two, strict=True))


def assigned(body: list[ast.stmt]) -> set[str]:
    """The names that statements assign."""
    nodes = (node for statement in body for node in ast.walk(statement))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}

"""Expressions on sizes and numbers in Python, as people write them, read as expressions: what `python_text` writes, and more.

Integers are exact; what is a float is a real number. What is not known is refused, with its line.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from math import isfinite

from metalift.driver import CannotWrite
from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.build import conj, disj, neg
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Cast, Const, Expr, Ite, Length, Operator, Var, integer, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, ScalarType, TensorType, is_integer
from metalift.ir.text import show

ARITHMETIC: dict[type[ast.operator], Operator] = {
    ast.Add: Operator.ADD, ast.Sub: Operator.SUB, ast.Mult: Operator.MUL, ast.FloorDiv: Operator.FDIV, ast.Mod: Operator.FMOD,
}  # fmt: skip
WORDS = Interval(-(1 << 32), 1 << 32)
FUNCTIONS = {"math.sqrt": "sqrt", "math.exp": "exp", "math.log": "log"}
EXTREMES = {"min": Operator.MIN, "max": Operator.MAX}


def refused(node: ast.AST, why: str) -> CannotWrite:
    """The error for a part of a text."""
    shown = ast.unparse(node).splitlines()[0]
    return CannotWrite(f"line {getattr(node, 'lineno', 0)}: {shown[:90]}: {why}")


def number(node: ast.expr, names: Mapping[str, object]) -> Expr:  # noqa: C901 (one case for each form)
    """A number or a truth value; `names` has those of numbers and arrays, among others. Integers have the type INT."""
    match node:
        case ast.Constant(bool() as value):
            return TRUE if value else FALSE
        case ast.Constant(int() as value):
            return integer(value)
        case ast.Constant(float() as value) if isfinite(value):
            return Const(Fraction(repr(value)), FLOAT)
        case ast.Name(name) if isinstance(found := names.get(name), Expr) and not isinstance(type_of(found), TensorType):
            return found
        case ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant(int() as axis)):
            array = names.get(name)
            if isinstance(array, Var) and isinstance(array.type, TensorType) and 0 <= axis < array.type.rank:
                return Length(array, axis)
        case ast.UnaryOp(ast.USub(), arg):
            return arithmetic(node, Operator.NEG, number(arg, names))
        case ast.UnaryOp(ast.Not(), arg):
            return neg(condition(arg, names))
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
            return arithmetic(node, ARITHMETIC[type(op)], number(left, names), number(right, names))
        case ast.BinOp(left, ast.Div(), right):
            return Apply(Operator.DIV, (real(number(left, names), node), real(number(right, names), node)))
        case ast.Compare(left, [op], [right]):
            return compared(node, op, number(left, names), number(right, names))
        case ast.BoolOp(op, values):
            return (conj if isinstance(op, ast.And) else disj)(*(condition(each, names) for each in values))
        case ast.IfExp(test, then, other):
            one, two = alike(node, number(then, names), number(other, names))
            return Ite(condition(test, names), one, two)
        case ast.Call(ast.Name("int"), [ast.BinOp(left, ast.Div(), right)], []):
            return truncated(node, Operator.TDIV, whole(left, names), whole(right, names))
        case ast.Call(ast.Name("int"), [ast.Call(func, [left, right], [])], []) if ast.unparse(func) == "math.fmod":
            return truncated(node, Operator.TREM, whole(left, names), whole(right, names))
        case ast.Call(ast.Name("float"), [arg], []):
            return real(number(arg, names), node)
        case ast.Call(ast.Name("abs"), [arg], []):
            return arithmetic(node, Operator.ABS, number(arg, names))
        case ast.Call(ast.Name(name), [left, right], []) if name in EXTREMES:
            return arithmetic(node, EXTREMES[name], number(left, names), number(right, names))
        case ast.Call(func, [arg], []) if ast.unparse(func) in FUNCTIONS:
            return Call(FUNCTIONS[ast.unparse(func)], (real(number(arg, names), node),), FLOAT)
    raise refused(node, "is not read as a number")


def condition(node: ast.expr, names: Mapping[str, object]) -> Expr:
    """A condition: a comparison, or several of them."""
    found = number(node, names)
    if type_of(found) != BOOL:
        raise refused(node, "is no condition; write a comparison")
    return found


def whole(node: ast.expr, names: Mapping[str, object]) -> Expr:
    """An integer, such as a size."""
    found = number(node, names)
    if type_of(found) != INT:
        raise refused(node, "is no integer")
    return found


def arithmetic(node: ast.AST, op: Operator, *args: Expr) -> Expr:
    """An operator; integers are written as polynomials are."""
    found = alike(node, *args)
    if type_of(found[0]) != INT:
        if op in (Operator.FDIV, Operator.FMOD):
            raise refused(node, "divides floats and rounds")
        return Apply(op, found)
    return Polynomial.of(Apply(op, found)).to_expr()


def truncated(node: ast.AST, op: Operator, left: Expr, right: Expr) -> Expr:
    """A quotient that is rounded to zero, or its remainder: what floats give of integers that have at most 32 bits."""
    if not all(interval(each).within(WORDS) for each in (left, right)):
        raise refused(node, "computes with floats what may have more than 32 bits")
    return Apply(op, (left, right))


def compared(node: ast.Compare, op: ast.cmpop, left: Expr, right: Expr) -> Expr:
    """A comparison."""
    one, two = alike(node, left, right)
    match op:
        case ast.Lt():
            return Apply(Operator.LT, (one, two))
        case ast.LtE():
            return Apply(Operator.LE, (one, two))
        case ast.Gt():
            return Apply(Operator.LT, (two, one))
        case ast.GtE():
            return Apply(Operator.LE, (two, one))
        case ast.Eq():
            return Apply(Operator.EQ, (one, two))
        case ast.NotEq():
            return neg(Apply(Operator.EQ, (one, two)))
        case _:
            raise refused(node, "is no comparison of numbers")


def alike(node: ast.AST, *args: Expr) -> tuple[Expr, ...]:
    """Numbers of one type: floats where one is a float."""
    types = {type_of(arg) for arg in args}
    if BOOL in types:
        raise refused(node, "computes with truth values")
    return args if types == {INT} else tuple(real(arg, node) for arg in args)


def real(value: Expr, node: ast.AST) -> Expr:
    """A number as a float."""
    if type_of(value) == BOOL:
        raise refused(node, "takes a truth value for a number")
    return of_type(value, FLOAT)


def of_type(value: Expr, type_: ScalarType) -> Expr:
    """A number as one of a type, as an engine takes it."""
    inner = strip_casts(value)
    for same in (value, inner):
        if type_of(same) == type_:
            return same
    if isinstance(inner, Const) and inner.type != BOOL:
        if type_ == FLOAT:
            return Const(Fraction(inner.value), FLOAT)
        if is_integer(type_) and Fraction(inner.value).denominator == 1:
            return Const(int(inner.value), type_)
    if is_integer(type_) and not is_integer(type_of(inner)):
        raise CannotWrite(f"a float, or a truth value, stands for an integer: {show(value)[:60]}")
    return Cast(inner, type_)

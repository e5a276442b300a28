"""Expressions on sizes and numbers as Python spells them, and which elements of an array an index is, as an access pattern."""

from __future__ import annotations

import ast
import keyword
from fractions import Fraction

from metalift.driver import CannotWrite
from metalift.ir.nodes import Apply, Call, Cast, Const, Expr, Ite, Length, Operator, Var, type_of
from metalift.ir.polynomial import Polynomial
from metalift.ir.text import show
from metalift.ir.tiles import COLUMN, ROW
from metalift.ir.types import BOOL, FLOAT, INT, MachineInt, RealType, ScalarType, is_integer

INFIX = {
    Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.FDIV: "//", Operator.FMOD: "%", Operator.DIV: "/",
    Operator.LT: "<", Operator.LE: "<=", Operator.EQ: "==", Operator.AND: "and", Operator.OR: "or", Operator.SHR: ">>",
    Operator.SHL: "<<", Operator.BITAND: "&", Operator.BITOR: "|", Operator.BITXOR: "^",
}  # fmt: skip
FUNCTIONS = {"sqrt": "math.sqrt", "exp": "math.exp", "log": "math.log"}


def name(text: str) -> str:
    """A name that Python takes."""
    plain = text.replace(".", "_")
    return f"{plain}_" if keyword.iskeyword(plain) or plain in ("nl", "nki", "nisa", "np", "math") else plain


def expression(expr: Expr) -> str:  # noqa: C901 (one case for each node)
    """An expression on plain numbers."""
    match expr:
        case Var(text):
            return name(text)
        case Const(value, type_):
            if type_ == BOOL:
                return "True" if value else "False"
            return repr(float(value)) if isinstance(value, Fraction) else str(value)
        case Cast(arg, type_) if isinstance(type_, RealType) and is_integer(type_of(arg)):
            return f"float({expression(arg)})"
        case Cast(arg, type_) if is_integer(type_of(arg)) or isinstance(type_, RealType):
            return expression(arg)  # sizes and numbers that fit, which is among what is proved or assumed
        case Length(Var(text), axis):
            return f"{name(text)}.shape[{axis}]"
        case Apply(Operator.NEG, (arg,)):
            return f"-{operand(arg)}"
        case Apply(Operator.NOT, (arg,)):
            return f"not {operand(arg)}"
        case Apply(Operator.ABS, (arg,)):
            return f"abs({expression(arg)})"
        case Apply(Operator.MIN | Operator.MAX as op, args):
            return f"{'min' if op is Operator.MIN else 'max'}({', '.join(map(expression, args))})"
        case Apply(Operator.TDIV, (left, right)):
            return f"int({operand(left)} / {operand(right)})"
        case Apply(Operator.TREM, (left, right)):
            return f"int(math.fmod({expression(left)}, {expression(right)}))"
        case Apply(op, args) if op in INFIX:
            return f" {INFIX[op]} ".join(map(operand, args))
        case Ite(cond, then, other):
            return f"{operand(then)} if {operand(cond)} else {operand(other)}"
        case Call(function, (arg,)) if function in FUNCTIONS:
            return f"{FUNCTIONS[function]}({expression(arg)})"
        case _:
            raise CannotWrite(f"a number that is computed outside of the kernel: {show(expr)[:80]}")


def operand(expr: Expr) -> str:
    """An expression in parentheses."""
    return f"({expression(expr)})"


def spelled(expr: Expr) -> str:
    """An expression with no more parentheses than it needs."""
    return ast.unparse(ast.parse(expression(expr), mode="eval"))


def size(expr: Expr) -> str:
    """A size, simplified."""
    return spelled(Polynomial.of(expr).to_expr())


def pattern(indices: tuple[Expr, ...], strides: tuple[Expr, ...], rows: str, columns: str) -> str:
    """The elements [ROW, COLUMN] of an array: [[step, number] of rows, of columns], from an offset on."""
    flat = Polynomial.of(Const(0, INT))
    for index, stride in zip(indices, strides, strict=True):
        flat = flat + Polynomial.of(index) * Polynomial.of(stride)
    affine = flat.affine_in((ROW, COLUMN))
    if affine is None:
        raise CannotWrite("an index that is no sum of multiples of row and column")
    steps, rest = affine
    parts = [f"[{size(steps[var].to_expr())}, {count}]" for var, count in ((ROW, rows), (COLUMN, columns))]
    return f".ap([{', '.join(parts)}], offset={size(rest.to_expr())})"


def dtype(type_: ScalarType) -> str:
    """The name of an element type."""
    if type_ == BOOL:
        return "nl.uint8"
    if type_ == FLOAT:
        return "nl.float32"
    if isinstance(type_, MachineInt) and type_.bits in (8, 16, 32):
        return f"nl.{'' if type_.signed else 'u'}int{type_.bits}"
    raise CannotWrite("elements that are neither fp32 nor integers of 8, 16 or 32 bits")

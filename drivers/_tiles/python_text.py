"""Expressions on sizes and numbers as Python spells them, and the shapes of a source's arrays."""

from __future__ import annotations

import ast
import keyword
from fractions import Fraction

from metalift.driver import CannotWrite, Request
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Ite, Length, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, MachineInt, RealType, ScalarType, TensorType, is_integer
from metalift.ir.text import show

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


def shape(request: Request, var: Var) -> str:
    """An array's elements and shape as the source uses it, float32[m, n]; empty where it has no such text."""
    extents = request.summary.shapes.get(var.name)
    if extents is None or not isinstance(var.type, TensorType) or not isinstance(var.type.element, ScalarType):
        return ""
    try:
        return f"{element(var.type.element)}[{', '.join(map(size, extents))}]"
    except CannotWrite:
        return ""


def element(type_: ScalarType) -> str:
    """What NumPy calls the elements of a type."""
    if type_ == BOOL:
        return "bool"
    if isinstance(type_, RealType) and type_.bits:
        return f"float{type_.bits}"
    if isinstance(type_, MachineInt):
        return f"{'' if type_.signed else 'u'}int{type_.bits}"
    raise CannotWrite("elements of a type that arrays of numbers do not have")


def shapes(request: Request) -> list[str]:
    """The arrays of the source for the comment of a text, as `metalift simulate` reads them."""
    shown = {param.var.name: shape(request, param.var) for param in request.fragment.params}
    lines = [f"  {array}: {text}" for array, text in shown.items() if text]
    return ["", "Arrays:", *lines] if lines else []

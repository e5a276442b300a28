"""Expressions, statements and declarations as P4 spells them."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath

from metalift.driver import CannotWrite, Request
from metalift.ir.arith.polynomial import widens
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Cast, Const, Expr, Ite, Lambda, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, INT, MachineInt, TensorType, Type, show_type
from metalift.ir.expr.walk import transform
from metalift.ir.interp.functions import EXTERNAL
from metalift.ir.program.fragment import Param

WIDTH = 110
BINARY = {
    Operator.ADD: "+", Operator.SUB: "-", Operator.BITAND: "&", Operator.BITOR: "|", Operator.BITXOR: "^", Operator.LT: "<",
    Operator.LE: "<=", Operator.EQ: "==", Operator.AND: "&&", Operator.OR: "||", Operator.TREM: "%", Operator.FMOD: "%",
}  # fmt: skip


def folded(expr: Expr) -> Expr:
    """The expression with choices that constants decide, and equal arms, replaced by what is chosen."""
    return transform(_folded, expr)


def _folded(expr: Expr) -> Expr:
    match expr:
        case Apply(Operator.EQ, (Const(left), Const(right))):
            return TRUE if left == right else FALSE
        case Ite(Const(True), then, _):
            return then
        case Ite(Const(False), _, other):
            return other
        case Ite(_, then, other) if then == other:
            return then
        case Cast(Ite(cond, then, other), type_):
            return _folded(Ite(cond, _folded(Cast(then, type_)), _folded(Cast(other, type_))))
        case Cast(Cast(arg, middle), type_) if middle == INT and type_of(arg) == type_:
            return arg
        case _:
            return expr


def expression(expr: Expr) -> str:  # noqa: C901 (one case for each node)
    """An expression; operands that are no names or literals are in parentheses."""
    match expr:
        case Var(name):
            return name
        case Const(value, type_):
            if type_ == BOOL:
                return "true" if value else "false"
            return literal(int(value), type_) if isinstance(type_, MachineInt) else str(value)
        case Cast(arg, MachineInt() as type_) if type_of(arg) == INT and not isinstance(arg, Var):
            return expression(_narrow(arg, type_))
        case Cast(arg, type_):
            return f"({words(type_)}) {_operand(arg)}"
        case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)):
            return f"{_operand(left)} != {_operand(right)}"
        case Apply(Operator.NOT, (Apply(Operator.NOT, (arg,)),)):
            return expression(arg)
        case Apply(Operator.NOT, (Apply(Operator.LT | Operator.LE as op, (left, right)),)):
            return expression(Apply(Operator.LE if op is Operator.LT else Operator.LT, (right, left)))
        case Apply(Operator.NOT, (arg,)):
            return f"!{_operand(arg)}"
        case Apply(Operator.FMOD, (left, _)) if isinstance(type_ := type_of(left), MachineInt) and type_.signed:
            raise CannotWrite("a remainder of signed words that is never negative")
        case Apply(op, (left, right)) if op in BINARY:
            return f"{_operand(left)} {BINARY[op]} {_operand(right)}"
        case Ite(cond, then, other):
            return f"{_operand(cond)} ? {_operand(then)} : {_operand(other)}"
        case Call(function, args, _):
            return f"{function.removeprefix(EXTERNAL)}({', '.join(map(expression, args))})"
        case _:
            raise CannotWrite(f"the machine has nothing like {type(expr).__name__}")


def literal(value: int, type_: MachineInt) -> str:
    """A number with its width: 32w5, and 32s5 or -32s5 where it has a sign."""
    return f"{'-' if value < 0 else ''}{type_.bits}{'s' if type_.signed else 'w'}{abs(value)}"


def _operand(expr: Expr) -> str:
    text = expression(expr)
    return f"({text})" if " " in text else text


def _narrow(expr: Expr, type_: MachineInt) -> Expr:
    """Sums of exact integers, taken modulo the size of a type, as sums in the type."""
    match expr:
        case Apply(Operator.ADD | Operator.SUB as op, (left, right)):
            return Apply(op, (_narrow(left, type_), _narrow(right, type_)))
        case Cast(arg, _) if type_of(arg) == type_:
            return arg
        case Const(value):
            return Const(type_.wrap(int(value)), type_)
        case _:
            raise CannotWrite(f"a conversion to {show_type(type_)} that is not of a sum of such words")


def body(value: Expr, cell: str) -> Iterator[str]:
    """The statements that change a cell: nothing where it stays as it is."""
    match value:
        case Ite(cond, then, other):
            inner, rest = list(body(then, cell)), list(body(other, cell))
            if not inner:
                cond, inner, rest = Apply(Operator.NOT, (cond,)), rest, inner
            yield f"if ({expression(cond)}) {{"
            yield from (f"    {line}" for line in inner)
            if rest:
                yield "} else {"
                yield from (f"    {line}" for line in rest)
            yield "}"
        case Var(name) if name == cell:
            return
        case _:
            yield f"{cell} = {expression(value)};"


def words(type_: Type) -> str:
    """A type."""
    if type_ == BOOL or (isinstance(type_, MachineInt) and type_.bits == 1):
        return "bool"
    if isinstance(type_, MachineInt):
        return f"{'int' if type_.signed else 'bit'}<{type_.bits}>"
    raise CannotWrite(f"a value of type {show_type(type_)}: packet fields and state variables are words")


def declared(params: Sequence[Param], state: Collection[str], written: Collection[str]) -> list[str]:
    """The parameters in the source's order: registers, fields that are changed, fields that are only read."""
    lines = []
    for param in params:
        type_ = param.var.type
        if not isinstance(type_, TensorType):
            lines.append(f"in {words(type_)} {param.var.name}")
        elif param.var.name in state:
            lines.append(f"register {words(type_.element)} {param.var.name}")
        else:
            lines.append(f"{'inout' if param.var.name in written else 'in'} {words(type_.element)} {param.var.name}")
    return [f"{line}," for line in lines[:-1]] + lines[-1:]


EXACT = {
    Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.FDIV: "/", Operator.FMOD: "%", Operator.BITAND: "&",
    Operator.BITOR: "|", Operator.BITXOR: "^", Operator.SHL: "<<", Operator.SHR: ">>", Operator.LT: "<", Operator.LE: "<=",
    Operator.EQ: "==",
}  # fmt: skip


def units(given: Mapping[str, Lambda]) -> list[str]:
    """What hash units compute, of those that a program calls."""
    found = []
    for name, function in given.items():
        taken = ", ".join(word.name for word in function.params)
        with suppress(CannotWrite):  # then it is for the machine to know
            found.append(f"unit {name}({taken}) = {exact(function.body)};")
    return found


def exact(expr: Expr) -> str:
    """An expression of whole numbers of any size."""
    match expr:
        case Var(name, MachineInt(bits, True)):  # what is given are words without a sign
            return f"((int<{bits}>) {name})"
        case Var(name):
            return name
        case Const(value) if not isinstance(value, bool):
            return str(value) if value >= 0 else f"(0 - {-value})"
        case Cast(arg, type_) if widens(type_of(arg), type_):
            return exact(arg)
        case Cast(arg, MachineInt(bits, signed)):
            return f"(({'int' if signed else 'bit'}<{bits}>) {exact(arg)})"
        case Apply(op, (left, right)) if op in EXACT:
            return f"({exact(left)} {EXACT[op]} {exact(right)})"
        case Ite(cond, then, other):
            return f"({exact(cond)} ? {exact(then)} : {exact(other)})"
        case _:
            raise CannotWrite("a unit that computes something else")


def heading(request: Request, stages: int) -> list[str]:
    """What the file is, what it assumes, and what was shown of it."""
    place = request.fragment.location
    made = f"Generated by metalift {request.version} from {PurePath(place.file).name}:{place.line}: {request.verdict}"
    lines = [f"// {made}", f"// {stages} stages", "// Assumes:"]
    for each in request.stated:
        lines += textwrap.wrap(each, WIDTH, initial_indent="//   ", subsequent_indent="//     ")
    return lines

"""Expressions as text that people read and `metalift.ir.text.parser` reads back exactly.

Python's operators and precedence; `tdiv` and `trem` are functions; casts are calls of the type. A literal has the type that its
place asks for, or else that of the first operand beside it that shows its own; where nothing says so, 3 is an int, 3.0 a real,
and any other type is written behind it: 255:i32. A Call of a function that is not in FUNCTIONS carries its type: mv:f32[](w, x).
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import assert_never

from metalift.ir.expr.nodes import (
    TRUE,
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
from metalift.ir.expr.types import BOOL, INT, REAL, FunctionType, IntType, RealType, TensorType, TupleType, Type, show_type
from metalift.ir.interp.functions import FUNCTIONS

_PLAIN = re.compile(r"[A-Za-z_@][A-Za-z0-9_.@]*")
KEYWORDS = frozenset({"and", "or", "not", "if", "else", "for", "where", "True", "False"})
FUNCTION_OPERATORS = frozenset({Operator.MIN, Operator.MAX, Operator.ABS, Operator.TDIV, Operator.TREM})

CHOICE, OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, PRODUCT, SIGN, ATOM = range(1, 14)

BINARY_LEVEL: dict[Operator, int] = {
    Operator.LT: COMPARE,
    Operator.LE: COMPARE,
    Operator.EQ: COMPARE,
    Operator.BITOR: BITOR,
    Operator.BITXOR: BITXOR,
    Operator.BITAND: BITAND,
    Operator.SHL: SHIFT,
    Operator.SHR: SHIFT,
    Operator.ADD: SUM,
    Operator.SUB: SUM,
    Operator.MUL: PRODUCT,
    Operator.DIV: PRODUCT,
    Operator.FDIV: PRODUCT,
    Operator.FMOD: PRODUCT,
}


def show(expr: Expr, expected: Type | None = None) -> str:
    """The text of a well-formed expression; `expected` is the type that the reader knows it to have, if any."""
    return _show(expr, CHOICE, expected)


def show_name(name: str) -> str:
    """A variable's name, between backquotes where the bare name would be read as something else."""
    return name if _PLAIN.fullmatch(name) and name not in KEYWORDS else f"`{name}`"


def is_type_name(name: str) -> bool:
    """Whether a name followed by a parenthesis is a cast."""
    return re.fullmatch("int|real|bool|[iuf][0-9]{1,3}", name) is not None


def shows_type(expr: Expr) -> bool:
    """Whether the text of the expression determines its type without help from its place."""
    match expr:
        case Const(_, type_):
            return type_ == BOOL
        case Apply(op, args):
            return op in _BOOLEAN or any(shows_type(arg) for arg in args)
        case Ite(_, then, other):
            return shows_type(then) or shows_type(other)
        case Call(function, args, _):
            return function not in FUNCTIONS or any(shows_type(arg) for arg in args)
        case MakeTuple(items):
            return all(shows_type(item) for item in items)
        case Build(_, _, body) | Filter(_, _, _, body) | Lambda(_, body):
            return shows_type(body)
        case Fold(_, init, _, _, _):
            return shows_type(init)
        case Update(base):
            return shows_type(base)
        case _:
            return True


_BOOLEAN = frozenset({Operator.LT, Operator.LE, Operator.EQ, Operator.AND, Operator.OR, Operator.NOT})


def decimal_text(value: Fraction) -> str:
    """A decimal for a fraction that is one, otherwise ratio(n, d); whole numbers have no point."""
    digits, rest = 0, value.denominator
    while rest % 2 == 0 or rest % 5 == 0:
        rest //= 10 if rest % 10 == 0 else 2 if rest % 2 == 0 else 5
        digits += 1
    if rest != 1:
        return f"ratio({value.numerator}, {value.denominator})"
    number = str(abs(int(value * 10**digits)))
    sign = "-" if value < 0 else ""
    exponent = len(number) - 1 - digits
    if value and not -5 < exponent < 16:
        mantissa = number.rstrip("0")
        return f"{sign}{mantissa[0]}{'.' if mantissa[1:] else ''}{mantissa[1:]}e{exponent:+03d}"
    padded = number.rjust(digits + 1, "0")
    return f"{sign}{padded[: len(padded) - digits]}{'.' if digits else ''}{padded[len(padded) - digits :]}"


def _literal(const: Const, expected: Type | None) -> str:
    if const.type == BOOL:
        return "True" if const.value else "False"
    if not isinstance(const.type, RealType):
        text, default = str(const.value), const.type == INT
    else:
        text = decimal_text(Fraction(const.value))
        default = const.type == REAL
        if expected is None and text.lstrip("-").isdigit():
            text += ".0"
    return text if expected is not None or default else f"{text}:{show_type(const.type)}"


def _group(parts: tuple[Expr, ...], levels: tuple[int, ...], expected: Type | None) -> list[str]:
    """Operands of one type."""
    if expected is None:
        expected = next((type_of(part) for part in parts if shows_type(part)), None)
    texts = []
    for part, level in zip(parts, levels, strict=True):
        texts.append(_show(part, level, expected))
        expected = type_of(part)
    return texts


def _wrap(text: str, level: int, wanted: int) -> str:
    return f"({text})" if level < wanted else text


def _show(expr: Expr, wanted: int, expected: Type | None) -> str:  # noqa: C901 (one case for each node)
    """The text, in parentheses if it binds less than `wanted`."""
    match expr:
        case Var(name, _):
            return show_name(name)
        case Const():
            return _literal(expr, expected)
        case Apply():
            return _apply(expr, wanted, expected)
        case Cast(arg, type_):
            return f"{show_type(type_)}({show(arg)})"
        case Ite(cond, then, other):
            first, last = _group((then, other), (OR, CHOICE), expected)
            return _wrap(f"{first} if {_show(cond, OR, BOOL)} else {last}", CHOICE, wanted)
        case Select(tensor, indices):
            return f"{_show(tensor, ATOM, None)}[{', '.join(show(index, INT) for index in indices)}]"
        case Length(tensor, axis):
            return f"len({show(tensor)}, {axis})" if axis else f"len({show(tensor)})"
        case Call():
            return _call(expr, expected)
        case MakeTuple(items):
            types: tuple[Type | None, ...] = (None,) * len(items)
            if isinstance(expected, TupleType):
                types = expected.items
            inside = ", ".join(show(item, type_) for item, type_ in zip(items, types, strict=True))
            return f"({inside},)" if len(items) == 1 else f"({inside})"
        case Item(arg, position):
            return f"{_show(arg, ATOM, None)}[{position}]"
        case Build(extents, binders, body):
            element = expected.element if isinstance(expected, TensorType) else None
            return f"[{show(body, element)} for {show_ranges(binders, extents)}]"
        case Filter(extent, index, cond, body):
            element = expected.element if isinstance(expected, TensorType) else None
            return f"[{show(body, element)} for {show_ranges((index,), (extent,))} where {show(cond, BOOL)}]"
        case Fold(extent, init, acc, index, body):
            start = show(init, expected)
            step = show(body, type_of(init))
            return f"fold({show(extent, INT)}, {start}, {show_name(acc.name)}, {show_name(index.name)}: {step})"
        case Update():
            return _update(expr, expected)
        case Forall(binders, body):
            return f"forall({show_binders(binders)}: {show(body, BOOL)})"
        case Exists(binders, body):
            return f"exists({show_binders(binders)}: {show(body, BOOL)})"
        case Lambda(params, body):
            result = expected.result if isinstance(expected, FunctionType) else None
            return f"lambda({show_binders(params)}: {show(body, result)})"
        case Invoke():
            return _invoke(expr)
        case _:
            assert_never(expr)


def show_ranges(binders: tuple[Var, ...], extents: tuple[Expr, ...]) -> str:
    """The text of i < n, j < m."""
    return ", ".join(f"{show_name(b.name)} < {_show(e, BITOR, INT)}" for b, e in zip(binders, extents, strict=True))


def show_binders(binders: tuple[Var, ...]) -> str:
    """The text of names that are bound, with their types unless they are int."""

    def one(binder: Var) -> str:
        name = show_name(binder.name)
        return name if isinstance(binder.type, IntType) else f"{show_type(binder.type)} {name}"

    return ", ".join(one(binder) for binder in binders)


def _apply(expr: Apply, wanted: int, expected: Type | None) -> str:
    op, args = expr.op, expr.args
    if op is Operator.NOT:
        (arg,) = args
        if isinstance(arg, Apply) and arg.op is Operator.EQ:
            left, right = _group(arg.args, (BITOR, BITOR), None)
            return _wrap(f"{left} != {right}", COMPARE, wanted)
        return _wrap(f"not {_show(arg, NOT, BOOL)}", NOT, wanted)
    if op in (Operator.AND, Operator.OR):
        level = AND if op is Operator.AND else OR
        return _wrap(f" {op.value} ".join(_show(arg, level + 1, BOOL) for arg in args), level, wanted)
    if op is Operator.NEG:
        (arg,) = args
        inner = f"({show(arg, expected)})" if isinstance(arg, Const) else _show(arg, SIGN, expected)
        return _wrap(f"-{inner}", SIGN, wanted)
    if op in FUNCTION_OPERATORS:
        return f"{op.value}({', '.join(_group(args, (CHOICE,) * len(args), expected))})"
    level = BINARY_LEVEL[op]
    if level == COMPARE:
        left, right = _group(args, (BITOR, BITOR), None)
    else:
        left, right = _group(args, (level, level + 1), expected)
    return _wrap(f"{left} {op.value} {right}", level, wanted)


def _call(call: Call, expected: Type | None) -> str:
    name = call.function
    if name in FUNCTIONS:
        return f"{name}({', '.join(_group(call.args, (CHOICE,) * len(call.args), expected))})"
    return f"{show_name(name)}:{show_type(call.type)}({', '.join(show(arg) for arg in call.args)})"


def _invoke(invoke: Invoke) -> str:
    type_ = type_of(invoke.function)
    assert isinstance(type_, FunctionType)
    args = (show(arg, wanted) for arg, wanted in zip(invoke.args, type_.params, strict=True))
    return f"invoke({', '.join((show(invoke.function), *args))})"


def _update(update: Update, expected: Type | None) -> str:
    base = show(update.base, expected)
    type_ = type_of(update.base)
    element = type_.element if isinstance(type_, TensorType) else None
    text = f"update({base}, [{', '.join(show(index, INT) for index in update.indices)}] = {show(update.value, element)}"
    if update.binders:
        text += f" for {show_ranges(update.binders, update.extents)}"
    if update.guard != TRUE:
        text += f" where {show(update.guard, BOOL)}"
    return text + ")"

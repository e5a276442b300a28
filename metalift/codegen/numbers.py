"""Arithmetic of single values: on plain Python numbers, and where Python's own operators do it, on tensors too."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from metalift.codegen.request import CannotSpell
from metalift.driver.templates import call, constant, fill_template
from metalift.ir.arith.polynomial import widens
from metalift.ir.expr.nodes import Operator
from metalift.ir.expr.types import STRING, BoolType, MachineInt, RealType, Type, is_integer
from metalift.ir.interp.identities import content

_BINARY: dict[Operator, ast.operator] = {
    Operator.ADD: ast.Add(),
    Operator.SUB: ast.Sub(),
    Operator.MUL: ast.Mult(),
    Operator.DIV: ast.Div(),
    Operator.FDIV: ast.FloorDiv(),
    Operator.FMOD: ast.Mod(),
    Operator.SHL: ast.LShift(),
    Operator.SHR: ast.RShift(),
    Operator.BITAND: ast.BitAnd(),
    Operator.BITOR: ast.BitOr(),
    Operator.BITXOR: ast.BitXor(),
}
_COMPARE: dict[Operator, ast.cmpop] = {Operator.LT: ast.Lt(), Operator.LE: ast.LtE(), Operator.EQ: ast.Eq()}
_SWAPPED: dict[Operator, ast.cmpop] = {Operator.LT: ast.Gt(), Operator.LE: ast.GtE(), Operator.EQ: ast.Eq()}
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
# Rounded to zero; Python's own operators round down.
_TDIV = "{a} // {b} if ({a} < 0) == ({b} < 0) else -(-{a} // {b})"
_BY_NATURAL = "{{a}} {0} {{b}} if {{a}} >= 0 else -(-{{a}} {0} {{b}})"
_TREM = "{a} % abs({b}) if {a} >= 0 else -(-{a} % abs({b}))"
_FUNCTIONS = {
    **{each: f"math.{each}({{a}})" for each in "sqrt exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos atan".split()},
    **{each: f"math.{each}({{a}})" for each in "sinh cosh tanh asinh acosh atanh cbrt erf erfc trunc".split()},
    "isnan": "math.isnan({a})",
    "isinf": "math.isinf({a})",
    "floor": "float(math.floor({a}))",
    "ceil": "float(math.ceil({a}))",
    "pow": "math.pow({a}, {b})",
    "atan2": "math.atan2({a}, {b})",
    "hypot": "math.hypot({a}, {b})",
    "fmod": "math.fmod({a}, {b})",
    "copysign": "math.copysign({a}, {b})",
}


def number_constant(value: bool | int | Fraction, type_: Type) -> ast.expr:
    """A literal: reals always with a point."""
    if isinstance(type_, RealType):
        return _signed(float(value))
    if type_ == STRING:
        text = content(int(value))
        if not isinstance(text, str):
            raise CannotSpell("a string that the source does not have")
        return constant(text)
    return constant(value) if isinstance(value, bool) else _signed(int(value))


def _signed(value: int | float) -> ast.expr:
    if isinstance(value, int) and abs(value) >= 1 << 62:
        return _near_power(value)
    return ast.UnaryOp(op=ast.USub(), operand=constant(-value)) if value < 0 else constant(value)


def _near_power(value: int) -> ast.expr:
    """A large integer as a power of 2, or one less than that, where it is that."""
    bits = abs(value).bit_length()
    if value == (1 << bits) - 1:
        return fill_template(f"2**{bits} - 1", {})
    if abs(value) == 1 << (bits - 1):
        return fill_template(f"{'-' if value < 0 else ''}2**{bits - 1}", {})
    return ast.UnaryOp(op=ast.USub(), operand=constant(-value)) if value < 0 else constant(value)


def number_apply(op: Operator, args: Sequence[ast.expr], *, plain: bool) -> ast.expr | None:
    """An operator in Python; None where there is none for tensors (`plain` false)."""
    if op in _BINARY:
        return ast.BinOp(left=args[0], op=_BINARY[op], right=args[1])
    if op in _COMPARE:
        return _comparison(op, args[0], args[1])
    if op is Operator.NEG:
        return ast.UnaryOp(op=ast.USub(), operand=args[0])
    if op is Operator.ABS:
        return call("abs", args[0])
    if op in (Operator.AND, Operator.OR, Operator.NOT):
        return _connective(op, args, plain=plain)
    return _plain_only(op, args) if plain else None


def _comparison(op: Operator, left: ast.expr, right: ast.expr) -> ast.expr:
    """A comparison with a literal on the right where there is one."""
    if _is_literal(left) and not _is_literal(right):
        return ast.Compare(left=right, ops=[_SWAPPED[op]], comparators=[left])
    return ast.Compare(left=left, ops=[_COMPARE[op]], comparators=[right])


def _is_literal(tree: ast.expr) -> bool:
    return isinstance(tree.operand if isinstance(tree, ast.UnaryOp) else tree, ast.Constant)


def _connective(op: Operator, args: Sequence[ast.expr], *, plain: bool) -> ast.expr:
    if op is Operator.NOT:
        return negation(args[0]) if plain else ast.UnaryOp(op=ast.Invert(), operand=args[0])
    if plain and op is Operator.AND:
        return both(args)
    if plain:
        return ast.BoolOp(op=ast.Or(), values=list(args))
    sign = ast.BitAnd() if op is Operator.AND else ast.BitOr()
    return reduce(lambda left, right: ast.BinOp(left=left, op=sign, right=right), args)


def both(args: Sequence[ast.expr]) -> ast.expr:
    """That all hold, asked in this order; of a number between two others, as in `0 <= k < n`."""
    found: list[ast.expr] = []
    joined = (each.values if isinstance(each, ast.BoolOp) and isinstance(each.op, ast.And) else [each] for each in args)
    for arg in (each for parts in joined for each in parts):
        low, high = (_ordered(found[-1]) if found else None), _ordered(arg)
        turned = high is not None and isinstance(high.left, ast.Name | ast.Constant)  # which can be asked before the others
        if turned and low is not None and high is not None and ast.dump(high.comparators[0]) == ast.dump(low.left):
            low, high = high, low
        if low is not None and high is not None and ast.dump(low.comparators[0]) == ast.dump(high.left):
            found[-1] = ast.Compare(low.left, [*low.ops, *high.ops], [low.comparators[0], high.comparators[0]])
        else:
            found.append(arg)
    return found[0] if len(found) == 1 else ast.BoolOp(op=ast.And(), values=found)


def _ordered(tree: ast.expr) -> ast.Compare | None:
    """A comparison with the lesser one first; None for other expressions."""
    match tree:
        case ast.Compare(ops=[ast.Lt() | ast.LtE()]):
            return tree
        case ast.Compare(left=left, ops=[ast.Gt()], comparators=[right]):
            return ast.Compare(right, [ast.Lt()], [left])
        case ast.Compare(left=left, ops=[ast.GtE()], comparators=[right]):
            return ast.Compare(right, [ast.LtE()], [left])
        case _:
            return None


def _plain_only(op: Operator, args: Sequence[ast.expr]) -> ast.expr | None:
    match op:
        case Operator.MIN | Operator.MAX:
            ordered = sorted(args, key=lambda arg: isinstance(arg, ast.Constant))
            return call(op.value, *ordered)
        case Operator.TDIV | Operator.TREM if _is_natural(args[0]) and _is_natural(args[1]):
            sign = ast.FloorDiv() if op is Operator.TDIV else ast.Mod()
            return ast.BinOp(left=args[0], op=sign, right=args[1])
        case Operator.TDIV | Operator.TREM if isinstance(args[1], ast.Constant) and isinstance(args[1].value, int):
            template = _BY_NATURAL.format("//" if op is Operator.TDIV else "%")  # a negative literal is no constant
            return fill_template(template, {"a": args[0], "b": args[1]})
        case Operator.TDIV | Operator.TREM:
            return fill_template(_TDIV if op is Operator.TDIV else _TREM, {"a": args[0], "b": args[1]})
        case _:
            return None


def _is_natural(tree: ast.expr) -> bool:
    """A length or a literal."""
    return isinstance(tree, ast.Constant) or (
        isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "len"
    )


def negation(tree: ast.expr) -> ast.expr:
    """The condition does not hold."""
    match tree:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _NEGATED:
            return ast.Compare(left=left, ops=[_NEGATED[type(op)]()], comparators=[right])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.BoolOp(op=ast.Or(), values=parts):
            return ast.BoolOp(op=ast.And(), values=list(map(negation, parts)))
        case _:
            return ast.UnaryOp(op=ast.Not(), operand=tree)


def number_cast(tree: ast.expr, source: Type, target: Type) -> ast.expr:
    """A conversion between scalar types, of a plain number; Python mixes integers and floats freely, so that needs nothing."""
    if isinstance(target, RealType):
        if isinstance(tree, ast.Constant) and isinstance(tree.value, int):
            return constant(float(tree.value))
        return call("float", tree) if isinstance(source, BoolType) else tree
    if isinstance(target, BoolType):
        return call("bool", tree)
    if not is_integer(source):
        tree = call("int", tree)
    if not isinstance(target, MachineInt) or widens(source, target) or isinstance(source, RealType | BoolType):
        return tree
    if not target.signed:
        return fill_template(f"{{a}} % 2**{target.bits}", {"a": tree})
    half = f"2**{target.bits - 1}"
    return fill_template(f"({{a}} + {half}) % 2**{target.bits} - {half}", {"a": tree})


def number_function(function: str, args: Sequence[ast.expr]) -> ast.expr | None:
    """A mathematical function of plain numbers, None where Python's math module lacks it."""
    template = _FUNCTIONS.get(function)
    return None if template is None else fill_template(template, dict(zip("ab", args, strict=False)))

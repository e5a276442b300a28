"""Operations on plain numbers that raise in Python for some operands, where the source's would not or are not reached.

Generated code computes plain numbers before the arrays that are made of them, also where these have no elements, so that the
source computes nothing. There, such an operation gets a value that nobody uses. That a float is too large (`math.exp(1000)`)
is left to the assumption that floats stay finite.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from metalift.driver.operators import Operator as Operators
from metalift.driver.operators import scalar_of
from metalift.driver.templates import constant, dotted
from metalift.ir.expr.build import at_most, equal, less, neg
from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, MakeTuple, Operator, type_of
from metalift.ir.expr.types import MachineInt, RealType
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.functions import FUNCTIONS

_RAISING = frozenset("sqrt log log2 log10 log1p asin acos acosh atanh fmod pow".split())  # of Python's math
GREATEST = {32: 3.4028234663852886e38, 64: sys.float_info.max}  # floats, by their bits
_WIDEST = 64  # bits: no machine integer is shifted by as many
_SHORT = 32  # bits: a shift by a number of these ends, whatever it is


@dataclass(frozen=True, slots=True)
class Domain:
    """Where an operation has a value: a condition, as the template over its operands, and what stands for the value elsewhere."""

    condition: str
    operands: dict[str, ast.expr]
    otherwise: ast.expr


def within_floats(operator: Operators, expr: Call) -> int | None:
    """Which operand of a maximum with the least float it is, or of a minimum with the greatest: floats are taken to be finite."""
    if not operator.elementwise or len(expr.args) != 2:
        return None
    made = operator.instantiate(tuple(scalar_of(type_of(arg)) for arg in expr.args), scalar_of(expr.type))
    for at, arg in enumerate(expr.args):
        match arg:
            case Const(Fraction() as value, RealType(bits)) if float(abs(value)) == GREATEST.get(bits):
                wanted = Operator.MIN if value > 0 else Operator.MAX
                if isinstance(made.body, Apply) and made.body.op is wanted and set(made.body.args) == set(made.params):
                    return 1 - at
    return None


def has_value(expr: Expr) -> Expr | None:
    """That a quotient, root or logarithm has a value; None for other operations."""
    match expr:
        case Apply(Operator.DIV, (_, divisor)):
            return neg(equal(divisor, Const(Fraction(0), type_of(divisor))))
        case Call("sqrt", (arg,)):
            return at_most(Const(Fraction(0), type_of(arg)), arg)
        case Call("log" | "log2" | "log10", (arg,)):
            return less(Const(Fraction(0), type_of(arg)), arg)
        case _:
            return None


def domain(tree: ast.expr) -> Domain | None:
    """That of the operation at the root; None where it is known to have a value. Shifts have `count_test`."""
    match tree:
        case ast.BinOp(_, ast.Div(), right):
            return Domain("{divisor} != 0", {"divisor": right}, dotted("math", "nan"))
        case ast.BinOp(_, ast.FloorDiv() | ast.Mod(), right):
            return Domain("{divisor} != 0", {"divisor": right}, constant(0))
        case ast.BinOp(left, ast.Pow(), right):
            return _of_function("pow", [left, right])
        case ast.Call(ast.Attribute(ast.Name("math"), called), args):
            return _of_function(called, args)
        case _:
            return None


def _of_function(called: str, args: Sequence[ast.expr]) -> Domain | None:
    function = FUNCTIONS.get(called)
    if called not in _RAISING or function is None or function.within is None:
        return None
    literals = [_literal(arg) for arg in args]
    if all(each is not None for each in literals) and function.within(*literals):
        return None
    operands = dict(zip("xy", args, strict=False))
    condition = _where_power(operands["x"], operands["y"]) if called == "pow" else function.domain
    if not condition or (condition == "x >= 0" and _is_natural(args[0])):
        return None
    names = {"x": "{base}", "y": "{exponent}"} if called == "pow" else {"x": "{operand}", "y": "{divisor}"}
    spelled = "".join(names.get(each, each) for each in condition)
    needed = {names[each][1:-1]: tree for each, tree in operands.items() if each in condition}
    return Domain(spelled, needed, dotted("math", "nan"))


def _where_power(base: ast.expr, exponent: ast.expr) -> str:
    """Where a power has a value; empty for everywhere."""
    known, least = _literal(exponent), _literal(base)
    if least is not None and least > 0:
        return ""
    if known is None:
        return "x > 0 or x == 0 <= y or y % 1 == 0 != x"
    if known == int(known):
        return "x != 0" if known < 0 else ""
    return "x > 0" if known < 0 else "x >= 0"


def _literal(tree: ast.expr) -> float | None:
    match tree:
        case ast.Constant(int() | float() as value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
        case _:
            return None


def _is_natural(tree: ast.expr) -> bool:
    """Whether a number is at least 0 by its form: squares, absolute values, sums and products of such."""
    match tree:
        case ast.Constant(int() | float() as value):
            return value >= 0
        case ast.BinOp(ast.Name(left), ast.Mult(), ast.Name(right)) if left == right:
            return True
        case ast.BinOp(left, ast.Add() | ast.Mult(), right):
            return _is_natural(left) and _is_natural(right)
        case ast.Call(ast.Name("abs")) | ast.Call(ast.Attribute(ast.Name("math"), "sqrt" | "exp")):
            return True
        case _:
            return False


def with_operands(tree: ast.expr, old: Sequence[ast.expr], new: Sequence[ast.expr]) -> ast.expr:
    """The operation at the root on others of its operands."""

    def operand(each: ast.expr) -> ast.expr:
        return next((other for one, other in zip(old, new, strict=True) if one is each), each)

    match tree:
        case ast.BinOp(left, op, right):
            return ast.BinOp(operand(left), op, operand(right))
        case ast.Call(function, args, keywords):
            return ast.Call(function, [operand(arg) for arg in args], keywords)
        case _:
            return tree


def may_be_nan(tree: ast.expr) -> bool:
    """Whether an operation in it has a value that stands for none."""
    return any(isinstance(part, ast.Attribute) and part.attr == "nan" for part in ast.walk(tree))


def count_test(count: ast.expr, *, machine: bool) -> ast.expr:
    """Whether an integer can be shifted by the count; `machine`: whether the count is one of the source's machine integers."""
    if machine:
        return ast.Compare(constant(0), [ast.LtE(), ast.Lt()], [count, constant(_WIDEST)])
    return ast.Compare(count, [ast.GtE()], [constant(0)])


def tested_count(test: ast.expr) -> ast.expr | None:
    """The count that a `count_test` is about."""
    match test:
        case ast.Compare(ast.Constant(0), [ast.LtE(), ast.Lt()], [count, ast.Constant(most)]) if most == _WIDEST:
            return count
        case ast.Compare(count, [ast.GtE()], [ast.Constant(0)]):
            return count
        case _:
            return None


def is_short(type_: object) -> bool:
    """Whether numbers of the type are no counts that shifts to the left cannot take, as long as they are not negative."""
    return not isinstance(type_, MachineInt) or type_.bits <= _SHORT


_PASSED_ON = frozenset({Operator.ADD, Operator.SUB, Operator.NEG})


def decisive(result: Expr, operator: Callable[[Expr], Operator | None]) -> frozenset[Expr]:
    """The parts of a result that it always hangs on: where one of them has no value, neither has the result.

    The source computes the same result, and so it computes them on every run. What occurs twice might cancel itself.
    `operator` says which operator of the language a node applies.
    """
    times = Counter(subexpressions(result))
    return frozenset(part for part in _decisive(result, operator) if times[part] == 1)


def _decisive(result: Expr, operator: Callable[[Expr], Operator | None]) -> Iterator[Expr]:
    yield result
    op = operator(result)
    scaled = op is Operator.MUL and any(isinstance(part, Const) and part.value != 0 for part in _operands(result))
    if isinstance(result, MakeTuple | Cast) or op in _PASSED_ON or scaled or (isinstance(result, Call) and len(result.args) == 1):
        for part in _operands(result):
            yield from _decisive(part, operator)


def _operands(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case MakeTuple(items):
            return items
        case Cast(arg, _):
            return (arg,)
        case Apply(_, args) | Call(_, args, _):
            return args
        case _:
            return ()

"""Small functions of scalars, on which operators that take functions are tried."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Apply, Const, Expr, Ite, Operator, Var
from metalift.ir.expr.types import BOOL, FunctionType, RealType, ScalarType
from metalift.ir.interp.interpret import Value, evaluate

LITERALS = (0, 1, 2, 3)
BOUNDS = (1, 2)  # of small values, some are below these and some are not


@dataclass(frozen=True)
class Function:
    """A function as a term over its parameters, and as a Python lambda."""

    params: tuple[Var, ...]
    body: Expr
    text: str

    def __call__(self, *args: Value) -> Value:
        """Its value in the interpreter."""
        return evaluate(self.body, {param.name: arg for param, arg in zip(self.params, args, strict=True)})

    def __str__(self) -> str:
        return self.text


def function(type_: FunctionType, chosen: random.Random) -> Function:
    """A function of that type."""
    params = tuple(Var(f"p{position}", param) for position, param in enumerate(type_.params))
    literal = chosen.choice(LITERALS)
    body, text = chosen.choice(list(_bodies(params, type_.result, literal, chosen.choice(BOUNDS))))
    return Function(params, body, f"lambda {', '.join(param.name for param in params)}: {text}")


def _bodies(params: Sequence[Var], result: ScalarType, literal: int, bound: int) -> Iterator[tuple[Expr, str]]:
    """Terms of the result's type, with their texts."""
    tests = [_test(param, bound) for param in params]
    alike = [(left, right) for left, right in pairwise(params) if left.type == right.type != BOOL]
    tests += [(Apply(Operator.LT, (left, right)), f"{left.name} < {right.name}") for left, right in alike]
    if result == BOOL:
        yield from tests
        yield from ((neg(test), f"not ({text})") for test, text in tests)
        return
    number, shown = _literal(result, literal)
    for test, text in tests:
        yield Ite(test, number, _literal(result, 1)[0]), f"{shown} if {text} else {_literal(result, 1)[1]}"
    same = [param for param in params if param.type == result]
    for left in same:
        yield left, left.name
        yield Apply(Operator.ADD, (left, number)), f"{left.name} + {shown}"
        for right in same:
            yield Apply(Operator.MUL, (left, right)), f"{left.name} * {right.name}"
            yield Apply(Operator.SUB, (left, right)), f"{left.name} - {right.name}"


def _test(param: Var, literal: int) -> tuple[Expr, str]:
    if param.type == BOOL:
        return param, param.name
    assert isinstance(param.type, ScalarType)
    number, shown = _literal(param.type, literal)
    return Apply(Operator.LT, (param, number)), f"{param.name} < {shown}"


def _literal(type_: ScalarType, value: int) -> tuple[Const, str]:
    if type_ == BOOL:
        return Const(value > 0, BOOL), str(value > 0)
    if isinstance(type_, RealType):
        return Const(Fraction(value), type_), f"{value}.0"
    return Const(value, type_), str(value)

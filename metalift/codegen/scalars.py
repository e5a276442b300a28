"""Plain numbers in generated code: what the facts decide about them, and quotients that do not raise."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from metalift.codegen.facts import Facts
from metalift.codegen.templates import constant, dotted
from metalift.ir.nodes import Apply, Operator, type_of
from metalift.ir.polynomial import Polynomial
from metalift.ir.types import is_integer


@dataclass(frozen=True)
class Numbers:
    """`integers` says what the names of integer parameters in the text stand for; `keep` gives a tree a name."""

    facts: Facts
    keep: Callable[[str, ast.expr], ast.expr]
    integers: dict[str, Polynomial] = field(default_factory=dict)

    def decided(self, expr: Apply) -> int | None:
        """Which operand of a min or max of integers it is, where the facts say so."""
        if expr.op not in (Operator.MIN, Operator.MAX) or not is_integer(type_of(expr)):
            return None
        difference = Polynomial.of(expr.args[0]) - Polynomial.of(expr.args[1])
        greater = 0 if self.facts.never_negative(difference) else 1 if self.facts.never_negative(-difference) else None
        return greater if greater is None or expr.op is Operator.MAX else 1 - greater

    def without_zero_division(self, tree: ast.expr) -> ast.expr:
        """A quotient of plain numbers must not raise where the source goes on with an infinity that it does not use."""
        if not (isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div)) or self._is_nonzero(tree.right):
            return tree
        divisor = tree.right if isinstance(tree.right, ast.Name) else self.keep("divisor", tree.right)
        test = ast.Compare(left=divisor, ops=[ast.NotEq()], comparators=[constant(0)])
        return ast.IfExp(test=test, body=ast.BinOp(left=tree.left, op=ast.Div(), right=divisor), orelse=dotted("math", "nan"))

    def _is_nonzero(self, tree: ast.expr) -> bool:
        match tree:
            case ast.Constant(value=int() | float() as value):
                return value != 0
            case ast.Name(id=shown) if shown in self.integers:
                known = self.integers[shown]
                return self.facts.positive(known) or self.facts.positive(-known)
            case _:
                return False


def without_known_tests(tree: ast.expr) -> ast.expr:
    """The expression without tests for 0 of names that a condition around them says are not 0."""
    found = _decided(tree, frozenset())
    assert isinstance(found, ast.expr)
    return found


def _decided(part: object, nonzero: frozenset[str]) -> Any:  # noqa: ANN401 (what the part is)
    """A part of a tree made anew: it may also stand elsewhere, under other conditions."""
    match part:
        case ast.IfExp(test, body, orelse):
            name, op = _compared_with_zero(test)
            if name in nonzero and isinstance(op, ast.NotEq):
                return _decided(body, nonzero)
            then = nonzero | {name} if isinstance(op, ast.NotEq | ast.Lt | ast.Gt) else nonzero
            other = nonzero | {name} if isinstance(op, ast.Eq | ast.LtE | ast.GtE) else nonzero
            return ast.IfExp(_decided(test, nonzero), _decided(body, then), _decided(orelse, other))
        case ast.Lambda() | ast.ListComp() | ast.GeneratorExp():
            return part  # it may bind the name
        case ast.AST():
            return type(part)(**{called: _decided(each, nonzero) for called, each in ast.iter_fields(part)})
        case list():
            return [_decided(each, nonzero) for each in part]
        case _:
            return part


def _compared_with_zero(test: ast.expr) -> tuple[str, ast.cmpop | None]:
    """The name that is compared with 0, and how; none for other conditions."""
    match test:
        case ast.Compare(ast.Name(name), [op], [ast.Constant(0)]) | ast.Compare(ast.Constant(0), [op], [ast.Name(name)]):
            return name, op
        case _:
            return "", None

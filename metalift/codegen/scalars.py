"""Plain numbers in generated code: what the facts decide about them, and quotients that do not raise."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

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

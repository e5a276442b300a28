"""Folds over a small constant number of elements as their steps: their definition, so often applied."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Expr, Fold, Var, integer
from metalift.ir.expr.walk import children, substitute, transform

SHORT = 4  # steps of one fold


def with_steps(hypotheses: Sequence[Expr], goal: Expr) -> tuple[list[Expr], Expr]:
    """The formulas with short folds written out."""
    return [steps_written(each) for each in hypotheses], steps_written(goal)


@lru_cache(maxsize=1 << 12)
def steps_written(expr: Expr) -> Expr:
    """The expression with short folds written out, those within others first; a step that uses what was before more than once
    stays one, for it would grow with each.
    """
    return transform(_written, expr)


def _written(expr: Expr) -> Expr:
    match expr:
        case Fold(extent, value, acc, index, body) if _uses(body, acc) <= 1:
            steps = Polynomial.of(extent).constant_value
            if steps is None or steps > SHORT:
                return expr
            for step in range(steps):
                value = substitute(body, {acc: value, index: integer(step)})
            return value
        case _:
            return expr


def _uses(expr: Expr, var: Var) -> int:
    """How often it uses a variable."""
    return 1 if expr == var else sum(_uses(child, var) for child in children(expr))

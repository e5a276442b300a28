"""What is known of an input before a run says how many elements its arrays have."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from metalift.ir.expr.nodes import Exists, Expr, Forall, Length, Select, Var
from metalift.ir.expr.ranged import limits
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.context import enter
from metalift.ir.interp.interpret import EXACT, Array, LimitExceeded, SourceUndefined, Value, evaluate
from metalift.ir.interp.values import Cell, Memory, touched_of


def is_about_cells(formula: Expr) -> bool:
    """Whether a formula reads cells of arrays, no lengths, and all its quantifiers say over what they run."""
    parts = list(subexpressions(formula))
    ranged = all(limits(part) is not None for part in parts if isinstance(part, Forall | Exists))
    return ranged and any(isinstance(part, Select) for part in parts) and not any(isinstance(part, Length) for part in parts)


def endless(var: Var, cells: Callable[[Cell], Value]) -> Array:
    """An array without ends, to be looked at."""
    assert isinstance(var.type, TensorType)
    element = var.type.element
    memory = Memory({}, None, lambda cell: enter(cells(cell), element, EXACT), recording=False)
    return Array(var.name, memory, touched=touched_of(var.type.rank))


def fails(formula: Expr, env: Mapping[str, Value], limit: int) -> bool:
    """Whether the formula is known not to hold, after so many steps at most."""
    try:
        return not evaluate(formula, env, limit=limit)
    except LimitExceeded:
        return False
    except SourceUndefined:
        return True

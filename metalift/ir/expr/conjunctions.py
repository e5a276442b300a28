"""Conjunctions over ranges, `all(... for ...)`, as conditions for all indices."""

from __future__ import annotations

from metalift.ir.expr.build import conj, forall, implies, in_range
from metalift.ir.expr.nodes import Apply, Const, Expr, Fold, Operator, Var
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import free_vars, fresh_var, names, substitute


def for_all(condition: Expr) -> Expr:
    """A condition with one "for all" in the place of conjunctions over ranges that are nested in each other."""
    binders: list[Var] = []
    ranges: list[Expr] = []
    while isinstance(condition, Fold):
        match condition:
            case Fold(extent, Const(True), acc, index, Apply(Operator.AND, (left, right))) if left == acc:
                if acc in free_vars(right):
                    break
                taken = (names(condition) - {index.name}) | {each.name for each in binders}
                binder = fresh_var(Var(index.name.partition("_")[0], INT), taken)
                binders.append(binder)
                ranges.append(in_range(binder, extent))
                condition = substitute(right, {index: binder})
            case _:
                break
    return forall(tuple(binders), implies(conj(*ranges), condition)) if binders else condition

"""A summary with intermediate arrays written out where they are read, and without choices that an outer choice has decided.

NumPy code guards a divisor in one array and chooses in another one; the source has one choice. Another proposal, no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from metalift.ir.expr.build import told
from metalift.ir.expr.nodes import FALSE, TRUE, Expr, Fold, Ite, Select, Update, Var
from metalift.ir.expr.walk import map_children, subexpressions, substitute, transform
from metalift.ir.program.summary import Binding, Summary
from metalift.ir.rewrite.simplify import simplify

SMALL = 400  # nodes of an element that is written out


def written_out(summary: Summary, arrays: frozenset[Var]) -> Summary:
    """The summary without those of its bindings that are one of the arrays, filled element by element without sums."""
    elements: dict[Var, Update] = {}

    def read(expr: Expr) -> Expr:
        match expr:
            case Select(Var() as version, indices) if version in elements:
                made = elements[version]
                return substitute(made.value, dict(zip(made.binders, indices, strict=True)))
            case _:
                return expr

    kept: list[Binding] = []
    for binding in summary.bindings:
        value = transform(read, binding.value)
        if isinstance(value, Update) and value.base in arrays and is_plain(value):
            elements[binding.var] = value
        else:
            kept.append(Binding(binding.var, decided(value, {})))
    outputs = tuple((name, decided(transform(read, term), {})) for name, term in summary.outputs)
    return replace(summary, bindings=tuple(kept), outputs=outputs)


def is_plain(update: Update) -> bool:
    """Whether each element is given at its own place, and is small."""
    parts = list(subexpressions(update.value))
    one_each = update.indices == update.binders and update.guard == TRUE
    return one_each and len(parts) <= SMALL and not any(isinstance(part, Fold) for part in parts)


def decided(expr: Expr, known: Mapping[Expr, bool]) -> Expr:
    """The expression where some conditions are known to hold or not to hold."""
    if expr in known:
        return TRUE if known[expr] else FALSE
    if not isinstance(expr, Ite):
        return map_children(lambda child: decided(child, known), expr)
    cond = simplify(decided(expr.cond, known))
    then = decided(expr.then, {**known, **told(cond, True)})
    other = decided(expr.other, {**known, **told(cond, False)})
    return simplify(Ite(cond, then, other))

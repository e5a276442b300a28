"""Which intermediates of a summary or a program stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from metalift.ir.expr.nodes import Expr, Update, Var
from metalift.ir.expr.types import ScalarType
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.program.summary import Binding, Let, Summary, Write


def with_scalars_inside(summary: Summary) -> Summary:
    """The summary with scalar intermediates in the terms that use them: an operator may compute several steps at once."""
    inside: dict[Var, Expr] = {}
    kept: list[Binding] = []
    for binding in summary.bindings:
        value = substitute(binding.value, inside)
        if isinstance(value, Update) or not isinstance(binding.var.type, ScalarType):
            kept.append(replace(binding, value=value))
        else:
            inside[binding.var] = value
    outputs = tuple((name, substitute(value, inside)) for name, value in summary.outputs)
    return replace(summary, bindings=tuple(kept), outputs=outputs)


def nodes_with_scalars_inside(summary: Summary) -> int:
    """How many nodes that has, which may be twice as many with each step: found without making them."""
    inside: dict[Var, int] = {}
    total = 0
    for binding in summary.bindings:
        nodes = _nodes(binding.value, inside)
        if isinstance(binding.value, Update) or not isinstance(binding.var.type, ScalarType):
            total += nodes
        else:
            inside[binding.var] = nodes
    return total + sum(_nodes(value, inside) for _, value in summary.outputs)


def _nodes(value: Expr, inside: Mapping[Var, int]) -> int:
    return sum(inside.get(part, 1) if isinstance(part, Var) else 1 for part in subexpressions(value))


def needed(lets: Sequence[Let], writes: Sequence[Write], result: Expr | None) -> tuple[Let, ...]:
    """The lets that something uses."""
    used = frozenset[Var]() if result is None else free_vars(result)
    for write in writes:
        used |= free_vars(write.value) | free_vars(write.window)
    kept: list[Let] = []
    for let in reversed(lets):
        if let.var in used:
            used |= free_vars(let.value)
            kept.insert(0, let)
    return tuple(kept)

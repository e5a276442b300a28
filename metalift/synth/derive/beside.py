"""Values that are kept beside the place where they were found: `if (x[i] > best) { best = x[i]; at = i; }`.

Where both start alike, `best` is `x[at]` in every iteration, so the place is an accumulator on its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Expr, Ite, Operator, Var
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import alpha_equal, free_vars
from metalift.ir.program.fragment import Assign
from metalift.synth.derive.cfg import Graph
from metalift.synth.derive.normal_terms import index, ite
from metalift.synth.derive.recurrences import Step, at_iteration, plain, reads_any
from metalift.synth.derive.symbolic import evaluate

AT = Var("place of the value", INT)
CHASED = 8  # definitions that are followed to see with what a loop is entered


@dataclass(frozen=True, slots=True)
class Beside:
    """The accumulator `value` is `element` for AT = `place`, another accumulator; names stand for what they are at entry."""

    value: Var
    place: Var
    element: Expr

    def at(self, place: Expr) -> Expr:
        """The value for this place."""
        return evaluate(self.element, {AT: index(place).to_expr()}, plain)


def kept_beside(
    steps: tuple[Step, ...],
    counting: Mapping[Var, Expr],
    binder: Var,
    written: frozenset[Var],
    starts: Mapping[Var, Expr],
    pure: Mapping[Var, Expr],
) -> tuple[Beside, ...]:
    """The values that are kept beside a place, by the loop's steps and the arguments with which it is entered."""
    found: dict[Var, Beside] = {}
    others = [step for step in steps if step.arg not in counting]
    for place in others:
        match place.following:
            case Ite(cond, new, other) if other == place.arg and is_integer(place.arg.type) and place.arg not in free_vars(cond):
                when = _when(index(evaluate(new, at_iteration(counting, binder), plain)), binder)
            case _:
                continue
        for value in others if when is not None else ():
            taken = _taken(cond, value)
            if taken is None or value is place or value.arg in found or reads_any(taken, written):
                continue
            if not free_vars(taken).isdisjoint({step.arg for step in others}):
                continue
            assert when is not None
            element = evaluate(evaluate(taken, at_iteration(counting, binder), plain), {binder: when.to_expr()}, plain)
            beside = Beside(value.arg, place.arg, element)
            if _starts(beside, starts, pure):
                found[value.arg] = beside
    return tuple(found.values())


def _when(place: Polynomial, binder: Var) -> Polynomial | None:
    """The iteration that puts AT into a place accumulator, which is `place` in iteration `binder`."""
    parts = place.affine_in((binder,))
    slope = parts[0][binder].constant_value if parts is not None else None
    if parts is None or slope not in (1, -1):
        return None
    return (index(AT) - parts[1]) * slope


def _taken(cond: Expr, step: Step) -> Expr | None:
    """The new value of an accumulator that changes where the condition holds, and only there."""
    match step.following:
        case Ite(test, new, other) if test == cond and other == step.arg:
            return new
        case Apply(Operator.MIN | Operator.MAX, args) if step.arg in args:
            new = args[1] if args[0] == step.arg else args[0]
            chosen = ite(cond, new, step.arg)
            same = isinstance(chosen, Apply) and chosen.op is step.following.op and set(chosen.args) == set(args)
            return new if same else None
        case _:
            return None


def _starts(beside: Beside, starts: Mapping[Var, Expr], pure: Mapping[Var, Expr]) -> bool:
    """Whether the loop is entered with the value at the place."""
    if not {beside.value, beside.place} <= starts.keys():
        return False
    element = evaluate(beside.at(beside.place), {**pure, **starts}, plain)
    value = evaluate(starts[beside.value], pure, plain)
    return alpha_equal(evaluate(element, pure, plain), value)


def starts_of(graph: Graph, header: str) -> dict[Var, Expr]:
    """The arguments with which a loop is entered, as far as the values they are made of are written down; none where it is
    entered from several places.
    """
    inside = graph.loops[header].blocks
    entering = [p for p in graph.predecessors[header] if p not in inside]
    edges = [edge for label in entering for edge in graph.blocks[label].edges if edge.block == header]
    if len(edges) != 1:
        return {}
    assigned = [s for label in graph.order for s in graph.blocks[label].body if isinstance(s, Assign)]
    definitions: dict[Var, Expr] = {statement.target: statement.value for statement in assigned}
    starts: dict[Var, Expr] = {}
    for arg, value in zip(graph.blocks[header].args, edges[0].args, strict=True):
        for _ in range(CHASED):
            if free_vars(value).isdisjoint(definitions):
                break
            value = evaluate(value, definitions, plain)
        starts[arg] = value
    return starts

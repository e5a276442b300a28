"""Elements that a loop puts one behind the other where a condition holds: `if (c) out[k++] = v`, in whatever way it is spelled.

The place is an accumulator that grows by one in the iterations that write, and stays in the others. What the loop leaves is a
Filter, from the place where the accumulator started.
"""

from __future__ import annotations

from dataclasses import dataclass

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Const, Expr, Filter, Fold, Ite, Operator, Select, Var
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import free_vars
from metalift.synth.derive.effects import COUNT
from metalift.synth.derive.normal_terms import index
from metalift.synth.derive.state import Write


@dataclass(frozen=True, slots=True)
class Place:
    """Where an iteration writes: behind what earlier ones wrote from `start` on, whose number is `count` once that is known."""

    count: Fold | None
    start: Polynomial


def counting_place(at: Expr, binder: Var) -> Place | None:
    """The place of the next element in iteration `binder`, where the index is one."""
    value = index(at)
    moving = [atom for atom in value.atoms if binder in free_vars(atom)]
    if len(moving) != 1 or value.degree(moving[0]) != 1 or value.coefficient(moving[0]) != Polynomial.constant(1):
        return None
    (count,) = moving
    if not isinstance(count, Fold) or not counts_up(count) or count.extent != binder or binder in free_vars(count.init):
        return None
    return Place(count, value - index(count) + index(count.init))


def counts_up(fold: Fold) -> bool:
    """Whether each step adds one or nothing."""
    match fold.body:
        case Apply(Operator.ADD, (left, Ite(_, Const() as then, Const() as other))) if left == fold.acc:
            return {then.value, other.value} == {0, 1}
        case _:
            return False


def compacted(place: Place, done: Write, binder: Var) -> Write:
    """What all iterations leave; `done` is what iteration `binder` writes."""
    assert place.count is not None, "arrays are closed once all accumulators are"
    kept = Filter(COUNT, binder, done.guard, done.value)
    after = Fold(COUNT, place.count.init, place.count.acc, place.count.index, place.count.body)
    number = (index(after) - index(after.init)).to_expr()
    binder = Var(binder.name, INT)
    at = (place.start + index(binder)).to_expr()
    return Write((binder,), (number,), (at,), Select(kept, (binder,)))


def most(value: Polynomial) -> Polynomial:
    """An index with the number of elements kept so far as the number of iterations so far: never less."""
    bounds: dict[Expr, Polynomial] = {}
    for atom in value.atoms:
        counting = isinstance(atom, Fold) and is_integer(atom.acc.type) and counts_up(atom)
        if isinstance(atom, Fold) and counting and value.coefficient(atom).constant_value == 1:
            bounds[atom] = index(atom.init) + index(atom.extent)
    return value.substitute(bounds) if bounds else value

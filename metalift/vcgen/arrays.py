"""What it means that an array holds the result of an Update: written cells, and the frame around them.

For a tower of Updates (layers) over a base array, the array X satisfies
- for each layer: for all its binders in range, X[e] is the value, or a later layer writes that cell;
- frame: for each cell p, X[p] is the base's, or some layer writes p.
The same formulas are goals and hypotheses. They say more than an Update does when two bindings of a layer write one cell
with different values; then they cannot be proved, and where they define a name, `distinct_cells` has to be proved too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metalift.ir.expr.build import conj, disj, equal, exists, forall, implies, in_range
from metalift.ir.expr.nodes import TRUE, Expr, Select, Update, Var
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import substitute


@dataclass(frozen=True, slots=True)
class Layer:
    """One Update without its base."""

    binders: tuple[Var, ...]
    domain: Expr
    indices: tuple[Expr, ...]
    value: Expr

    def renamed(self, suffix: str) -> Layer:
        """The same layer with other binders."""
        fresh = tuple(Var(f"{b.name}{suffix}", b.type) for b in self.binders)
        mapping: dict[Var, Expr] = dict(zip(self.binders, fresh, strict=True))
        return Layer(
            fresh,
            substitute(self.domain, mapping),
            tuple(substitute(index, mapping) for index in self.indices),
            substitute(self.value, mapping),
        )

    def writes(self, cell: tuple[Expr, ...], suffix: str) -> Expr:
        """Some binding writes the cell."""
        layer = self.renamed(suffix)
        same = [equal(index, at) for index, at in zip(layer.indices, cell, strict=True)]
        return exists(layer.binders, conj(layer.domain, *same))


def layers(term: Expr) -> tuple[Expr, tuple[Layer, ...]]:
    """The base of a tower of Updates and its layers, the first written first."""
    found: list[Layer] = []
    while isinstance(term, Update):
        ranges = [in_range(b, extent) for b, extent in zip(term.binders, term.extents, strict=True)]
        found.append(Layer(term.binders, conj(*ranges, term.guard), term.indices, term.value))
        term = term.base
    return term, tuple(reversed(found))


Read = Callable[[tuple[Expr, ...]], Expr]


def written_facts(read: Read, tower: tuple[Layer, ...]) -> list[Expr]:
    """For each layer: its cells hold its values unless a later layer writes them."""
    facts = []
    for position, layer in enumerate(tower):
        own = layer.renamed("!w")
        later = [other.writes(own.indices, f"!l{k}") for k, other in enumerate(tower[position + 1 :])]
        holds = disj(equal(read(own.indices), own.value), *later)
        facts.append(forall(own.binders, implies(own.domain, holds)))
    return facts


def frame_fact(read: Read, base: Expr, tower: tuple[Layer, ...], rank: int) -> Expr:
    """Each cell is the base's or is written by a layer."""
    cell = tuple(Var(f"p{axis}!f", INT) for axis in range(rank))
    hits = [layer.writes(cell, f"!h{k}") for k, layer in enumerate(tower)]
    return forall(cell, disj(equal(read(cell), Select(base, cell)), *hits))


def distinct_cells(layer: Layer) -> Expr:
    """No two bindings of the layer write one cell."""
    if not layer.binders:
        return TRUE
    one, two = layer.renamed("!1"), layer.renamed("!2")
    same_cell = conj(*(equal(a, b) for a, b in zip(one.indices, two.indices, strict=True)))
    same_binding = conj(*(equal(a, b) for a, b in zip(one.binders, two.binders, strict=True)))
    return forall((*one.binders, *two.binders), implies(conj(one.domain, two.domain, same_cell), same_binding))

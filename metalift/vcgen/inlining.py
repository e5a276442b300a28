"""Elements of intermediate arrays as what they are, computed where they are read.

Each formula holds where the one does from which it was made: an element is replaced only where its cell is among those that the
array was filled at, by what is known at that place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType

from metalift.ir.expr.build import conjuncts, in_range, neg, told
from metalift.ir.expr.nodes import TRUE, Apply, Expr, Fold, Ite, Operator, Select, Var
from metalift.ir.expr.walk import free_names, rebuild, replaced, scoped_children, substitute
from metalift.vcgen.arrays import Layer

Known = Mapping[Expr, bool]
NOTHING: Known = MappingProxyType({})
_NO_NAMES: frozenset[str] = frozenset()
MOST = 200  # elements that are written out for one obligation


@dataclass(frozen=True, slots=True)
class Inlining:
    """`filled` has arrays by name with what they are filled with; a length in `same` is the one that it has there."""

    filled: Mapping[str, Layer]
    same: Mapping[Expr, Expr]
    made: count[int] = field(default_factory=count)  # elements so far

    def of(self, term: Expr, known: Known = NOTHING, bound: frozenset[str] = _NO_NAMES) -> Expr:
        """The term, where the conditions that are `known` hold or do not; `bound` are the names of the binders around it."""
        match term:
            case _ if term in self.same:
                return self.same[term]
            case Select(Var(name), cell) if name in self.filled:
                cell = tuple(self.of(index, known, bound) for index in cell)
                value = self.element(self.filled[name], cell, known, bound)
                return Select(term.tensor, cell) if value is None else self.of(value, known, bound)
            case Apply(Operator.OR, parts):
                made = list(parts)
                for place, part in enumerate(parts):  # each where none of the others holds, as they are by now
                    others = [told(self.alike(other), False) for at, other in enumerate(made) if at != place]
                    made[place] = self.of(part, {**known, **{cond: way for each in others for cond, way in each.items()}}, bound)
                return Apply(Operator.OR, tuple(made))
            case Ite(cond, then, other):
                then, other = (
                    self.of(arm, {**known, **told(self.alike(cond), way)}, bound) for arm, way in ((then, True), (other, False))
                )
                return Ite(self.of(cond, known, bound), then, other)
            case _:
                return self.inside(term, known, bound)

    def inside(self, term: Expr, known: Known, bound: frozenset[str]) -> Expr:
        """A term of any other kind: the index of a fold is below its extent."""
        ranges: dict[Expr, bool] = {}
        if isinstance(term, Fold) and term.index.name not in free_names(term.extent):
            ranges = dict.fromkeys(conjuncts(in_range(term.index, self.alike(term.extent))), True)
        made = []
        for child, binders in scoped_children(term):
            names = frozenset(binder.name for binder in binders)
            kept = {cond: way for cond, way in known.items() if names.isdisjoint(free_names(cond))}
            made.append(self.of(child, {**kept, **ranges} if names else known, bound | names))
        return rebuild(term, tuple(made))

    def element(self, layer: Layer, cell: tuple[Expr, ...], known: Known, bound: frozenset[str]) -> Expr | None:
        """What an array was filled with at a cell; None where that is not certain, or where names mean something else here."""
        if next(self.made) >= MOST:
            return None
        own = {binder.name for binder in layer.binders}
        if not (free_names(layer.value) | free_names(layer.domain)).difference(own).isdisjoint(bound):
            return None
        there: dict[Var, Expr] = dict(zip(layer.binders, cell, strict=True))
        if not all(holds(self.alike(substitute(part, there)), known) for part in conjuncts(layer.domain)):
            return None
        return substitute(layer.value, there)

    def alike(self, term: Expr) -> Expr:
        """With one length for all that are the same."""
        return replaced(term, self.same)


def holds(cond: Expr, known: Known) -> bool:
    """Whether a condition is among what is known."""
    return cond == TRUE or known.get(cond) is True or known.get(neg(cond)) is False

"""Loops over tiles: an outer loop over their starts and an inner one over the elements of a tile, taken as one over all elements.

The tile number t has the elements from T*t up to T*t + T, or up to N where that is less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Expr, Fold, Operator, Var
from metalift.ir.expr.walk import free_vars
from metalift.synth.derive.normal_terms import exact, index
from metalift.synth.derive.recurrences import fold, plain
from metalift.synth.derive.state import Write
from metalift.synth.derive.symbolic import evaluate


@dataclass(frozen=True, slots=True)
class Tiles:
    """Tiles of `size` elements; of all together there are no more than `total`, where that is said."""

    size: int
    total: Polynomial | None

    def elements(self, tiles: Expr) -> Expr:
        """How many elements so many tiles have."""
        whole = index(tiles) * self.size
        return whole.to_expr() if self.total is None else exact(Apply(Operator.MIN, (self.total.to_expr(), whole.to_expr())))

    def flat(self, term: Expr, tile: Var, element: Var) -> Expr | None:
        """The term with `element` counted from the first tile on; None if it depends on the tile otherwise."""
        start = index(tile) * self.size
        moved = evaluate(term, {element: (index(element) - start).to_expr()}, plain)
        return None if tile in free_vars(moved) else moved


def tiles(extent: Expr, tile: Var) -> Tiles | None:
    """The tiles of which number `tile` has so many elements: a number, or min(T, N - T*tile) in whatever form."""
    value = index(extent)
    if (size := value.constant_value) is not None:
        return Tiles(size, None) if size > 1 else None
    for atom in value.atoms:
        match atom:
            case Apply(Operator.MIN, args) if value.coefficient(atom) == Polynomial.constant(1):
                rest = value - index(atom)
                sizes = [index(arg) + rest for arg in args]
            case _:
                continue
        for whole, left in (sizes, sizes[::-1]):
            size = whole.constant_value
            total = left + index(tile) * (size or 0)
            if size is not None and size > 0 and tile not in total.free_vars:
                return Tiles(size, total)
    return None


def untiled_fold(term: Expr) -> Expr:
    """One fold over all elements for a fold over tiles of folds over their elements."""
    match term:
        case Fold(count, init, outer, tile, Fold(extent, start, acc, element, body)) if start == outer:
            found = tiles(extent, tile)
            step = found.flat(body, tile, element) if found is not None and outer not in free_vars(body) else None
            return term if found is None or step is None else fold(found.elements(count), init, acc, element, step)
        case _:
            return term


def untiled_write(write: Write) -> Write:
    """One binder for that of a loop over tiles, the first, and that of a loop over their elements."""
    for place in range(1, len(write.binders)):
        found = tiles(write.extents[place], write.binders[0])
        flat = _flat(write, found, place) if found is not None else None
        if flat is not None:
            return flat
    return write


def _flat(write: Write, found: Tiles, place: int) -> Write | None:
    """The write over all elements, where it depends on the tile by the place of the element only."""
    tile, element = write.binders[0], write.binders[place]
    others = [*write.extents[1:place], *write.extents[place + 1 :]]
    parts = [found.flat(part, tile, element) for part in (*others, *write.at, write.value, write.guard)]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or any(element in free_vars(part) for part in others):
        return None
    *rest, value, guard = known
    extents, at = rest[: len(others)], rest[len(others) :]
    extents.insert(place - 1, found.elements(write.extents[0]))
    return replace(write, binders=write.binders[1:], extents=tuple(extents), at=tuple(map(exact, at)), value=value, guard=guard)

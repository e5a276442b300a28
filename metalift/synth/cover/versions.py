"""From versions of arrays to storage: each version in terms of entry contents and named tensors, and the writes at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conj
from metalift.ir.expr.nodes import TRUE, Build, Const, Expr, Filter, Fold, Ite, MakeTuple, Select, Update, Var
from metalift.ir.expr.walk import alpha_equal, free_vars, rebuild, scoped_children, substitute
from metalift.ir.program.summary import Summary
from metalift.synth.cover.inside_windows import Ranges, condition_within, solve_indices, within
from metalift.synth.cover.normal import normal
from metalift.synth.cover.normal_operators import negated
from metalift.synth.cover.windows import narrowed

IN_PART = "a loop reads an array that an earlier loop wrote in part, or in another order"


class Unresolved(Exception):
    """A read of an array version, or an update, that has no form as a tensor; `term` is what it is about."""

    def __init__(self, message: str, term: Expr) -> None:
        super().__init__(message)
        self.term = term


@dataclass(frozen=True, slots=True)
class Layer:
    """The cells that one update writes, as a tensor over its binders; `name` is the variable that holds it, if one does."""

    binders: tuple[Var, ...]
    extents: tuple[Expr, ...]
    indices: tuple[Expr, ...]
    value: Expr
    name: Var | None = None

    def at(self, cell: tuple[Expr, ...]) -> Expr:
        """The value written for these values of the binders."""
        if self.name is not None:
            return Select(self.name, cell) if cell else self.name
        return substitute(self.value, dict(zip(self.binders, cell, strict=True)))

    def covers(self, other: Layer) -> bool:
        """Whether it writes exactly the same cells."""
        mine, theirs = (Build(each.extents, each.binders, MakeTuple(each.indices)) for each in (self, other))
        return len(self.indices) == len(other.indices) and alpha_equal(mine, theirs)


@dataclass(frozen=True, slots=True)
class Contents:
    """An array as its entry contents under layers, the latest last."""

    root: Var
    layers: tuple[Layer, ...] = ()

    def final(self) -> tuple[Layer, ...]:
        """The layers that are not overwritten by a later one as a whole."""
        return tuple(
            layer for at, layer in enumerate(self.layers) if not any(later.covers(layer) for later in self.layers[at + 1 :])
        )


@dataclass
class Versions:
    """The versions of arrays bound so far. `parts`: elements may be of one of two versions, as a condition says."""

    parts: bool = False
    contents: dict[Var, Contents] = field(default_factory=dict)

    def of(self, array: Expr) -> Contents:
        """The contents of an array, a version, or an update that is written out."""
        if isinstance(array, Update):
            return self.updated(array, None)
        if not isinstance(array, Var):
            raise Unresolved("an array is given by something else than a version", array)
        return self.contents.get(array, Contents(array))

    def layer(self, update: Update) -> Layer:
        """The window of an update, in terms of entry contents and named tensors."""
        ranges: dict[Var, Expr] = {}
        for binder, extent in zip(update.binders, update.extents, strict=True):
            if not free_vars(extent).isdisjoint(ranges):
                raise Unresolved("the range of an inner loop depends on an outer counter", update)
            ranges[binder] = extent
        extents = tuple(self.resolve(extent, {}) for extent in update.extents)
        indices = tuple(self.resolve(index, ranges) for index in update.indices)
        for index in indices:
            affine = Polynomial.of(index).affine_in(update.binders)
            if affine is None:
                raise Unresolved("a written index is not affine in the loop counters", update)
        if any(all(binder not in free_vars(index) for index in indices) for binder in update.binders):
            raise Unresolved("a loop writes one cell again and again", update)
        value = self.resolve(update.value, ranges)
        if update.guard != TRUE:
            old = self.resolve(Select(update.base, update.indices), ranges)
            value = Ite(self.resolve(update.guard, ranges), value, old)
        return Layer(update.binders, extents, indices, value)

    def updated(self, update: Update, layer: Layer | None) -> Contents:
        """The contents after an update."""
        below = self.of(update.base)
        return Contents(below.root, (*below.layers, layer or self.layer(update)))

    def resolve(self, expr: Expr, ranges: Ranges) -> Expr:
        """The expression with reads of versions replaced by reads of entry contents and named tensors."""
        if isinstance(expr, Select):
            indices = tuple(self.resolve(index, ranges) for index in expr.indices)
            if isinstance(expr.tensor, Var | Update):
                return self.read(expr, self.of(expr.tensor), indices, ranges)
            return Select(self.resolve(expr.tensor, ranges), indices)
        if isinstance(expr, Ite):
            cond = self.resolve(expr.cond, ranges)
            then = self.resolve(expr.then, narrowed(ranges, cond))
            return Ite(cond, then, self.resolve(expr.other, narrowed(ranges, negated(normal(cond)))))
        parts = [self.resolve(child, {**ranges, **self._ranges(expr, scope)}) for child, scope in scoped_children(expr)]
        return rebuild(expr, tuple(parts)) if parts else expr

    def _ranges(self, expr: Expr, scope: tuple[Var, ...]) -> dict[Var, Expr]:
        if not scope:
            return {}
        if isinstance(expr, Fold | Filter):
            return {expr.index: expr.extent}
        if isinstance(expr, Build | Update):
            known = dict(zip(expr.binders, expr.extents, strict=True))
            return {binder: known[binder] for binder in scope}
        return {}

    def read(self, term: Expr, contents: Contents, indices: tuple[Expr, ...], ranges: Ranges) -> Expr:
        """An element of an array: where it is not known whether the last layer has it, by a choice."""
        if not contents.layers:
            return Select(contents.root, indices)
        *below, layer = contents.layers
        cell = solve_indices(layer.binders, layer.indices, indices, ranges)
        if cell is None:
            raise Unresolved(IN_PART, term)
        places = list(zip(cell, layer.extents, strict=True))
        found = [within(at, extent, ranges) for at, extent in places]
        earlier = Contents(contents.root, tuple(below))
        if any(each is False for each in found):
            return self.read(term, earlier, indices, ranges)
        value = layer.at(tuple(each.to_expr() for each in cell))
        if all(found):
            return value
        if not self.parts:
            raise Unresolved(IN_PART, term)
        inside = conj(*(condition_within(at, extent, ranges) for at, extent in places))
        return Ite(inside, value, self.read(term, earlier, indices, ranges))


def reads(summary: Summary, *, whole: bool = False) -> Mapping[Var, int]:
    """How often each array version is read; a read inside a fold counts twice, as it is made many times, unless it is `whole`."""
    counts: dict[Var, int] = {}
    for expr in (*(binding.value for binding in summary.bindings), *(value for _, value in summary.outputs)):
        for tensor, inside in _selected(expr, False):
            counts[tensor] = counts.get(tensor, 0) + (2 if inside and not whole else 1)
    return counts


def _selected(expr: Expr, inside: bool) -> Iterator[tuple[Var, bool]]:
    if isinstance(expr, Select) and isinstance(expr.tensor, Var):
        yield expr.tensor, inside
    if isinstance(expr, Update) and isinstance(expr.base, Var) and expr.guard != TRUE:
        yield expr.base, inside
    for child, scope in scoped_children(expr):
        yield from _selected(child, inside or (isinstance(expr, Fold | Filter) and bool(scope)))


def is_cheap(layer: Layer) -> bool:
    """Whether the value is a number or a copy, so that naming it gains nothing."""
    return isinstance(layer.value, Const | Var) or (isinstance(layer.value, Select) and isinstance(layer.value.tensor, Var))

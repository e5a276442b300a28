"""Which statement stores an element of an output, in which iteration and at which place: found from the indices of stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, less, neg, plus
from metalift.ir.expr.nodes import Apply, Expr, Operator, Var, integer
from metalift.ir.expr.walk import free_vars
from metalift.ir.program.kernel import COLUMN, ROW, Allocate, Divided, Kernel, Load, Loop, Statement, Store, Tile, When


@dataclass(frozen=True, slots=True)
class Copied:
    """A load or a store with the conditions and the counters of the loops that it stands in."""

    copy: Load | Store
    holds: tuple[Expr, ...]
    counters: tuple[Var, ...]
    tile: Tile

    def steps(self, axis: int) -> tuple[dict[Var, Polynomial], Polynomial] | None:
        """By how much an index grows with each variable that it has, and where it begins."""
        variables = (*self.counters, *((ROW,) if self.tile.rows != integer(1) else ()),
                     *((COLUMN,) if self.tile.columns != integer(1) else ()))  # fmt: skip
        affine = Polynomial.of(self.copy.index[axis]).affine_in(variables)
        return None if affine is None else ({var: step for var, step in affine[0].items() if step.terms}, affine[1])


def placed(kernel: Kernel, groups: frozenset[Expr] = frozenset()) -> Kernel:
    """The kernel with what its stores own, and the inverses of their indices, as far as they are found.

    `groups` are sizes of groups of elements in the program.
    """
    copies = list(_copies(kernel.body, (), (), {}))
    stores = [each for each in copies if isinstance(each.copy, Store)]
    return replace(kernel, body=_with(kernel.body, iter([_inverted(each, kernel, stores, groups) for each in copies])))


def _copies(
    body: Sequence[Statement], holds: tuple[Expr, ...], counters: tuple[Var, ...], tiles: dict[str, Tile]
) -> Iterator[Copied]:
    """All loads and stores, in their order."""
    for each in body:
        match each:
            case Allocate(tile):
                tiles[tile.name] = tile
            case Load() | Store():
                yield Copied(each, holds, counters, tiles[each.tile])
            case Loop(var, _, inner):
                yield from _copies(inner, holds, (*counters, var), dict(tiles))
            case When(cond, inner):
                yield from _copies(inner, (*holds, cond), counters, dict(tiles))
            case _:
                pass


def _with(
    body: tuple[Statement, ...], changed: Iterator[tuple[Load | Store, tuple[Divided, ...]]]
) -> tuple[Statement, ...]:
    """The statements with other ones for loads and stores; facts about quotients stand at the beginning of their block."""
    made: list[Statement] = []
    facts: list[Statement] = []
    for each in body:
        match each:
            case Load() | Store():
                copy, more = next(changed)
                made.append(copy)
                facts += more
            case Loop() | When():
                made.append(replace(each, body=_with(each.body, changed)))
            case _:
                made.append(each)
    return (*dict.fromkeys(facts), *made)


def _inverted(
    copied: Copied, kernel: Kernel, stores: Sequence[Copied], groups: frozenset[Expr]
) -> tuple[Load | Store, tuple[Divided, ...]]:
    """A store with what it owns and its inverse; and facts about quotients that proofs about a load or store need."""
    found = [copied.steps(axis) for axis in range(len(copied.copy.index))]
    own = {size.var for size in kernel.sizes}
    facts: tuple[Divided, ...] = ()
    index = list(copied.copy.index)
    for axis, taken in ((axis, taken) for axis, taken in enumerate(found) if taken is not None):
        for each in _divided(copied, axis, *taken, groups):
            # of loads, places are in their groups where sizes are the kernel's own, or those of groups
            if isinstance(copied.copy, Store) or free_vars(each.size) <= own or each.size in groups:
                facts = (*facts, each)
                index[axis] = plus(Apply(Operator.MUL, (each.size, each.number)), each.rest)  # as facts speak of it
    store = replace(copied.copy, index=tuple(index))
    if not isinstance(store, Store):
        return store, facts
    inverse: dict[Var, Expr] = {}
    owns = [each for each in copied.holds if any(neg(each) in other.holds for other in stores)]
    beside = [other for other in stores if isinstance(other.copy, Store) and other.copy.output == store.output
              and not any(neg(each) in other.holds for each in copied.holds)]  # fmt: skip
    for axis, (place, one) in enumerate(zip(kernel.outputs[store.output].places, found, strict=True)):
        if one is not None:
            steps, start = one
            inverse |= _inverse((Polynomial.of(place) - start).to_expr(), steps)
            owns += _owned(place, start, [each for other in beside for each in _starts(other, axis)])
    return replace(store, inverse=tuple(inverse.items()), owns=conj(*owns)), facts


def _starts(copied: Copied, axis: int) -> list[Polynomial]:
    """Where the indices of a store begin along an axis."""
    found = copied.steps(axis)
    return [] if found is None else [found[1]]


def _owned(place: Var, start: Polynomial, starts: Sequence[Polynomial]) -> Iterator[Expr]:
    """From where a store begins to where the next one does, in the order of the text."""
    order = list(dict.fromkeys(starts))
    at = order.index(start)
    if start.terms:
        yield at_most(start.to_expr(), place)
    if at + 1 < len(order):
        yield less(place, order[at + 1].to_expr())


def _inverse(at: Expr, steps: dict[Var, Polynomial]) -> dict[Var, Expr]:
    """The variables of which a sum of their multiples is given: quotients and remainders by steps, the largest first.

    Steps that are numbers of one size are taken apart below a quotient by that size.
    """
    found: dict[Var, Expr] = {}
    classes: dict[Polynomial, dict[Var, int]] = {}
    for var, step in steps.items():
        content = step.content
        size = Polynomial(tuple((monomial, factor // content) for monomial, factor in step.terms))
        classes.setdefault(size, {})[var] = content
    sizes = sorted(classes, key=lambda each: max(len(monomial) for monomial, _ in each.terms), reverse=True)
    for position, size in enumerate(sizes):
        factors = classes[size]
        common = gcd(*factors.values())
        unit = (size * common).to_expr()
        last = position + 1 == len(sizes)
        value = at if unit == integer(1) else Apply(Operator.FDIV, (at, unit))
        at = at if last or unit == integer(1) else Apply(Operator.FMOD, (at, unit))
        ordered = sorted(factors, key=lambda var: factors[var], reverse=True)
        for var in ordered:
            factor = integer(factors[var] // common)
            found[var] = value if factor == integer(1) else Apply(Operator.FDIV, (value, factor))
            value = integer(0) if factor == integer(1) else Apply(Operator.FMOD, (value, factor))
    return found


def _divided(
    copied: Copied, axis: int, steps: dict[Var, Polynomial], start: Polynomial, groups: frozenset[Expr]
) -> Iterator[Divided]:
    """That the quotient and remainder of an index by a step that is no number, or by the size of a group, are what they are."""
    index = Polynomial.of(copied.copy.index[axis])
    named = [step for step in steps.values() if not step.is_constant]
    least = min(named, key=lambda step: (max(len(monomial) for monomial, _ in step.terms), step.content), default=None)
    sizes = [least] if least is not None and not start.terms else [Polynomial.of(each) for each in groups]
    for size in sizes:
        number, rest = index.divide(size)
        if number.terms:
            yield Divided(size.to_expr(), number.to_expr(), rest.to_expr(), copied.tile.rows, copied.tile.columns)

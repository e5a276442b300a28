"""Cells that a loop writes where its data say: histograms, `out[idx[i]] = v`.

The element at p is a fold over the iterations: those that write cell p do to it what they do, the others leave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from metalift.ir.arith.intervals import interval
from metalift.ir.expr.build import conj, forall, implies, in_range, less
from metalift.ir.expr.nodes import Apply, Const, Expr, Fold, Length, Operator, Select, Var, integer
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.expr.walk import free_vars, fresh_name, names, subexpressions, transform
from metalift.synth.derive.bounds import follows, implied
from metalift.synth.derive.effects import COUNT, Access, Effect
from metalift.synth.derive.normal_terms import both, compare, index, ite
from metalift.synth.derive.recurrences import fold
from metalift.synth.derive.state import Write

DIVISIONS = (Operator.TDIV, Operator.FDIV, Operator.TREM, Operator.FMOD)
LARGEST_TABLE = 1 << 16  # elements of an array that all indices of a type may reach


def scattered(array: Var, done: Sequence[Write], acc: Var, binder: Var, *, own: bool) -> Write:
    """What all iterations leave in the array; `done` is what iteration `binder` writes, and `acc` in it the cell before.

    `own` says that the array is a local one of the function.
    """
    assert isinstance(array.type, TensorType)
    parts = (part for write in done for part in (*write.at, write.value, write.guard))
    taken = {binder.name, acc.name, *(name for part in parts for name in names(part))}
    place: list[Var] = []
    for _ in range(array.type.rank):
        place.append(Var(fresh_name("p", {*taken, *(var.name for var in place)}), INT))
    step: Expr = acc
    for write in done:
        here = (compare(Operator.EQ, at, p) for at, p in zip(write.at, place, strict=True))
        step = ite(both(write.guard, *here), write.value, step)
    value = fold(COUNT, Select(array, tuple(place)), acc, binder, step)
    extents = tuple(_extent(array, axis, done, own=own) for axis in range(array.type.rank))
    return Write(tuple(place), extents, tuple(place), value)


def _extent(array: Var, axis: int, done: Sequence[Write], *, own: bool) -> Expr:
    """The part of an axis that may be written: as far as the types of the indices go, otherwise all of it."""
    limits = [limit(write.at[axis]) for write in done]
    known = [each for each in limits if each is not None]
    return integer(max(known)) if len(known) == len(limits) and not own else Length(array, axis)


def limit(at: Expr) -> int | None:
    """The number below which an index lies for its type's sake, as that of a byte does; None where that is no size of a table."""
    found = interval(at)
    return found.high + 1 if found.nonnegative and found.high is not None and found.high < LARGEST_TABLE else None


def data_in_range(
    accesses: Iterable[Access], params: frozenset[Var], sizes: Mapping[Expr, Expr], shaped: Mapping[str, tuple[Expr, ...]]
) -> tuple[Expr, ...]:
    """That indices which arrays hold are inside the arrays that they are used for, and those that come of a division by a number
    that is not known, except in `shaped` arrays, of which the elements are known that are used, and where the source tests that
    they are; `sizes` are the lengths of local ones.
    """
    found: dict[Expr, None] = {}
    for access in accesses:
        if not isinstance(access.array, Var):
            continue
        for axis, at in enumerate(access.at):
            length = Length(access.array, axis)
            extent = length if access.array in params else sizes.get(length)
            bounded = access.array in params and limit(at) is not None
            shared = access.array.name not in shaped and is_shared(at, access.binders)
            tested = access.array.name in shaped and _is_tested(at, shaped[access.array.name][axis], access.guard)
            if extent is not None and not bounded and not tested and (is_data(at) or shared):
                ranges = (in_range(binder, size) for binder, size in access.ranges.items())
                premise = conj(*ranges, implied(access.guard, access.ranges))
                low = interval(at).low
                inside = less(at, extent) if low is not None and low >= 0 else in_range(at, extent)
                found[forall(access.binders, implies(premise, inside))] = None
    return tuple(condition for condition in found if free_vars(condition) <= params)


def _is_tested(at: Expr, extent: Expr, cond: Expr) -> bool:
    """Whether a condition says that an index is below an extent, and not negative."""
    place = index(at)
    return follows(place, cond) and follows(index(extent) - place - 1, cond)


def is_data(at: Expr) -> bool:
    """Whether an index is made of elements of arrays, one by one."""
    parts = tuple(subexpressions(at))
    return any(isinstance(part, Select) for part in parts) and not any(isinstance(part, Fold) for part in parts)


def is_shared(at: Expr, binders: Iterable[Var]) -> bool:
    """Whether several iterations have one index, as in x[i / n] and x[i % n], and how far those go depends on the sign of n."""
    divisions = [part for part in subexpressions(at) if isinstance(part, Apply) and part.op in DIVISIONS]
    return any(not isinstance(part.args[1], Const) and not free_vars(part).isdisjoint(binders) for part in divisions)


def with_sizes(effect: Effect, sizes: dict[Expr, Expr]) -> Effect:
    """The effect with the lengths of local arrays, which have no other, as what they were made with."""

    def rewrite(node: Expr) -> Expr:
        return sizes.get(node, node) if isinstance(node, Length) else node

    def known(write: Write) -> Write:
        return replace(write, extents=tuple(transform(rewrite, extent) for extent in write.extents))

    return replace(effect, writes={array: tuple(map(known, group)) for array, group in effect.writes.items()})


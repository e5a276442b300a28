"""Tiles that are filled with a number are that number where an operator takes one: no instruction makes or inverts it.

A sum with 0 is a copy, a product with 1 too. The host divides by what is known not to be 0 only: a length in the version for
lengths that fill rows. What nothing reads any more is dropped.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeGuard

from metalift.driver.moves import Moved, Site
from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, Var, type_of
from metalift.ir.expr.types import FLOAT
from metalift.ir.program.kernel import Allocate, Fill, Fused, Kernel, Loop, Map, Statement, When

from .rewriting import plain, read, statements, written

NAME = "numbers"
TAKES = frozenset({"add", "subtract", "multiply", "minimum", "maximum"})
NEUTRAL = {"add": 0, "multiply": 1}


def sites(kernel: Kernel) -> tuple[Site, ...]:
    """The whole kernel, where something changes."""
    return () if apply(kernel, ()).kernel == kernel else ((),)


def apply(kernel: Kernel, site: Site) -> Moved:
    """Put all numbers where they are used."""
    while True:
        writes = Counter(name for each in statements(kernel.body) for name in written(each))
        fills = {each.tile: each.value for each in statements(kernel.body) if isinstance(each, Fill) and writes[each.tile] == 1}
        floats = {tile: value for tile, value in fills.items() if type_of(value) == FLOAT}
        allocated = (each.tile for each in statements(kernel.body) if isinstance(each, Allocate))
        shapes = {tile.name: (tile.rows, tile.columns) for tile in allocated}
        after = replace(kernel, body=_used(_put(kernel.body, _Numbers(floats, shapes), frozenset())))
        if after == kernel:
            return Moved(kernel)
        kernel = after


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What tiles are filled with, and the rows and columns of all tiles."""

    fills: dict[str, Expr]
    shapes: dict[str, tuple[Expr, Expr]]

    def put(self, step: Map) -> list[Expr | None]:
        """The operands that are numbers; none where the tile that is left is a column or a row of what the step makes."""
        found = [self.fills.get(each) if isinstance(each, str) else each for each in step.operands]
        left = [each for each, number in zip(step.operands, found, strict=True) if number is None and isinstance(each, str)]
        whole = all(self.shapes.get(each) == self.shapes.get(step.tile) for each in left)
        return found if whole else [None if isinstance(each, str) else each for each in step.operands]


def _put(body: tuple[Statement, ...], fills: _Numbers, lengths: frozenset[Expr]) -> tuple[Statement, ...]:
    """The statements with numbers for tiles, where lengths are products of sizes that are 1 or more."""
    made: list[Statement] = []
    for each in body:
        if isinstance(each, Loop | When):
            more = [part.args[0] for part in conjuncts(each.cond) if _fills_rows(part)] if isinstance(each, When) else []
            made.append(replace(each, body=_put(each.body, fills, lengths | {strip_casts(length) for length in more})))
        else:
            made.append(_simple(each, fills, lengths) if isinstance(each, Map) else each)
    return tuple(made)


def _fills_rows(cond: Expr) -> TypeGuard[Apply]:
    """Whether a condition says that a length is a product of two sizes."""
    match cond:
        case Apply(Operator.EQ, (_, Apply(Operator.MUL, (Var(), Var())))):
            return True
        case _:
            return False


def _simple(step: Map, fills: _Numbers, lengths: frozenset[Expr]) -> Statement:
    """An operator of tiles, some of which are numbers."""
    op = plain(step.op)
    numbers = fills.put(step)
    first = numbers[0]
    if op == "reciprocal" and isinstance(first, Cast) and strip_casts(first.arg) in lengths:
        return Fill(step.tile, Apply(Operator.DIV, (Const(Fraction(1), FLOAT), first)))
    if op not in TAKES or len(step.operands) != 2 or all(each is not None for each in numbers):
        return step
    for number, other in (numbers[0], step.operands[1]), (numbers[1], step.operands[0]):
        if isinstance(number, Const) and op in NEUTRAL and number.value == NEUTRAL[op]:
            return Map(step.tile, "copy", (other,))
    given = tuple(each if number is None else number for each, number in zip(step.operands, numbers, strict=True))
    return replace(step, operands=given)


def _used(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements without those whose results nothing reads."""
    every = list(statements(body))
    needed = {name for each in every for name in read(each)}
    needed |= {name for each in every if isinstance(each, Fused) for name in _named(each.body)}

    return _among(body, needed)


def _named(steps: tuple[Statement, ...]) -> tuple[str, ...]:
    """The tiles that the steps of an instruction write, all of which it needs."""
    return tuple(name for each in steps for name in written(each))


def _among(body: tuple[Statement, ...], needed: set[str]) -> tuple[Statement, ...]:
    """The statements of a body whose results are needed."""
    made: list[Statement] = []
    for each in body:
        if isinstance(each, Loop | When):
            made.append(replace(each, body=_among(each.body, needed)))
        elif isinstance(each, Allocate):
            made += [each] if each.tile.name in needed else []
        elif not written(each) or needed & set(written(each)):
            made.append(each)
    return tuple(made)

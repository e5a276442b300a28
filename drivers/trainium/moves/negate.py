"""A difference of a tile and a column is a sum with the negated column, which an activation takes as its bias."""

from __future__ import annotations

from dataclasses import replace

from metalift.driver.moves import Moved, Site
from metalift.ir.expr.nodes import integer
from metalift.ir.expr.types import FLOAT
from metalift.ir.program.kernel import Allocate, Kernel, Loop, Map, Statement, Tile, When

from .rewriting import statements

NAME = "negate"


def sites(kernel: Kernel) -> tuple[Site, ...]:
    """Differences of floats with columns on the right."""
    tiles = {each.tile.name: each.tile for each in statements(kernel.body) if isinstance(each, Allocate)}
    return tuple((each.tile,) for each in statements(kernel.body) if isinstance(each, Map) and _differs(each, tiles))


def apply(kernel: Kernel, site: Site) -> Moved:
    """Add the negated column."""
    (name,) = site
    tiles = {each.tile.name: each.tile for each in statements(kernel.body) if isinstance(each, Allocate)}
    return Moved(replace(kernel, body=_negated(kernel.body, name, tiles)))


def _differs(step: Map, tiles: dict[str, Tile]) -> bool:
    if step.op != "subtract" or tiles[step.tile].type != FLOAT or not all(isinstance(each, str) for each in step.operands):
        return False
    columns = [tiles[each].columns == integer(1) for each in step.operands if isinstance(each, str)]
    return columns == [False, True] and tiles[step.tile].columns != integer(1)


def _negated(body: tuple[Statement, ...], name: str, tiles: dict[str, Tile]) -> tuple[Statement, ...]:
    made: list[Statement] = []
    for each in body:
        if isinstance(each, Loop | When):
            made.append(replace(each, body=_negated(each.body, name, tiles)))
        elif isinstance(each, Map) and each.tile == name:
            left, right = each.operands
            assert isinstance(right, str)
            minus = f"minus_{name}"
            made += [Allocate(replace(tiles[right], name=minus, space=tiles[name].space)), Map(minus, "negate", (right,))]
            made.append(Map(name, "add", (left, minus)))
        else:
            made.append(each)
    return tuple(made)

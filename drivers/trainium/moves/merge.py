"""Tiles that hold the same are made once: loads, constants, what is computed of the same tiles, scalars that are spread.

Within one run of statements a later tile that is made as an earlier one was is dropped, and the earlier one is read, where
neither is written again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from metalift.driver.moves import Moved, Site
from metalift.ir.program.kernel import Allocate, Fused, Kernel, Loop, Statement, Tile, When

from .rewriting import read, rewritten, statements, written

NAME = "merge"


def sites(kernel: Kernel) -> tuple[Site, ...]:
    """The whole kernel, where something is made twice."""
    return () if apply(kernel, ()).kernel == kernel else ((),)


def apply(kernel: Kernel, site: Site) -> Moved:
    """Merge all that is the same."""
    writes = Counter(name for each in statements(kernel.body) for name in written(each))
    return Moved(replace(kernel, body=_merged(kernel.body, writes, {}, {})))


def _nameless(statement: Statement, name: str) -> object:
    """What makes a tile, whatever that is called."""
    return rewritten(statement, lambda expr: expr, lambda other: "" if other == name else other)


def _merged(
    body: tuple[Statement, ...], writes: Counter[str], known: dict[object, str], instead: dict[str, str]
) -> tuple[Statement, ...]:
    """The statements; `known` are the tiles by what they hold, `instead` those that are read for others."""
    made: list[Statement] = []
    tiles: dict[str, Tile] = {}
    for each in body:
        own = rewritten(each, lambda expr: expr, lambda tile: instead.get(tile, tile))
        name = next(iter(written(own)), "")
        if isinstance(own, Allocate):
            tiles[own.tile.name] = own.tile
        elif isinstance(own, Loop | When):
            own = replace(own, body=_merged(own.body, writes, dict(known), instead))
        elif name in tiles and writes[name] == 1 and not isinstance(own, Fused):
            tile = tiles[name]
            key = (tile.rows, tile.columns, tile.type, tile.space, _nameless(own, name))
            if key in known:
                instead[name] = known[key]
                made = [one for one in made if not (isinstance(one, Allocate) and one.tile.name == name)]
                continue
            if all(writes[one] == 1 for one in read(own)):
                known[key] = name
        made.append(own)
    return tuple(made)

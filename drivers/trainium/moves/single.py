"""Each tile of a run of statements is written once: a later value gets a tile of its own, so that other moves see what it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from metalift.driver.moves import Moved, Site
from metalift.ir.program.kernel import Allocate, Divided, Fused, Kernel, Loop, Product, Statement, Tile, When

from .rewriting import rewritten, statements, written

NAME = "single"


def sites(kernel: Kernel) -> tuple[Site, ...]:
    """The tiles of work memory that are written more than once, in the statements beside their allocation only."""
    found: list[Site] = []
    bodies = [kernel.body, *(each.body for each in statements(kernel.body) if isinstance(each, When | Loop))]
    everywhere = Counter(name for each in statements(kernel.body) for name in written(each))
    for body in bodies:
        here = Counter(name for each in body for name in written(each))
        for each in body:
            if isinstance(each, Allocate) and everywhere[each.tile.name] == here[each.tile.name] > 1:
                apart = all(not isinstance(one, Product | Fused) for one in body if each.tile.name in written(one))
                found += [(each.tile.name,)] if apart else []
    return tuple(found)


def apply(kernel: Kernel, site: Site) -> Moved:
    """Every value of the tile after the first one has a tile of its own."""
    (name,) = site
    return Moved(replace(kernel, body=_renamed(kernel.body, name)))


def _renamed(body: tuple[Statement, ...], name: str) -> tuple[Statement, ...]:
    """The statements in which the tile is allocated, or those in them."""
    tile = next((each.tile for each in body if isinstance(each, Allocate) and each.tile.name == name), None)
    if tile is None:
        return tuple(replace(each, body=_renamed(each.body, name)) if isinstance(each, Loop | When) else each for each in body)
    made: list[Statement] = []
    now, values = name, 0
    for each in body:
        if name in written(each):
            values += 1
            new = now if values == 1 else f"{name}_{values}"
            if values > 1:
                made.append(Allocate(_called(tile, new)))
            made.append(_written_to(_read_from(each, name, now), new))
            now = new
        else:
            made.append(_read_from(each, name, now))
    return tuple(made)


def _called(tile: Tile, name: str) -> Tile:
    return replace(tile, name=name)


def _read_from(statement: Statement, name: str, now: str) -> Statement:
    """A statement that reads the newest value of a tile."""
    made: Statement = rewritten(statement, lambda expr: expr, lambda tile: now if tile == name else tile)
    return made if not isinstance(statement, Allocate) else statement


def _written_to(made: Statement, new: str) -> Statement:
    """A statement that writes a new tile in place of the one it wrote."""
    assert not isinstance(made, Allocate | Divided | Loop | When | Fused)
    result: Statement = replace(made, tile=new)
    return result

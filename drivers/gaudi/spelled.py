"""How kernels in TPC-C are made of programs and written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import Engine, Kernel, Request
from metalift.ir.program.kernel import Tile

from .._tiles.cost import Moves, Unknown, nominal, told
from .lowering import Kernels
from .operators import driver
from .text import base
from .vectors import lanes
from .writer import Writer


def lower(request: Request) -> Kernel:
    """The kernel of a program. Raises CannotWrite."""
    kernel = Kernels(request, driver).kernel()
    Writer(replace(request, kernel=kernel)).text()  # what has no text is not proved in vain
    return kernel


def pieces(tile: Tile, columns: int) -> int:
    """In how many vectors so many elements are."""
    return -(-columns // lanes(base(tile.type)))


def modelled(request: Request) -> str:
    """What the kernel takes, by the model; empty where sizes do not decide it."""
    assert request.kernel is not None
    size, sizes = nominal(request)
    try:
        found = Moves(sizes, pieces).of(request.kernel.body)
    except Unknown:
        return ""
    return told(
        size,
        f"{found.loads:,} vectors loaded and {found.stores:,} stored, {found.read + found.written:,} bytes; at least "
        f"{max(found.loads, found.stores):,} cycles on one core, which issues one load and one store in each",
    )


def write(request: Request) -> str:
    """The file."""
    return Writer(request, modelled(request)).text()


driver.targets = (
    replace(
        driver.targets[0],
        suffix=".c",
        write=write,
        lower=lower,
        engine=Engine(version="'a C model of the intrinsics'", memory=8 << 30, seconds=60, reciprocals=True),
        runner=Path(__file__).with_name("runner.py"),
    ),
)

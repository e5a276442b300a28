"""How calls of the library, and kernels in its instructions, are found and written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import Engine, Kernel, Request

from . import driver, instructions, tiles
from .finding import find
from .writer import write


def lower(request: Request) -> Kernel:
    """The kernel on tiles of a program. Raises CannotWrite."""
    kernel = tiles.lower(request, driver)
    instructions.write(replace(request, kernel=kernel))  # what has no text is not proved in vain
    return kernel


library, isa = driver.targets
library = replace(
    library,
    write=write,
    find=find,
    engine=Engine(version="'a C model of the library'", memory=8 << 30, seconds=60),
    runner=Path(__file__).with_name("runner.py"),
)
isa = replace(
    library, name=isa.name, machine=isa.machine, write=instructions.write, lower=lower,
    engine=replace(library.engine, version="'a C model of the instructions'"),
)  # fmt: skip
driver.targets = (library, isa)

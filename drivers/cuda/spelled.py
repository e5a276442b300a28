"""How programs are made of blocks of threads and written as CUDA C, and run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import Engine, Request, Written
from metalift.ir.program.summary import TargetProgram

from ..triton.lower import lowered
from . import driver
from .host import written


def tile(request: Request) -> TargetProgram:
    """The program by blocks of threads: the lanes of a block are its threads. Raises CannotWrite."""
    return lowered(request, driver)


def write(request: Request) -> Written:
    """The file. Raises CannotWrite."""
    return written(request, driver)


driver.targets = (
    replace(
        driver.targets[0],
        write=write,
        tile=tile,
        engine=Engine(version="'a C model of CUDA threads'", memory=8 << 30, seconds=60),
        runner=Path(__file__).with_name("runner.py"),
    ),
)

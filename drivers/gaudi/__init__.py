"""Gaudi: kernels in TPC-C, vector by vector. What is modelled, what is simulated and what was never run: docs/accelerators.md."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import Engine, Kernel, Request

from .lowering import Kernels
from .operators import driver
from .writer import Writer

__all__ = ["driver"]


def lower(request: Request) -> Kernel:
    """The kernel of a program. Raises CannotWrite."""
    kernel = Kernels(request, driver).kernel()
    Writer(replace(request, kernel=kernel)).text()  # what has no text is not proved in vain
    return kernel


def write(request: Request) -> str:
    """The file."""
    return Writer(request).text()


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

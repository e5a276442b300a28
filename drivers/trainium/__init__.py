"""Trainium: kernels in NKI, tile by tile. What is modelled, what is simulated and what was never run: docs/accelerators.md."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import Kernel, Request

from .lowering import Lowering
from .operators import driver
from .writer import Writer

__all__ = ["driver", "lower"]

WIDTHS = (512, 2048, 128)  # columns of tiles that are tried, the first that the machine has room for


def lower(request: Request, columns: int | None = None) -> Kernel:
    """The kernel of a program."""
    return Lowering(request, driver, columns or WIDTHS[0]).kernel()


def text(request: Request) -> str:
    """The text of a kernel."""
    return Writer(request).text()


driver.targets = (
    replace(driver.targets[0], suffix=".py", write=text, lower=lower, runner=Path(__file__).with_name("simulator.py")),
)


"""How pipelines are written, and run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import Request

from . import driver, state
from .writer import write


def text(request: Request) -> str:
    """The text of a pipeline."""
    return write(request, driver, frozenset(state(request.fragment)))


driver.targets = (replace(driver.targets[0], write=text, runner=Path(__file__).with_name("simulator.py")),)

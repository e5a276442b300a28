"""How programs in index notation are found and written.

One is found from the summary itself, for there is an operator for each format only; see `finding`.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Engine
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram

from . import driver
from .cpp_text import write as write_cpp
from .finding import find
from .python_text import write


def found(summary: Summary, fragment: Fragment) -> TargetProgram:
    """The program of a summary."""
    return find(summary, fragment, driver)


tensora, taco_cpp = driver.targets
driver.targets = (
    replace(
        tensora, write=write, find=found, engine=Engine(version="'tensora ' + metadata.version('tensora')", seconds=60)
    ),
    replace(taco_cpp, write=write_cpp, find=found),
)

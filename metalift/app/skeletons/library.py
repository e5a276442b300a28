"""The driver NAME: operators of a Python library with an array type of its own."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from metalift.driver import LISTS, Driver, Elem, Engine, Real, Vec

sys.path.insert(0, str(Path(__file__).parent))  # the library lies beside this file: neither line is for one that is installed
BESIDE = Engine(environment={"PYTHONPATH": str(Path(__file__).parent)})
COLUMNS = replace(
    LISTS.layout,  # elements are plain numbers, and x[:n] is a column of its own
    array_type="NAME_library.Column",
    array="NAME_library.Column({value})",  # of a list
    plain="{x}.values",  # to a list
    clone="NAME_library.Column({x}.values)",
)
LIBRARY = replace(LISTS, name="NAME", imports={"NAME_library": "import NAME_library"}, layout=COLUMNS, engine=BESIDE)
driver = Driver("NAME", targets=(LIBRARY,))


@driver.define(emit="{x}.add({y})", requires=lambda x, y: len(x) == len(y))
def add(x: Vec[Elem], y: Vec[Elem]) -> Vec[Elem]:
    return [a + b for a, b in zip(x, y)]


@driver.define(emit="{x}.scale({factor})", plain=("factor",))
def scale(x: Vec[Elem], factor: Elem) -> Vec[Elem]:
    return [factor * v for v in x]


@driver.define(emit="{x}.total()")
def total(x: Vec[Real]) -> Real:
    return sum(x)

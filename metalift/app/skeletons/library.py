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
    axes=1,
    array_type="NAME_library.Column",
    array="NAME_library.Column({value})",  # of a list
    plain="{x}.values",  # to a list
    clone="NAME_library.Column({x}.values)",
)
IMPORTS = {"NAME_library": "import NAME_library"}
LIBRARY = replace(LISTS, name="NAME", imports=IMPORTS, layout=COLUMNS, engine=BESIDE, numbers=False)
driver = Driver("NAME", targets=(LIBRARY,))


# An operator with a meaning on numbers takes columns, too; with numbers=("b",), its second argument may be a number or a column.
@driver.elementwise(emit="{a}.add({b})", scalars="{a} + {b}", numbers=("b",))
def add(a: Elem, b: Elem) -> Elem:
    return a + b


@driver.elementwise(emit="{a}.mul({b})", scalars="{a} * {b}", numbers=("b",))
def mul(a: Elem, b: Elem) -> Elem:
    return a * b


@driver.define(emit="{x}.total()")
def total(x: Vec[Real]) -> Real:
    return sum(x)

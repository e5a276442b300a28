"""How kernels in NKI are made of programs and written: the width of tiles is chosen by a model of what they take."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

from metalift.driver import CannotWrite, Engine, Kernel, Request

from .._tiles.cost import told
from .cost import Choice, cheapest, has_room, modelled
from .improving import improved
from .lowering import Kernels
from .operators import driver
from .writer import Writer

WIDTHS = (128, 512, 2048)  # columns of tiles that are tried


def choices(request: Request) -> list[Choice]:
    """The kernels of a program with tiles of each width that the machine has room for, sums as products or not. Raises CannotWrite for none."""
    found: list[Choice] = []
    problem: CannotWrite | None = None
    for columns, products in product(WIDTHS, (False, True)):
        try:
            kernel = Kernels(request, driver, columns, products).kernel()
        except CannotWrite as why:
            problem = problem or why
            continue
        if has_room(kernel) and all(kernel != each.kernel for each in found):
            found.append(modelled(request, kernel, columns))
    if not found:
        raise problem or CannotWrite("more values at once than the fast memory has room for")
    return found


def lower(request: Request) -> Kernel:
    """The kernel of a program with tiles of the width that is cheapest by the model, and with the moves that make it cheaper."""
    return improved(request, cheapest(choices(request)).kernel)


def text(request: Request) -> str:
    """The text of a kernel, with what its width was chosen by."""
    found = choices(request)
    chosen = cheapest(found)
    assert request.kernel is not None
    if improved(request, chosen.kernel) != request.kernel:
        return Writer(request).text()
    found = [each for each in found if each is not chosen]
    chosen = modelled(request, request.kernel, chosen.columns)
    others = "".join(f" {each.text()}." for each in found if each is not chosen)
    more = f" Others that fit:{others}" if others else " No other width fits."
    return Writer(request, told(chosen.size, f"tiles of {chosen.text()}") + more).text()


driver.targets = (
    replace(
        driver.targets[0],
        suffix=".py",
        write=text,
        lower=lower,
        engine=Engine(reciprocals=True),
        runner=Path(__file__).with_name("simulator.py"),
    ),
)


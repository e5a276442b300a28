"""How kernels in NKI are made of programs and written: the width of tiles is chosen by a model of what they take."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

from metalift.driver import CannotWrite, Engine, Kernel, Read, Request
from metalift.driver.moves import Optimiser

from .._tiles.cost import Unknown, told
from .cost import MODEL, Choice, Costs, cheapest, has_room, modelled
from .improving import improved, score, tuned
from .lowering import Kernels
from .moves import MOVES
from .operators import driver
from .reader import read
from .writer import Writer

WIDTHS = (128, 512, 2048)  # columns of tiles that are tried


def choices(request: Request) -> list[Choice]:
    """The kernels of a program with tiles of each width that the machine has room for, sums as products or not.

    Raises CannotWrite for none.
    """
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
    """The text of a kernel with what it takes by the model, beside other widths where it is the one that is chosen here."""
    kernel = request.kernel
    assert kernel is not None
    found = choices(request)
    chosen = cheapest(found)
    mine = modelled(request, kernel, chosen.columns)
    if improved(request, chosen.kernel) != kernel:
        return Writer(request, told(mine.size, mine.cost.text())).text()
    others = "".join(f" {each.text()}." for each in found if each is not chosen)
    more = f" Others that fit:{others}" if others else " No other width fits."
    return Writer(request, told(mine.size, f"tiles of {mine.text()}") + more).text()


def starts(request: Request) -> list[Kernel]:
    """The kernel that is emitted by default first, then those of all widths before any move."""
    found = choices(request)
    return list(dict.fromkeys((improved(request, cheapest(found).kernel), *(each.kernel for each in found))))


def scored(request: Request, kernel: Kernel) -> float:
    """How much a kernel takes. Raises CannotWrite."""
    if not has_room(kernel):
        raise CannotWrite("more values at once than the fast memory has room for")
    try:
        return score(kernel, tuned(request))
    except Unknown as problem:
        raise CannotWrite("how often something happens is not decided by sizes") from problem


def counted(request: Request, kernel: Kernel) -> str:
    """What a kernel takes at each size at which kernels are compared."""
    costs = ((next(iter(sizes.values()), 0), Costs(sizes).of_kernel(kernel)) for sizes in tuned(request))
    return "; ".join(f"{size:,}: {cost.text()}" for size, cost in costs)


def reads(text: str, function: str, request: Request) -> Read:
    """The kernel in a text, with the conditions on numbers that kernels of the program have. Raises CannotWrite."""
    found: Kernel | None = None
    with suppress(CannotWrite):
        found = choices(request)[0].kernel
    return Read(read(text, function, request, found))


driver.targets = (
    replace(
        driver.targets[0],
        suffix=".py",
        write=text,
        lower=lower,
        optimiser=Optimiser(MOVES, starts, scored, counted, int(MODEL["version"])),
        engine=Engine(reciprocals=True),
        reads=reads,
        runner=Path(__file__).with_name("simulator.py"),
    ),
)


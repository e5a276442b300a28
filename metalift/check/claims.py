"""What has to be proved of a target's program, and of its kernel on tiles: the same for a lift and for a check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metalift.check.assumptions import Stated, formulas, of_target
from metalift.check.ranges import computes_wide, number_conditions, unproved_ranges, values_of
from metalift.driver import Driver, Request
from metalift.driver.early_returns import returns
from metalift.driver.expansion import expand
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Kernel
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.vcgen.obligation import Obligation
from metalift.vcgen.refinement import RefinementGenerator
from metalift.vcgen.tile_obligations import TileGenerator


def lowered(fragment: Fragment, summary: Summary, program: TargetProgram, driver: Driver, target: str) -> Kernel | None:
    """The program on tiles, where the target's machine has any. Raises CannotWrite where it cannot be lowered."""
    lower = driver.target(target).lower
    return None if lower is None else lower(Request(fragment, summary, program))


def claimed(
    fragment: Fragment,
    summary: Summary,
    program: TargetProgram,
    kernel: Kernel | None,
    driver: Driver,
    target: str,
    stated: Sequence[Stated],
) -> Iterator[Obligation]:
    """What has to be proved of a target: the program computes the summary, and the kernel, where there is one, the program."""
    conditions = formulas(with_target(program, driver, target, stated))
    yield from RefinementGenerator(fragment, summary, program, driver, conditions).obligations()
    if kernel is not None:
        yield from TileGenerator(fragment, program, kernel, driver, conditions).obligations()


def with_target(program: TargetProgram, driver: Driver, target: str, stated: Sequence[Stated]) -> tuple[Stated, ...]:
    """The source's assumptions and the program's own; Python's own integers, which lists hold, have no range."""
    layout = driver.target(target).layout
    early = returns(program, driver)
    computed = (program, *(expand(value, driver) for value in values_of(program)))
    needed = tuple(each for each in program.requires if not early.ensures(each))
    if layout is not None and layout.lists:
        wide = ((layout.range, None),) if layout.range and computes_wide(program, driver) else ()
        return (*stated, *of_target(needed, wide, stated, computed))
    requires = (*needed, *number_conditions(program, driver))
    return (*stated, *of_target(requires, unproved_ranges(program, driver), stated, computed))

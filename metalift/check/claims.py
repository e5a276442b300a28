"""What has to be proved of a target's program, and of its kernel on tiles: the same for a lift and for a check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metalift.check.assumptions import Stated, formulas, of_target
from metalift.check.ranges import computes_wide, number_conditions, unproved_ranges, values_of
from metalift.driver import Driver
from metalift.driver.early_returns import returns
from metalift.driver.expansion import expand
from metalift.ir.expr.build import clamped
from metalift.ir.expr.nodes import TRUE, Build
from metalift.ir.program.fragment import Diagnostic, Fragment
from metalift.ir.program.kernel import Kernel
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.ir.text.kernels import parse_kernel, show_kernel
from metalift.ir.text.tokens import ParseError
from metalift.vcgen.obligation import Obligation, ObligationError
from metalift.vcgen.refinement import RefinementGenerator
from metalift.vcgen.tile_obligations import TileGenerator


def read_kernel(text: str, fragment: Fragment, program: TargetProgram, driver: Driver, target: str) -> Kernel:
    """The kernel on tiles of a text, whoever wrote it.

    Raises ObligationError where it is none, where its machine is not the target's, or its outputs are not the program's.
    """

    def error(why: str) -> ObligationError:
        return ObligationError(Diagnostic(fragment.location, f"the kernel for {target} is none of its program: {why}"))

    params = {param.var.name: param.var.type for param in fragment.params}
    try:
        kernel = parse_kernel(text, params, {let.var.name: let.var.type for let in program.lets})
    except ParseError as problem:
        raise error(str(problem)) from None
    if show_kernel(kernel) != text:
        raise error("it is not written as kernels are")
    machine = driver.target(target).machine
    if machine is None or kernel.machine != machine(fragment):
        raise error("its limits are not those of the machine")
    results = () if program.result is None else (program.result,)
    if [output.value for output in kernel.outputs] != [*(write.value for write in program.writes), *results]:
        raise error("its outputs are not what the program writes")
    for write, output in zip(program.writes, kernel.outputs, strict=False):
        window = write.window
        if not isinstance(window, Build) or output.places != window.binders or write.guard != TRUE:
            raise error("an output has other places than the program writes")
        for mine, extent in zip(output.extents, window.extents, strict=True):
            whole = expand(extent, driver)
            if mine not in (extent, whole, clamped(whole)):
                raise error("an output has another extent than what the program writes")
    return kernel


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
    layout = driver.target(target).layout
    arranges = layout is not None and layout.arranged
    yield from RefinementGenerator(fragment, summary, program, driver, conditions, arranges).obligations()
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

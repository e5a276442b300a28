"""Kernels on tiles of small sources, and how statements of one are changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from metalift.check.assumptions import formulas, of_source
from metalift.check.claims import with_target
from metalift.check.proving import claim
from metalift.driver import Driver, Request, Target, Written
from metalift.driver.files import load
from metalift.frontend import compile_source, functions_of, import_function
from metalift.ir.expr.build import plus
from metalift.ir.expr.nodes import Apply, Expr, Operator, integer
from metalift.ir.expr.walk import substitute
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Kernel, Load, Loop, Statement, Store, When
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.pipeline.target import lowered
from metalift.prove.batch import settle_all
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.synth.cover import cover
from metalift.synth.derive import derive
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.tile_obligations import TileGenerator

Edit = Callable[[Statement], tuple[Statement, ...] | None]


@dataclass(frozen=True)
class Made:
    """A source with its program and kernel for a target of a driver."""

    driver: Driver
    target: Target
    fragment: Fragment
    summary: Summary
    program: TargetProgram
    kernel: Kernel

    @property
    def text(self) -> str:
        """The text of the kernel."""
        write = self.target.write
        assert write is not None
        written = write(Request(self.fragment, self.summary, self.program, kernel=self.kernel))
        return written.text if isinstance(written, Written) else written

    def proved(self, kernel: Kernel, pool: SolverPool, seconds: float, split: bool = False) -> bool:
        """Whether all obligations of a kernel prove; with `split` goal by goal where those of one do not together."""
        source = of_source(self.fragment, self.summary, {}, ())
        stated = with_target(self.program, self.driver, self.target.name, source)
        generator = TileGenerator(self.fragment, self.program, kernel, self.driver, formulas(stated))
        try:
            wanted = [claim(obligation) for obligation in generator.obligations()]
        except ObligationError:
            return False
        found = settle_all(wanted, pool, seconds, all_or_none=True, split=split)
        return all(one.verdict is ObligationVerdict.PROVED for one in found)


def requested(path: Path, named: str, target: str) -> Request:
    """What a target is given for the last function of a source."""
    module = compile_source(path, ())
    fragment = import_function(module, list(functions_of(module))[-1][0])
    summary = derive(fragment)
    return Request(fragment, summary, cover(summary, fragment, load(named).driver, target))


def made(text: str, folder: Path, named: str, target: str = "") -> Made:
    """The kernel of the last function of a C source, by the driver of that name, for its first target or a named one."""
    driver = load(named).driver
    target = target or driver.targets[0].name
    path = folder / "source.c"
    path.write_text(text, encoding="utf-8")
    wanted = requested(path, named, target)
    fragment, summary, program = wanted.fragment, wanted.summary, wanted.program
    kernel, lower = lowered(fragment, summary, program, driver, target), driver.target(target).lower
    assert kernel is not None and lower is not None
    assert kernel == lower(wanted), "its text reads back as another kernel"
    return Made(driver, driver.target(target), fragment, summary, program, kernel)


def edited(kernel: Kernel, edit: Edit) -> Kernel:
    """The kernel with every statement for which the edit gives others replaced by these; it has to give some."""
    changed: list[Statement] = []

    def go(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement in body:
            inner = replace(statement, body=go(statement.body)) if isinstance(statement, Loop | When) else statement
            other = edit(inner)
            changed.extend([] if other is None else [statement])
            result.extend((inner,) if other is None else other)
        return tuple(result)

    after = replace(kernel, body=go(kernel.body))
    assert changed, "the fault is in no statement of the kernel"
    return after


def with_counter(loop: Loop, kind: type[Load] | type[Store], value: Expr) -> Loop:
    """The loop with another value for its counter in the indices of loads or stores."""

    def other(part: Statement) -> Statement:
        if not isinstance(part, kind):
            return part
        return replace(part, index=tuple(substitute(at, {loop.var: value}) for at in part.index))

    return replace(loop, body=tuple(map(other, loop.body)))


def rounded_down(each: Statement) -> tuple[Statement, ...] | None:
    """Loops over blocks leave the last, partial one out."""
    match each:
        case Loop(_, Apply(Operator.FDIV, (Apply(Operator.ADD, (size, _)), block))):
            return (replace(each, count=Apply(Operator.FDIV, (size, block))),)
        case _:
            return None


def moved(kind: type[Load] | type[Store], by: int) -> Edit:
    """Loads or stores are so many elements further on."""

    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if isinstance(each, kind) and each.index:
            return (replace(each, index=(*each.index[:-1], plus(each.index[-1], integer(by)))),)
        return None

    return edit

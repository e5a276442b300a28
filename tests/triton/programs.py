"""Programs with tiles, and their text, by the stages that a lift has."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from metalift.check.assumptions import formulas, of_source
from metalift.check.claims import with_target
from metalift.check.proving import prove_all
from metalift.driver import Kernels, Request
from metalift.driver import files as driver_files
from metalift.frontend import import_function, open_source
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.ir.wellformed.check_summary import check_program
from metalift.prove.solver import SolverPool
from metalift.run.inputs.inputs import runs
from metalift.synth.cover import cover
from metalift.synth.derive import derive
from metalift.vcgen.refinement import RefinementGenerator
from metalift_drivers.triton.base import TRITON, driver
from metalift_drivers.triton.host import launches, read_back, same, written
from metalift_drivers.triton.reading import Context
from tests.support.blocks import SOURCE


@dataclass(frozen=True)
class Program:
    """A function with its summary and the program with tiles."""

    fragment: Fragment
    summary: Summary
    program: TargetProgram

    @property
    def names(self) -> dict[str, str]:
        """The parameters under their own names."""
        return {param.var.name: param.var.name for param in self.fragment.params}

    def text(self) -> Kernels:
        """Its kernels."""
        made: Kernels = written(Request(self.fragment, self.summary, self.program), self.names, driver)
        return made

    def means(self, text: Kernels) -> bool:
        """Whether a text means this program. Raises CannotWrite where it means nothing."""
        params = {param.var.name: param.var for param in self.fragment.params}
        context = Context(driver, params, {block.name: block for block in self.program.parameters})
        found, wanted = read_back(text, context), launches(self.program)
        lets = {let.var: let.value for let in self.program.lets}
        return len(found) == len(wanted) and all(same(one, two, lets) for one, two in zip(found, wanted, strict=True))

    def proved(self, pool: SolverPool) -> bool:
        """Whether it is proved to compute the summary."""
        check_program(self.program, self.fragment, self.summary)
        stated = with_target(self.program, driver, TRITON.name, of_source(self.fragment, self.summary, {}, ()))
        sample = runs(self.fragment, self.summary.requires, tried=60, extents=self.summary.shapes)
        obligations = RefinementGenerator(self.fragment, self.summary, self.program, driver, formulas(stated)).obligations()
        return all(one.proved for one in prove_all(obligations, self.fragment, self.summary, sample, pool, 6))

    def changed(self, change: Callable[[TargetProgram], TargetProgram]) -> Program:
        """Another program for the same source."""
        other = change(self.program)
        assert other != self.program
        return replace(self, program=other)


def program(function: str) -> Program:
    """The program of a function of the source above."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "source.c"
        path.write_text(SOURCE, encoding="utf-8")
        fragment = import_function(open_source(path, ()), function)
    summary = derive(fragment)
    assert driver_files.load("triton").driver is driver
    (target,) = driver.targets
    assert target.tile is not None
    covered = cover(summary, fragment, driver, TRITON.name)
    return Program(fragment, summary, target.tile(Request(fragment, summary, covered)))


def edited(text: Kernels, changes: Mapping[str, str]) -> Kernels:
    """A text with something else in some places."""
    definitions, lines = text.definitions, ";;".join(text.lines)
    for old, new in changes.items():
        definitions, lines = definitions.replace(old, new), lines.replace(old, new)
    return replace(text, definitions=definitions, lines=tuple(lines.split(";;")))

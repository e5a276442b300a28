"""Programs in Gemmini's calls of small sources, and whether they are proved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from metalift.check.assumptions import formulas, of_source
from metalift.check.claims import with_target
from metalift.check.proving import claim
from metalift.driver.files import load
from metalift.frontend import compile_source, functions_of, import_function
from metalift.ir.expr.nodes import Build, Call, Expr
from metalift.ir.expr.walk import transform
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.prove.batch import settle_all
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.synth.cover import cover
from metalift.synth.derive import derive
from metalift.vcgen.refinement import RefinementGenerator

driver = load("gemmini").driver


@dataclass(frozen=True)
class Made:
    """A source with its program."""

    fragment: Fragment
    summary: Summary
    program: TargetProgram

    @property
    def call(self) -> Call:
        """The program's one call."""
        value = self.program.writes[0].value
        while not isinstance(value, Call):
            assert isinstance(value, Build)
            value = value.body.tensor  # type: ignore[union-attr]
        return value

    def proved(self, program: TargetProgram, pool: SolverPool, seconds: float) -> bool:
        """Whether all obligations of a program prove."""
        stated = with_target(program, driver, "gemmini", of_source(self.fragment, self.summary, {}, ()))
        generator = RefinementGenerator(self.fragment, self.summary, program, driver, formulas(stated))
        found = settle_all([claim(each) for each in generator.obligations()], pool, seconds, all_or_none=True, split=False)
        return all(one.verdict is ObligationVerdict.PROVED for one in found)

    def calling(self, other: Expr) -> TargetProgram:
        """The program with another call in the place of its own."""
        own, write = self.call, self.program.writes[0]
        value = transform(lambda each: other if each == own else each, write.value)
        return replace(self.program, writes=(replace(write, value=value),))


def made(text: str, folder: Path) -> Made:
    """The program of the last function of a C source. Raises NotCovered."""
    path = folder / "source.c"
    path.write_text(text, encoding="utf-8")
    module = compile_source(path, ())
    fragment = import_function(module, list(functions_of(module))[-1][0])
    summary = derive(fragment)
    return Made(fragment, summary, cover(summary, fragment, driver, "gemmini"))

"""Obligations of C kernels and of summaries made by hand, proved with small limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metalift.check.proving import Evidence, prove_all
from metalift.frontend import compile_source, functions_of, import_function
from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import BOOL, Type
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.ir.text import parse
from metalift.ir.wellformed.check_summary import check_program, check_summary
from metalift.prove.prover import prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.run.inputs.inputs import runs
from metalift.synth.derive import derive
from metalift.vcgen.obligation import Obligation
from metalift.vcgen.paths import PathGenerator
from metalift.vcgen.refinement import RefinementGenerator

SECONDS = 1.0  # for one obligation


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function of a C source, and the summary that is derived for it."""

    fragment: Fragment
    summary: Summary

    @property
    def names(self) -> dict[str, Type]:
        """The parameters and what the summary names, for terms written as text."""
        named = {binding.var.name: binding.var.type for binding in self.summary.bindings}
        return {param.var.name: param.var.type for param in self.fragment.params} | named

    def term(self, text: str, **more: Type) -> Expr:
        """A term over the parameters and the values that the summary names."""
        return parse(text, {**self.names, **more})


def fragment_of(text: str, folder: Path, suffix: str = ".c") -> Fragment:
    """The last function of a source text."""
    path = folder / f"kernel{suffix}"
    path.write_text(text, encoding="utf-8")
    module = compile_source(path, ())
    name, _ = list(functions_of(module))[-1]
    return import_function(module, name)


def kernel(text: str, folder: Path, suffix: str = ".c") -> Kernel:
    """The last function of a source text with its derived summary."""
    fragment = fragment_of(text, folder, suffix)
    return Kernel(fragment, derive(fragment))


def path_obligations(
    fragment: Fragment, summary: Summary, identical: Mapping[str, tuple[str, ...]] | None = None
) -> list[Obligation]:
    """What has to hold for the summary to be the fragment's."""
    check_summary(summary, fragment)
    return list(PathGenerator(fragment, summary, summary.requires, identical).obligations())


def evidence(
    fragment: Fragment, summary: Summary, obligations: Iterable[Obligation], pool: SolverPool, seconds: float = SECONDS
) -> list[Evidence]:
    """The verdicts, with witnesses from a few runs."""
    sample = runs(fragment, summary.requires, tried=60, extents=summary.shapes)
    return prove_all(obligations, fragment, summary, sample, pool, seconds)


def summary_proved(fragment: Fragment, summary: Summary, pool: SolverPool, seconds: float = SECONDS) -> bool:
    """Whether the summary counts as proved."""
    found = evidence(fragment, summary, path_obligations(fragment, summary), pool, seconds)
    return bool(found) and all(one.proved for one in found)


def program_proved(
    fragment: Fragment, summary: Summary, program: TargetProgram, driver: object, pool: SolverPool, assumed: Sequence[Expr] = ()
) -> bool:
    """Whether a program counts as proved for a summary."""
    from metalift.driver import Driver

    assert isinstance(driver, Driver)
    check_program(program, fragment, summary)
    generator = RefinementGenerator(fragment, summary, program, driver, (*summary.requires, *program.requires, *assumed))
    found = evidence(fragment, summary, generator.obligations(), pool)
    return all(one.proved for one in found)


def by_name(found: Iterable[Evidence]) -> dict[str, ObligationVerdict]:
    """The verdict of each obligation; the worst where several have one name."""
    result: dict[str, ObligationVerdict] = {}
    for one in found:
        verdict = one.settled.verdict
        if result.get(one.obligation.name, ObligationVerdict.PROVED) is ObligationVerdict.PROVED:
            result[one.obligation.name] = verdict
    return result


def is_proved(
    names: Mapping[str, Type], hypotheses: Iterable[str], goal: str, pool: SolverPool, seconds: float = 20.0
) -> bool:
    """Whether a goal follows from hypotheses, texts in which these names have these types."""
    given = [parse(each, names, BOOL) for each in hypotheses]
    return prove(given, parse(goal, names, BOOL), pool, seconds).verdict is ObligationVerdict.PROVED

"""What becomes of a function as it is reported: verdicts, assumptions, problems, and the certificate of what is proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from metalift.check import certificate, certifying
from metalift.check.assumptions import Stated
from metalift.check.proving import Evidence
from metalift.driver.choosing import distinct
from metalift.frontend import PythonModule
from metalift.ir.program.fragment import Diagnostic, Fragment, Undefined
from metalift.ir.program.kernel import Kernel
from metalift.ir.program.summary import LoopInvariant, StagedProgram, StagedSummary, Summary, TargetProgram
from metalift.ir.text import show
from metalift.ir.text.kernels import show_kernel
from metalift.pipeline.context import Job, Stages, file_name
from metalift.result import AssumptionResult, DiagnosticResult, FunctionResult, TargetResult
from metalift.result.verdict import Checked, FunctionVerdict


def stopped(result: FunctionResult, verdict: FunctionVerdict, problem: Diagnostic, stages: Stages) -> FunctionResult:
    """The result of a function that went no further."""
    return replace(result, verdict=verdict, diagnostics=(*result.diagnostics, shown(problem)), seconds=stages.seconds)


def shown(problem: Diagnostic) -> DiagnosticResult:
    """A diagnostic as it is reported."""
    place = problem.location
    return DiagnosticResult(place.file, place.line, place.column, problem.message)


def uninitialised(fragment: Fragment) -> Diagnostic | None:
    """Where the function has a variable whose value it may use without having set it."""
    for block in fragment.blocks:
        for statement in block.body:
            if isinstance(statement, Undefined):
                message = f"the result may depend on the variable '{statement.variable}', which is not initialised: set it"
                return Diagnostic(statement.location, message)
    return None


def invariants(summary: Summary) -> tuple[str, ...]:
    """The loops' invariants, one text for each."""
    texts = []
    for loop in summary.loops:
        if isinstance(loop, LoopInvariant):
            texts.append(f"{loop.header}: " + ", ".join(map(show, loop.holds)))
            continue
        parts = [f"0 <= {loop.index.name} <= {show(loop.trip)}", *(f"{var.name} = {show(term)}" for var, term in loop.state)]
        parts += map(show, loop.holds)
        texts.append(f"{loop.header}: " + ", ".join(parts))
    return tuple(texts)


def reported(stated: Sequence[Stated], guarded: Sequence[bool]) -> tuple[AssumptionResult, ...]:
    """Assumptions as they are reported; what no code was generated for is not checked."""
    flags = [*guarded, *([False] * (len(stated) - len(guarded)))]
    return tuple(
        AssumptionResult(one.assumption.text, one.origin.value, Checked.GUARD if flag else Checked.NO)
        for one, flag in zip(stated, flags, strict=False)
    )


def overall(proved: bool, targets: Mapping[str, TargetResult]) -> FunctionVerdict:
    """The worst of the targets'; never better than the summary's proof."""
    worst = [v for v in WORST_FIRST if any(target.verdict is v for target in targets.values())]
    if not worst:
        return FunctionVerdict.ERROR
    return worst[0] if proved or worst[0] is not FunctionVerdict.PROVED else FunctionVerdict.TESTED


WORST_FIRST = (
    FunctionVerdict.ERROR,
    FunctionVerdict.UNSUPPORTED,
    FunctionVerdict.NOT_LIFTED,
    FunctionVerdict.VACUOUS,
    FunctionVerdict.TESTED,
    FunctionVerdict.PROVED,
)


def proved_for(result: FunctionResult, target: str) -> bool:
    """Whether there is proved code for a target."""
    return target in result.targets and result.targets[target].verdict is FunctionVerdict.PROVED


def by_all(guarded: Sequence[Sequence[bool]]) -> tuple[bool, ...]:
    """Which assumptions the code of every target checks, of those that there is code for."""
    return tuple(map(all, zip(*filter(None, guarded), strict=True)))


@dataclass(frozen=True, slots=True)
class Certified:
    """A target's program with the evidence for it, and its kernel where the target has tiles."""

    program: TargetProgram | StagedProgram
    evidence: tuple[Evidence, ...]
    kernel: Kernel | None = None


def save_certificates(
    job: Job,
    fragment: Fragment,
    summary: Summary | StagedSummary,
    identical: Mapping[str, tuple[str, ...]],
    evidence: Sequence[Evidence],
    made: Mapping[str, Certified],
) -> tuple[str, ...]:
    """Write a certificate for each driver all of whose targets are proved, which are those that are `made`; the folders.

    `evidence` is for the summary, which every one of them is about.
    """
    if job.out is None:
        return ()
    folders = []
    loaded = distinct(job.drivers)
    for driver in (each.name for each in loaded):
        targets = [target for target, its in job.drivers.items() if its.name == driver]
        if made.keys() >= set(targets):
            name = file_name(fragment.name) + (f"-{Path(driver).stem}" if len(loaded) > 1 else "")
            folder = job.out / "certificates" / name
            _save(job, folder, driver, fragment, summary, identical, evidence, {target: made[target] for target in targets})
            folders.append(str(folder))
    return tuple(folders)


def _save(
    job: Job,
    folder: Path,
    driver: str,
    fragment: Fragment,
    summary: Summary | StagedSummary,
    identical: Mapping[str, tuple[str, ...]],
    evidence: Sequence[Evidence],
    made: Mapping[str, Certified],
) -> None:
    """Write the certificate of a proved function by one driver."""
    programs = {target: each.program for target, each in made.items()}
    kernels = {target: show_kernel(each.kernel) for target, each in made.items() if each.kernel is not None}
    evidence = (*evidence, *(one for each in made.values() for one in each.evidence))
    obligations, files = certifying.proof_records([(one.settled, one.obligation.location.line) for one in evidence])
    others = () if isinstance(job.module, PythonModule) else job.module.others
    names = [certificate.other_name(number, other.path.name) for number, other in enumerate(others)]
    files |= {name: read_text(other.path) for name, other in zip(names, others, strict=True)}
    texts = {
        job.path.name: read_text(job.path),
        **certificate.texts_for_people(fragment, summary, programs),
        **files,
    }
    packages = dict(found for target in made if (found := job.drivers[target].package) is not None)
    recorded = certificate.Recorded(
        fragment.name,
        job.path.name,
        job.clang_args,
        driver,
        job.assume,
        identical,
        summary,
        programs,
        obligations,
        kernels,
        nest=job.nest is not None,
        verdict=FunctionVerdict.PROVED.value,
        tools={**certificate.tools(), **packages},
        pure=job.pure,
        others=tuple(certificate.RecordedFile(name, other.clang_args) for name, other in zip(names, others, strict=True)),
    )
    certifying.write(folder, recorded, texts)


def read_text(path: Path) -> str:
    """A source as it is kept: bytes that are no UTF-8 stay what they are."""
    return path.read_text(encoding="utf-8", errors="surrogateescape")

"""What becomes of a function as it is reported: verdicts, assumptions, problems, and the certificate of what is proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from metalift.check import certificate, certifying
from metalift.check.assumptions import Stated
from metalift.check.proving import Evidence
from metalift.frontend import PythonModule
from metalift.ir.program.fragment import Diagnostic, Fragment, Undefined
from metalift.ir.program.summary import LoopInvariant, StagedProgram, StagedSummary, Summary, TargetProgram
from metalift.ir.text import show
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
    FunctionVerdict.TESTED,
    FunctionVerdict.PROVED,
)


def save_certificate(
    job: Job,
    out: Path,
    fragment: Fragment,
    summary: Summary | StagedSummary,
    identical: Mapping[str, tuple[str, ...]],
    evidence: Sequence[Evidence],
    programs: Mapping[str, TargetProgram | StagedProgram],
    kernels: Mapping[str, str],
) -> Path:
    """Write the certificate of a proved function; its folder."""
    folder = out / "certificates" / file_name(fragment.name)
    obligations, files = certifying.proof_records([(one.settled, one.obligation.location.line) for one in evidence])
    others = () if isinstance(job.module, PythonModule) else job.module.others
    names = [certificate.other_name(number, other.path.name) for number, other in enumerate(others)]
    files |= {name: read_text(other.path) for name, other in zip(names, others, strict=True)}
    texts = {
        job.path.name: read_text(job.path),
        **certificate.texts_for_people(fragment, summary, programs),
        **files,
    }
    recorded = certificate.Recorded(
        fragment.name,
        job.path.name,
        job.clang_args,
        job.loaded.name,
        job.assume,
        identical,
        summary,
        programs,
        obligations,
        kernels,
        nest=job.nest is not None,
        verdict=FunctionVerdict.PROVED.value,
        tools=certificate.tools(),
        pure=job.pure,
        others=tuple(certificate.RecordedFile(name, other.clang_args) for name, other in zip(names, others, strict=True)),
    )
    certifying.write(folder, recorded, texts)
    return folder


def read_text(path: Path) -> str:
    """A source as it is kept: bytes that are no UTF-8 stay what they are."""
    return path.read_text(encoding="utf-8", errors="surrogateescape")

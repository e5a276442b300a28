"""Lifting one function, stage by stage: fragment, summary, obligations, proof; then each target by `metalift.pipeline.target`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from metalift.check import certificate, certifying
from metalift.check.assumptions import Stated, may_be_identical, of_source
from metalift.check.dump import Dump, obligations_text
from metalift.check.proving import Evidence, prove_all
from metalift.check.records import with_records
from metalift.check.user_assumptions import parse_assumptions
from metalift.ir.expr.nodes import Expr
from metalift.ir.program.assumption import Overlap
from metalift.ir.program.fragment import Diagnostic, Fragment, Undefined, Unsupported
from metalift.ir.program.summary import LoopInvariant, Summary, TargetProgram
from metalift.ir.text import show, show_fragment, show_program, show_summary
from metalift.ir.text.kernels import show_kernel
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_summary
from metalift.pipeline.context import Job, Lifted, Stages, file_name
from metalift.pipeline.proposing import NotProposed
from metalift.pipeline.summarising import Wanted, ask_summary
from metalift.pipeline.target import TargetOutcome, TargetStage, start_worker
from metalift.result import AssumptionResult, Attempt, DiagnosticResult, FunctionResult, TargetResult
from metalift.result.verdict import Checked, FunctionVerdict
from metalift.run.compare.cases import Reference, references
from metalift.run.compare.falsify import falsify
from metalift.run.inputs.inputs import Run, runs, telling, valid
from metalift.run.workers.jobs import NotRunnable, Runnable
from metalift.run.workers.process import Worker
from metalift.synth.cover import NotCovered, cover
from metalift.synth.derive import NotDerived, derive
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.paths import PathGenerator

TRIED_FOR_OVERLAP = 24  # inputs on which two pointers are given one buffer before a proof is tried
TRIED_AFTER_FAILURE = 400
COMPARED = 220  # inputs for the generated code; of these some are discarded, because rounding decides about a branch


@dataclass(frozen=True, slots=True)
class SummaryProof:
    """A summary with the evidence for its obligations, and which arrays were allowed to be the same."""

    identical: Mapping[str, tuple[str, ...]]
    evidence: tuple[Evidence, ...]

    @property
    def proved(self) -> bool:
        """Whether every obligation is."""
        return bool(self.evidence) and all(one.proved for one in self.evidence)


def lift_function(job: Job, name: str, line: int, stages: Stages) -> FunctionResult:
    """One function through all stages; whatever stops it is a verdict with its reason."""
    result = FunctionResult(name=name, line=line, proposer="search")
    dump = Dump(job.dump_dir)
    try:
        with stages("fragment"):
            fragment = job.fragment(name, dump)
            job = replace(job, loaded=replace(job.loaded, driver=with_records(job.driver, fragment)))
            result = replace(result, diagnostics=tuple(map(shown, fragment.notes)))
            user = parse_assumptions(job.assume, fragment)
        dump.write("fragment", show_fragment(fragment))
        with stages("summary"):
            summary, programs = summarised(job, fragment, user)
            check_summary(summary, fragment)
        dump.write("summary", show_summary(summary))
        proposer = "llm" if programs else result.proposer
        result = replace(result, summary=show_summary(summary), invariants=invariants(summary), candidates=1, proposer=proposer)
        with ExitStack() as stack:
            tools = start_tools(job, fragment, stack)
            return lift_summary(job, fragment, summary, user, tools, result, stages, dump, programs)
    except Unsupported as problem:
        return stopped(result, FunctionVerdict.UNSUPPORTED, problem.diagnostic, stages)
    except (NotDerived, ObligationError, IllTyped) as problem:
        if (undefined := uninitialised(fragment)) is not None:
            return stopped(result, FunctionVerdict.UNSUPPORTED, undefined, stages)
        if isinstance(problem, IllTyped):
            where = Diagnostic(fragment.location, f"the proposed summary is not well formed: {problem}")
            return stopped(result, FunctionVerdict.NOT_LIFTED, where, stages)
        attempt = Attempt(result.summary)
        return replace(stopped(result, FunctionVerdict.NOT_LIFTED, problem.diagnostic, stages), attempt=attempt)


def summarised(
    job: Job, fragment: Fragment, user: Sequence[tuple[str, Expr]]
) -> tuple[Summary, Mapping[str, TargetProgram]]:
    """The summary that is derived; where none is, a model's, with its program for the first target. Raises NotDerived."""
    try:
        return derive(fragment), {}
    except NotDerived as problem:
        if job.proposer.asker is None or uninitialised(fragment) is not None:
            raise
        given = tuple(formula for _, formula in user)
        sample = runs(fragment, given)

        def prove(summary: Summary) -> tuple[Evidence, ...]:
            return prove_summary(job, fragment, summary, (*given, *summary.requires), sample).evidence

        wanted = Wanted(fragment, job.driver, job.targets[0], given, tuple(sample), prove, job.language)
        try:
            found = ask_summary(wanted, job.proposer)
        except NotProposed as failed:
            message = f"{problem.diagnostic.message}; {failed}"
            raise NotDerived(Diagnostic(problem.diagnostic.location, message)) from None
        return found.summary, {job.targets[0]: found.program}


def uninitialised(fragment: Fragment) -> Diagnostic | None:
    """Where the function has a variable whose value it may use without having set it."""
    for block in fragment.blocks:
        for statement in block.body:
            if isinstance(statement, Undefined):
                message = f"the result may depend on the variable '{statement.variable}', which is not initialised: set it"
                return Diagnostic(statement.location, message)
    return None


def stopped(result: FunctionResult, verdict: FunctionVerdict, problem: Diagnostic, stages: Stages) -> FunctionResult:
    """The result of a function that went no further."""
    return replace(result, verdict=verdict, diagnostics=(*result.diagnostics, shown(problem)), seconds=stages.seconds)


def shown(problem: Diagnostic) -> DiagnosticResult:
    """A diagnostic as it is reported."""
    place = problem.location
    return DiagnosticResult(place.file, place.line, place.column, problem.message)


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


@dataclass(frozen=True, slots=True)
class Tools:
    """Processes that were started early: the compiler, and one for each target; a text says why there is none.

    `executed` is what the source's runs are compared with.
    """

    executed: Fragment
    native: Runnable | str
    workers: Mapping[str, Worker | str]


def start_tools(job: Job, fragment: Fragment, stack: ExitStack) -> Tools:
    """Start what the comparison of the generated code with the source will need."""
    workers: dict[str, Worker | str] = {}
    for target in job.targets:
        worker = start_worker(job.driver.target(target))
        workers[target] = stack.enter_context(worker) if isinstance(worker, Worker) else worker
    executed = job.executed(fragment)
    if isinstance(executed, str):
        return Tools(fragment, executed, workers)
    try:
        return Tools(executed, stack.enter_context(job.native(executed)), workers)
    except NotRunnable as problem:
        return Tools(executed, str(problem), workers)


def lift_summary(
    job: Job,
    fragment: Fragment,
    summary: Summary,
    user: Sequence[tuple[str, Expr]],
    tools: Tools,
    result: FunctionResult,
    stages: Stages,
    dump: Dump,
    programs: Mapping[str, TargetProgram],
) -> FunctionResult:
    """Prove the summary, then lift it to each target; `programs` that compute it are known for some."""
    why = uncovered(job, fragment, summary, stages) if job.nest is not None and job.proposer.asker is None else None
    if why is not None:
        stop = stopped(result, FunctionVerdict.NOT_LIFTED, Diagnostic(fragment.location, why), stages)
        return replace(stop, attempt=Attempt(result.summary, why))
    given = (*summary.requires, *(formula for _, formula in user))
    with stages("inputs"):
        # the summary may say more elements than a run touches: those of a table that all indices of a type may reach
        tried = valid(fragment, given, extents=summary.shapes)
        sample = telling(fragment, tried)
    with stages("proof"):
        proof = prove_summary(job, fragment, summary, given, sample)
    dump.write("obligations", obligations_text([one.obligation for one in proof.evidence]))
    stated = of_source(fragment, summary, proof.identical, user, tools.executed)
    result = replace(result, obligations=tuple(one.result for one in proof.evidence))
    undefined = uninitialised(fragment)
    if not proof.proved and undefined is not None:
        return stopped(result, FunctionVerdict.UNSUPPORTED, undefined, stages)
    if not proof.proved:
        result = replace(result, attempt=attempt(fragment, summary, given, proof, sample, stages))
        if result.attempt is not None and result.attempt.input is not None:
            return replace(result, verdict=FunctionVerdict.NOT_LIFTED, assumptions=reported(stated, ()), seconds=stages.seconds)

    @cache
    def compared_on(conditions: tuple[Expr, ...]) -> Sequence[Reference]:
        pairs = [one.assumption for one in stated if one.assumption.overlap is not Overlap.DISJOINT]
        embedded = {param.var.name for param in fragment.params if param.embedded}
        shared = [pair.arrays for pair in pairs if pair.arrays and embedded.isdisjoint(pair.arrays)]
        first = tried if tools.executed == fragment else ()
        return references(tools.executed, conditions, extents=summary.shapes, shared=shared, wanted=COMPARED, first=first)

    lifted = Lifted(
        fragment=fragment,
        summary=summary,
        stated=tuple(stated),
        proved=proof.proved,
        sample=tuple(sample),
        native=tools.native,
        references=compared_on,
        workers=tools.workers,
        executed=tools.executed,
        programs=programs,
        units=dict(job.units(fragment)),
    )
    stage = TargetStage(job=job, lifted=lifted, stages=stages, dump=dump)
    outcomes = [stage.lift(target) for target in job.targets]
    evidence = [*proof.evidence, *(one for outcome in outcomes for one in outcome.evidence)]
    guarded = outcomes[0].guarded if outcomes else ()
    result = replace(
        result,
        assumptions=reported(stated, guarded),
        obligations=tuple(one.result for one in evidence),
        targets={target: outcome.result for target, outcome in zip(job.targets, outcomes, strict=True)},
        diagnostics=(*result.diagnostics, *(shown(d) for outcome in outcomes for d in outcome.diagnostics)),
        attempt=result.attempt or next((outcome.attempt for outcome in outcomes if outcome.attempt), None),
        proposer="llm" if any(outcome.proposer == "llm" for outcome in outcomes) else result.proposer,
        candidates=max((outcome.candidates for outcome in outcomes), default=result.candidates) or result.candidates,
    )
    result = replace(result, verdict=overall(proof.proved, result.targets))
    if job.out is not None and result.verdict is FunctionVerdict.PROVED:
        with stages("certificate"):
            folder = save_certificate(job, job.out, lifted, proof.identical, evidence, outcomes)
        result = replace(result, certificate=str(folder))
    return replace(result, seconds=stages.seconds)


def uncovered(job: Job, fragment: Fragment, summary: Summary, stages: Stages) -> str | None:
    """Why no target has operators for the summary, None where one has.

    Asked before a nest is proved: its loops may be tried instead.
    """
    problems = []
    for target in job.targets:
        try:
            with stages(f"cover {target}"):
                cover(summary, fragment, job.driver, target)
            return None
        except NotCovered as problem:
            problems.append(f"{target}: {problem}")
    return problems[0]


def save_certificate(
    job: Job,
    out: Path,
    lifted: Lifted,
    identical: Mapping[str, tuple[str, ...]],
    evidence: Sequence[Evidence],
    outcomes: Sequence[TargetOutcome],
) -> Path:
    """Write the certificate of a proved function; its folder."""
    folder = out / "certificates" / file_name(lifted.fragment.name)
    programs = {target: o.program for target, o in zip(job.targets, outcomes, strict=True) if o.program is not None}
    kernels = {target: show_kernel(o.kernel) for target, o in zip(job.targets, outcomes, strict=True) if o.kernel is not None}
    obligations, files = certifying.proof_records([(one.settled, one.obligation.location.line) for one in evidence])
    texts = {
        job.path.name: job.path.read_text(encoding="utf-8", errors="surrogateescape"),
        "fragment.txt": show_fragment(lifted.fragment) + "\n",
        "summary.txt": show_summary(lifted.summary) + "\n",
        **{f"programs/{target}.txt": show_program(program) + "\n" for target, program in programs.items()},
        **files,
    }
    recorded = certificate.Recorded(
        lifted.fragment.name,
        job.path.name,
        job.clang_args,
        job.loaded.name,
        job.assume,
        identical,
        lifted.summary,
        programs,
        obligations,
        kernels,
        nest=job.nest is not None,
        verdict=FunctionVerdict.PROVED.value,
        tools=certificate.tools(),
    )
    certifying.write(folder, recorded, texts)
    return folder


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


def reported(stated: Sequence[Stated], guarded: Sequence[bool]) -> tuple[AssumptionResult, ...]:
    """Assumptions as they are reported; what no code was generated for is not checked."""
    flags = [*guarded, *([False] * (len(stated) - len(guarded)))]
    return tuple(
        AssumptionResult(one.assumption.text, one.origin.value, Checked.GUARD if flag else Checked.NO)
        for one, flag in zip(stated, flags, strict=False)
    )


def prove_summary(job: Job, fragment: Fragment, summary: Summary, given: tuple[Expr, ...], sample: Sequence[Run]) -> SummaryProof:
    """Prove with as many pairs of arrays allowed to be the same as testing does not rule out and the prover accepts."""

    def attempted(identical: Mapping[str, tuple[str, ...]]) -> SummaryProof:
        obligations = PathGenerator(fragment, summary, given, identical).obligations()
        quick = bool(identical)  # it only widens what is claimed
        return SummaryProof(identical, tuple(prove_all(obligations, fragment, summary, sample, job.pool, job.timeout, quick)))

    wanted = {
        name: tuple(other for other in others if not sample or agrees_when_shared(fragment, summary, given, name, other))
        for name, others in may_be_identical(fragment).items()
    }
    wanted = {name: others for name, others in wanted.items() if others}
    best = attempted(wanted)
    if best.proved or not wanted:
        return best
    best = attempted({})
    accepted: dict[str, tuple[str, ...]] = {}
    for name, others in wanted.items() if len(wanted) > 1 else ():
        if best.proved and (more := attempted({**accepted, name: others})).proved:
            accepted[name], best = others, more
    return best


def agrees_when_shared(fragment: Fragment, summary: Summary, given: Sequence[Expr], name: str, other: str) -> bool:
    """Whether the summary holds on some inputs on which the two arrays are one."""
    order = [param.var.name for param in fragment.params]
    first, later = sorted((name, other), key=order.index)
    return falsify(fragment, summary, given, shared={later: first}, tried=TRIED_FOR_OVERLAP) is None


def attempt(
    fragment: Fragment, summary: Summary, given: Sequence[Expr], proof: SummaryProof, sample: Sequence[Run], stages: Stages
) -> Attempt:
    """What the summary fails on: an input, or else the first obligation that was not proved."""
    with stages("refutation"):
        found = falsify(fragment, summary, given, tried=TRIED_AFTER_FAILURE, first=sample)
    failing = next(one for one in proof.evidence if not one.proved)
    obligation = f"{failing.obligation.name}: {failing.settled.reason}"
    return Attempt(show_summary(summary), obligation, {"text": found.text()} if found else None)



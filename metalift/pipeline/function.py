"""Lifting one function, stage by stage: fragment, summary, obligations, proof; then each target by `metalift.pipeline.target`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial

from metalift.check.assumptions import may_be_identical, of_source
from metalift.check.dump import Dump, obligations_text
from metalift.check.proving import Evidence, prove_all
from metalift.check.records import with_records
from metalift.check.user_assumptions import parse_assumptions
from metalift.codegen.request import CannotSpell
from metalift.ir.expr.nodes import Expr, Forall, Ite, Select, Update
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.fragment import Diagnostic, Fragment, Unsupported
from metalift.ir.program.summary import Aids, Summary, TargetProgram
from metalift.ir.text import show_fragment, show_summary
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_summary
from metalift.pipeline.context import Job, Lifted, Stages
from metalift.pipeline.proposer import Hints, LoopsStay, NotProposed
from metalift.pipeline.reporting import (
    Certified,
    by_all,
    invariants,
    overall,
    reported,
    save_certificates,
    shown,
    stopped,
    uninitialised,
)
from metalift.pipeline.source_text import numbered
from metalift.pipeline.staged import StagedLift, Stayed
from metalift.pipeline.staged_result import finished, lift_staged
from metalift.pipeline.target import NARROW, TargetStage
from metalift.pipeline.tools import Tools, compared_on, start_tools
from metalift.result import Attempt, FunctionResult
from metalift.result.verdict import FunctionVerdict, ObligationVerdict
from metalift.run.compare.falsify import falsify
from metalift.run.inputs.inputs import Run, runs, telling, valid
from metalift.synth.cover import IN_PART, NotCovered, cover
from metalift.synth.derive import NotDerived, derive
from metalift.vcgen.obligation import Obligation, ObligationError
from metalift.vcgen.paths import PathGenerator
from metalift.vcgen.refinement import REQUIREMENTS, VIEWS

OPEN = (FunctionVerdict.NOT_LIFTED, FunctionVerdict.TESTED, FunctionVerdict.VACUOUS)  # something else may be proved
ORDER = tuple(FunctionVerdict)  # the best first
NOT_PROVED = "what was found for it is not proved"
TRIED_FOR_OVERLAP = 24  # inputs on which two pointers are given one buffer before a proof is tried
TRIED_AFTER_FAILURE = 400


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
    except Unsupported as problem:
        return stopped(result, FunctionVerdict.UNSUPPORTED, problem.diagnostic, stages)
    records = {target: replace(each, driver=with_records(each.driver, fragment)) for target, each in job.drivers.items()}
    job = replace(job, drivers=records)
    result = replace(result, diagnostics=tuple(map(shown, fragment.notes)))
    user = parse_assumptions(job.assume, fragment)
    dump.write("fragment", show_fragment(fragment))
    searching = replace(job, proposer=replace(job.proposer, asker=None)) if job.with_loops else job
    found = lift_in_ways(searching, fragment, user, result, stages, dump)
    if job.proposer.asker is None or searching is job or found.verdict not in OPEN:
        return found
    other = lift_in_ways(replace(job, proposer=replace(job.proposer, search=False)), fragment, user, result, stages, dump)
    if ORDER.index(other.verdict) < ORDER.index(found.verdict):
        return other
    return replace(found, diagnostics=(*found.diagnostics, *other.diagnostics[-1:]), seconds=stages.seconds)


def lift_in_ways(
    job: Job, fragment: Fragment, user: Sequence[tuple[str, Expr]], result: FunctionResult, stages: Stages, dump: Dump
) -> FunctionResult:
    """The function in closed form; where that is not proved, with loops that stay; where these are not either, in closed form by
    what is the last resort, if there is any.
    """
    not_kept: set[str] = set()
    with ExitStack() as stack:
        tools = partial(start_tools, job, fragment, stack)
        try:
            found = lift_closed(job, fragment, user, tools, result, stages, dump, not_kept)
        except LoopsStay as accepted:
            return finished(accepted.stayed, tools, result, dump, {})
    if found.verdict not in OPEN or job.last_resort:
        return found
    with ExitStack() as stack:
        tools = partial(start_tools, job, fragment, stack)
        staged = lift_staged(job, fragment, user, tools, found, stages, dump, frozenset(not_kept))
    if staged.verdict not in OPEN or not any(why in each.message for each in found.diagnostics for why in (IN_PART, NARROW)):
        return staged
    other = lift_in_ways(replace(job, last_resort=True), fragment, user, result, stages, dump)
    return other if ORDER.index(other.verdict) < ORDER.index(staged.verdict) else replace(staged, seconds=stages.seconds)


def lift_closed(
    job: Job,
    fragment: Fragment,
    user: Sequence[tuple[str, Expr]],
    tools: Callable[[], Tools],
    result: FunctionResult,
    stages: Stages,
    dump: Dump,
    not_kept: set[str],
) -> FunctionResult:
    """The function by a summary in closed form; `not_kept` gets the headers of loops that were not proved to be what it says."""
    try:
        with stages("summary"):
            summary, programs = summarised(job, fragment, user, stages)
            check_summary(summary, fragment)
        dump.write("summary", show_summary(summary))
        proposer = "llm" if programs else result.proposer

        def lifted(summary: Summary) -> tuple[FunctionResult, bool]:
            told = show_summary(summary)
            shown = replace(result, summary=told, invariants=invariants(summary), candidates=1, proposer=proposer)
            return lift_summary(job, fragment, summary, user, tools(), shown, stages, dump, programs, not_kept)

        found = None
        if programs or not chooses_indices(summary):
            found, proved = lifted(summary)
            if not (programs or proved) and job.proposer.asker is not None:
                try:
                    summary, programs = asked(job, fragment, user, stages, Diagnostic(fragment.location, NOT_PROVED))
                except NotDerived as problem:
                    return replace(found, diagnostics=(*found.diagnostics, shown(problem.diagnostic)))
                proposer = "llm"
                return lifted(summary)[0]
            if programs or not (proved and needs_facts(found)):
                return found
        with stages("summary"):
            more = derive(fragment, executed=True)
        again = lifted(more)[0] if more.facts else None
        if again is None or (again.verdict is not FunctionVerdict.PROVED and found is not None and reach(again) <= reach(found)):
            return found or lifted(summary)[0]
        return again if reach(again) else found or lifted(summary)[0]
    except (NotDerived, ObligationError, IllTyped) as problem:
        if (undefined := uninitialised(fragment)) is not None:
            return stopped(result, FunctionVerdict.UNSUPPORTED, undefined, stages)
        if isinstance(problem, IllTyped):
            where = Diagnostic(fragment.location, f"the proposed summary is not well formed: {problem}")
            return stopped(result, FunctionVerdict.NOT_LIFTED, where, stages)
        attempt = Attempt(result.summary)
        return replace(stopped(result, FunctionVerdict.NOT_LIFTED, problem.diagnostic, stages), attempt=attempt)


def reach(result: FunctionResult) -> int:
    """For how many targets it is proved."""
    return sum(target.verdict is FunctionVerdict.PROVED for target in result.targets.values())


def needs_facts(result: FunctionResult) -> bool:
    """Whether it is not shown that operators may be used and that views are inside of arrays: runs of the source may show it."""
    missing = {one.name for one in result.obligations if one.verdict is not ObligationVerdict.PROVED}
    return result.verdict is FunctionVerdict.TESTED and not missing.isdisjoint((REQUIREMENTS, VIEWS))


def chooses_indices(summary: Summary) -> bool:
    """Whether it reads at indices that conditions choose or arrays hold: that these are inside is not shown without facts."""
    terms = [*(binding.value for binding in summary.bindings), *(term for _, term in summary.outputs)]
    reads = (part for term in terms for part in subexpressions(term) if isinstance(part, Select))
    chosen = any(isinstance(part, Ite) for read in reads for at in read.indices for part in subexpressions(at))
    return chosen or any(isinstance(condition, Forall) for condition in summary.requires)


def summarised(
    job: Job, fragment: Fragment, user: Sequence[tuple[str, Expr]], stages: Stages
) -> tuple[Summary, Mapping[str, TargetProgram]]:
    """The summary that is derived; where none is, a model's, with its program for the first target. Raises NotDerived,
    LoopsStay.
    """
    try:
        return derive(fragment), {}
    except NotDerived as problem:
        if job.proposer.asker is None or uninitialised(fragment) is not None:
            raise
        return asked(job, fragment, user, stages, problem.diagnostic)


def asked(
    job: Job, fragment: Fragment, user: Sequence[tuple[str, Expr]], stages: Stages, why: Diagnostic
) -> tuple[Summary, Mapping[str, TargetProgram]]:
    """A model's summary, with its program for the first target; `why` none is found. Raises NotDerived, LoopsStay."""
    assert job.proposer.asker is not None
    from metalift.pipeline.summarising import Wanted, ask_summary  # and all that it takes to ask a model

    given = tuple(formula for _, formula in user)
    sample = runs(fragment, given)

    def prove(summary: Summary) -> tuple[Evidence, ...]:
        return prove_summary(job, fragment, summary, (*given, *summary.requires), sample).evidence

    def settle(obligations: Sequence[Obligation]) -> list[Evidence]:
        return prove_all(obligations, fragment, Summary((), (), ()), sample, job.pool, job.timeout)

    target, text = job.targets[0], numbered(job.module, fragment)
    stay = staying(job, fragment, user, stages)
    wanted = Wanted(
        fragment, job.driver(target), target, given, tuple(sample), prove, text, job.language, stay, job.python, settle
    )
    try:
        found = ask_summary(wanted, job.proposer)
    except NotProposed as failed:
        raise NotDerived(Diagnostic(why.location, f"{why.message}; {failed}")) from None
    return found.summary, {job.targets[0]: found.program}


def staying(
    job: Job, fragment: Fragment, user: Sequence[tuple[str, Expr]], stages: Stages
) -> Callable[[Hints, Aids], Stayed] | None:
    """Proves the function with its loops as they are; None where some target has no loops."""
    if job.have_loops != job.targets or fragment.key is not None:
        return None

    def stay(hints: Hints, aids: Aids) -> Stayed:
        why = Diagnostic(fragment.location, "its loops stay loops")
        lift = StagedLift(job, fragment, user, job.targets, why, stages, frozenset(), hints, aids)
        return Stayed(lift, lift.proved(), "llm")

    return stay


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
    not_kept: set[str],
) -> tuple[FunctionResult, bool]:
    """Prove the summary, then lift it to each target; and whether it is proved. `programs` that compute it are known for some."""
    first = job.nest is not None or (returns_version(summary) and bool(job.with_loops) and not job.last_resort)
    why = uncovered(job, fragment, summary, stages) if first and job.proposer.asker is None else None
    if why is not None:
        stop = stopped(result, FunctionVerdict.NOT_LIFTED, Diagnostic(fragment.location, why), stages)
        return replace(stop, attempt=Attempt(result.summary, why)), False
    covers = drafted(job, fragment, summary, user, tools, result.name, stages, dump) if job.drafted is not None else {}
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
        return stopped(result, FunctionVerdict.UNSUPPORTED, undefined, stages), False
    not_kept.update(header for one in proof.evidence if (header := one.not_kept) is not None)
    if not proof.proved:
        result = replace(result, attempt=attempt(fragment, summary, given, proof, sample, stages))
        if result.attempt is not None and result.attempt.input is not None:
            result = replace(result, verdict=FunctionVerdict.NOT_LIFTED, assumptions=reported(stated, ()))
            return replace(result, seconds=stages.seconds), False

    lifted = Lifted(
        fragment=fragment,
        summary=summary,
        stated=tuple(stated),
        proved=proof.proved,
        sample=tuple(sample),
        native=tools.native,
        references=compared_on(tools, fragment, stated, summary, tried),
        workers=tools.workers,
        executed=tools.executed,
        programs=programs,
        units=dict(job.units(fragment)),
        stay=staying(job, fragment, user, stages),
    )
    stage = TargetStage(job=job, lifted=lifted, stages=stages, dump=dump, covers=covers)
    outcomes = [stage.lift(target) for target in job.targets]
    evidence = [*proof.evidence, *(one for outcome in outcomes for one in outcome.evidence)]
    result = replace(
        result,
        assumptions=reported(stated, by_all([outcome.guarded for outcome in outcomes])),
        obligations=tuple(one.result for one in evidence),
        targets={target: outcome.result for target, outcome in zip(job.targets, outcomes, strict=True)},
        diagnostics=(*result.diagnostics, *(shown(d) for outcome in outcomes for d in outcome.diagnostics)),
        attempt=result.attempt or next((outcome.attempt for outcome in outcomes if outcome.attempt), None),
        proposer="llm" if any(outcome.proposer == "llm" for outcome in outcomes) else result.proposer,
        candidates=max((outcome.candidates for outcome in outcomes), default=result.candidates) or result.candidates,
    )
    result = replace(result, verdict=overall(proof.proved, result.targets))
    with stages("certificate"):
        certified = {
            target: Certified(outcome.program, outcome.evidence, outcome.kernel)
            for target, outcome in zip(job.targets, outcomes, strict=True)
            if outcome.program is not None and outcome.result.verdict is FunctionVerdict.PROVED
        }
        folders = save_certificates(job, fragment, summary, proof.identical, proof.evidence, certified)
    return replace(result, certificates=folders, seconds=stages.seconds), proof.proved


def drafted(
    job: Job,
    fragment: Fragment,
    summary: Summary,
    user: Sequence[tuple[str, Expr]],
    tools: Tools,
    name: str,
    stages: Stages,
    dump: Dump,
) -> dict[tuple[str, bool, bool, tuple[str, ...]], TargetProgram]:
    """Tell the code of each target before anything is proved, and give the programs that were found for it."""
    assert job.drafted is not None
    lifted = Lifted(
        fragment=fragment,
        summary=summary,
        stated=tuple(of_source(fragment, summary, may_be_identical(fragment), user, tools.executed)),
        proved=False,
        sample=(),
        native=tools.native,
        references=lambda conditions: (),
        workers=tools.workers,
        executed=tools.executed,
        units=dict(job.units(fragment)),
    )
    stage = TargetStage(job=job, lifted=lifted, stages=stages, dump=dump)
    for target in job.targets:
        with suppress(NotCovered, CannotSpell, ObligationError):  # which the lift itself comes to, and tells
            job.drafted(name, target, stage.draft(target))
    return stage.covers


def uncovered(job: Job, fragment: Fragment, summary: Summary, stages: Stages) -> str | None:
    """Why no target has operators for the summary, None where one has.

    Asked before a nest is proved, whose loops may be tried instead, and where an array is returned as several loops left it.
    """
    problems = []
    for target in job.targets:
        try:
            with stages(f"cover {target}"):
                cover(summary, fragment, job.driver(target), target)
            return None
        except NotCovered as problem:
            problems.append(f"{target}: {problem}")
    return problems[0]


def returns_version(summary: Summary) -> bool:
    """Whether elements of the result are what loops left in a local array, which is not said in other terms."""
    written = {binding.var for binding in summary.bindings if isinstance(binding.value, Update)}
    result = dict(summary.outputs).get("return")
    parts = () if result is None else subexpressions(result)
    return any(isinstance(part, Select) and part.tensor in written for part in parts)


def prove_summary(job: Job, fragment: Fragment, summary: Summary, given: tuple[Expr, ...], sample: Sequence[Run]) -> SummaryProof:
    """Prove with as many pairs of arrays allowed to be the same as testing does not rule out and the prover accepts."""

    failed: set[str] = set()  # obligations, which are likely to fail again

    def attempted(identical: Mapping[str, tuple[str, ...]]) -> SummaryProof:
        obligations = list(PathGenerator(fragment, summary, given, identical).obligations())
        hardest_first = sorted(range(len(obligations)), key=lambda at: obligations[at].name not in failed)
        quick = bool(identical)  # it only widens what is claimed
        in_order = [obligations[at] for at in hardest_first]
        others = bool(job.with_loops)  # other ways to lift it
        made = prove_all(in_order, fragment, summary, sample, job.pool, job.closed_timeout, quick, all_or_none=others)
        failed.update(one.obligation.name for one in made if not one.proved and one.settled.proofs)
        evidence = dict(zip(hardest_first, made, strict=True))
        return SummaryProof(identical, tuple(evidence[at] for at in range(len(obligations))))

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
    return falsify(fragment, summary, given, shared={later: first}, tried=TRIED_FOR_OVERLAP, readable=0) is None


def attempt(
    fragment: Fragment, summary: Summary, given: Sequence[Expr], proof: SummaryProof, sample: Sequence[Run], stages: Stages
) -> Attempt:
    """What the summary fails on: an input, or else the first obligation that was not proved."""
    with stages("refutation"):
        found = falsify(fragment, summary, given, tried=TRIED_AFTER_FAILURE, first=sample)
    failing = next(one for one in proof.evidence if not one.proved)
    obligation = f"{failing.obligation.name}: {failing.settled.reason}"
    return Attempt(show_summary(summary), obligation, {"text": found.text()} if found else None)

"""What comes of a function with loops that stay: the code for each target, the result, the certificates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from metalift.check.assumptions import Origin, Stated
from metalift.check.dump import Dump, obligations_text
from metalift.check.proving import Evidence
from metalift.check.staged import StagedClaims, whole_summary
from metalift.codegen import CannotSpell
from metalift.codegen.request import GenerateRequest
from metalift.codegen.staged import StagedRequest, generate_staged
from metalift.driver import CannotWrite
from metalift.ir.expr.nodes import Expr
from metalift.ir.program.fragment import Diagnostic, Fragment
from metalift.ir.program.summary import StagedProgram, TargetProgram
from metalift.ir.text import show_staged
from metalift.pipeline.context import Job, Lifted, Stages
from metalift.pipeline.reporting import Certified, by_all, overall, proved_for, reported, save_certificates, shown, uninitialised
from metalift.pipeline.staged import StagedLift, Stayed
from metalift.pipeline.staged_proof import StagedProof
from metalift.pipeline.target import TargetOutcome, TargetStage
from metalift.pipeline.tools import Tools, compared_on
from metalift.result import FunctionResult, TargetResult
from metalift.result.verdict import FunctionVerdict
from metalift.run.compare.cases import Reference
from metalift.run.inputs.inputs import telling, valid
from metalift.run.inputs.states import always_holds
from metalift.synth.derive import NotDerived
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.plans import Reader
from metalift.version import __version__


def target_code(
    lift: StagedLift, stage: TargetStage, proof: StagedProof, target: str
) -> tuple[TargetOutcome, StagedProgram | None]:
    """The code for one target."""
    claims, driver = proof.claims, lift.job.driver(target)
    try:
        with lift.stages(f"cover {target}"):
            programs = lift.programs(claims, target)
        with lift.stages(f"proof {target}"):
            evidence = [
                one
                for run, wanted in claims.of_target(programs, driver, target)
                for one in lift.prove(claims, run, wanted)
            ]
        stated = (*stage.lifted.stated, *claims.needs(programs, driver, target))
        with lift.stages(f"code {target}"):
            generated = generate_staged(request(lift, stage, claims, programs, target, stated, evidence))
    except (NotDerived, CannotSpell, CannotWrite, ObligationError) as problem:
        return stage.not_lifted(f"{target}: {problem}", problem), None
    return replace(stage, lifted=in_range(lift, stage.lifted, claims, programs, target)).tried(
        target, generated, stated, evidence
    ), programs


def in_range(lift: StagedLift, lifted: Lifted, claims: StagedClaims, programs: StagedProgram, target: str) -> Lifted:
    """Compared on inputs on which numbers stay in the ranges of the target's in all iterations."""
    wanted = [
        lift.reached.wanted(run.part, one.formula)
        for run, program in zip(claims.parts, programs.programs, strict=True)
        for one in claims.beyond(run, program, lift.job.driver(target), target)
        if one.origin is Origin.RANGE and one.formula is not None
    ]
    if not wanted:
        return lifted

    def references(conditions: tuple[Expr, ...]) -> Sequence[Reference]:
        found = lifted.references(conditions)
        return [each for each in found if always_holds(lift.cutter.fragment, wanted, each.run)]

    return replace(lifted, references=references)


def request(
    lift: StagedLift,
    stage: TargetStage,
    claims: StagedClaims,
    programs: StagedProgram,
    target: str,
    stated: Sequence[Stated],
    evidence: Sequence[Evidence],
) -> StagedRequest:
    """What code generation is given."""
    driver = lift.job.driver(target)
    needed = tuple(one.formula for one in stated[len(stage.lifted.stated) :] if one.formula is not None)
    whole = GenerateRequest(
        lift.fragment,
        stage.lifted.summary,
        TargetProgram((), (), None, needed),
        driver,
        driver.target(target),
        tuple(one.assumption for one in stated),
        stage.verdict(evidence).value,
        __version__,
        units=stage.lifted.units,
        style=lift.job.style,
    )
    overlaps = tuple(one.assumption for one in stage.lifted.stated if one.assumption.arrays is not None)
    known = tuple((*overlaps, *(one.assumption for one in claims.stated(run))) for run in claims.parts)
    return StagedRequest(whole, Reader(lift.cutter).runs(claims.staged), programs, known, claims.staged.shapes, claims.grown)


def start(lift: StagedLift, proof: StagedProof, tools: Tools) -> Lifted:
    """What every target starts from."""
    claims = proof.claims
    stated = claims.of_whole(tools.executed)
    summary = whole_summary(lift.fragment, claims.staged, claims.parts)
    tried = valid(lift.fragment, claims.hypotheses(), extents=summary.shapes)
    return Lifted(
        fragment=lift.fragment,
        summary=summary,
        stated=tuple(stated),
        proved=True,
        sample=tuple(telling(lift.fragment, tried)),
        native=tools.native,
        references=compared_on(tools, lift.fragment, stated, summary, tried),
        workers=tools.workers,
        executed=tools.executed,
        units=dict(lift.job.units(lift.fragment)),
    )


def lift_staged(
    job: Job,
    fragment: Fragment,
    user: Sequence[tuple[str, Expr]],
    tools: Callable[[], Tools],
    closed: FunctionResult,
    stages: Stages,
    dump: Dump,
    not_kept: frozenset[str],
) -> FunctionResult:
    """The function by loops that stay, on the targets that have loops; where that is not proved, what was found before.

    `not_kept` are the headers of loops that were not proved to be what they are in closed form.
    """
    able = job.with_loops
    if all(proved_for(closed, target) for target in able) or fragment.key is not None or uninitialised(fragment) is not None:
        return closed
    why = next((one.message for one in closed.diagnostics[len(fragment.notes) :]), "what it computes is not proved")
    lacking: dict[str, Diagnostic] = {}  # targets that have no operators for a part that cannot be cut further
    lift = StagedLift(job, fragment, user, able, Diagnostic(fragment.location, why), stages, not_kept)
    while True:
        try:
            proof = lift.proved()
        except (NotDerived, ObligationError) as problem:
            without = lift.lacking.get(problem.diagnostic)
            if without is not None and len(lift.targets) > 1:
                lacking[without] = problem.diagnostic
                lift = lift.without(without)
                continue
            nor = replace(problem.diagnostic, message=f"nor with loops that stay loops: {problem.diagnostic.message}")
            return replace(closed, diagnostics=(*closed.diagnostics, shown(nor)), seconds=stages.seconds)
        return finished(Stayed(lift, proof), tools, closed, dump, lacking)


def finished(
    stayed: Stayed, tools: Callable[[], Tools], closed: FunctionResult, dump: Dump, lacking: Mapping[str, Diagnostic]
) -> FunctionResult:
    """The result of a function that is proved with loops that stay; `closed`: what was found before, `lacking`: why targets have
    no such code.
    """
    lift, proof = stayed.lift, stayed.proof
    job, fragment, able, stages = lift.job, lift.fragment, lift.targets, lift.stages
    dump.write("stages", show_staged(proof.staged))
    dump.write("obligations-stages", obligations_text([one.obligation for one in proof.evidence]))
    lifted = start(lift, proof, tools())
    stage = TargetStage(job=job, lifted=lifted, stages=stages, dump=dump)
    made = {target: target_code(lift, stage, proof, target) for target in able}
    outcomes = {target: outcome for target, (outcome, _) in made.items()}
    reached = overall(True, {target: outcome.result for target, outcome in outcomes.items()})
    if closed.verdict is FunctionVerdict.TESTED and reached is not FunctionVerdict.PROVED:
        return closed
    evidence = [*proof.evidence, *(one for outcome in outcomes.values() for one in outcome.evidence)]
    others = {target: closed.targets.get(target, TargetResult(FunctionVerdict.NOT_LIFTED)) for target in job.targets}
    assumptions = reported(lifted.stated, by_all([outcome.guarded for outcome in outcomes.values()]))
    beyond = tuple(one for one in closed.assumptions if one not in assumptions)  # of what is proved in closed form
    others = {target: replace(each, assumptions=(*beyond, *each.assumptions)) for target, each in others.items()}
    targets = {target: outcomes[target].result if target in outcomes else others[target] for target in job.targets}
    told = list(proof.stayed)
    cannot = Diagnostic(fragment.location, "loops of the source cannot stay loops in its code yet")
    left = [target for target in others if target not in able and not proved_for(closed, target)]
    told += [replace(why, message=f"{target}: {why.message}") for target in left for why in [lacking.get(target, cannot)]]
    told += [each for outcome in outcomes.values() for each in outcome.diagnostics]
    result = replace(
        closed,
        proposer=stayed.proposer,
        candidates=stayed.candidates or closed.candidates,
        summary=show_staged(proof.staged),
        invariants=(),
        diagnostics=(*map(shown, fragment.notes), *map(shown, told)),
        assumptions=assumptions,
        obligations=tuple(one.result for one in evidence),
        targets=targets,
        attempt=None,
        verdict=overall(True, targets),
        seconds=stages.seconds,
    )
    with stages("certificate"):
        certified = {
            target: Certified(program, outcome.evidence)
            for target, (outcome, program) in made.items()
            if program is not None and outcome.result.verdict is FunctionVerdict.PROVED
        }
        folders = save_certificates(job, fragment, proof.staged, {}, proof.evidence, certified)
    return replace(result, certificates=(*closed.certificates, *folders), seconds=stages.seconds)

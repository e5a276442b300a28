"""Lifting a function whose loops have no closed form: they stay loops around what has one.

The plan says which loops stay and where the stretches between them end. A stretch that the operators of a target do not
compute, that inputs refute or that is not proved is cut further, until all are proved or nothing is left to cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from metalift.check.proving import Evidence, prove_all
from metalift.check.reached import MANY, TRIED, Reached
from metalift.check.staged import REQUIRED, StagedClaims
from metalift.ir.expr.build import at_most, conj, conjuncts, minus, to_int
from metalift.ir.expr.nodes import Apply, Expr, Operator, integer, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import free_vars
from metalift.ir.program.fragment import Branch, Diagnostic, Fragment
from metalift.ir.program.summary import NO_AIDS, Aids, StagedProgram, StagedSummary, Summary, TargetProgram, loops_of
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_summary
from metalift.pipeline.context import Job, Stages
from metalift.pipeline.staged_proof import Failing, StagedProof
from metalift.run.compare.falsify import falsify
from metalift.run.inputs.inputs import Run as Input
from metalift.synth.cover import NotCovered, cover
from metalift.synth.derive import NotDerived, derive
from metalift.synth.derive.stage_extents import Ranges, whole_extents
from metalift.synth.derive.staged import Planner
from metalift.vcgen.obligation import Goal, Obligation, ObligationError
from metalift.vcgen.parts import HELD, Cutter, Part
from metalift.vcgen.plans import Run, about_parameters
from metalift.vcgen.refinement import VIEWS

STAYING = 0.4  # the part of the time that a part gets which begins with a loop or a branch: it can stay one
FURTHER = 8  # beside those that runs of the function give it, where there are many
ATTEMPTS = 24  # plans

Where = tuple[str, str, str | None]  # the place of a part


@dataclass(slots=True)
class StagedLift:
    """Looks for a plan of one function that is proved, for targets that have loops."""

    job: Job
    fragment: Fragment
    user: Sequence[tuple[str, Expr]]
    targets: tuple[str, ...]
    whole: Diagnostic  # why it is not lifted as a whole
    stages: Stages
    not_kept: frozenset[str]  # the headers of loops whose closed forms were not proved
    hints: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)  # what may hold at headers of loops
    aids: Aids = NO_AIDS
    proofs: dict[tuple[Fragment, Summary, tuple[Expr, ...]], list[Evidence]] = field(default_factory=dict)
    samples: dict[tuple[Fragment, tuple[Expr, ...], bool], list[Input]] = field(default_factory=dict)
    unbounded: set[tuple[Where, str]] = field(default_factory=set)  # what parts say of all elements that they read
    left_out: dict[tuple[str, Where], frozenset[str]] = field(default_factory=dict)  # of a part: what requires what is not proved
    lacking: dict[Diagnostic, str] = field(default_factory=dict)  # the target that has no operators for a part
    reached: Reached = field(init=False)

    def __post_init__(self) -> None:
        self.reached = Reached(self.fragment, tuple(formula for _, formula in self.user))

    def without(self, target: str) -> StagedLift:
        """The same for the other targets, with what was proved."""
        left = tuple(each for each in self.targets if each != target)
        return replace(self, targets=left, unbounded=set(), left_out={}, lacking={})

    @property
    def cutter(self) -> Cutter:
        """What cuts the function."""
        return self.reached.cutter

    def proved(self) -> StagedProof:
        """A plan and its proofs. Raises NotDerived with what stands in the way."""
        planner = Planner(self.fragment, self.accepted, self.reached.may_hold, self.hints)
        planner.refused[planner.fragment.blocks[0].label, "", None] = self.whole
        planner.hard = dict.fromkeys(self.not_kept, self.whole)
        best: StagedProof | None = None  # its code for a target is not proved
        problem = Diagnostic(self.fragment.location, f"none of {ATTEMPTS} ways to keep loops was proved")
        for _ in range(ATTEMPTS + sum(map(len, self.hints.values()))):
            try:
                with self.stages("summary"):
                    staged = planner.plan()
            except NotDerived as stopped:
                problem = stopped.diagnostic
                break
            with self.stages("proof"):
                claims, failing = self.required(StagedClaims.of(self.fragment, staged, self.user), planner)
                if failing is None:
                    evidence = [one for run in claims.parts for one in self.proof(claims, run)]
                    claims, bounds, failing = self.bounded(claims, planner)
                    if failing is None and self.reads_unbounded(claims, planner):
                        continue
                    stayed = tuple(self.told(loop.header, planner.stayed[loop.header]) for loop in loops_of(staged.stages))
                    found = StagedProof(claims, (*evidence, *bounds), stayed)
                    best, failing = best or found, failing or self.unspelled(claims, planner)
                    if failing is None:
                        return found
            if self.says_otherwise(claims, planner, failing):
                continue
            run, why, header = failing.run, failing.why, failing.header
            if run.part.place == ("", "", None):  # a test, which cannot be cut
                problem = Diagnostic(run.part.fragment.location, why)
                break
            planner.refused[run.part.place] = Diagnostic(run.part.fragment.location, why)
            if header is not None and planner.divides(run.part.place):
                planner.hard[header] = planner.refused[run.part.place]
        if best is None:
            raise NotDerived(problem)
        return best

    def told(self, header: str, why: Diagnostic) -> Diagnostic:
        """That a loop stays one, and why: with the line of the statement that is in the way."""
        place = self.cutter.blocks[header].end.location
        where = f" (line {why.location.line})" if why.location.line != place.line else ""
        return Diagnostic(place, f"this loop stays a loop: {why.message}{where}")

    def unspelled(self, claims: StagedClaims, planner: Planner) -> Failing | None:
        """The first part that can be cut further of which a target's program is not proved to compute it."""
        for target in self.targets:
            try:
                wanted = self.of_target(claims, target)
            except (NotDerived, ObligationError):
                continue  # it is said of the target
            for run, obligations in wanted:
                divides = planner.divides(run.part.place)
                if not divides and not self.can_stay(run.part):
                    more = not self.unbounded.issuperset((run.part.place, array) for array in run.summary.shapes)
                    obligations = [one for one in obligations if more and one.name.endswith((VIEWS, REQUIRED))]
                open_ones = [one for one in self.prove(claims, run, obligations, quick=divides) if not one.proved]
                if open_ones:
                    views = any(one.obligation.name.endswith((VIEWS, REQUIRED)) for one in open_ones)
                    return Failing(run, f"that {target}'s operators compute all of this at once is not proved", views=views)
        return None

    def of_target(self, claims: StagedClaims, target: str) -> list[tuple[Run, list[Obligation]]]:
        """What has to be proved of each part's program, without operators whose requirements are not proved where others do."""
        while True:
            wanted = list(claims.of_target(self.programs(claims, target), self.job.driver(target), target))
            if not any([self.leave_out(claims, run, obligations, target) for run, obligations in wanted]):
                return wanted

    def leave_out(self, claims: StagedClaims, run: Run, obligations: Sequence[Obligation], target: str) -> bool:
        """Compute a part without the operators that require something, where what they require is not proved; whether there are
        any.
        """
        driver, key = self.job.driver(target), (run.part.name, run.part.place)
        left_out = self.left_out.get(key, frozenset())
        called = self.covered(run.part, run.summary, target).called
        strict = {name for name in called if driver.operators[name].meaning.requires is not None} - left_out
        needs = [one for one in obligations if one.name.endswith(REQUIRED)]
        if not strict or all(one.proved for one in self.prove(claims, run, needs, quick=True)):
            return False
        self.left_out[key] = left_out | strict
        return True

    def programs(self, claims: StagedClaims, target: str) -> StagedProgram:
        """The programs of all parts. Raises NotDerived."""
        return StagedProgram(tuple(self.covered(run.part, run.summary, target) for run in claims.parts))

    @staticmethod
    def fact(staged: StagedSummary, run: Run, evidence: Sequence[Evidence], failing: Evidence) -> Expr | None:
        """What was thought to hold at the header at which a part ends, where that is what is not proved."""
        # of each path, in the order of the facts; on a path on which nothing is written there may be no goal
        checks = [one for one in evidence if any(goal.subject.startswith(HELD) for goal in one.obligation.goals)]
        holds = {loop.header: loop.holds for loop in loops_of(staged.stages)}.get(run.part.place[2] or "", ())
        return holds[checks.index(failing) % len(holds)] if failing in checks and holds else None

    def accepted(self, part: Part) -> Summary:
        """The summary of a part that the targets can compute, and that no input refutes. Raises NotDerived."""
        unbounded = {name for place, name in self.unbounded if place == part.place}
        summary = replace(derive(part.fragment, executed=True, unbounded=unbounded), aids=aids_of(self.aids, part.fragment))
        try:
            check_summary(summary, part.fragment)
        except IllTyped as problem:
            why = f"no closed form was found for it ({problem})"
            raise NotDerived(Diagnostic(part.fragment.location, why)) from problem
        for target in self.targets:
            self.covered(part, summary, target)
        given = tuple(formula for _, formula in self.user if free_vars(formula) <= {p.var for p in part.fragment.params})
        seeds = self.reached.seeds(part)
        tried = len(seeds) + FURTHER if len(seeds) >= MANY else TRIED
        found = falsify(part.fragment, summary, given, tried=tried, seeds=seeds)
        if found is not None:
            raise NotDerived(
                Diagnostic(part.fragment.location, f"what was found for it is not what the source computes for {found.text()}")
            )
        return summary

    def covered(self, part: Part, summary: Summary, target: str) -> TargetProgram:
        """The program of a part. Raises NotDerived."""
        try:
            left_out = self.left_out.get((part.name, part.place), frozenset())
            driver, aids = self.job.driver(target), summary.aids
            with suppress(NotCovered):
                return replace(cover(summary, part.fragment, driver, target, step=True, without=left_out), aids=aids)
            return replace(cover(summary, part.fragment, driver, target, step=True), aids=aids)
        except NotCovered as problem:
            why = f"{target} has no operators for all of this at once ({problem})"
            missing = Diagnostic(part.fragment.location, why)
            self.lacking[missing] = target
            raise NotDerived(missing) from problem

    # Proofs

    def required(self, claims: StagedClaims, planner: Planner) -> tuple[StagedClaims, Failing | None]:
        """The claims with the conditions on the parameters that parts need, and the first part that is not proved."""
        for run in claims.parts:
            for wanted in claims.to_show(run, run.summary.requires):
                goal = claims.always("a requirement", run, [Goal("requirement", wanted)])
                if all(one.proved for one in self.prove(claims, run, [goal])):
                    continue
                stated = wanted if about_parameters(self.fragment, wanted) else self.throughout(claims, run, wanted)
                if stated is not None:
                    requires = tuple(dict.fromkeys((*claims.staged.requires, *conjuncts(stated))))
                    claims = StagedClaims.of(self.fragment, replace(claims.staged, requires=requires), self.user)
        for run in claims.parts:
            quick = planner.divides(run.part.place)
            evidence = self.proof(claims, run, quick)
            open_ones = [one for one in evidence if not one.proved]
            failing = next((one for one in open_ones if one.settled.proofs), None) or next(iter(open_ones), None)
            if failing is not None:
                why = f"{failing.obligation.name}: {failing.settled.reason}"
                return claims, Failing(run, why, failing.not_kept, self.fact(claims.staged, run, evidence, failing))
        return claims, None

    def throughout(self, claims: StagedClaims, run: Run, wanted: Expr) -> Expr | None:
        """What a part requires of a number, over all iterations of the loops around it; None where that is not found."""
        params = {param.var for param in self.fragment.params}
        match wanted:
            case Apply(Operator.LE, (left, right)) if is_integer(type_of(left)):
                ranges = Ranges((*run.part.known, *claims.given(run)), params)
                if free_vars(right) <= params:
                    bounds = ranges.over(to_int(left))
                    stated = conj(*(at_most(bound.to_expr(), to_int(right)) for bound in bounds if bound is not None))
                elif free_vars(left) <= params:  # the least value is the negative of the greatest of all negatives
                    bounds = ranges.over(minus(integer(0), to_int(right)))
                    stated = conj(*(at_most(to_int(left), (-bound).to_expr()) for bound in bounds if bound is not None))
                else:
                    return None
                return stated if None not in bounds and about_parameters(self.fragment, stated) else None
            case _:
                return None

    def proof(self, claims: StagedClaims, run: Run, quick: bool = False) -> list[Evidence]:
        """What is proved of a part, once; with little effort where it can be cut further."""
        key = (run.part.fragment, run.summary, claims.given(run))
        if key not in self.proofs:
            self.proofs[key] = self.prove(claims, run, claims.of_part(run), quick)
        return self.proofs[key]

    def prove(self, claims: StagedClaims, run: Run, obligations: Iterable[Obligation], quick: bool = False) -> list[Evidence]:
        """Obligations about a part. Its own inputs are the witnesses: those that runs of the function give it, or others."""
        wanted = list(obligations)
        if not wanted:
            return []
        part = run.part
        timeout = self.job.timeout * (STAYING if self.can_stay(part) else 1)
        for others in (False, True):
            stated = [each for one in wanted for each in one.assumed] if others else []  # of which they have to be witnesses
            sample = partial(self.sample, claims, run, others, stated)
            evidence = prove_all(wanted, part.fragment, run.summary, sample, self.job.pool, timeout, quick, all_or_none=True)
            if not any(one.vacuous for one in evidence):
                break
        return evidence

    def can_stay(self, part: Part) -> bool:
        """Whether the first thing in a part is a loop or a branch, which can stay one."""
        start, way, _ = part.place
        return bool(start) and not way and (start in self.cutter.loops or isinstance(self.cutter.blocks[start].end, Branch))

    def sample(self, claims: StagedClaims, run: Run, others: bool, stated: Iterable[Expr]) -> list[Input]:
        """Inputs of a part on which conditions hold that are `stated`; `others` than runs of the function give it, too."""
        params = {param.var for param in run.part.fragment.params}
        more = (each for each in stated if free_vars(each) <= params)
        conditions = tuple(dict.fromkeys((*run.summary.requires, *claims.given(run), *more)))
        key = (run.part.fragment, conditions, others)
        if key not in self.samples:
            self.samples[key] = self.reached.sample(run.part, conditions, run.summary, others)
        return self.samples[key]

    def bounded(self, claims: StagedClaims, planner: Planner) -> tuple[StagedClaims, list[Evidence], Failing | None]:
        """The claims with how much of each array the whole touches, as far as that is proved, its proofs, and the first part that
        can be cut further of which it is not.
        """
        params = {param.var for param in self.fragment.params} | set(self.fragment.locals)
        known = (((*run.part.known, *claims.given(run)), run.summary) for run in claims.parts)
        found = claims.rooms | whole_extents(known, params)
        proved, failed = self.touched(claims, found)
        larger = {array: claims.rooms[array] for _, array in failed if found[array] != claims.rooms.get(array, found[array])}
        if larger:
            found |= larger
            proved, failed = self.touched(claims, found)
        open_ones = {array for _, array in failed}
        kept = tuple((array, shape) for array, shape in found.items() if array not in open_ones)
        proofs = [one for array, evidence in proved if array not in open_ones for one in evidence]
        whole = StagedClaims.of(self.fragment, replace(claims.staged, extents=kept), self.user)
        others = ((run, array) for run, array in failed if array not in whole.grown)
        divided = ((run, array) for run, array in others if planner.divides(run.part.place) or self.can_stay(run.part))
        failing = next((Failing(run, f"how much of {array} it touches is not proved") for run, array in divided), None)
        return whole, proofs, failing

    def touched(
        self, claims: StagedClaims, extents: Mapping[str, tuple[Expr, ...]]
    ) -> tuple[list[tuple[str, list[Evidence]]], list[tuple[Run, str]]]:
        """What is proved of how much of each array parts touch, and the parts and arrays of which it is not proved."""
        claims = StagedClaims.of(self.fragment, replace(claims.staged, extents=tuple(extents.items())), self.user)
        made = [(run, array, self.prove(claims, run, claims.of_extents(run, array))) for run in claims.parts for array in extents]
        failed = [(run, array) for run, array, evidence in made if not all(one.proved for one in evidence)]
        return [(array, evidence) for _, array, evidence in made], failed

    def reads_unbounded(self, claims: StagedClaims, planner: Planner) -> bool:
        """Whether parts read arrays of which it is not known how far the whole reads them, and can say more of it."""
        known = claims.staged.shapes.keys() | claims.grown
        found = {(run.part.place, array) for run in claims.parts for array in run.summary.shapes if array not in known}
        return self.says_more(planner, found)

    def says_otherwise(self, claims: StagedClaims, planner: Planner, failing: Failing) -> bool:
        """Whether another plan is worth a try without a cut: one that does not say the fact, or more of what is read."""
        run, fact = failing.run, failing.fact
        arrays = run.summary.shapes.keys() - claims.grown
        if failing.views and self.says_more(planner, {(run.part.place, array) for array in arrays}):
            return True
        if fact is None or fact in planner.refuted:
            return False
        planner.refuted.add(fact)
        return True

    def says_more(self, planner: Planner, found: set[tuple[Where, str]]) -> bool:
        """Whether there are parts that did not say yet of all elements of these arrays that they read that they are there."""
        if found <= self.unbounded:
            return False
        self.unbounded |= found
        planner.forget({place for place, _ in found})
        return True


def aids_of(aids: Aids, part: Fragment) -> Aids:
    """What helps with a part: splits that speak of its parameters only."""
    known = {param.var for param in part.params}
    return replace(aids, splits=tuple(split for split in aids.splits if free_vars(split) <= known))


@dataclass(frozen=True, slots=True)
class Stayed:
    """A function that is proved with loops that stay, and by whom."""

    lift: StagedLift
    proof: StagedProof
    proposer: str = "search"
    candidates: int = 0

"""One target of a function: cover the summary with operators, prove the cover, write the code, compare it with the source."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from metalift.check.assumptions import Origin, Stated, formulas, of_target, testable
from metalift.check.claims import claimed, read_kernel, with_target
from metalift.check.dump import Dump, obligations_text
from metalift.check.proving import Evidence, prove_all
from metalift.check.records import unknown_to
from metalift.codegen import generate
from metalift.codegen.request import ADAPTER, CannotSpell, Generated, GenerateRequest
from metalift.driver import CannotWrite, Driver, Request, Target
from metalift.driver.laws import ANY_ORDER
from metalift.driver.layout import of_the_target
from metalift.ir.expr.build import at_most, conj, conjuncts
from metalift.ir.expr.nodes import Forall, Length
from metalift.ir.program.assumption import Overlap
from metalift.ir.program.fragment import Diagnostic, Fragment
from metalift.ir.program.kernel import Kernel
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.ir.text import show_program, show_summary
from metalift.ir.text.kernels import show_kernel
from metalift.pipeline.context import Job, Lifted, Stages, file_name
from metalift.pipeline.proposer import NotProposed, Proposed, Task
from metalift.pipeline.source_text import numbered
from metalift.result import AssumptionResult, Attempt, TargetResult
from metalift.result.verdict import Agreement, Checked, FunctionVerdict
from metalift.run.compare.agreement import feeds_back
from metalift.run.compare.cases import Refusals
from metalift.run.compare.differential import Comparison, Emitted, compare
from metalift.run.compare.long_comparison import compare_long
from metalift.run.inputs.inputs import Run, runs, satisfies
from metalift.run.workers.process import Worker, WorkerFailed
from metalift.synth.cover import NotCovered, cover
from metalift.system.files import write_text_atomic
from metalift.vcgen.obligation import Obligation, ObligationError
from metalift.version import __version__

MOST, HARDLY_ANY = 1 / 2, 1 / 6
NARROW = "its operators can compute this for hardly any input"
FEW = 10  # inputs
LACKING = "raises NotImplementedError"  # the library has the function, and not for these types
STARVED = "the code takes only arrays without elements, which the source does not ask for"
VACUOUS = "on all inputs that were tried the source does what is undefined, or leaves what is assumed"
UNPROVED = "NOT YET PROVED"  # what a draft says in the place of a verdict
CHOICES = 6  # operators of a program that is not written without which there may be one that is
MANY = 0.05  # of the inputs: if rounding decides on more, people are told


@dataclass(frozen=True, slots=True)
class TargetOutcome:
    """What became of one target; `guarded` says for each assumption of the source whether the code checks it."""

    result: TargetResult
    evidence: tuple[Evidence, ...] = ()
    program: TargetProgram | None = None
    guarded: tuple[bool, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    attempt: Attempt | None = None
    proposer: str = "search"
    candidates: int = 0
    kernel: Kernel | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetStage:
    """Lifts one function to one target after the other."""

    job: Job
    lifted: Lifted
    stages: Stages
    dump: Dump
    kernels: dict[tuple[str, TargetProgram], Kernel | None] = field(default_factory=dict)
    covers: dict[tuple[str, bool, bool, tuple[str, ...]], TargetProgram] = field(default_factory=dict)  # of drafts, to be proved

    def lift(self, target: str) -> TargetOutcome:
        """All steps for one target."""
        try:
            found = self.proposed(target)
            self.dump.write(f"program-{target}", show_program(found.program))
            self.dump.write(f"obligations-{target}", obligations_text([one.obligation for one in found.evidence]))
            outcome = self.emit(target, found.program, self.stated(target, found.program), found.evidence)
            kernel = self.kernel(target, found.program)
            return replace(outcome, proposer=found.proposer, candidates=found.candidates, kernel=kernel)
        except (NotProposed, NotCovered, CannotSpell, ObligationError) as problem:
            return self.not_lifted(f"{target}: {problem}", problem)

    def not_lifted(self, text: str, problem: Exception) -> TargetOutcome:
        """The outcome where there is no code."""
        searched = isinstance(problem, NotProposed | NotCovered)
        return TargetOutcome(
            TargetResult(FunctionVerdict.NOT_LIFTED),
            diagnostics=(Diagnostic(self.lifted.fragment.location, text),),
            attempt=Attempt(show_summary(self.lifted.summary), text) if searched else None,
            proposer="llm" if isinstance(problem, NotProposed) else "search",
        )

    def proposed(self, target: str) -> Proposed:
        """The search's program; where it has none that is proved, a model's. Raises NotCovered, NotProposed, ObligationError."""
        covered: Proposed | None = None
        problem: NotCovered | None = None
        if target in self.lifted.programs:
            with self.stages(f"proof {target}"):
                program = self.tiled(target, self.lifted.programs[target])
                covered = Proposed(program, tuple(self.prove(target, program)), "llm")
        elif missing := unknown_to(self.job.target(target), self.lifted.fragment):
            raise CannotSpell(f"the source has {missing}, which the target has not")
        elif self.job.proposer.search:
            try:
                covered = self.searched(target)
            except NotCovered as found:
                problem = found
        if self.job.proposer.asker is not None and self.lifted.proved and (covered is None or not covered.proved):
            from metalift.pipeline.proposing import ask_program  # and all that it takes to ask a model

            try:
                with self.stages(f"propose {target}"):
                    asked = self.retiled(target, ask_program(self.task(target), self.job.proposer))
                covered = asked if covered is None or asked.proved else covered
            except NotProposed:
                if covered is None:
                    raise
        if covered is None:
            raise problem or NotProposed("no model was asked: the summary of the source itself is not proved")
        return covered

    def searched(self, target: str) -> Proposed:
        """The search's program; one that gathers what is read under conditions, or takes the source's steps one by one, where the
        cheaper one is not proved, or requires what most inputs do not meet. One that hardly any input meets is the last resort.
        Raises NotCovered, CannotSpell, ObligationError.
        """
        with self.stages(f"cover {target}"):
            program = self.tiled(target, self.covered(target))
        met = self.meeting(program)
        narrow = met < MOST
        if not narrow:
            found = self.evident(target, program)
            if found.proved:
                return found
        tried = [program]
        for masked, stepwise in ((True, False), (False, True)):
            with self.stages(f"cover {target}"):
                try:
                    other = self.tiled(target, self.covered(target, masked=masked, stepwise=stepwise))
                except NotCovered:
                    continue
            if other in tried:
                continue
            tried.append(other)
            shown = self.evident(target, other)
            if shown.proved:
                return shown
        if met < HARDLY_ANY and not self.job.last_resort:
            raise NotCovered(NARROW, conj(*program.requires), program)
        return self.evident(target, program) if narrow else found

    def covered(self, target: str, masked: bool = False, stepwise: bool = False) -> TargetProgram:
        """The cheapest program; of those without one of its operators the first that is written, where it is not. Raises
        NotCovered.
        """
        driver, own = self.job.driver(target), self.job.target(target)

        def found(*without: str) -> TargetProgram:
            asked = target, masked, stepwise, without
            if asked not in self.covers:
                left_out = frozenset(without)
                summary, fragment = self.lifted.summary, self.lifted.fragment
                chosen = self.job.last_resort
                self.covers[asked] = cover(
                    summary, fragment, driver, target, masked=masked, without=left_out, parts=chosen, stepwise=stepwise
                )
            return self.covers[asked]

        first = found()
        if own.write is None or own.find is not None or not self.unwritten(target, first):
            return first
        for name in first.called[:CHOICES]:
            try:
                other = found(name)
            except NotCovered:
                continue
            if not self.unwritten(target, other):
                return other
        return first

    def evident(self, target: str, program: TargetProgram) -> Proposed:
        """The program with its proofs."""
        with self.stages(f"proof {target}"):
            return Proposed(program, tuple(self.prove(target, program)))

    def meeting(self, program: TargetProgram) -> float:
        """The part of the inputs that the source takes which meet what the program requires."""
        met = [satisfies(run.input.env(), program.requires) for run in self.lifted.sample]
        return sum(met) / len(met) if met else 1.0

    def tiled(self, target: str, program: TargetProgram) -> TargetProgram:
        """The program with the target's tiles, where it has any. Raises CannotSpell."""
        tile = self.job.target(target).tile
        if tile is None:
            return program
        try:
            with of_the_target("tile"):
                return tile(Request(self.lifted.fragment, self.lifted.summary, program))
        except CannotWrite as problem:
            raise CannotSpell(str(problem)) from problem

    def kernel(self, target: str, program: TargetProgram) -> Kernel | None:
        """The program on tiles, made once: the kernel that is proved is the one that is written. Raises CannotSpell."""
        if (target, program) not in self.kernels:
            try:
                made = lowered(self.lifted.fragment, self.lifted.summary, program, self.job.driver(target), target)
            except CannotWrite as problem:
                raise CannotSpell(str(problem)) from problem
            self.kernels[target, program] = made
        return self.kernels[target, program]

    def retiled(self, target: str, asked: Proposed) -> Proposed:
        """A model's program with the target's tiles, proved as such."""
        program = self.tiled(target, asked.program)
        if program is asked.program:
            return asked
        return replace(asked, program=program, evidence=tuple(self.prove(target, program)))

    def task(self, target: str) -> Task:
        """What a model is asked for."""
        return Task(
            self.lifted.fragment,
            self.lifted.summary,
            self.job.driver(target),
            target,
            formulas(self.lifted.stated),
            self.lifted.sample,
            lambda program, patience: self.prove(target, program, patience),
            lambda program: self.unwritten(target, program),
            numbered(self.job.module, self.lifted.fragment),
            self.job.language,
            self.lifted.stay,
            self.job.python,
            self.settle,
        )

    def settle(self, obligations: Sequence[Obligation]) -> list[Evidence]:
        """Proofs of what rests on nothing of the source."""
        lifted = self.lifted
        return prove_all(obligations, lifted.fragment, lifted.summary, lifted.sample, self.job.pool, self.job.timeout)

    def unwritten(self, target: str, program: TargetProgram) -> str:
        """Why there is no code for a program; empty where there is."""
        try:
            tiled = self.tiled(target, program)
            self.generated(target, tiled, self.stated(target, tiled), self.verdict(()).value)
        except CannotSpell as problem:
            return str(problem)
        return ""

    def stated(self, target: str, program: TargetProgram) -> tuple[Stated, ...]:
        """All that is assumed where the program stands for the source."""
        stated = with_target(program, self.job.driver(target), target, self.lifted.stated)
        kernel = self.kernel(target, program)
        ranges = () if kernel is None else kernel.ranges
        return (*stated, *of_target((), ranges, stated, (kernel, *self.lifted.units.values())))

    def prove(self, target: str, program: TargetProgram, patience: float = 1.0) -> list[Evidence]:
        """The program computes the summary; with so many times the usual time."""
        kernel = self.kernel(target, program)
        driver = self.job.driver(target)
        wanted = list(claimed(self.lifted.fragment, self.lifted.summary, program, kernel, driver, target, self.lifted.stated))
        sample: Sequence[Run] = self.lifted.sample
        if any(isinstance(condition, Forall) for condition in program.requires):  # of other runs, hardly one meets it
            assumed = formulas(with_target(program, driver, target, self.lifted.stated))
            sample = runs(self.lifted.fragment, assumed, tried=120, extents=self.lifted.summary.shapes)
        fragment, summary, others = self.lifted.fragment, self.lifted.summary, target in self.job.with_loops
        timeout = patience * (self.job.closed_timeout if others else self.job.timeout)
        quick = not self.lifted.proved and all(one.name != ANY_ORDER for one in wanted)  # it is TESTED at best
        return prove_all(wanted, fragment, summary, sample, self.job.pool, timeout, quick, all_or_none=others)

    def emit(self, target: str, program: TargetProgram, stated: Sequence[Stated], evidence: Sequence[Evidence]) -> TargetOutcome:
        """The code, tried."""
        unordered = next((one for one in evidence if one.obligation.name == ANY_ORDER and not one.proved), None)
        if unordered is not None:
            raise CannotSpell(f"that {ANY_ORDER} is not proved: {unordered.settled.reason}")
        with self.stages(f"code {target}"):
            generated = self.generated(target, program, stated, self.verdict(evidence).value)
        outcome = self.tried(target, generated, stated, evidence)
        return replace(outcome, program=program)

    def draft(self, target: str) -> str:
        """The code before anything is proved, which says so. Raises NotCovered, CannotSpell, ObligationError."""
        with self.stages(f"draft {target}"):
            program = self.tiled(target, self.covered(target))
            return self.generated(target, program, self.stated(target, program), UNPROVED).text

    def generated(self, target: str, program: TargetProgram, stated: Sequence[Stated], verdict: str) -> Generated:
        """The code, which says its verdict. Raises CannotSpell."""
        return generate(
            GenerateRequest(
                self.lifted.fragment,
                self.lifted.summary,
                program,
                self.job.driver(target),
                self.job.target(target),
                tuple(one.assumption for one in stated),
                verdict,
                __version__,
                kernel=self.kernel(target, program),
                units=self.lifted.units,
                style=self.job.style,
            )
        )

    def verdict(self, evidence: Sequence[Evidence]) -> FunctionVerdict:
        """What the proofs alone give."""
        return FunctionVerdict.PROVED if self.lifted.proved and all(one.proved for one in evidence) else FunctionVerdict.TESTED

    def tried(self, target: str, generated: Generated, stated: Sequence[Stated], evidence: Sequence[Evidence]) -> TargetOutcome:
        """The code's file, and its comparison with the source."""
        verdict = self.verdict(evidence)
        proved = verdict is FunctionVerdict.PROVED
        with self.stages(f"test {target}"):
            compared = self.compare(target, generated, stated)
        starved = self.starved(compared, generated, stated)
        vacuous = starved or (compared.vacuous and (bool(compared.discarded) or not self.takes_some(stated)))
        if compared.status is Agreement.DIFFERS:  # of what was proved that must not happen; another candidate was just wrong
            lacking = LACKING in (compared.difference or "")
            verdict = FunctionVerdict.ERROR if proved and not lacking else FunctionVerdict.NOT_LIFTED
        elif vacuous:
            verdict = FunctionVerdict.VACUOUS
        elif verdict is FunctionVerdict.TESTED and compared.status is not Agreement.AGREES:
            verdict = FunctionVerdict.NOT_LIFTED
        own = len(self.lifted.stated)
        kept = generated.kept or (False,) * len(stated)
        checked = tuple(map(any, zip(generated.guarded, kept, strict=True)))
        pairs = list(zip(stated, checked, strict=True))
        usable = verdict not in (FunctionVerdict.ERROR, FunctionVerdict.NOT_LIFTED, FunctionVerdict.VACUOUS)
        result = TargetResult(
            verdict,
            self.save(target, generated) if usable else None,
            compared.reason or compared.engine,
            compared.status,
            compared.inputs,
            None if compared.figures is None else compared.figures.difference,
            (
                *(
                    AssumptionResult(one.assumption.text, one.origin.value, Checked.GUARD if guard else Checked.NO)
                    for one, guard in pairs[own:]
                ),
                *(AssumptionResult(text, Origin.TARGET.value) for text in generated.beyond),
            ),
            exact_error=None if compared.figures is None else compared.figures.error,
            source_error=None if compared.figures is None else compared.figures.source_error,
            decided=compared.decided,
            undecided=compared.undecided,
            executable=self.job.target(target).executable,
            code=generated.text if usable else "",
            entry=generated.function if usable and self.job.target(target).suffix == ".py" else "",
        )
        told = filter(None, (compared.difference, by_rounding(compared), STARVED if starved else VACUOUS if vacuous else ""))
        problems = [Diagnostic(self.lifted.fragment.location, f"{target}: {each}") for each in told]
        failing = next((one for one in evidence if not one.proved), None)
        missed = None
        if failing is not None:
            why = f"{target}: {failing.obligation.name}: {failing.settled.reason}"
            missed = Attempt(show_summary(self.lifted.summary), why)
        return TargetOutcome(result, tuple(evidence), None, checked[:own], tuple(problems), missed)

    def takes_some(self, stated: Sequence[Stated]) -> bool:
        """Whether a run of the source satisfies all that is assumed: what the target requires may contradict the source's own."""
        return any(satisfies(run.input.env(), testable(stated)) for run in self.lifted.sample)

    def starved(self, compared: Comparison, generated: Generated, stated: Sequence[Stated]) -> bool:
        """Whether the code takes only inputs without elements, where the source takes others."""
        if compared.inputs > FEW or compared.status is not Agreement.AGREES:
            return False
        of_source = self.lifted.references(testable(stated[: len(self.lifted.stated)]))
        taken = self.lifted.references((*testable(stated), *generated.domain))
        return not any(each.run.input.cells for each in taken) and any(each.run.input.cells for each in of_source)

    def compare(self, target: str, generated: Generated, stated: Sequence[Stated]) -> Comparison:
        """Run the code beside the source; where it uses what need not be installed, without that, too."""
        worker = self.lifted.workers[target]
        if isinstance(worker, str):
            return Comparison(reason=worker)
        found = self.beside_source(target, generated, stated, worker)
        optional = [each for each in worker.target.engine.optional if each in generated.text]
        if not optional or found.status is not Agreement.AGREES:
            return found
        named = " and ".join(optional)
        if not all(map(find_spec, optional)):
            return replace(found, engine=f"{found.engine}, without {named}, which is not installed")
        other = start_worker(replace(worker.target, engine=worker.target.engine.without(optional)))
        if isinstance(other, str):
            return Comparison(reason=other)
        with other:
            again = self.beside_source(target, generated, stated, other)
        if again.status is Agreement.AGREES:
            return replace(found, engine=f"{found.engine}, with {named} and without")
        difference = again.difference and f"without {named}: {again.difference}"
        return replace(again, difference=difference, reason=again.reason and f"without {named}: {again.reason}")

    def beside_source(self, target: str, generated: Generated, stated: Sequence[Stated], worker: Worker) -> Comparison:
        """Run the code in a worker beside the source."""
        source = self.lifted.native
        if isinstance(source, str):
            return Comparison(reason=source)
        with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
            file = Path(folder) / f"{file_name(self.lifted.fragment.name)}{self.job.target(target).suffix}"
            file.write_text(generated.text + generated.adapter, encoding="utf-8")
            refused = refusals(self.lifted, generated, stated)
            fed_back = generated.steps or feeds_back(self.lifted.summary)
            called = ADAPTER if generated.adapter else generated.function
            emitted = Emitted(file, called, generated.written, refused, fed_back)
            if not self.lifted.sample and self.lifted.executed == self.lifted.fragment:
                long = compare_long(self.lifted.fragment, self.lifted.summary, testable(stated), emitted, source, worker)
                if long is not None:
                    return long
            valid = self.lifted.references((*testable(stated), *generated.domain))
            return compare(self.lifted.executed, valid, emitted, source, worker)

    def save(self, target: str, generated: Generated) -> str | None:
        """Write the file, where files were asked for."""
        if self.job.out is None:
            return None
        name = self.lifted.fragment.name
        path = self.job.out / target / f"{file_name(name)}{self.job.target(target).suffix}"
        write_text_atomic(path, generated.text)
        self.job.kept[name, target] = self.lifted.fragment, generated
        return str(path)


def lowered(fragment: Fragment, summary: Summary, program: TargetProgram, driver: Driver, target: str) -> Kernel | None:
    """The program on tiles, where the target's machine has any, as its text says. Raises CannotWrite, ObligationError."""
    lower = driver.target(target).lower
    if lower is None:
        return None
    with of_the_target("lower"):
        kernel = lower(Request(fragment, summary, program))
    return read_kernel(show_kernel(kernel), fragment, program, driver, target)


def by_rounding(compared: Comparison) -> str:
    """What to say where rounding alone decides on many of the inputs; empty where it does on few."""
    tried, found = compared.inputs + compared.undecided, compared.decided + compared.undecided
    if found <= MANY * tried:
        return ""
    share = f"{found} of {tried} inputs ({100 * found / tried:.0f} %), such as {compared.example}"
    return f"rounding alone decides an integer or a branch on {share}: there exact numbers may give another"


def refusals(lifted: Lifted, generated: Generated, stated: Sequence[Stated]) -> Refusals:
    """What the code says that it checks, so that it can be tried."""
    checked = [one for one, guard in zip(stated, generated.guarded, strict=True) if guard]
    pairs = [one.assumption for one in checked if one.assumption.arrays is not None]
    lengths = {part for one in checked if one.origin is Origin.EXTENT and one.formula for part in conjuncts(one.formula)}
    arrays = {param.var.name: param.var for param in lifted.fragment.params}
    return Refusals(
        tuple(one.formula for one in checked if one.formula is not None and one.origin is not Origin.EXTENT),
        tuple(
            (name, axis, extent)
            for name, shape in lifted.summary.shapes.items()
            for axis, extent in enumerate(shape)
            if at_most(extent, Length(arrays[name], axis)) in lengths
        ),
        tuple(pair.arrays for pair in pairs if pair.arrays and pair.overlap is Overlap.DISJOINT),
        tuple(pair.arrays for pair in pairs if pair.arrays and pair.overlap is Overlap.SAME_OR_DISJOINT),
    )


def start_worker(target: Target) -> Worker | str:
    """Start the process that will run the code; it loads its library meanwhile. A text says why nothing can be run."""
    if not target.executable:
        return f"{target.language} text is not executed here"
    try:
        return Worker(target)
    except WorkerFailed as problem:
        return str(problem)

"""One target of a function: cover the summary with operators, prove the cover, write the code, compare it with the source."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from metalift.check.assumptions import Origin, Stated, formulas, of_target, testable
from metalift.check.claims import claimed, lowered, with_target
from metalift.check.dump import Dump, obligations_text, program_text
from metalift.check.proving import Evidence, prove_all
from metalift.check.records import unknown_to
from metalift.codegen import generate
from metalift.codegen.request import CannotSpell, Generated, GenerateRequest
from metalift.driver import CannotWrite, Request, Target
from metalift.driver.files import Loaded
from metalift.driver.laws import ANY_ORDER
from metalift.ir.expr.build import at_most, conjuncts
from metalift.ir.expr.nodes import Expr, Forall, Lambda, Length
from metalift.ir.program.assumption import Overlap
from metalift.ir.program.fragment import Diagnostic, Fragment
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.ir.program.tiles import Kernel
from metalift.ir.text import show_summary
from metalift.pipeline.proposing import SEARCH, NotProposed, Proposed, Proposer, Task, ask_program
from metalift.prove.solver import SolverPool
from metalift.result import AssumptionResult, Attempt, TargetResult
from metalift.result.verdict import Agreement, Checked, FunctionVerdict
from metalift.run.compare.cases import Reference, Refusals
from metalift.run.compare.differential import Comparison, Emitted, compare
from metalift.run.compare.long_comparison import compare_long
from metalift.run.inputs.inputs import Run, runs
from metalift.run.workers.jobs import Runnable
from metalift.run.workers.process import Worker, WorkerFailed
from metalift.synth.cover import NotCovered, cover
from metalift.system.files import write_text_atomic
from metalift.vcgen.obligation import ObligationError
from metalift.version import __version__

MANY = 0.05  # of the inputs: if rounding decides on more, people are told
LANGUAGES = {".py": "python", ".c": "c"}  # of sources, as they are marked in prompts; others are C++


class Timer(Protocol):
    """Times a named stage."""

    def __call__(self, stage: str, /) -> AbstractContextManager[None]: ...


@dataclass(frozen=True, slots=True)
class Lifted:
    """A function with its summary: what every target starts from.

    `native` is a text where the source cannot be run; `references` makes inputs that satisfy conditions. `executed` is the
    fragment that runs are compared with; `programs` are known to compute the summary in some targets; `units` are bodies of
    functions whose calls stay calls.
    """

    fragment: Fragment
    summary: Summary
    stated: tuple[Stated, ...]
    proved: bool
    sample: tuple[Run, ...]
    native: Runnable | str
    references: Callable[[tuple[Expr, ...]], Sequence[Reference]]
    workers: Mapping[str, Worker | str]
    executed: Fragment
    programs: Mapping[str, TargetProgram] = field(default_factory=dict)
    units: Mapping[str, Lambda] = field(default_factory=dict)


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


@dataclass(frozen=True, slots=True)
class TargetStage:
    """What the targets of one function share."""

    driver: Loaded
    pool: SolverPool
    timeout: float
    out: Path | None
    source: Path
    timed: Timer
    dump: Dump
    clang_args: tuple[str, ...]
    proposer: Proposer = SEARCH
    kernels: dict[tuple[str, TargetProgram], Kernel | None] = field(default_factory=dict)

    def lift(self, lifted: Lifted, target: str) -> TargetOutcome:
        """All steps for one target."""
        try:
            found = self.proposed(lifted, target)
            self.dump.write(f"program-{target}", program_text(found.program))
            self.dump.write(f"obligations-{target}", obligations_text([one.obligation for one in found.evidence]))
            stated = with_target(found.program, self.driver.driver, target, lifted.stated)
            kernel = self.kernel(lifted, target, found.program)
            stated = (*stated, *of_target((), () if kernel is None else kernel.ranges, stated, (kernel, *lifted.units.values())))
            outcome = self.emit(lifted, target, found.program, stated, found.evidence)
            return replace(outcome, proposer=found.proposer, candidates=found.candidates)
        except NotProposed as problem:
            where = Diagnostic(lifted.fragment.location, f"{target}: {problem}")
            missing = Attempt(show_summary(lifted.summary), f"{target}: {problem}")
            return TargetOutcome(TargetResult(FunctionVerdict.NOT_LIFTED), diagnostics=(where,), attempt=missing, proposer="llm")
        except NotCovered as problem:
            where = Diagnostic(lifted.fragment.location, f"{target}: {problem}")
            missing = Attempt(show_summary(lifted.summary), f"{target}: {problem}")
            return TargetOutcome(TargetResult(FunctionVerdict.NOT_LIFTED), diagnostics=(where,), attempt=missing)
        except (CannotSpell, ObligationError) as problem:
            where = Diagnostic(lifted.fragment.location, f"{target}: {problem}")
            return TargetOutcome(TargetResult(FunctionVerdict.NOT_LIFTED), diagnostics=(where,))

    def proposed(self, lifted: Lifted, target: str) -> Proposed:
        """The search's program; where it has none that is proved, a model's. Raises NotCovered, NotProposed, ObligationError."""
        covered: Proposed | None = None
        problem: NotCovered | None = None
        if target in lifted.programs:
            with self.timed(f"proof {target}"):
                program = self.tiled(lifted, target, lifted.programs[target])
                covered = Proposed(program, tuple(self.prove(lifted, target, program)), "llm")
        elif missing := unknown_to(self.driver.driver.target(target), lifted.fragment):
            raise CannotSpell(f"the source has {missing}, which the target has not")
        elif self.proposer.search:
            try:
                with self.timed(f"cover {target}"):
                    program = cover(lifted.summary, lifted.fragment, self.driver.driver, target)
                    program = self.tiled(lifted, target, program)
                with self.timed(f"proof {target}"):
                    covered = Proposed(program, tuple(self.prove(lifted, target, program)))
            except NotCovered as found:
                problem = found
        if self.proposer.asker is not None and lifted.proved and (covered is None or not covered.proved):
            try:
                with self.timed(f"propose {target}"):
                    asked = self.retiled(lifted, target, ask_program(self.task(lifted, target), self.proposer))
                covered = asked if covered is None or asked.proved else covered
            except NotProposed:
                if covered is None:
                    raise
        if covered is None:
            raise problem or NotProposed("no model was asked: the summary of the source itself is not proved")
        return covered

    def tiled(self, lifted: Lifted, target: str, program: TargetProgram) -> TargetProgram:
        """The program with the target's tiles, where it has any. Raises CannotSpell."""
        tile = self.driver.driver.target(target).tile
        if tile is None:
            return program
        try:
            return tile(Request(lifted.fragment, lifted.summary, program))
        except CannotWrite as problem:
            raise CannotSpell(str(problem)) from problem

    def kernel(self, lifted: Lifted, target: str, program: TargetProgram) -> Kernel | None:
        """The program on tiles, made once: the kernel that is proved is the one that is written. Raises CannotSpell."""
        if (target, program) not in self.kernels:
            try:
                made = lowered(lifted.fragment, lifted.summary, program, self.driver.driver, target)
            except CannotWrite as problem:
                raise CannotSpell(str(problem)) from problem
            self.kernels[target, program] = made
        return self.kernels[target, program]

    def retiled(self, lifted: Lifted, target: str, asked: Proposed) -> Proposed:
        """A model's program with the target's tiles, proved as such."""
        program = self.tiled(lifted, target, asked.program)
        if program is asked.program:
            return asked
        return replace(asked, program=program, evidence=tuple(self.prove(lifted, target, program)))

    def task(self, lifted: Lifted, target: str) -> Task:
        """What a model is asked for."""
        return Task(
            lifted.fragment,
            lifted.summary,
            self.driver.driver,
            target,
            formulas(lifted.stated),
            lifted.sample,
            lambda program: self.prove(lifted, target, program),
            LANGUAGES.get(self.source.suffix, "cpp"),
        )

    def prove(self, lifted: Lifted, target: str, program: TargetProgram) -> list[Evidence]:
        """The program computes the summary."""
        kernel = self.kernel(lifted, target, program)
        wanted = claimed(lifted.fragment, lifted.summary, program, kernel, self.driver.driver, target, lifted.stated)
        sample: Sequence[Run] = lifted.sample
        if any(isinstance(condition, Forall) for condition in program.requires):  # of other runs, hardly one meets it
            assumed = formulas(with_target(program, self.driver.driver, target, lifted.stated))
            sample = runs(lifted.fragment, assumed, tried=120, extents=lifted.summary.shapes)
        return prove_all(wanted, lifted.fragment, lifted.summary, sample, self.pool, self.timeout)

    def emit(
        self, lifted: Lifted, target: str, program: TargetProgram, stated: Sequence[Stated], evidence: Sequence[Evidence]
    ) -> TargetOutcome:
        """The code, its file, and its comparison with the source."""
        unordered = next((one for one in evidence if one.obligation.name == ANY_ORDER and not one.proved), None)
        if unordered is not None:
            raise CannotSpell(f"that {ANY_ORDER} is not proved: {unordered.settled.reason}")
        proved = lifted.proved and all(one.proved for one in evidence)
        verdict = FunctionVerdict.PROVED if proved else FunctionVerdict.TESTED
        with self.timed(f"code {target}"):
            generated = generate(
                GenerateRequest(
                    lifted.fragment,
                    lifted.summary,
                    program,
                    self.driver.driver,
                    self.driver.driver.target(target),
                    tuple(one.assumption for one in stated),
                    verdict.value,
                    __version__,
                    kernel=self.kernel(lifted, target, program),
                    units=lifted.units,
                )
            )
        with self.timed(f"test {target}"):
            compared = self.compare(lifted, target, generated, stated)
        if compared.discarded and not compared.inputs:  # no run shows that the source does anything defined
            verdict = FunctionVerdict.TESTED
        if compared.status is Agreement.DIFFERS:  # of what was proved that must not happen; another candidate was just wrong
            verdict = FunctionVerdict.ERROR if proved else FunctionVerdict.NOT_LIFTED
        elif verdict is FunctionVerdict.TESTED and compared.status is not Agreement.AGREES:
            verdict = FunctionVerdict.NOT_LIFTED
        own = len(lifted.stated)
        pairs = list(zip(stated, generated.guarded, strict=True))
        result = TargetResult(
            verdict,
            self.save(lifted.fragment.name, target, generated.text, verdict),
            compared.reason or compared.engine,
            compared.status,
            compared.inputs,
            None if compared.figures is None else compared.figures.difference,
            tuple(
                AssumptionResult(one.assumption.text, one.origin.value, Checked.GUARD if guard else Checked.NO)
                for one, guard in pairs[own:]
            ),
            exact_error=None if compared.figures is None else compared.figures.error,
            source_error=None if compared.figures is None else compared.figures.source_error,
            decided=compared.decided,
            undecided=compared.undecided,
            executable=self.driver.driver.target(target).executable,
        )
        told = filter(None, (compared.difference, by_rounding(compared)))
        problems = [Diagnostic(lifted.fragment.location, f"{target}: {each}") for each in told]
        failing = next((one for one in evidence if not one.proved), None)
        missed = None
        if failing is not None:
            why = f"{target}: {failing.obligation.name}: {failing.settled.reason}"
            missed = Attempt(show_summary(lifted.summary), why)
        return TargetOutcome(result, tuple(evidence), program, generated.guarded[:own], tuple(problems), missed)

    def compare(self, lifted: Lifted, target: str, generated: Generated, stated: Sequence[Stated]) -> Comparison:
        """Run the code beside the source."""
        worker, source = lifted.workers[target], lifted.native
        if isinstance(worker, str):
            return Comparison(reason=worker)
        if isinstance(source, str):
            return Comparison(reason=source)
        with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
            file = Path(folder) / f"{file_name(lifted.fragment.name)}{self.driver.driver.target(target).suffix}"
            file.write_text(generated.text, encoding="utf-8")
            emitted = Emitted(file, generated.function, generated.written, refusals(lifted, generated, stated))
            if not lifted.sample and lifted.executed == lifted.fragment:
                long = compare_long(lifted.fragment, lifted.summary, testable(stated), emitted, source, worker)
                if long is not None:
                    return long
            valid = lifted.references(testable(stated))
            return compare(lifted.executed, valid, emitted, source, worker)

    def save(self, name: str, target: str, text: str, verdict: FunctionVerdict) -> str | None:
        """Write the file; code that is known to be wrong is not written."""
        if self.out is None or verdict in (FunctionVerdict.ERROR, FunctionVerdict.NOT_LIFTED):
            return None
        path = self.out / target / f"{file_name(name)}{self.driver.driver.target(target).suffix}"
        write_text_atomic(path, text)
        return str(path)


def by_rounding(compared: Comparison) -> str:
    """What to say where rounding alone decides on many of the inputs; empty where it does on few."""
    tried, found = compared.inputs + compared.undecided, compared.decided + compared.undecided
    if found <= MANY * tried:
        return ""
    share = f"{found} of {tried} inputs ({100 * found / tried:.0f} %), such as {compared.example}"
    return f"rounding alone decides an integer or a branch on {share}: there exact numbers may give another"


def file_name(function: str) -> str:
    """A function's name as a file name."""
    return "".join(c if c.isalnum() or c == "_" else "_" for c in function)


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

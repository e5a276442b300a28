"""Functions with loops that do not count: a model says what they compute, and what their loops keep invariant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from metalift.check.proving import Evidence
from metalift.driver import Driver
from metalift.frontend import PythonModule
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import Expr, Length
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Aids, LoopSummary, Summary, TargetProgram
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_summary
from metalift.pipeline.feedback import unproved, untimed
from metalift.pipeline.matching import shapes
from metalift.pipeline.proposer import Hints, LoopsStay, NotProposed, Proposer, Task
from metalift.pipeline.proposing import Judge
from metalift.pipeline.staged import Stayed
from metalift.run.inputs.inputs import Run
from metalift.synth.derive import closed_loops
from metalift.synth.propose.aids import Found, found_aids
from metalift.synth.propose.answer import Rejected, read_code
from metalift.synth.propose.conversation import Conversation
from metalift.synth.propose.invariants import Given, Loop, loops_of, read_invariants
from metalift.synth.propose.prompt import Asked, Failed, answer_name, answer_operators, summary_prompt
from metalift.synth.propose.summaries import broken, summary_of
from metalift.synth.propose.trials import MANY, Trials
from metalift.synth.propose.vocabulary import spelled_for
from metalift.vcgen.obligation import Obligation, ObligationError

EMPTY = Summary((), (), ())
Extents = tuple[tuple[str, tuple[Expr, ...]], ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A function that a summary is wanted for. `given`: conditions on inputs; `prove` settles the summary's obligations."""

    fragment: Fragment
    driver: Driver
    target: str
    given: tuple[Expr, ...]
    sample: tuple[Run, ...]
    prove: Callable[[Summary], tuple[Evidence, ...]]
    source: str = ""
    language: str = "c"
    stay: Callable[[Hints, Aids], Stayed] | None = None
    around: PythonModule | None = None
    settle: Callable[[Sequence[Obligation]], Sequence[Evidence]] = lambda obligations: ()


@dataclass(frozen=True, slots=True)
class Summarised:
    """What a model says that a function computes: as a summary with invariants, and as a program in operators."""

    summary: Summary
    program: TargetProgram
    candidates: int = 1


def ask_summary(wanted: Wanted, proposer: Proposer) -> Summarised:
    """A summary whose obligations are proved, or, where none is, one that is right on all runs. Raises NotProposed, LoopsStay."""
    assert proposer.asker is not None
    loops = loops_of(wanted.fragment, answer_operators(wanted.driver, wanted.target))
    closed = {each.header: each for each in closed_loops(wanted.fragment)}
    judge = SummaryJudge(wanted, loops, closed)
    asked = Asked(wanted.fragment, wanted.source, wanted.language, shapes(wanted.fragment, EMPTY), wanted.given, EMPTY)
    open_ones = [loop for loop in loops if loop.header not in closed]
    prompt = summary_prompt(asked, wanted.driver, wanted.target, open_ones or loops, wanted.stay is not None)
    name = answer_name(wanted.fragment)
    conversation: Conversation[Summarised | Stayed] = Conversation(proposer.asker, name, prompt, judge.summary, proposer.show)
    found = conversation.run() or judge.unproved
    if isinstance(found, Stayed):
        raise LoopsStay(replace(found, candidates=conversation.judged))
    if found is not None:
        return Summarised(found.summary, found.program, conversation.judged)
    last = f"; the last answer: {conversation.failures[-1].short}" if conversation.failures else ""
    raise NotProposed(f"{conversation.ended}{last}")


@dataclass
class SummaryJudge:
    """Judges answers about one function; inputs are kept for answers that use as much of the arrays. Loops that have a closed
    form, by their headers, need no invariant.
    """

    wanted: Wanted
    loops: tuple[Loop, ...]
    closed: Mapping[str, LoopSummary] = field(default_factory=dict)
    unproved: Summarised | None = None
    tried: dict[Extents, Trials] = field(default_factory=dict)
    found: Found = Found()  # its lemmas and splits
    dropped: list[str] = field(default_factory=list)  # parts of the last answer's invariants that runs refute

    def trials(self, summary: Summary) -> Trials:
        """Inputs with arrays as long as the summary says."""
        if summary.extents not in self.tried:
            wanted = self.wanted
            arrays = {param.var.name: param.var for param in wanted.fragment.params}
            long = (
                at_most(extent, Length(arrays[name], axis))
                for name, shape in summary.extents
                for axis, extent in enumerate(shape)
            )
            given = (*wanted.given, *long)
            self.tried[summary.extents] = Trials(wanted.fragment, given, summary.shapes, wanted.sample)
        return self.tried[summary.extents]

    def summary(self, answer: str) -> Summarised | Stayed | Failed:
        """Read, test, prove; where it is read as no summary, with its loops as they are."""
        failed: Failed | None = None
        self.dropped.clear()
        try:
            programs, given = self.read(answer)
            for program in programs:
                held, wrong = self.tested(program, given)
                if wrong is None:
                    return self.proved(self.with_aids(program, answer), held)
                failed = failed or wrong
        except Rejected as problem:
            unread = Failed(str(problem), f"It cannot be used: {problem}.")
            return Judge(self.task(EMPTY), self.trials(EMPTY)).with_loops(answer) or unread
        except (IllTyped, ValueError) as problem:
            return Failed(f"it is not well typed: {problem}", f"It is not well typed: {problem}.")
        assert failed is not None, "an answer that is read has a program"
        return failed

    def read(self, answer: str) -> tuple[tuple[TargetProgram, ...], tuple[Given, ...]]:
        """The program, in several ways where its arrays may be matched in several, and the invariants. Raises Rejected."""
        wanted = self.wanted
        programs = tuple(every(Judge(self.task(EMPTY), self.trials(EMPTY)).read(answer)))
        operators = spelled_for(wanted.driver, wanted.target)
        code = read_code(answer, [answer_name(wanted.fragment)])
        return programs, read_invariants(code, self.loops, wanted.driver, operators, self.closed)

    def task(self, summary: Summary) -> Task:
        """What the program of an answer is read and tested for."""
        wanted = self.wanted
        return Task(
            fragment=wanted.fragment,
            summary=summary,
            driver=wanted.driver,
            target=wanted.target,
            given=wanted.given,
            sample=wanted.sample,
            prove=lambda *_: [],
            stay=wanted.stay,
            around=wanted.around,
            settle=wanted.settle,
        )

    def with_aids(self, program: TargetProgram, answer: str) -> TargetProgram:
        """The program with the answer's splits, and those of its lemmas that are proved."""
        wanted, name = self.wanted, answer_name(self.wanted.fragment)
        code = read_code(answer, [name])
        self.found = found_aids(code, code.functions.get(name), wanted.fragment, wanted.driver, wanted.settle)
        self.dropped += self.found.left_out
        return replace(program, aids=self.found.aids)

    def tested(self, program: TargetProgram, given: tuple[Given, ...]) -> tuple[tuple[Given, ...], Failed | None]:
        """The program on inputs, and the invariants where runs come by: without those parts that do not hold there, if some are
        left.
        """
        wanted = self.wanted
        summary = self.summary_of(program, given)
        failed = Judge(self.task(summary), self.trials(summary)).tested(program)
        while failed is None and (where := broken(wanted.fragment, given, wanted.sample)) is not None:
            self.dropped.append(where.text()[:300])
            fewer = without(given, {(where.given.loop.line, where.part)})
            if where.part is None or not all(one.texts for one in fewer):
                told = f"What it computes is right on the inputs that were tried, but {where.text()}."
                failed = Failed(where.text()[:300], told)
            given = fewer
        return given, failed

    def summary_of(self, program: TargetProgram, given: tuple[Given, ...]) -> Summary:
        """What the program computes, with the invariants. Raises IllTyped."""
        made = summary_of(program, given, self.wanted.fragment, self.wanted.driver, self.closed.values())
        summary = replace(made, aids=program.aids)
        check_summary(summary, self.wanted.fragment)
        return summary

    def proved(self, program: TargetProgram, given: tuple[Given, ...]) -> Summarised | Failed:
        """The obligations of the summary with its invariants: without those parts that are not proved to hold, as long as there
        are such (Houdini).
        """
        found = Summarised(self.summary_of(program, given), program)
        first: tuple[Evidence, tuple[Given, ...]] | None = None
        while True:
            try:
                evidence = self.wanted.prove(found.summary)
            except ObligationError as problem:
                return Failed(str(problem), f"It cannot be proved in this form: {problem}.")
            failing = [one for one in evidence if not one.proved]
            if not failing:
                return found
            first = first or (failing[0], given)
            fewer = without(given, {part for one in failing for part in parts_of(one)})
            if fewer == given or not all(one.texts for one in fewer):
                break
            given, found = fewer, replace(found, summary=self.summary_of(program, fewer))
        difference = self.trials(found.summary).refuted(found.summary, thoroughly=True)
        if difference is not None:
            short = f"wrong on {difference.text()[:300]}"
            return Failed(short, f"It computes something else than the function: on {difference.text()[:900]}.")
        self.unproved = self.unproved or found
        return self.not_proved(*first)

    def not_proved(self, failing: Evidence, given: tuple[Given, ...]) -> Failed:
        """Which obligation fails, with a state where one is found."""
        obligation = failing.obligation
        short = f"right on all inputs that were tried, not proved: {obligation.name} ({untimed(failing)})"
        parts = [f"Right on all {MANY} inputs that were tried, but not proved.", *(f"Left out: {each}." for each in self.dropped)]
        for one in given:
            if f"loop at {one.loop.line}:" in obligation.name:
                numbered = (f"invariant {at} is `{text}`" for at, text in enumerate(one.texts, 1))
                parts.append(f"There, {'; '.join(numbered)}.")
        parts.append(unproved(failing, {var.name: name for one in given for name, var in one.loop.names.by_name.items()}))
        return Failed(short, " ".join(parts))


def every(read: Iterator[tuple[TargetProgram, ...]]) -> Iterator[TargetProgram]:
    """The programs of all ways to read an answer. Raises Rejected where there is none."""
    found = False
    try:
        for programs in read:
            found = True
            yield from programs
    except Rejected:
        if not found:
            raise


def parts_of(failing: Evidence) -> Iterator[tuple[int, int]]:
    """The part of an invariant that is not proved to hold, as the line of its loop and its number, where it is one."""
    loop = re.match(r"loop at (\d+): ", failing.obligation.name)
    part = re.match(r"invariant (\d+)(?: where the split [a-z ]+)?: ", failing.settled.reason)
    if loop is not None and part is not None:
        yield int(loop[1]), int(part[1])


def without(given: tuple[Given, ...], parts: set[tuple[int, int | None]] | set[tuple[int, int]]) -> tuple[Given, ...]:
    """The invariants without parts of these lines and numbers, from 1."""
    return tuple(one.only([at for at in range(len(one.texts)) if (one.loop.line, at + 1) not in parts]) for one in given)

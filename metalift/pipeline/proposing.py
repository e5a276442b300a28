"""Programs in operators that a model proposes: read, tested and proved like those of the search, or sent back with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from metalift.check.proving import Evidence
from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.ir.expr.nodes import Expr, Select, Var
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import children
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.ir.program.summary import Let, TargetProgram, Write
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_program
from metalift.pipeline.proposer import NotProposed, Proposed, Proposer, Task
from metalift.run.compare.falsify import Counterexample
from metalift.synth.propose.answer import Rejected, chosen, read_code
from metalift.synth.propose.conversation import Conversation
from metalift.synth.propose.identify import identified
from metalift.synth.propose.prompt import Failed, answer_name, program_prompt
from metalift.synth.propose.reader import read_program
from metalift.synth.propose.requirements import violated
from metalift.synth.propose.size import check_size
from metalift.synth.propose.spelling import spelled
from metalift.synth.propose.trials import MANY, Trials
from metalift.synth.propose.vocabulary import Names, parameter_names, spelled_for
from metalift.vcgen.obligation import ObligationError


def ask_program(task: Task, proposer: Proposer) -> Proposed:
    """A program that a model proposes and that is proved, or, where none is, one that is right on all runs.

    Raises NotProposed.
    """
    assert proposer.asker is not None
    judge = Judge(task, Trials(task.fragment, task.given, task.summary.shapes, task.sample))
    prompt = program_prompt(task.fragment, task.driver, task.target, task.given, task.language)
    conversation: Conversation[Proposed] = Conversation(
        proposer.asker, answer_name(task.fragment), prompt, judge.program, proposer.show
    )
    found = conversation.run() or judge.unproved
    if found is not None:
        return replace(found, proposer="llm", candidates=conversation.judged)
    last = f"; the last answer: {conversation.failures[-1].short}" if conversation.failures else ""
    raise NotProposed(f"{conversation.ended}{last}")


@dataclass
class Judge:
    """Judges answers to one task; inputs are kept for the next answer."""

    task: Task
    trials: Trials
    unproved: Proposed | None = None

    @property
    def names(self) -> Names:
        """What the parameters are called in answers."""
        return parameter_names(self.task.fragment, spelled_for(self.task.driver, self.task.target))

    def program(self, answer: str) -> Proposed | Failed:
        """Read, test, prove."""
        try:
            program = self.read(answer)
        except Rejected as problem:
            return Failed(str(problem), f"It cannot be used: {problem}.")
        failed = self.tested(program)
        return failed or self.proved(program)

    def read(self, answer: str) -> TargetProgram:
        """The program in the answer, well typed. Raises Rejected."""
        task = self.task
        operators = spelled_for(task.driver, task.target)
        wanted = answer_name(task.fragment)
        code = read_code(answer, [wanted])
        tree = chosen(code, wanted, tuple(operators))
        names = parameter_names(task.fragment, operators)
        draft = read_program(tree, code, task.fragment, names, task.driver, operators)
        others = [part for write in draft.writes for part in (write.window, write.value)]
        check_size(draft.lets, others if draft.result is None else [*others, draft.result], task.driver)
        program = spelled(draft, task.summary, task.fragment, task.driver, task.target, task.sample)
        try:
            check_program(program, task.fragment, task.summary)
        except IllTyped as problem:
            raise Rejected(f"it is not well typed: {problem}") from problem
        missing = [
            name for name, _ in task.summary.outputs if name != "return" and not any(w.array.name == name for w in program.writes)
        ]
        if missing:
            raise Rejected(f"it does not write {', '.join(missing)}, which the function writes")
        return program

    def tested(self, program: TargetProgram) -> Failed | None:
        """Requirements of operators, and values, on concrete inputs."""
        task = self.task
        broken = violated(program, task.driver, tuple(self.trials.few()))
        if broken is not None:
            cond, run = broken
            short = f"an operator is used outside of what it requires: {self.names.formula(cond)[:200]}"
            where = f"This does not hold on the input {self.names.input(run.input)[:600]}."
            return Failed(short, f"{capital(short)}. {where}{self.longer(program)}")
        try:
            found = self.trials.refuted(expanded(program, task.driver))
        except (ValueError, AssertionError) as problem:
            return Failed(
                "operators are applied to what they do not take", f"Operators are applied to what they do not take: {problem}."
            )
        return None if found is None else self.wrong(program, found)

    def wrong(self, program: TargetProgram, found: Counterexample) -> Failed:
        """What a counterexample says."""
        what = "its result" if found.output == "return" else f"the final contents of {self.names.called(found.output)}"
        short = f"wrong on {self.names.input(found.input)[:250]}: expected {found.source[:60]}, found {found.candidate[:60]}"
        computed = found.candidate[:300] if found.candidate.startswith("is ") else f"is {found.candidate[:300]}"
        detail = (
            f"It computes something else than the function. On the input {self.names.input(found.input)[:600]}, {what} should be "
            f"{found.source[:300]}, and by the answer it {computed}."
        )
        return Failed(short, detail + self.longer(program))

    def longer(self, program: TargetProgram) -> str:
        """A hint where the program uses arrays behind pointers as wholes."""
        whole = ", ".join(map(self.names.called, whole_arrays(program, self.task.fragment)))
        if not whole:
            return ""
        return f" {whole} may be longer than what the function reads: take a slice of as many elements as it reads."

    def proved(self, program: TargetProgram) -> Proposed | Failed:
        """The obligations; intermediates that look like the summary's are first proved to be these."""
        task = self.task
        evidence: tuple[Evidence, ...] = ()
        for candidate in dict.fromkeys((identified(program, task.summary, task.driver, task.sample), program)):
            try:
                evidence = tuple(task.prove(candidate))
            except ObligationError as problem:
                return Failed(str(problem), f"It cannot be proved in this form: {problem}.")
            proposed = Proposed(candidate, evidence)
            if proposed.proved:
                return proposed
        found = self.trials.refuted(expanded(program, task.driver), thoroughly=True)
        if found is not None:
            return self.wrong(program, found)
        self.unproved = self.unproved or proposed
        failing = next(one for one in evidence if not one.proved)
        short = f"right on all inputs that were tried, not proved: {failing.obligation.name} ({untimed(failing)})"
        detail = (
            f"It is right on all {MANY} inputs that were tried, but it is not proved: the obligation "
            f'"{failing.obligation.name}" ended with: {untimed(failing)}. A form that follows the function more closely, '
            "operator by operator, may be proved."
        )
        return Failed(short, detail)


def untimed(failing: Evidence) -> str:
    """Why an obligation is not proved, without the times in it: the same answers lead to the same prompts."""
    return re.sub(r" after -?[\d.e-]+ s", "", failing.settled.reason)


def capital(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def expanded(program: TargetProgram, driver: Driver) -> TargetProgram:
    """The program with the meanings of its operators."""
    return TargetProgram(
        tuple(Let(let.var, expand(let.value, driver)) for let in program.lets),
        tuple(Write(write.array, write.window, expand(write.value, driver)) for write in program.writes),
        None if program.result is None else expand(program.result, driver),
        program.requires,
    )


def whole_arrays(program: TargetProgram, fragment: Fragment) -> list[str]:
    """The pointers whose arrays are used as wholes, not in slices."""
    pointers = {param.var for param in fragment.params if param.kind is ParamKind.POINTER}
    parts = [let.value for let in program.lets] + [write.value for write in program.writes]
    parts += [] if program.result is None else [program.result]
    return sorted({var.name for part in parts for var in wholes(part) if var in pointers})


def wholes(expr: Expr) -> set[Var]:
    """Arrays that an expression uses as wholes."""
    if isinstance(expr, Var):
        return {expr} if isinstance(expr.type, TensorType) else set()
    below: Sequence[Expr] = expr.indices if isinstance(expr, Select) and isinstance(expr.tensor, Var) else children(expr)
    return {var for child in below for var in wholes(child)}

"""Programs that a model proposes, functions or operators: read, tested and proved like those of the search, or sent back."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from metalift.codegen.request import CannotSpell
from metalift.driver import Driver, Operator
from metalift.driver.expansion import expand
from metalift.ir.expr.nodes import Expr, Select, Var
from metalift.ir.expr.types import RealType, TensorType, element_of, show_type
from metalift.ir.expr.walk import children
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_program, check_summary
from metalift.pipeline.answering import computed
from metalift.pipeline.feedback import unproved, untimed
from metalift.pipeline.first_found import first_found
from metalift.pipeline.matching import shapes
from metalift.pipeline.proposer import LoopsStay, NotProposed, Proposed, Proposer, Task
from metalift.pipeline.staged import Stayed
from metalift.pipeline.staying import kept
from metalift.pipeline.written_out import written_out
from metalift.run.compare.falsify import Counterexample
from metalift.synth.cover import NotCovered, cover
from metalift.synth.propose.aids import Found, found_aids
from metalift.synth.propose.answer import Code, Rejected, chosen, read_code
from metalift.synth.propose.conversation import Conversation
from metalift.synth.propose.identify import identified
from metalift.synth.propose.prompt import Asked, Failed, answer_name, answer_operators, is_ordinary, program_prompt
from metalift.synth.propose.reader import Draft, read_program
from metalift.synth.propose.requirements import violated
from metalift.synth.propose.size import check_size
from metalift.synth.propose.spelling import meant, spelled
from metalift.synth.propose.trials import MANY, Trials
from metalift.synth.propose.vocabulary import Names, parameter_names, spelled_for
from metalift.vcgen.obligation import ObligationError

PATIENCE = 3.0  # times the usual time, for what is right on all inputs and not proved


def ask_program(task: Task, proposer: Proposer) -> Proposed:
    """A program that a model proposes and that is proved, or, where none is, one that is right on all runs.

    Raises NotProposed, LoopsStay.
    """
    assert proposer.asker is not None
    refuse_missing_floats(task)
    judge = Judge(task, Trials(task.fragment, task.given, task.summary.shapes, task.sample))
    asked = Asked(task.fragment, task.source, task.language, shapes(task.fragment, task.summary), task.given, task.summary)
    prompt = program_prompt(asked, task.driver, task.target)
    conversation: Conversation[Proposed | Stayed] = Conversation(
        proposer.asker, answer_name(task.fragment), prompt, judge.program, proposer.show
    )
    found = conversation.run() or judge.unproved
    if isinstance(found, Stayed):
        raise LoopsStay(replace(found, candidates=conversation.judged))
    if found is not None:
        return replace(found, proposer="llm", candidates=conversation.judged)
    last = f"; the last answer: {conversation.failures[-1].short}" if conversation.failures else ""
    raise NotProposed(f"{conversation.ended}{last}")


def refuse_missing_floats(task: Task) -> None:
    """Raise NotProposed where the target has no floats as wide as an array's, so that no answer could be of use."""
    types = task.driver.target(task.target).dtypes
    for param in task.fragment.params:
        element = element_of(param.var.type)
        if types and isinstance(param.var.type, TensorType) and isinstance(element, RealType) and element not in types:
            why = f"{task.target} has no arrays of {show_type(element)}, as {param.var.name} is one"
            raise NotProposed(f"{why}; no model was asked")


class Wrong(Rejected):
    """An answer that computes something else."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.short)
        self.failed = failed


@dataclass
class Judge:
    """Judges answers to one task; inputs are kept for the next answer."""

    task: Task
    trials: Trials
    unproved: Proposed | None = None
    found: Found = Found()  # the lemmas and splits of the answer at hand, once a program of it is to be proved

    @property
    def operators(self) -> Mapping[str, Operator]:
        """The operators that answers may name."""
        return spelled_for(self.task.driver, self.task.target)

    @property
    def names(self) -> Names:
        """What the parameters are called in answers."""
        return parameter_names(self.task.fragment, answer_operators(self.task.driver, self.task.target))

    def program(self, answer: str) -> Proposed | Stayed | Failed:
        """Read, test, prove; where it is read as no program, or one that is not proved, with its loops as they are."""
        failed: Failed | None = None
        wrong = False
        self.found = Found()
        try:
            for programs in self.read(answer):
                tested = [(program, self.tested(program)) for program in programs]
                right = [program for program, problem in tested if problem is None]
                made = self.proved(self.with_aids(right, answer)) if right else None
                if made is not None and not isinstance(made, Failed):
                    return made
                if self.unproved is not None:  # it is right, and no other reading is
                    failed = made
                    break
                failed = failed or made or next((problem for _, problem in tested if problem is not None), None)
                wrong = wrong or made is None
        except Wrong as problem:
            failed, wrong = failed or problem.failed, True
        except Rejected as problem:
            failed = failed or Failed(str(problem), f"It cannot be used: {problem}.")
        assert failed is not None, "what is read has programs, or a problem is told"
        return failed if wrong else self.with_loops(answer) or failed

    def with_aids(self, programs: Sequence[TargetProgram], answer: str) -> list[TargetProgram]:
        """The programs with the answer's splits, and those of its lemmas that are proved."""
        task = self.task
        if self.found == Found():
            code = read_code(answer, [answer_name(task.fragment)])
            tree = chosen(code, answer_name(task.fragment))
            self.found = found_aids(code, tree, task.fragment, task.driver, task.settle)
        return [replace(program, aids=self.found.aids) for program in programs]

    def with_loops(self, answer: str) -> Stayed | Failed | None:
        """What an answer with loops is worth where these stay; None where it has none, or the target cannot have any."""
        try:
            code = read_code(answer, [answer_name(self.task.fragment)])
            tree = chosen(code, answer_name(self.task.fragment))
        except Rejected:
            return None
        return kept(code, tree, self.task, list(self.trials.many()), self.wrong)

    def read(self, answer: str) -> Iterator[tuple[TargetProgram, ...]]:
        """The programs that the answer stands for, well typed: of an ordinary function its spellings by the search, of one in
        operators what it says. Where it may be either, the likelier one first; last the search's own words for what is said in
        operators. Raises Rejected where it is neither.
        """
        code = read_code(answer, [answer_name(self.task.fragment)])
        tree = chosen(code, answer_name(self.task.fragment))
        named = called_names(tree) & self.operators.keys() - (code.functions.keys() - {tree.name})
        ways = [self.ordinary, self.in_operators]
        if named or not is_ordinary(self.task.driver, self.task.target):
            ways.reverse()
        ways.append(self.in_own_words)
        problems: list[Rejected] = []
        for way in ways:
            try:
                yield way(code, tree)
            except Rejected as problem:
                problems.append(problem)
        if problems:
            raise next((problem for problem in problems if isinstance(problem, Wrong)), problems[0])

    def ordinary(self, code: Code, tree: ast.FunctionDef) -> tuple[TargetProgram, ...]:
        """The spellings of an ordinary Python function, by the search. Raises Rejected, Wrong."""
        task = self.task
        problem: Rejected | None = None
        made: list[TargetProgram] = []
        for fragment, summary in computed(code, tree, task):
            if task.summary.outputs:
                found = self.trials.refuted(summary, fragment=fragment)
                if found is not None:
                    problem = problem or Wrong(self.wrong(found))
                    continue
            plain = written_out(summary, frozenset(fragment.locals) - frozenset(task.fragment.locals))
            for each in dict.fromkeys((plain, summary, first_found(plain))):
                try:
                    made += [self.checked(program) for program in self.spellings(each)]
                except Rejected as error:
                    problem = problem or error
            if made and task.summary.outputs:
                break
        if not made:
            raise problem or Rejected("it cannot be read")
        return tuple(dict.fromkeys(made))

    def spellings(self, summary: Summary) -> list[TargetProgram]:
        """The cheapest program, and one that gathers what is read under conditions; each without what only the answer requires,
        and with it. Raises Rejected where there is none.
        """
        task = self.task
        plain = replace(summary, requires=task.summary.requires)
        try:
            found = [cover(plain, task.fragment, task.driver, task.target)]
        except NotCovered as problem:
            raise Rejected(f"it may be right, but the target has no operators for it: {problem}") from problem
        with suppress(NotCovered):
            found.append(cover(plain, task.fragment, task.driver, task.target, masked=True))
        more = [cond for cond in summary.requires if cond not in task.summary.requires]
        return [
            replace(each, requires=tuple(dict.fromkeys((*each.requires, *added)))) for each in found for added in ([], more)
        ]

    def in_operators(self, code: Code, tree: ast.FunctionDef) -> tuple[TargetProgram, ...]:
        """The program in operators that an answer writes down. Raises Rejected."""
        task, draft = self.task, self.draft(code, tree)
        return (self.checked(spelled(draft, task.summary, task.fragment, task.driver, task.target, task.sample)),)

    def in_own_words(self, code: Code, tree: ast.FunctionDef) -> tuple[TargetProgram, ...]:
        """What the search makes of what an answer in operators computes. Raises Rejected, Wrong."""
        task = self.task
        if not task.summary.outputs:
            raise Rejected("it is not known what the function computes")
        try:
            summary = meant(self.draft(code, tree), task.summary, task.driver)
            check_summary(summary, task.fragment)
            found = self.trials.refuted(summary)
        except (IllTyped, ValueError, AssertionError) as problem:
            raise Rejected(f"operators are applied to what they do not take: {problem}") from problem
        if found is not None:
            raise Wrong(self.wrong(found))
        return tuple(map(self.checked, self.spellings(summary)))

    def draft(self, code: Code, tree: ast.FunctionDef) -> Draft:
        """An answer in operators as it is written. Raises Rejected."""
        task, operators = self.task, self.operators
        anew = next((node for name, node in code.functions.items() if name in operators and node is not tree), None)
        if anew is not None:
            raise Rejected(f"`{anew.name}` is an operator and cannot be defined anew, {code.at(anew)}")
        draft = read_program(tree, code, task.fragment, self.names, task.driver, operators)
        others = [part for write in draft.writes for part in (write.window, write.value)]
        check_size(draft.lets, others if draft.result is None else [*others, draft.result], task.driver)
        return draft

    def checked(self, program: TargetProgram) -> TargetProgram:
        """The program, where it is well typed and writes what the function writes. Raises Rejected."""
        task = self.task
        try:
            check_program(program, task.fragment, task.summary)
        except IllTyped as problem:
            raise Rejected(f"it is not well typed: {problem}") from problem
        written = {write.array.name for write in program.writes}
        missing = [name for name, _ in task.summary.outputs if name != "return" and name not in written]
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
        return None if found is None else self.wrong(found, self.longer(program))

    def wrong(self, found: Counterexample, hint: str = "") -> Failed:
        """What a counterexample says."""
        what = "its result" if found.output == "return" else f"the final contents of {self.names.called(found.output)}"
        short = f"wrong on {self.names.input(found.input)[:250]}: expected {found.source[:60]}, found {found.candidate[:60]}"
        computes = found.candidate[:300] if found.candidate.startswith("is ") else f"is {found.candidate[:300]}"
        detail = (
            f"It computes something else than the function. On the input {self.names.input(found.input)[:600]}, {what} should be "
            f"{found.source[:300]}, and by the answer it {computes}."
        )
        return Failed(short, detail + hint)

    def longer(self, program: TargetProgram) -> str:
        """A hint where the program uses arrays behind pointers as wholes."""
        whole = ", ".join(map(self.names.called, whole_arrays(program, self.task.fragment)))
        if not whole:
            return ""
        return f" {whole} may be longer than what the function reads: take a slice of as many elements as it reads."

    def proved(self, programs: Sequence[TargetProgram]) -> Proposed | Failed:
        """The first of the programs whose obligations are proved; intermediates that look like the summary's are first proved to
        be these. Where none is, the best of them once more, with more time.
        """
        task = self.task
        tried: list[Proposed] = []
        problem = ""
        for program in programs:
            for candidate in dict.fromkeys((identified(program, task.summary, task.driver, task.sample), program)):
                try:
                    tried.append(Proposed(candidate, tuple(task.prove(candidate, 1.0))))
                    unwritten = task.unwritten(candidate) if tried[-1].proved else ""
                except (ObligationError, CannotSpell) as error:
                    problem = problem or f"it cannot be proved in this form: {error}"
                    continue
                if tried[-1].proved and not unwritten:
                    return tried[-1]
                problem = problem or unwritten and f"it is proved, but the target cannot say it: {unwritten}"
        open_ = [each for each in tried if not each.proved]
        if not open_:
            return Failed(problem, f"It is right on all inputs that were tried, but {problem}.")
        found = self.trials.refuted(expanded(open_[0].program, task.driver), thoroughly=True)
        if found is not None:
            return self.wrong(found, self.longer(open_[0].program))
        best = min(open_, key=lambda each: sum(not one.proved for one in each.evidence))
        again = Proposed(best.program, tuple(task.prove(best.program, PATIENCE)))
        if again.proved and not task.unwritten(again.program):
            return again
        self.unproved = self.unproved or again
        failing = next((one for one in again.evidence if not one.proved), None)
        if failing is None:
            return Failed(problem, f"It is right on all inputs that were tried, but {problem}.")
        short = f"right on all inputs that were tried, not proved: {failing.obligation.name} ({untimed(failing)})"
        mine = {var.name: name for name, var in self.names.by_name.items()}
        detail = (
            f"It is right on all {MANY} inputs that were tried, but it is not proved. {unproved(failing, mine)} A form that "
            f"follows the function more closely, step by step, may be proved.{self.found.told()}"
        )
        return Failed(short, detail)


def called_names(tree: ast.FunctionDef) -> set[str]:
    """What a function calls, as it is written."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {ast.unparse(func) for func in calls if isinstance(func, ast.Name | ast.Attribute)}


def capital(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def expanded(program: TargetProgram, driver: Driver) -> TargetProgram:
    """The program with the meanings of its operators."""
    return program.map(lambda value: expand(value, driver))


def whole_arrays(program: TargetProgram, fragment: Fragment) -> list[str]:
    """The pointers whose arrays are used as wholes, not in slices."""
    pointers = {param.var for param in fragment.params if param.kind is ParamKind.POINTER}
    return sorted({var.name for part in program.values for var in wholes(part) if var in pointers})


def wholes(expr: Expr) -> set[Var]:
    """Arrays that an expression uses as wholes."""
    if isinstance(expr, Var):
        return {expr} if isinstance(expr.type, TensorType) else set()
    below: Sequence[Expr] = expr.indices if isinstance(expr, Select) and isinstance(expr.tensor, Var) else children(expr)
    return {var for child in below for var in wholes(child)}

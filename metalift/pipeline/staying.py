"""An answer with loops of its own: the source's loops stay loops, and what the answer says of them helps to prove that.

The answer is run beside the source by the interpreter, under limits. What is proved is the source itself, cut at the headers of
its loops, with those parts of the answer's invariants as facts at the headers that no run refutes and that are proved.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from metalift.driver import Driver
from metalift.frontend import WRITTEN_AS_LOOPS, import_function
from metalift.frontend.python.kinds import MEETS
from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import MachineInt, Type, is_integer
from metalift.ir.interp.execute import run
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Value
from metalift.ir.interp.values import AssumeViolated
from metalift.ir.program.fragment import Assume, Fragment, Ground, Unsupported
from metalift.pipeline.answering import counterparts, place_of, readings
from metalift.pipeline.matching import Stated, check_results
from metalift.pipeline.proposer import Task
from metalift.pipeline.staged import Stayed
from metalift.result.errors import SourceError, UsageError
from metalift.run.compare.falsify import Counterexample, difference
from metalift.run.inputs.inputs import Run, inputs
from metalift.synth.derive import NotDerived
from metalift.synth.propose.aids import found_aids
from metalift.synth.propose.answer import Code, Rejected
from metalift.synth.propose.invariants import Loop, conjuncts, loops_of, named
from metalift.synth.propose.prompt import Failed, answer_operators
from metalift.vcgen.correspondence import NoCorrespondence
from metalift.vcgen.obligation import ObligationError

NUMBERS, BASES = 8, 3  # of an answer that are tried, and inputs in which they are put
STEPS = 40  # that an answer may take for one of the source
LATE, ENOUGH = 40, 20  # inputs on which it may take more, where its loops end, and inputs on which it has to be compared then
FIRST = 10_000  # that it may take in any case


def repeats(code: Code, loops: Iterable[Loop]) -> bool:
    """Whether an answer, and not what it says of loops of the source, repeats something."""
    about = {named(kind, loop) for loop in loops for kind in ("invariant", "decreases")}
    trees = (tree for name, tree in code.functions.items() if name not in about)
    return any(is_loop(node) for tree in trees for node in ast.walk(tree))


def is_loop(node: ast.AST) -> bool:
    """Whether it is read as a loop that may have no closed form."""
    match node:
        case ast.While() | ast.For():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in WRITTEN_AS_LOOPS
        case ast.BinOp(op=ast.Pow(), right=right):
            return not isinstance(right, ast.Constant)
    return False


def beside(code: Code, tree: ast.FunctionDef, task: Task, runs: Sequence[Run]) -> Counterexample | None:
    """An input on which the function of an answer is not what the source computes. Raises Rejected where it cannot be read."""
    fragment = task.fragment
    said = Stated(counterparts(tree, fragment, code), {})
    problem: Rejected | None = None
    for module, types, of_lists in readings(code, tree, task, said):
        if of_lists and MEETS not in str(problem):
            break
        try:
            other = import_function(module, tree.name, like=types)
            check_results(fragment, other, said)
        except Unsupported as error:
            problem = problem or Rejected(f"{error.diagnostic.message}, {place_of(error, code)}")
        except (SourceError, UsageError, NoCorrespondence) as error:
            problem = problem or Rejected(str(error))
        else:
            endless = any(isinstance(node, ast.While) for each in code.functions.values() for node in ast.walk(each))
            return differs(other, said.names, chain(runs, near(numbers_of(code), fragment, runs)), endless)
    raise problem or Rejected("its parameters are not those of the function")


def differs(other: Fragment, names: Mapping[str, str], runs: Iterable[Run], endless: bool) -> Counterexample | None:
    """An input on which another function is not what the source computes, whose parameters have these names there. It has to end
    in time: on all inputs where it may be endless, on some of them otherwise.
    """
    late: list[Counterexample] = []
    compared = 0
    for each in runs:
        if each.input.shared:
            continue
        args = each.input.arguments()
        given = {param.var.name: args[names[param.var.name]] for param in other.params}
        try:
            made = run(other, given, max_steps=FIRST + STEPS * each.outcome.steps)
        except (SourceUndefined, AssumeViolated) as error:
            if isinstance(error, AssumeViolated) and not_modelled(other, error):
                continue
            return Counterexample(each, "return", "defined", f"is undefined ({error})", undefined=True)
        except LimitExceeded:
            late.append(Counterexample(each, "return", "computed", "is not computed: it takes far more steps than the function"))
            if endless:
                return late[0]
            if len(late) > LATE:
                break
            continue
        compared += 1
        outputs: dict[str, Value] = {names[name]: value for name, value in made.arrays.items() if not isinstance(value, dict)}
        if made.result is not None:
            outputs["return"] = made.result
        found = difference(each, outputs)
        if found is not None:
            return found
    return late[0] if late and compared < ENOUGH else None


def not_modelled(other: Fragment, found: AssumeViolated) -> bool:
    """Whether a run ends because what the function does there is not modelled."""
    statements = (each for block in other.blocks for each in block.body if isinstance(each, Assume))
    grounds = {each.ground for each in statements if (each.origin, each.location) == (found.origin, found.location)}
    return Ground.RESTRICTION in grounds


def numbers_of(code: Code) -> list[int]:
    """The integers that an answer speaks of: where it may go another way, it is worth a try."""
    nodes = (node for tree in code.functions.values() for node in ast.walk(tree))
    found = {node.value for node in nodes if isinstance(node, ast.Constant) and type(node.value) is int}
    return sorted(found - {0, 1})[:NUMBERS]


def near(numbers: Sequence[int], fragment: Fragment, runs: Sequence[Run]) -> Iterator[Run]:
    """Runs of the source on inputs in which an integer is near one of the numbers, or near its square or the next one."""
    params = [param.var for param in fragment.params if is_integer(param.var.type)]
    powers = (power for number in numbers for power in (number, number**2, (number + 1) ** 2))
    values = dict.fromkeys(power + more for power in powers for more in (-1, 0, 1))
    given = [(var.name, value) for var in params for value in values if fits(value, var.type)]
    seeds = [{**dict(run.input.values), name: value} for run in runs[:BASES] for name, value in given]
    yield from islice(inputs(fragment, (), seeds=seeds), len(seeds)) if seeds else ()


def fits(value: int, type_: Type) -> bool:
    """Whether an integer is one of the type."""
    return not isinstance(type_, MachineInt) or type_.low <= value <= type_.high


def hints(code: Code, loops: Iterable[Loop], driver: Driver) -> tuple[dict[str, tuple[Expr, ...]], Rejected | None]:
    """What an answer says of loops that stay, by their headers, and what of it cannot be read, if anything."""
    found: dict[str, tuple[Expr, ...]] = {}
    problem: Rejected | None = None
    for loop in loops:
        try:
            if named("invariant", loop) in code.functions:
                found[loop.header] = conjuncts(code, loop, driver, {})[1]
        except Rejected as error:
            problem = problem or error
    return found, problem


def kept(
    code: Code, tree: ast.FunctionDef, task: Task, runs: Sequence[Run], told: Callable[[Counterexample], Failed]
) -> Stayed | Failed | None:
    """What an answer is worth whose loops are to stay: the source with its own loops, proved, or what is wrong; None where it is
    no such answer.
    """
    loops = loops_of(task.fragment, answer_operators(task.driver, task.target))
    if task.stay is None or not repeats(code, loops):
        return None
    try:
        found = beside(code, tree, task, runs)
    except Rejected:
        return None
    if found is not None:
        return told(found)
    facts, unread = hints(code, loops, task.driver)
    helps = found_aids(code, tree, task.fragment, task.driver, task.settle)
    try:
        return task.stay(facts, helps.aids)
    except (NotDerived, ObligationError) as problem:
        if unread is not None:
            return Failed(str(unread), f"It cannot be used: {unread}.")
        short = f"right on all inputs that were tried, not proved with loops that stay: {problem.diagnostic.message}"
        advice = "Invariants that say more of what the loops count may help, or a form without them."
        return Failed(short, f"It is {short}. {advice}{helps.told()}")

"""A model's program as the summary of a function, and its invariants against runs and states."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.driver.meaning.reduce import reduce, reduce_head
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import disj, equal, forall, in_range
from metalift.ir.expr.nodes import TRUE, Apply, Build, Expr, Operator, Select, Update, Var, type_of
from metalift.ir.expr.types import INT, BoolType, MachineInt, RealType, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Value, evaluate
from metalift.ir.interp.values import Tensor
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.ir.program.summary import LoopSummary, Summary, TargetProgram, Write, entry_name
from metalift.run.compare.falsify import same
from metalift.run.inputs.inputs import Run, show_value
from metalift.synth.propose.invariants import Given
from metalift.synth.propose.trials import quickest
from metalift.vcgen.natural_loops import loop_blocks
from metalift.vcgen.obligation import Obligation
from metalift.vcgen.witness import Recorded, recorded, truth

STATES = 1_500  # random states that are tried against an obligation
LIMIT = 20_000  # steps of one evaluation
STEPS = 400  # of the source that the runs on which invariants are tried may take together: an invariant is tried at each visit


def summary_of(
    program: TargetProgram, given: Sequence[Given], fragment: Fragment, driver: Driver, closed: Iterable[LoopSummary] = ()
) -> Summary:
    """What the program computes, in terms of its parameters; loops for which nothing is given are what is found for them."""
    values: dict[Var, Expr] = {}
    for let in program.lets:
        values[let.var] = expand(substitute(let.value, values), driver)
    outputs: dict[str, Expr] = {}
    for write in program.writes:
        window = substitute(write.window, values)
        assert isinstance(window, Build) and isinstance(window.body, Select)
        value = expand(substitute(write.value, values), driver)
        element = reduce(reduce_head(Select(value, window.binders))) if isinstance(type_of(value), TensorType) else value
        base = outputs.get(write.array.name, write.array)
        outputs[write.array.name] = Update(base, window.binders, window.extents, window.body.indices, element, TRUE)
    if program.result is not None:
        outputs["return"] = expand(substitute(program.result, values), driver)
    frames = tuple(frame for write in program.writes if (frame := untouched(write)) is not None)
    loops = tuple(replace(one.invariant, holds=(*one.invariant.holds, *frames)) for one in given)
    others = (each for each in closed if all(each.header != one.loop.header for one in given))
    return Summary((*loops, *others), (), tuple(outputs.items()), program.requires, extents_of(program, fragment))


def untouched(write: Write) -> Expr | None:
    """That cells outside of a window stay as they were: every invariant needs it, and it follows from the program."""
    window = write.window
    assert isinstance(window, Build) and isinstance(window.body, Select)
    affine = Polynomial.of(window.body.indices[0]).affine_in(window.binders)
    one = Polynomial.constant(1)
    if len(window.binders) != 1 or len(window.body.indices) != 1 or affine is None or affine[0][window.binders[0]] != one:
        return None
    cell = Var("cell", INT)
    old = Var(entry_name(write.array.name), write.array.type)
    same = equal(Select(write.array, (cell,)), Select(old, (cell,)))
    return forall((cell,), disj(in_range((Polynomial.of(cell) - affine[1]).to_expr(), window.extents[0]), same))


def extents_of(program: TargetProgram, fragment: Fragment) -> tuple[tuple[str, tuple[Expr, ...]], ...]:
    """How many elements the program's views take of arrays behind pointers, where they go forwards in plain steps."""
    pointers = {param.var for param in fragment.params if param.kind is ParamKind.POINTER}
    parts = [let.value for let in program.lets] + [part for write in program.writes for part in (write.window, write.value)]
    parts += [] if program.result is None else [program.result]
    found: dict[str, list[Expr]] = {}
    for view in (sub for part in parts for sub in subexpressions(part) if isinstance(sub, Build)):
        match view.body:
            case Select(Var() as array, (index,)) if array in pointers:
                end = _end(view, index)
                if end is not None and end not in found.setdefault(array.name, []):
                    found[array.name].append(end)
    few = {name: ends for name, ends in found.items() if len(ends) <= 2}
    largest = {name: ends[0] if len(ends) == 1 else Apply(Operator.MAX, tuple(ends)) for name, ends in few.items()}
    return tuple((name, (end,)) for name, end in largest.items())


def _end(view: Build, index: Expr) -> Expr | None:
    """One more than the last index of a view."""
    affine = Polynomial.of(index).affine_in(view.binders)
    if affine is None:
        return None
    end = affine[1] + 1
    for binder, extent in zip(view.binders, view.extents, strict=True):
        stride = affine[0][binder].constant_value
        if stride is None or stride < 0:
            return None
        end = end + affine[0][binder] * (Polynomial.of(extent) - 1)
    return end.to_expr()


@dataclass(frozen=True, slots=True)
class Broken:
    """A part of an invariant that does not hold where a run comes by."""

    given: Given
    what: str
    run: Run
    iterations: int
    state: str
    part: int | None = None  # its number, from 1; None for what decreases

    def text(self) -> str:
        """For whoever gave it."""
        when = "when it is reached" if self.iterations == 0 else f"after {self.iterations} iterations"
        return (
            f"the invariant of the loop at line {self.given.loop.line} does not hold {when}: `{self.what}`, on the input "
            f"{self.given.loop.names.input(self.run.input)[:400]}, where {self.state}"
        )


def broken(fragment: Fragment, given: Sequence[Given], runs: Sequence[Run]) -> Broken | None:
    """A run on which an invariant does not hold."""
    bodies = loop_blocks(fragment)
    for run in quickest(runs, STEPS):
        made = recorded(fragment, None, run.input.arguments(), bodies)
        for one in given if made is not None else ():
            assert made is not None
            found = next(_failing(one, made, bodies[one.loop.header], run), None)
            if found is not None:
                return found
    return None


def _failing(one: Given, made: Recorded, body: frozenset[str], run: Run) -> Iterator[Broken]:
    """Where in a run the invariant of one loop does not hold, or what decreases does not."""
    old = {entry_name(name): value for name, value in made.start.items()}
    count, before, previous = 0, "", None
    for visit in made.visits:
        if visit.label == one.loop.header:
            count = count + 1 if before in body else 0
            env = {**made.start, **visit.values, **visit.arrays, **old, one.invariant.index.name: count}
            for at, (text, part) in enumerate(zip(one.texts, one.invariant.holds, strict=True), 1):
                if _false(part, env, made.cells):
                    yield Broken(one, text, run, count, _shown(one, env), at)
            measure = _number(one.invariant.decreases, env)
            if count and measure is not None and previous is not None and not (previous >= 0 and measure < previous):
                what = f"what decreases goes from {previous} to {measure}"
                yield Broken(one, what, run, count, _shown(one, env))
            previous = measure
        before = visit.label


def _false(formula: Expr, env: Mapping[str, Value], cells: int) -> bool:
    try:
        match formula:
            case Apply(Operator.EQ, (left, right)) if isinstance(type_of(left), RealType):
                return not same(*(evaluate(side, known(side, env), limit=LIMIT) for side in (left, right)))
            case _:
                return not truth(formula, dict(env), cells)
    except SourceUndefined:
        return True
    except (LimitExceeded, KeyError):
        return False


def known(expr: Expr, env: Mapping[str, Value]) -> dict[str, Value]:
    """The values of the names in an expression."""
    return {var.name: env[var.name] for var in free_vars(expr)}


def _number(expr: Expr, env: Mapping[str, Value]) -> int | None:
    try:
        value = evaluate(expr, known(expr, env), limit=LIMIT)
    except (SourceUndefined, LimitExceeded, KeyError):
        return None
    return value if isinstance(value, int) else None


def _shown(one: Given, env: Mapping[str, Value]) -> str:
    """The variables at the loop."""
    scalars = {name: var for name, var in one.loop.names.by_name.items() if not isinstance(var.type, TensorType)}
    return ", ".join(f"{name}={show_value(env[var.name])}" for name, var in scalars.items() if var.name in env)


def state_against(obligation: Obligation, seed: int = 0) -> dict[str, Value] | None:
    """A state, reachable or not, in which the hypotheses of an obligation hold and its goal does not."""
    formulas = (*obligation.hypotheses, *obligation.assumed)
    variables = sorted({var for part in (*formulas, obligation.goal) for var in free_vars(part)}, key=lambda var: var.name)
    chance = random.Random(seed)
    for _ in range(STATES):
        length = chance.randint(0, 4)
        env = {var.name: _random(var, length, chance) for var in variables}
        try:
            if all(truth(part, dict(env), length) for part in formulas) and not truth(obligation.goal, dict(env), length):
                return env
        except (SourceUndefined, LimitExceeded, KeyError, AssertionError, ValueError):
            continue
    return None


def _random(var: Var, length: int, chance: random.Random) -> Value:
    """A small value of the type."""
    type_ = var.type
    if isinstance(type_, TensorType):
        count = length**type_.rank
        return Tensor((length,) * type_.rank, [_scalar(Var("", type_.element), chance) for _ in range(count)])
    return _scalar(var, chance)


def _scalar(var: Var, chance: random.Random) -> int | bool:
    match var.type:
        case BoolType():
            return chance.random() < 0.5
        case MachineInt(_, signed):
            return chance.randint(-1 if signed else 0, 5)
        case type_ if is_integer(type_) or isinstance(type_, RealType):
            return chance.randint(-1, 5)
        case _:
            return 0

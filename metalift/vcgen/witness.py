"""Non-vacuity: a concrete run of the source that takes an obligation's path and satisfies all its hypotheses.

An obligation whose hypotheses contradict each other holds for no reason. So each is shown to speak of something: a run of
the fragment in the interpreter is matched with the obligation's path, the symbols get their values from the run, and every
hypothesis and assumption is evaluated. Quantified hypotheses are evaluated over the cells that exist in the run (they are
shown by other obligations); quantified assumptions over their whole range.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, count, islice

from metalift.ir.expr.nodes import Apply, Call, Exists, Expr, Forall, Operator
from metalift.ir.expr.ranged import limits
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.interp.execute import Argument, Contents
from metalift.ir.interp.interpret import (
    Array,
    AssumeViolated,
    CheckViolated,
    LimitExceeded,
    Made,
    Shared,
    SourceUndefined,
    Tensor,
    Unbounded,
    Undef,
    Value,
    evaluate,
    evaluate_if_defined,
    run,
)
from metalift.ir.program.fragment import Fragment, expressions
from metalift.ir.program.summary import Summary
from metalift.vcgen.bounded import certainly_holds
from metalift.vcgen.jumps import Jumps, plans, value_later
from metalift.vcgen.natural_loops import loop_blocks
from metalift.vcgen.obligation import Obligation, Symbol, SymbolKind

Arguments = Mapping[str, Argument]
MAX_INSTANCES = 60  # of a quantified hypothesis that are evaluated; it is an invariant, so all of them hold in a run
MAX_SEARCHED = 5000  # values that are tried for what a hypothesis says exists
MAX_TRIED = 2 * MAX_SEARCHED  # values of all binders of a formula
MAX_MATCHES = 6  # ways in which one run takes a path that are tried
MAX_REFUTING = 8  # states in which goals are evaluated
FEW_STEPS = 5_000  # of the evaluation of a part of a goal
MAX_EVALUATED = 10_000_000  # steps of that of a hypothesis
MAX_STEPS = 600_000
MAX_STEPPED = 20_000  # steps of a run that jumps over loops
MAX_KEPT = 2_000_000  # cells of arrays that a run keeps; beyond, only what stands at the start and at the end of few loops
CHOSEN = 2  # for each size that a target's caller chooses: small arrays are no multiple of it
FEW = 3  # times that a loop is entered of which the end is kept beyond that


@dataclass(frozen=True, slots=True)
class Visit:
    """A block entered by a run; arrays are kept at loop headers only.

    `passed`: of a header, how many iterations there were since the visit of it before; a run with jumps leaves some out.
    """

    label: str
    values: Mapping[str, Value]
    arrays: Mapping[str, Array]
    passed: int = 1


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run with the states it went through, and the summary's bindings evaluated on its input; whether it came to its end."""

    args: Arguments
    visits: tuple[Visit, ...]
    start: Mapping[str, Value]
    cells: int
    ended: bool


class Witnesses:
    """Looks for witnesses among runs of a fragment; on `long` inputs among runs that jump over loops."""

    def __init__(
        self, fragment: Fragment, summary: Summary | None, inputs: Sequence[Arguments], long: Iterable[Arguments] = ()
    ) -> None:
        self.bodies = loop_blocks(fragment)
        self.fragment = fragment
        self.found: list[Recorded] = []
        every = chain(
            (recorded(fragment, summary, args, self.bodies) for args in inputs),
            (each for args in long if summary is not None for each in jumping(fragment, summary, args, self.bodies)),
        )
        self.further = (made for made in every if made is not None)

    def runs(self) -> Iterator[Recorded]:
        """The runs in order; one is recorded when it is first needed, and kept."""
        for at in count():
            if at == len(self.found):
                self.found.extend(islice(self.further, 1))
            if at == len(self.found):
                return
            yield self.found[at]

    def has_end(self) -> bool:
        """Whether some run comes to its end: what is said of a source that never does is about nothing."""
        return any(run.ended for run in self.runs())

    def find(self, obligation: Obligation) -> Recorded | None:
        """A run that takes the path and satisfies hypotheses and assumptions, or None."""
        return next((candidate for candidate, _ in self.satisfying(obligation)), None)

    def refutes(self, obligation: Obligation) -> bool:
        """Whether one of the first that do shows a goal that does not hold: of numbers that are computed without rounding."""
        return not rounds(self.fragment) and any(
            fails(goal.formula, env, candidate.cells)
            for candidate, env in islice(self.satisfying(obligation), MAX_REFUTING)
            for goal in obligation.goals
        )

    def satisfying(self, obligation: Obligation) -> Iterator[tuple[Recorded, dict[str, Value]]]:
        """The runs that take the path and satisfy hypotheses and assumptions, with the values of the symbols."""
        for candidate in self.runs():
            for env in self.environments(obligation, candidate):
                env.update({parameter.name: CHOSEN for parameter in obligation.parameters})
                known = all(holds(formula, env, candidate.cells) for formula in obligation.hypotheses)
                if known and all(certainly_holds(formula, env) for formula in obligation.assumed):
                    yield candidate, env

    def environments(self, obligation: Obligation, candidate: Recorded) -> Iterator[dict[str, Value]]:
        """The values of the symbols for each way in which the run takes the path (a few of them)."""
        if not obligation.trail:
            yield dict(candidate.start)
            return
        for number, places in enumerate(self.matches(obligation, candidate.visits)):
            if number >= MAX_MATCHES:
                return
            try:
                yield {**candidate.start, **{s.var.name: value_of(s, candidate.visits, places) for s in obligation.symbols}}
            except KeyError:  # the run keeps no arrays of this place
                continue

    def matches(self, obligation: Obligation, visits: tuple[Visit, ...]) -> Iterator[dict[str, tuple[int, int]]]:
        """For each opened header of the path: where the run entered the loop, and the later visit the path goes on from."""
        trail, opened = obligation.trail, set(obligation.opened)

        def go(step: int, at: int, places: dict[str, tuple[int, int]]) -> Iterator[dict[str, tuple[int, int]]]:
            label = trail[step]
            if at >= len(visits) or visits[at].label != label:
                return
            if step == len(trail) - 1:
                yield {**places, label: (at, at)} if label in self.bodies and label not in places else places
                return
            if label not in opened or label in places:
                yield from go(step + 1, at + 1, places)
                return
            body = self.bodies.get(label, frozenset())
            here = at
            while here < len(visits) and visits[here].label in body:
                if visits[here].label == label:
                    if here > at and visits[here].passed > 1 and trail[step + 1] in body:
                        return  # a jump over this loop rests on what is claimed of its body
                    yield from go(step + 1, here + 1, {**places, label: (at, here)})
                here += 1

        yield from go(0, 0, {})


def rounds(fragment: Fragment) -> bool:
    """Whether it computes numbers that the interpreter rounds: by functions such as exp."""
    terms = (term for block in fragment.blocks for term in expressions(block))
    return any(isinstance(part, Call) for term in terms for part in subexpressions(term))


def recorded(
    fragment: Fragment,
    summary: Summary | None,
    args: Arguments,
    bodies: Mapping[str, frozenset[str]],
    jumps: Jumps | None = None,
) -> Recorded | None:
    """Run and record; None where the input is not a valid one for the source. With `jumps`, what was run until the limit."""
    visits: list[Visit] = []
    kept = _Kept(bodies, visits)
    shared = {(name, arg.parameter) for name, arg in args.items() if isinstance(arg, Shared)}
    names = [name for name, arg in args.items() if isinstance(arg, Shared | list | Tensor | Unbounded | Made)]
    same = {f"{one} is {two}!": (one, two) in shared for one in names for two in names}
    start: dict[str, Value] = {}

    def observe(label: str, values: Mapping[str, Value], arrays: Mapping[str, Array]) -> None:
        if not visits:
            start.update(values)
            start.update(same)
            start.update({name: array.copy() for name, array in arrays.items()})
        passed = 1 if jumps is None or jumps.passed is None else jumps.passed
        visits.append(Visit(label, dict(values), kept.arrays(label, arrays) if label in bodies else {}, passed))

    lengths = [extent for arg in args.values() if isinstance(arg, Made) for extent in arg.shape]
    ended = True
    try:
        outcome = run(fragment, args, max_steps=MAX_STEPS if jumps is None else MAX_STEPPED, observer=observe, leap=jumps)
        lengths += [extent for cells in outcome.arrays.values() for extent in _extents(cells)]
    except LimitExceeded:
        if jumps is None or not visits:
            return None
        ended = False
    except (SourceUndefined, AssumeViolated, CheckViolated):
        return None
    try:
        if summary is not None:
            bind(summary, start, at_once=jumps is None)
    except (SourceUndefined, LimitExceeded):
        return None
    return Recorded(args, tuple(visits), start, max(lengths, default=0), ended)


def jumping(
    fragment: Fragment, summary: Summary, args: Arguments, bodies: Mapping[str, frozenset[str]]
) -> Iterator[Recorded | None]:
    """Runs on one input that jump over loops: over all, and for each loop one that steps through it for a while."""
    for over in plans(summary, bodies):
        yield recorded(fragment, summary, args, bodies, Jumps(summary, over, bodies))


class _Kept:
    """Copies of arrays at loop headers: all while they are few, then what a loop finds when it is entered and when it is left."""

    def __init__(self, bodies: Mapping[str, frozenset[str]], visits: list[Visit]) -> None:
        self.bodies = bodies
        self.visits = visits
        self.cells = 0
        self.entered: dict[str, int] = {}
        self.last: dict[str, int] = {}  # the visit of a header that the next one in the same loop takes the place of

    def arrays(self, label: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """What the next visit, of this header, keeps."""
        inside = bool(self.visits) and self.visits[-1].label in self.bodies[label]
        if not inside:
            self.entered[label] = self.entered.get(label, 0) + 1
            self.last.pop(label, None)
        if self.cells > MAX_KEPT:
            if self.entered[label] > FEW:
                return {}
            if label in self.last:
                place = self.last[label]
                self.visits[place] = replace(self.visits[place], arrays={})
            if inside:
                self.last[label] = len(self.visits)
        copies = {name: array.copy() for name, array in arrays.items()}
        self.cells += sum(len(array.memory.cells) for array in copies.values())
        return copies


def _extents(contents: Contents) -> tuple[int, ...]:
    """How many indices there are along each axis."""
    match contents:
        case Tensor(shape=shape):
            return shape
        case dict():
            cells = [cell if isinstance(cell, tuple) else (cell,) for cell in contents]
            return tuple(len(set(axis)) for axis in zip(*cells, strict=True))
        case list():
            return (len(contents),)


def bind(summary: Summary, env: dict[str, Value], at_once: bool = True) -> None:
    """Add the summary's bindings, under their own names and under those that stand for them in obligations.

    One that has no value on this input, such as 1 / s where s is 0, does not stand in the way of what does not mention it.
    Unless `at_once`, elements of arrays are computed when they are asked for.
    """
    value_of_binding = evaluate_if_defined if at_once else value_later
    for binding in summary.bindings:
        env[binding.var.name] = env[f"{binding.var.name}!"] = value_of_binding(binding.value, dict(env))
    for name, term in summary.outputs:
        env[f"{name}!out"] = evaluate(term, env) if at_once else value_later(term, dict(env))


def value_of(symbol: Symbol, visits: tuple[Visit, ...], places: Mapping[str, tuple[int, int]]) -> Value:
    """What the symbol stands for in the run."""
    entered, here = places[symbol.header]
    match symbol.kind:
        case SymbolKind.TRIP:
            return sum(visit.passed for visit in visits[entered + 1 : here + 1] if visit.label == symbol.header)
        case SymbolKind.ARGUMENT:
            return visits[here].values[symbol.subject]
        case SymbolKind.ARRAY:
            return visits[here].arrays[symbol.subject]
        case SymbolKind.ENTRY_ARRAY:
            return visits[entered].arrays[symbol.subject]


def holds(formula: Expr, env: Mapping[str, Value], cells: int) -> bool:
    """Whether the formula is true; False where it has no value."""
    if any(isinstance(env.get(var.name), Undef) for var in free_vars(formula)):
        return False
    try:
        return truth(formula, dict(env), cells)
    except (SourceUndefined, LimitExceeded, KeyError):
        return False


def fails(formula: Expr, env: Mapping[str, Value], cells: int) -> bool:
    """Whether the formula is false; False where it has no value."""
    if any(isinstance(env.get(var.name), Undef) for var in free_vars(formula)):
        return False
    try:
        return not truth(formula, dict(env), cells, FEW_STEPS)
    except (SourceUndefined, LimitExceeded, KeyError):
        return False


def truth(formula: Expr, env: dict[str, Value], cells: int, steps: int = MAX_EVALUATED) -> bool:
    """The formula's value; quantifiers run over the cells of the run's arrays, instances without a value do not count."""
    match formula:
        case Apply() if is_plain(formula) and env.keys() >= free_names(formula):  # at once: the parts are in the same order
            return bool(evaluate(formula, env, limit=steps))
        case Apply(Operator.AND, parts):
            return all(truth(part, env, cells, steps) for part in parts)
        case Apply(Operator.OR, parts):
            return any(truth(part, env, cells, steps) for part in parts)
        case Apply(Operator.NOT, (part,)):
            return not truth(part, env, cells, steps)
        case Forall(_, body) | Exists(_, body):
            wanted = isinstance(formula, Exists)
            for inner in islice(bindings(formula, env, cells), MAX_SEARCHED if wanted else MAX_INSTANCES):
                try:
                    if truth(body, inner, cells, steps) == wanted:
                        return wanted
                except SourceUndefined:
                    continue
            return not wanted
        case _:
            return bool(evaluate(formula, env, limit=steps))


@lru_cache(maxsize=1 << 14)
def is_plain(formula: Expr) -> bool:
    """Whether no connective of it has a quantifier."""
    match formula:
        case Forall() | Exists():
            return False
        case Apply(Operator.AND | Operator.OR | Operator.NOT, parts):
            return all(map(is_plain, parts))
        case _:
            return True


@lru_cache(maxsize=1 << 14)
def free_names(formula: Expr) -> frozenset[str]:
    """The names of its variables."""
    return frozenset(var.name for var in free_vars(formula))


def bindings(formula: Forall | Exists, env: dict[str, Value], cells: int) -> Iterator[dict[str, Value]]:
    """Values for the binders: in the ranges that the formula states, otherwise in those of the run's indices."""
    stated = limits(formula)
    tried = count()

    def go(place: int, known: dict[str, Value]) -> Iterator[dict[str, Value]]:
        if place == len(formula.binders):
            yield known
            return
        limit: Value = cells + 1
        if stated is not None:
            limit = evaluate(stated[place], {var.name: known[var.name] for var in free_vars(stated[place])})
        assert isinstance(limit, int)
        for value in range(limit):
            if next(tried) > MAX_TRIED:  # of which few have ranges of the inner binders
                raise LimitExceeded
            yield from go(place + 1, {**known, formula.binders[place].name: value})

    yield from go(0, env)

"""Runs that jump to the last iteration of counted loops, into the state that their summaries say.

Where a source fixes sizes of thousands, no interpreter steps through all of it. A run with jumps goes on from the header of a
loop in the state that the loop's summary has before the last iteration, and steps through that one. This is the state that the
source's own run reaches if the obligations of this loop hold, by induction over the iterations. They are part of every proof
that rests on such a run, and what is claimed of a loop's body is witnessed by runs that do not jump over this loop. Of the state
itself nothing is taken for granted: all hypotheses of an obligation are evaluated there, as in a state that was reached by steps,
so hypotheses that contradict each other have no more of a witness than before. What such a run does not show is that no
iteration between has undefined behaviour; the comparison with the compiled source runs all of them.

Elements of arrays are computed when they are asked for: the one binding of an Update that writes a cell is found by solving the
equations of its indices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Expr, Update, Var, type_of
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import free_vars
from metalift.ir.interp.interpret import EXACT, Array, LimitExceeded, Reals, SourceUndefined, Undef, Value, evaluate
from metalift.ir.interp.values import Cell, Memory
from metalift.ir.program.summary import LoopSummary, Summary

MOST_JUMPS = 60  # of a run: each makes arrays that refer to those before
MANY_WRITES = 1000  # bindings that may write one cell
LIMIT = 2_000_000  # steps of one evaluation


class Jumps:
    """What a run is asked to do at the headers of `over`: go on in the state before the last iteration. Serves one run.

    `passed` is the number of iterations of the jump that was made last, until the state after it was seen.
    """

    def __init__(
        self, summary: Summary, over: frozenset[str], bodies: Mapping[str, frozenset[str]], reals: Reals = EXACT
    ) -> None:
        self.loops = {loop.header: loop for loop in jumpable(summary) if loop.header in over}
        self.bodies = bodies
        self.reals = reals
        self.before = ""
        self.made = 0
        self.passed: int | None = None

    def __call__(self, label: str, values: Mapping[str, Value], arrays: Mapping[str, Array]) -> Mapping[str, Value] | None:
        """What changes by a jump; None where none is made. Raises LimitExceeded after too many, or where it is not known."""
        before, self.before, self.passed = self.before, label, None
        loop = self.loops.get(label)
        if loop is None or before in self.bodies[label]:
            return None
        env = {**values, **{name: array.copy() for name, array in arrays.items()}}
        trip = number(loop.trip, env)
        if trip <= 2:
            return None
        self.made += 1
        if self.made > MOST_JUMPS:
            raise LimitExceeded("too many jumps over loops")
        self.passed = env[loop.index.name] = trip - 1
        return {var.name: value_later(term, env, self.reals) for var, term in loop.state}


def jumpable(summary: Summary) -> Iterator[LoopSummary]:
    """The loops whose summaries say all of their states, and nothing that depends on data."""
    for loop in summary.loops:
        if isinstance(loop, LoopSummary) and not loop.unknown and not loop.holds:
            yield loop


def plans(summary: Summary, bodies: Mapping[str, frozenset[str]]) -> Iterator[frozenset[str]]:
    """Sets of loops to jump over: first all, then for each loop all but this one and those around it."""
    every = frozenset(loop.header for loop in jumpable(summary))
    yield every
    for header in every:
        yield frozenset(other for other in every if header not in bodies[other])


def number(expr: Expr, env: Mapping[str, Value]) -> int:
    """The value of an integer expression. Raises LimitExceeded where it has none."""
    try:
        value = evaluate(expr, env, limit=LIMIT)
    except (SourceUndefined, KeyError):
        raise LimitExceeded("a number of iterations, or a place, is not known") from None
    assert isinstance(value, int)
    return value


def value_later(term: Expr, env: Mapping[str, Value], reals: Reals = EXACT) -> Value:
    """The value of the term, of an array one whose elements are computed when they are asked for.

    `env` is not to change any more. A scalar without a value is an Undef. Raises LimitExceeded where no such array can be made.
    """
    if isinstance(type_of(term), TensorType):
        return _array_later(term, env, reals)
    try:
        return evaluate(term, env, reals=reals, limit=LIMIT)
    except SourceUndefined as error:
        return Undef(error.reason)


def _array_later(term: Expr, env: Mapping[str, Value], reals: Reals) -> Array:
    match term:
        case Var(name):
            found = env[name]
            if isinstance(found, Array) and not found.origin:
                return found
        case Update():
            base = _array_later(term.base, env, reals)
            fill = partial(_element, writes_of(term, env), base, env, reals)
            return Array(base.name, Memory({}, base.memory.length, fill, inner=base.memory.inner, most=base.memory.most))
    raise LimitExceeded("the elements of an array can only be computed all at once")


def _element(writes: Writes, base: Array, env: Mapping[str, Value], reals: Reals, cell: Cell) -> Value:
    place = cell if isinstance(cell, tuple) else (cell,)
    try:
        binding = writes.last(place, env)
        return base.at(place) if binding is None else evaluate(writes.update.value, {**env, **binding}, reals=reals, limit=LIMIT)
    except LimitExceeded as error:
        raise SourceUndefined(f"an element is not computed: {error}") from None


@dataclass(frozen=True, slots=True)
class Equation:
    """The sum of the binders times their factors is the index, less `rest`."""

    factors: tuple[int, ...]
    rest: int


@dataclass(frozen=True, slots=True)
class Writes:
    """The bindings of an Update: the extents of its binders, and for each index an equation."""

    update: Update
    extents: tuple[int, ...]
    equations: tuple[Equation, ...]

    def last(self, place: Sequence[int], env: Mapping[str, Value]) -> dict[str, Value] | None:
        """The last binding that writes the cell, which is the one that counts. Raises LimitExceeded where there are many."""
        wanted = [index - equation.rest for index, equation in zip(place, self.equations, strict=True)]
        found = list(islice(self.solutions(wanted, ()), MANY_WRITES + 1))
        if len(found) > MANY_WRITES:
            raise LimitExceeded(f"more than {MANY_WRITES} writes of one cell")
        for binding in reversed(found):
            named: dict[str, Value] = {binder.name: at for binder, at in zip(self.update.binders, binding, strict=True)}
            if evaluate(self.update.guard, {**env, **named}, limit=LIMIT):
                return named
        return None

    def solutions(self, wanted: Sequence[int], known: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The bindings that begin with `known` for which the sums of what the other binders add are as wanted, in order."""
        place = len(known)
        if place == len(self.extents):
            if not any(wanted):
                yield known
            return
        low, high = 0, self.extents[place] - 1
        for equation, left in zip(self.equations, wanted, strict=True):
            later = zip(equation.factors[place + 1 :], self.extents[place + 1 :], strict=True)
            others = [factor * (extent - 1) for factor, extent in later]
            least, most = left - sum(max(0, each) for each in others), left - sum(min(0, each) for each in others)
            low, high = narrowed(equation.factors[place], least, most, low, high)
        for at in range(low, high + 1):
            left_of = [left - equation.factors[place] * at for equation, left in zip(self.equations, wanted, strict=True)]
            yield from self.solutions(left_of, (*known, at))


def narrowed(factor: int, least: int, most: int, low: int, high: int) -> tuple[int, int]:
    """The numbers from `low` to `high` whose products with the factor lie from `least` to `most`; without any, high < low."""
    if factor == 0:
        return (low, high) if least <= 0 <= most else (0, -1)
    if factor < 0:
        factor, least, most = -factor, -most, -least
    return max(low, -(-least // factor)), min(high, most // factor)


def writes_of(update: Update, env: Mapping[str, Value]) -> Writes:
    """The writes of an Update. Raises LimitExceeded where its indices are not affine, or its extents depend on each other."""
    if any(not free_vars(extent).isdisjoint(update.binders) for extent in update.extents):
        raise LimitExceeded("the extents of a nest depend on each other")
    extents = tuple(number(extent, env) for extent in update.extents)
    equations: list[Equation] = []
    for index in update.indices:
        form = Polynomial.of(index).affine_in(update.binders)
        if form is None:
            raise LimitExceeded("the places that are written are not affine in the loops' counters")
        factors = tuple(number(form[0][binder].to_expr(), env) for binder in update.binders)
        equations.append(Equation(factors, number(form[1].to_expr(), env)))
    return Writes(update, extents, tuple(equations))

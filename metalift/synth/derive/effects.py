"""What a loop does as a whole, in terms of the state at its entry, and how that looks where the loop is reached in a known
state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import TRUE, Apply, Expr, Fold, Operator, Update, Var, integer, type_of
from metalift.ir.expr.types import INT, BoolType, IntType, MachineInt, RealType, TensorType
from metalift.ir.program.fragment import Edge
from metalift.synth.derive.bounds import certain, clamped, divided_as_sizes, follows, plain_index, sized
from metalift.synth.derive.gates import Gate, with_conditions
from metalift.synth.derive.normal_terms import Cell, both, index
from metalift.synth.derive.state import Write
from metalift.synth.derive.symbolic import Read, evaluate

COUNT = Var("count of iterations", INT)
"""In an effect: the number of complete iterations, as a size (a negative one counts as none)."""
DONE = Var("iterations done", INT)
"""The same number where it is a value, never negative."""


@dataclass(frozen=True, slots=True)
class Access:
    """An element that is read or written, for all binders in range, where `guard` holds.

    Or an index or a size that the source computes in a machine type, which is then in the place of the array: it has to fit.
    Or a divisor, or the number of bits of a shift and of its type, with the operator in the place of the array.
    """

    array: Var | MachineInt | Operator
    binders: tuple[Var, ...]
    extents: tuple[Expr, ...]
    at: Cell
    guard: Expr = TRUE

    @property
    def ranges(self) -> dict[Var, Expr]:
        """The extent of each binder."""
        return dict(zip(self.binders, self.extents, strict=True))

    def evaluated(self, values: Mapping[Var, Expr], read: Read, ranges: Mapping[Var, Expr] | None = None) -> Access:
        """With variables replaced by values and reads by what they see."""
        write = Write(self.binders, self.extents, self.at, self.at[0], self.guard)
        done = evaluate_write(write, values, read, ranges)
        return Access(self.array, done.binders, done.extents, done.at, done.guard)


@dataclass(frozen=True, slots=True)
class Exit:
    """One way out of a loop, with the writes of a last pass that leaves in the middle."""

    edge: Edge
    last: Mapping[Var, tuple[Write, ...]]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a loop does, in terms of its header arguments and arrays at its entry, of values from outside, and of COUNT and DONE.

    `arguments` and `writes` are the state at the header after COUNT iterations. `trips` is the number of complete iterations
    when the loop is left (it may come out negative for none), `most` a bound of it that does not depend on data. On the way
    out the loop has done the writes of COUNT iterations, of one more where `full`, and then those of the exit; `results` are
    the values used after it. `way` tells which of the `exits` is taken. All that is so where `needs` hold. `names` are the
    binders' names. What local arrays in `lost` hold afterwards is not known. `facts` hold after COUNT iterations, beside what
    `arguments` say.
    """

    header: str
    trips: Expr
    most: Expr
    arguments: Mapping[Var, Expr]
    writes: Mapping[Var, tuple[Write, ...]]
    full: bool
    results: Mapping[Var, Expr]
    needs: tuple[Expr, ...]
    exits: tuple[Exit, ...]
    way: Gate
    accesses: tuple[Access, ...]
    names: frozenset[str]
    lost: frozenset[Var] = frozenset()
    facts: tuple[Expr, ...] = ()

    @property
    def leading(self) -> Fold | None:
        """The trips as a fold that grows by one in each iteration after which the loop goes on; None where they are counted."""
        return self.trips if isinstance(self.trips, Fold) else None


class Applied:
    """An effect where the loop is entered with known values; `read` gives the elements of the arrays there."""

    def __init__(self, effect: Effect, entry: Mapping[Var, Expr], read: Read, reached: Expr, trips: Expr) -> None:
        """`trips` is how often the loop goes round."""
        self.effect = effect
        self.entry = entry
        self.read = read
        self.reached = reached
        self.passes = index(trips)
        self.trips = self._passes(trips)
        self.most = self.trips if effect.leading is None else self._passes(evaluate(effect.most, entry, read))

    def _passes(self, trips: Expr) -> Polynomial:
        found = sized(index(trips))
        if self.effect.full:
            needed = both(self.reached, *(evaluate(need, self.entry, self.read) for need in self.effect.needs))
            found = _at_least_one(found + 1, needed) - 1
        return found

    def _values(self, passes: Polynomial) -> dict[Var, Expr]:
        done = clamped(passes) if self.effect.leading is None else passes
        return {**self.entry, COUNT: passes.to_expr(), DONE: done.to_expr()}

    def writes(self) -> Iterator[tuple[Var, Write]]:
        """The writes to the arrays, in order."""
        passes = self._values(self.trips + 1 if self.effect.full else self.trips)
        for array, writes in self.effect.writes.items():
            for write in writes:
                yield array, evaluate_write(write, passes, self.read)

    def last(self, way_out: Exit) -> Iterator[tuple[Var, Write]]:
        """The writes of the last pass."""
        passes = self._values(self.trips)
        for array, writes in way_out.last.items():
            for write in writes:
                yield array, evaluate_write(write, passes, self.read)

    def way(self) -> Gate:
        """Which exit is taken."""
        passes = self._values(self.trips)
        return with_conditions(self.effect.way, lambda cond: evaluate(cond, passes, self.read))

    def values(self) -> dict[Var, Expr]:
        """The header's arguments and the loop's results after the loop."""
        passes = self._values(self.trips)
        found = {**self.effect.arguments, **self.effect.results}
        return {var: evaluate(value, passes, self.read) for var, value in found.items()}

    def needs(self) -> Iterator[Expr]:
        """The conditions under which all this is so, without those that hold where the loop is reached."""
        sizes = (Apply(Operator.LE, (integer(0), each.to_expr())) for each in divided_as_sizes(self.passes))
        for cond in (*sizes, *(evaluate(need, self.entry, self.read) for need in self.effect.needs)):
            if isinstance(cond, Apply) and cond.op is Operator.LE:
                gap = index(cond.args[1]) - index(cond.args[0])
                if certain(gap) or follows(gap, self.reached):
                    continue
            yield cond

    def accesses(self) -> Iterator[Access]:
        """The elements that the loop touches."""
        passes = self._values(self.most + 1 if self.effect.full else self.most)
        for access in self.effect.accesses:
            yield access.evaluated(passes, self.read)


def _at_least_one(passes: Polynomial, reached: Expr) -> Polynomial:
    if certain(passes - 1) or follows(passes - 1, reached):
        return passes
    return index(Apply(Operator.MAX, (integer(1), passes.to_expr())))


def evaluate_write(write: Write, values: Mapping[Var, Expr], read: Read, ranges: Mapping[Var, Expr] | None = None) -> Write:
    """A write with variables replaced by values and reads by what they see."""
    element = type_of(write.value)
    assert isinstance(element, BoolType | IntType | MachineInt | RealType)
    update = evaluate(write.update(Var("", TensorType(element, len(write.at)))), values, read, ranges)
    assert isinstance(update, Update)
    at = tuple(plain_index(each, update.binders) for each in update.indices)
    return Write(update.binders, update.extents, at, update.value, update.guard)

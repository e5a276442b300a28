"""What a loop leaves in the arrays that it writes, from the writes of one iteration.

A write whose cell moves with the loop becomes an Update over one more binder; a cell that stays becomes a fold that starts
from what it held. A read in some iteration of an array that the loop writes sees the contents at the loop's entry if no
earlier iteration wrote that cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Expr, Fold, Item, MakeTuple, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, TensorType, TupleType
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.synth.derive import compaction, scatter
from metalift.synth.derive.bounds import Ranges, Solution, not_negative, sign, solve
from metalift.synth.derive.effects import COUNT, DONE, evaluate_write
from metalift.synth.derive.normal_terms import Cell, Place, both, cell_at, compare, exact, index, ite, place_of
from metalift.synth.derive.recurrences import fold, plain
from metalift.synth.derive.state import Unresolved, Write, inside, names_in, never, rest_holds
from metalift.synth.derive.symbolic import evaluate, finished
from metalift.synth.derive.tiled_loops import untiled_fold

FARTHEST = 4  # how many iterations back a cell may be on which the next one depends


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of one write of an iteration, closed in the loop's binder."""

    write: Write
    moves: bool


class Memory:
    """Closes the writes of one iteration over all iterations."""

    def __init__(
        self,
        writes: Mapping[Var, tuple[Write, ...]],
        values: Mapping[Var, Expr],
        rounds: Ranges,
        acc: Var,
        own: frozenset[Var] = frozenset(),
        brief: frozenset[Var] = frozenset(),
        lost: frozenset[Var] = frozenset(),
        args: frozenset[Var] = frozenset(),
    ) -> None:
        """`values` are the state's closed forms at an iteration: the variable in `rounds`, which has its range; `acc` gives the
        accumulators' name. `own` are the function's local arrays, `brief` those of them that are used in this loop only, `lost`
        those whose contents after an iteration are not known. `args` are the header's arguments, those without values included.
        """
        self.own = own
        self.brief = brief
        self.lost = lost
        self.args = args
        self.source = writes
        self.values = values
        (self.binder,) = rounds
        self.rounds = rounds
        self.acc = acc
        moving = {self.binder, *(var for var, value in values.items() if self.binder in free_vars(value))}
        self.counted = {array: found for array, group in writes.items() if (found := counted(array, group, moving))}
        self.kept: dict[Var, compaction.Place] = {}
        self.scattered: set[Var] = set()
        self.cells: dict[Var, list[Cells]] = {}
        for array in sorted(writes, key=lambda array: not keeps_sizes(array, own)):
            self.cells[array] = [self._cells(array, write) for write in writes[array]]
        self.current: Cells | None = None
        self.sees_own = False
        self.reach = self.width = 0  # how many iterations back the cells are that are seen, and of how many the values are known

    def _cells(self, array: Var, write: Write) -> Cells:
        bare = Write(write.binders, write.extents, write.at, write.at[0], TRUE)
        closed = evaluate_write(bare, self.values, self._read_plain, self.rounds)
        alone = len(self.source[array]) == len(closed.at) == 1 and not closed.binders
        if alone and (start := self._start(closed.at[0])) is not None:
            self.kept[array] = start
            return Cells(closed, True)
        if any(depends_on_data(each, self.own) for each in closed.at):
            if any(each.binders for each in self.source[array]) or not any(map(scatter.is_data, closed.at)):
                raise Unresolved(on_data(array))
            self.scattered.add(array)
        return Cells(closed, any(self.binder in each.free_vars for each in place_of(closed.at)))

    def _start(self, at: Expr) -> compaction.Place | None:
        """Where elements are put one behind the other, if that is what the index says; a place without a value yet may be one."""
        if any(var in self.args and var not in self.values for var in index(at).free_vars):
            return compaction.Place(None, index(at))
        return compaction.counting_place(at, self.binder)

    def _read_plain(self, array: Var, cell: Cell, ranges: Ranges) -> Expr:
        if keeps_sizes(array, self.own) and array in self.cells:
            return self.read(array, cell, ranges)
        if array in self.source or array in self.lost:
            raise Unresolved(f"where {array.name} is written depends on what it holds")
        return plain(array, cell, ranges)

    def _count(self, array: Var, iterations: Expr) -> Expr:
        """The element that counts, after so many iterations."""
        cell, step = Select(array, cell_at(self.counted[array].place)), self.counted[array].step
        return (index(cell) + index(iterations) * step).to_expr()

    def closed(self) -> dict[Var, tuple[Write, ...]]:
        """The arrays after COUNT iterations; arrays of its own whose contents then are too much to say are left out."""
        result: dict[Var, tuple[Write, ...]] = {}
        for array, writes in self.source.items():
            try:
                closed = self._closed(array, writes)
            except Unresolved:
                if array not in self.own:
                    raise
                continue
            if array not in self.brief or self.sees_own or any(cells.moves for cells in self.cells[array]):
                result[array] = tuple(closed)
        return result

    def _closed(self, array: Var, writes: tuple[Write, ...]) -> list[Write]:
        """What all iterations leave in an array, by the writes of one."""
        if array in self.scattered:
            done = [evaluate_write(write, self.values, self.read, self.rounds) for write in writes]
            return [scatter.scattered(array, done, self._acc(done[0]), self.binder, own=array in self.own)]
        return [self._close(array, write, cells) for write, cells in zip(writes, self.cells[array], strict=True)]

    def _close(self, array: Var, write: Write, cells: Cells) -> Write:
        if array in self.counted:
            return Write((), (), cells.write.at, self._count(array, DONE))
        self.current, self.sees_own, self.reach, self.width = cells, False, 0, 1
        if len(self.source[array]) == 1:
            write = unconditional(array, write)
        done = evaluate_write(write, self.values, self.read, self.rounds)
        if self.reach > 1:
            self.width = self.reach
            done = evaluate_write(write, self.values, self.read, self.rounds)
        self.current = None
        if (place := self.kept.get(array)) is not None:
            return compaction.compacted(place, done, self.binder)
        # The binders of `done` are those of `cells`: both come from the same evaluation of the same names.
        if self.sees_own or not cells.moves:
            return self._staying(array, done)
        if self.reach:
            return self._scan(array, done)
        return Write((self.binder, *done.binders), (COUNT, *done.extents), done.at, done.value, done.guard)

    def _staying(self, array: Var, done: Write) -> Write:
        """The same cells in each iteration: a fold from what they held, or the last value."""
        if any(self.binder in free_vars(extent) for extent in done.extents):
            raise Unresolved(f"the part of {array.name} that is written over and over changes from one iteration to the next")
        cell: Expr = Select(array, done.at)
        acc = self._acc(done)
        if acc not in free_vars(done.value) and done.guard == TRUE:
            last = {self.binder: exact(Apply(Operator.SUB, (COUNT, integer(1))))}
            value = evaluate(done.value, last, plain)
            return Write(done.binders, done.extents, done.at, value, compare(Operator.LT, integer(0), COUNT))
        body = ite(done.guard, done.value, acc)
        value = untiled_fold(fold(COUNT, cell, acc, self.binder, body))
        return Write(done.binders, done.extents, done.at, value)

    def _scan(self, array: Var, done: Write) -> Write:
        """Each cell from those written in the iterations before."""
        if done.guard != TRUE:
            raise Unresolved(f"a conditional write to {array.name} reads what an earlier iteration wrote")
        acc = self._acc(done)
        before = [{self.binder: integer(-back)} for back in range(1, self.reach + 1)]
        starts = [Select(array, tuple(evaluate(each, at, plain) for each in done.at)) for at in before]
        extent = exact(Apply(Operator.ADD, (self.binder, integer(1))))
        if self.reach == 1:
            value = fold(extent, starts[0], acc, self.binder, done.value)
        else:
            acc = Var(acc.name, TupleType((acc.type,) * self.reach))
            step = MakeTuple((done.value, *(Item(acc, back) for back in range(self.reach - 1))))
            value = finished(Item(fold(extent, MakeTuple(tuple(starts)), acc, self.binder, step), 0))
        return Write((self.binder, *done.binders), (COUNT, *done.extents), done.at, value)

    def _acc(self, write: Write) -> Var:
        return Var(self.acc.name, type_of(write.value))

    def read(self, array: Var, cell: Cell, ranges: Ranges) -> Expr:
        """An element in iteration `binder`, in terms of the contents at the loop's entry."""
        wanted = place_of(cell)
        if array in self.lost:
            raise Unresolved(f"an element of {array.name} is read, and what is in it by then is not known")
        if array in self.counted and wanted == self.counted[array].place:
            return self._count(array, self.binder)
        if array in self.kept:
            return self._ahead(array, wanted, ranges)
        if array in self.scattered:
            return self._scattered(array, wanted)
        for cells in self.cells.get(array, ()):
            found = self._earlier(array, cells, wanted, ranges)
            if found is not None:
                return found
        return plain(array, cell_at(wanted), ranges)

    def _ahead(self, array: Var, wanted: Place, ranges: Ranges) -> Expr:
        """A cell that comes after all that were put behind one another so far, of which there are no more than iterations."""
        entered: dict[Expr, Polynomial] = {arg: Polynomial() for arg in self.args}  # a guess, as all here: loops start at 0
        gap = wanted[0] - self.kept[array].start - index(self.binder)
        if not not_negative(gap.substitute(entered), ranges):
            raise Unresolved(f"an element of {array.name} is read while elements are put into it where a condition holds")
        return plain(array, cell_at(wanted), ranges)

    def _scattered(self, array: Var, wanted: Place) -> Expr:
        """A cell that this iteration writes, as it was before."""
        for cells in self.cells[array]:
            if wanted == place_of(cells.write.at):
                return self._acc(cells_value(cells, array))
        raise Unresolved(f"an element of {array.name} is read other than where it is written, and that depends on data")

    def _earlier(self, array: Var, cells: Cells, wanted: Place, ranges: Ranges) -> Expr | None:
        """What an earlier iteration may have put there; None if it wrote no such cell."""
        if not cells.moves:
            return self._own(array, cells, wanted, ranges)
        fresh = Var(f"{self.binder.name}'", self.binder.type)
        write = cells.write.apart(frozenset(names_in(wanted)) | {b.name for b in ranges})
        at = tuple(index(substitute(each, {self.binder: fresh})) for each in write.at)
        solution = solve(at, (fresh, *write.binders), wanted, ranges)
        if solution is None:
            if never(at, wanted):
                return None
            raise Unresolved(f"whether an earlier iteration wrote the element of {array.name} that is read is not clear")
        when = solution.values[fresh]
        distance = when - index(self.binder)
        direction = sign(distance, ranges)
        if direction != -1 or sign(when, ranges) == -1 or self._outside(write, solution, ranges):
            return None
        found = [(solution.values[new], index(old)) for new, old in zip(write.binders, cells.write.binders, strict=True)]
        straight = all(one == two for one, two in (*found, *solution.rest))
        back = -int(distance.constant_value or 0)
        if 1 <= back <= FARTHEST and cells is self.current and straight:
            self.reach = max(self.reach, back)
            acc = self._acc(cells_value(cells, array))
            return Item(Var(acc.name, TupleType((acc.type,) * self.width)), back - 1) if back <= self.width > 1 else acc
        raise Unresolved(f"an element of {array.name} is read that an earlier iteration wrote")

    def _own(self, array: Var, cells: Cells, wanted: Place, ranges: Ranges) -> Expr | None:
        """The accumulator, where the cell is the one that is being written in each iteration."""
        if cells is self.current and wanted == place_of(cells.write.at):
            self.sees_own = True
            return self._acc(cells_value(cells, array))
        write = cells.write.apart(frozenset(names_in(wanted)) | {b.name for b in ranges})
        at = place_of(write.at)
        solution = solve(at, write.binders, wanted, ranges)
        if solution is None and (never(at, wanted) or _apart(at, wanted, ranges)):
            return None
        if solution is not None and self._outside(write, solution, ranges):
            return None
        raise Unresolved(f"an element of {array.name} is read that other iterations change")

    def _outside(self, write: Write, solution: Solution, ranges: Ranges) -> bool:
        values: dict[Var, Expr] = {binder: found.to_expr() for binder, found in solution.values.items()}
        parts = [inside(solution.values[b], index(substitute(extent, values)), ranges) for b, extent in write.ranges.items()]
        return both(rest_holds(solution, ranges), *parts) == FALSE


def _apart(at: Place, wanted: Place, ranges: Ranges) -> bool:
    """Whether the order of the cells is known."""
    signs = [sign(target - each, ranges) for each, target in zip(at, wanted, strict=True)]
    return None not in signs or 1 in signs or -1 in signs


@dataclass(frozen=True, slots=True)
class Counted:
    """An element that grows by the same number in each iteration."""

    place: Place
    step: int


def counted(array: Var, writes: tuple[Write, ...], moving: Set[Var]) -> Counted | None:
    """The element of an array of sizes, the same one whatever the `moving` variables are, that its only write counts up."""
    if len(writes) != 1 or writes[0].binders or writes[0].guard != TRUE or type_of(writes[0].value) != INT:
        return None
    place = place_of(writes[0].at)
    if not all(moving.isdisjoint(each.free_vars) for each in place):
        return None
    step = (index(writes[0].value) - index(Select(array, cell_at(place)))).constant_value
    return None if step is None else Counted(place, step)


def depends_on_data(at: Expr, own: frozenset[Var]) -> bool:
    """Whether an index is read from an array, other than from one in which the function keeps sizes of its own."""
    data = [sub for sub in subexpressions(at) if isinstance(sub, Select | Fold)]
    return any(not isinstance(sub, Select) or not keeps_sizes(sub.tensor, own) for sub in data)


def keeps_sizes(array: Expr, own: frozenset[Var]) -> bool:
    """Whether the array is the function's own, for sizes."""
    return array in own and isinstance(type_ := type_of(array), TensorType) and type_.element == INT


def on_data(array: Var) -> str:
    """What is said where an index depends on data."""
    return f"where {array.name} is written depends on data; indices made of counters and sizes are supported"


def unconditional(array: Var, write: Write) -> Write:
    """A conditional write of a cell that is read as well (so it exists) always writes: what it held, where the condition
    fails.
    """
    held: Expr = Select(array, write.at)
    if write.guard == TRUE or not any(held == sub for part in (write.guard, write.value) for sub in subexpressions(part)):
        return write
    return Write(write.binders, write.extents, write.at, ite(write.guard, write.value, held))


def cells_value(cells: Cells, array: Var) -> Write:
    """A write with the array's element as its value, for its type."""
    write = cells.write
    return Write(write.binders, write.extents, write.at, Select(array, write.at), TRUE)

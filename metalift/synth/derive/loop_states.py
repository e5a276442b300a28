"""The effect of one loop, from the symbolic execution of its body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from metalift.ir.expr.build import equal
from metalift.ir.expr.nodes import FALSE, TRUE, Const, Expr, Operator, Var
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import free_vars, fresh_name, substitute
from metalift.ir.program.fragment import Diagnostic, Edge, Fragment
from metalift.ir.program.summary import LoopSummary
from metalift.synth.derive.beside import kept_beside, starts_of
from metalift.synth.derive.bounds import clamped
from metalift.synth.derive.counted import Counted, with_counts
from metalift.synth.derive.defaults import Default, with_defaults
from metalift.synth.derive.effects import COUNT, DONE, Access, Effect, Exit, evaluate_write
from metalift.synth.derive.executed import shown
from metalift.synth.derive.flagged import Flagged, without_flags
from metalift.synth.derive.gates import Gate, Way, condition, graft, ways, with_conditions
from metalift.synth.derive.memory import Memory
from metalift.synth.derive.normal_terms import Cell, compare, exact, index, negate
from metalift.synth.derive.recurrences import Accumulators, Step, at_iteration, counters, kept_in_type, plain, reads_any
from metalift.synth.derive.region import EXIT, NEXT, Departure, NotDerived, Region, Shared
from metalift.synth.derive.same import Same, with_one
from metalift.synth.derive.state import Unresolved, Write, is_lost
from metalift.synth.derive.symbolic import Read, evaluate, replace_equal
from metalift.synth.derive.tiled_loops import untiled_fold, untiled_write
from metalift.synth.derive.trips import NO_COUNT, DoesNotCount, Trips, leading, trip_count
from metalift.synth.derive.two_extremes import Extremes, taken_apart
from metalift.synth.derive.unroll import interleaved, rolled_fold, rolled_writes
from metalift.synth.derive.uses import arrays_used_outside, used_outside


def summarise(shared: Shared, header: str) -> Effect:
    """The effect of the loop; the loops inside it have theirs in `shared`."""
    region = Region(shared, header)
    region.run()
    region.here = shared.graph.blocks[header].end.location
    try:
        return _Closing(region, header).effect()
    except (Unresolved, DoesNotCount) as problem:
        raise NotDerived(Diagnostic(region.here, str(problem))) from problem


class _Closing:
    """Closes one executed iteration over all iterations."""

    def __init__(self, region: Region, header: str) -> None:
        self.region = region
        self.shared = region.shared
        self.header = header
        self.args = region.graph.blocks[header].args
        self.gate = gate = region.gate
        self.goes_on = condition(gate, lambda edge: region.departures[edge].target == NEXT)
        onwards = region.only(gate, NEXT)
        if onwards is None:
            raise DoesNotCount("the loop never goes round")
        steps = tuple(Step(arg, region.merged_argument(onwards, place)) for place, arg in enumerate(self.args))
        self.starts = starts_of(region.graph, header)
        steps, extremes = taken_apart(steps, self.starts, self.shared.pure)
        steps, same = with_one(steps, self.starts)
        steps, counts = with_counts(steps, self.starts, self.shared.pure)
        self.starts |= {each.flag: FALSE for each in counts}
        steps, flagged = without_flags(steps, self.starts, self.shared.pure)
        self.steps, defaults = with_defaults(steps, self.starts, self.shared.pure)
        self.beside: tuple[Same | Counted | Default, ...] = (*same, *counts, *defaults)
        self.apart: tuple[Extremes | Flagged, ...] = (*extremes, *flagged)
        self.contents = region.merged_contents(onwards)
        self.lost = frozenset(array for array, held in self.contents.items() if is_lost(held.version))
        self.writes = {a: held.writes for a, held in self.contents.items() if held.writes and a not in self.lost}
        self.binder, self.acc = self._names()
        self.rounds: Expr = COUNT

    def _names(self) -> tuple[Var, Var]:
        """A binder named after the loop's counter, and an accumulator, both unlike any other name in the nest."""
        taken = set(_all_names(self.shared.fragment))
        for child in self.region.graph.loops[self.header].children:
            taken |= self.shared.effects[child].names
        counting = counters(self.steps, frozenset())
        steps = sorted(self.steps, key=lambda step: step.arg not in free_vars(self.goes_on))
        moving = [stem(step.arg.name) for step in steps if step.arg in counting and step.arg != step.following]
        wanted = next((name for name in moving if name not in taken), "k")
        binder = fresh_name(wanted, taken)
        return Var(binder, INT), Var(fresh_name("acc", taken | {binder}), INT)

    def effect(self) -> Effect:
        """The whole effect."""
        departures, way = self._exits()
        written = frozenset(self.writes)
        counting = counters(self.steps, written)
        if not free_vars(self.goes_on).isdisjoint(set(self.args) - set(counting)):
            raise DoesNotCount(NO_COUNT)
        at_binder = at_iteration(counting, self.binder)
        trips = trip_count(evaluate(self.goes_on, at_binder, self._steady), self.binder)
        latches = self.region.graph.loops[self.header].latches
        single = departures[0] if len(departures) == 1 else None
        latched = single is not None and single.source in latches
        full = single is not None and single.contents == self.contents and (latched or bool(self.writes))
        self.rounds = (index(trips.count) + (1 if full else 0)).to_expr()
        memory = self._memory(counting, {})
        beside = kept_beside(self.steps, counting, self.binder, written, self.starts, self.shared.pure)
        known = {each.value: (each.place, each.at) for each in beside}
        accumulators = Accumulators(self.steps, counting, self.binder, self.acc, known)
        sums = accumulators.closed(memory.read, self.rounds)
        closed = self._with_beside({**counting, **{arg: untiled_fold(rolled_fold(value)) for arg, value in sums.items()}})
        memory = self._memory(closed, self._following(closed))
        results = self._results(closed)
        arrays = memory.closed()
        return Effect(
            self.header,
            leading(trips, self.acc, self.binder),
            trips.count,
            {arg: closed[arg] for arg in self.args},
            {array: tuple(map(untiled_write, self._together(array, writes))) for array, writes in arrays.items()},
            full,
            results,
            (*trips.needs, *kept_in_type(self.steps, counting, trips.count), *self.region.needs),
            tuple(Exit(self._edge(each), {} if full else self._last(each, closed)) for each in departures),
            with_conditions(way, lambda cond: self._at_exit(cond, trips, counting)),
            tuple(self._accesses(closed)),
            self._used_names(),
            self.lost | (self.writes.keys() - arrays.keys()),
            (
                *(equal(closed[each.value], each.at(closed[each.place])) for each in beside),
                *(self._begun(equal(one, other)) for one, other in accumulators.alike),
                *(each.fact(closed) for each in (*self.apart, *self.beside)),
            ),
        )

    def _with_beside(self, closed: dict[Var, Expr]) -> dict[Var, Expr]:
        """The closed forms with those of values that are known by accumulators which the source does not have."""
        for each in reversed(self.beside):
            closed = each.closed(closed)
        return closed

    def _begun(self, fact: Expr) -> Expr:
        """The fact where these are what they start as."""
        return evaluate(fact, {each.own: each.start for each in self.beside}, plain)

    def _together(self, array: Var, writes: tuple[Write, ...]) -> tuple[Write, ...]:
        """The writes as one where they are parts of one; a list of the function's own is nothing but its elements in order."""
        rolled = rolled_writes(writes)
        return interleaved(rolled) if array in self.shared.fragment.locals else rolled

    def _edge(self, departure: Departure) -> Edge:
        assert departure.edge is not None
        return departure.edge

    def _exits(self) -> tuple[list[Departure], Gate]:
        """The ways out of the loop, and which of them is taken where it is left."""
        chosen: dict[int, int] = {}
        exits: list[Departure] = []
        for number in sorted(ways(self.gate)):
            departure = self.region.departures[number]
            if departure.target == NEXT:
                continue
            if departure.target != EXIT:
                raise DoesNotCount("the function returns from inside the loop in a way that is not followed")
            same = next((place for place, other in enumerate(exits) if _same_way(other, departure)), len(exits))
            if same == len(exits):
                exits.append(departure)
            chosen[number] = same
        if not exits:
            raise DoesNotCount("the loop has no end")
        return exits, graft(self.gate, lambda number: Way(chosen[number]) if number in chosen else None)

    def _at_exit(self, cond: Expr, trips: Trips, counting: Mapping[Var, Expr]) -> Expr:
        """A condition of the body in the iteration in which the loop is left; the one that counts by the number of iterations."""
        found = evaluate(cond, at_iteration(counting, self.binder), self._steady)
        short = compare(Operator.LT, COUNT, trips.count)
        if trips.data != TRUE and trips.counted in (found, negate(found)):
            return short if trips.counted == found else negate(short)
        return evaluate(cond, at_iteration(counting, COUNT), self._steady)

    def _steady(self, array: Var, cell: Cell, ranges: Mapping[Var, Expr]) -> Expr:
        if array in self.writes:
            raise DoesNotCount("whether the loop goes on depends on what it writes")
        return plain(array, cell, ranges)

    def _memory(self, closed: Mapping[Var, Expr], following: Mapping[Var, Expr]) -> Memory:
        values = {**at_iteration(closed, self.binder), **following}
        writes = self.writes if not following else {a: tuple(self._marked(w) for w in g) for a, g in self.writes.items()}
        own = frozenset(self.shared.fragment.locals)
        brief = own - arrays_used_outside(self.region.graph, self.header)
        return Memory(writes, values, {self.binder: self.rounds}, self.acc, own, brief, self.lost, frozenset(self.args))

    # Values of the next iteration, where they are used in this one

    def _accumulating(self) -> list[Step]:
        counting = counters(self.steps, frozenset(self.writes))
        gathering = {s.arg for s in self.steps if s.arg not in counting}
        return [s for s in self.steps if s.arg in gathering and self._gathers(s.following, gathering)]

    def _gathers(self, following: Expr, gathering: set[Var]) -> bool:
        """Whether the next value of an accumulator depends on this one."""
        return not isinstance(following, Var | Const) and not free_vars(following).isdisjoint(gathering)

    def _marked(self, write: Write) -> Write:
        return Write(write.binders, write.extents, write.at, self._mark(write.value), write.guard)

    def _mark(self, value: Expr) -> Expr:
        for step in self._accumulating():
            value = replace_equal(value, step.following, next_of(step.arg))
        return value

    def _following(self, closed: Mapping[Var, Expr], iteration: Expr | None = None) -> dict[Var, Expr]:
        place = self.binder if iteration is None else iteration
        after = index(place) + 1
        later = at_iteration({s.arg: closed[s.arg] for s in self._accumulating()}, after.to_expr())
        return {next_of(arg): value for arg, value in later.items()}

    # The way out

    def _results(self, closed: Mapping[Var, Expr]) -> dict[Var, Expr]:
        """The values used after the loop, as the last pass through the header leaves them."""
        values: dict[Var, Expr] = {**closed, **self._following(closed, COUNT)}
        results: dict[Var, Expr] = {}
        used = used_outside(self.region.graph, self.header, self.shared.pure)
        for var in sorted((used - set(self.args)) & self.region.env.keys(), key=lambda var: var.name):
            value = self._mark(self.region.env[var])
            if not reads_any(value, frozenset(self.writes)):
                results[var] = evaluate(value, values, plain)
        return results

    def _last(self, departure: Departure, closed: Mapping[Var, Expr]) -> dict[Var, tuple[Write, ...]]:
        """The writes of a last pass that leaves in the middle."""
        partial = {array: held.writes for array, held in departure.contents.items() if held.writes}
        if not partial:
            return {}
        memory = self._memory(closed, self._following(closed))
        once = {self.binder: COUNT}
        result: dict[Var, tuple[Write, ...]] = {}
        for array, writes in partial.items():
            done = [evaluate_write(self._marked(w), memory.values, memory.read, {self.binder: COUNT}) for w in writes]
            result[array] = tuple(evaluate_write(w, once, plain) for w in done)
        return result

    def _accesses(self, closed: Mapping[Var, Expr]) -> list[Access]:
        """The elements touched in all iterations; indices that depend on data are kept as they are."""
        values = at_iteration(closed, self.binder)
        found = []
        for access in self.region.accesses:
            done = access.evaluated(values, plain, {self.binder: COUNT})
            cells = Write((self.binder, *done.binders), (COUNT, *done.extents), done.at, done.at[0], done.guard)
            flat = untiled_write(cells.where(TRUE))
            if len(flat.binders) < len(cells.binders):
                cells = flat
            found.append(Access(access.array, cells.binders, cells.extents, cells.at, cells.guard))
        return found

    def _used_names(self) -> frozenset[str]:
        children = self.region.graph.loops[self.header].children
        inner = frozenset(name for child in children for name in self.shared.effects[child].names)
        return inner | {self.binder.name, self.acc.name}


def _same_way(one: Departure, two: Departure) -> bool:
    """Whether two ways out lead to one place with the same state."""
    if one.edge is None or two.edge is None or one.edge.block != two.edge.block:
        return False
    return one.args == two.args and one.contents == two.contents


def next_of(arg: Var) -> Var:
    """A name for the value of a header argument in the next iteration."""
    return Var(f"{arg.name} next", arg.type)


def stem(name: str) -> str:
    """The name in the source of an SSA value: i for i.1, i.0.lcssa."""
    return re.split(r"[.@]", name)[0].strip("_") or "k"


def _all_names(fragment: Fragment) -> frozenset[str]:
    found = {param.var.name for param in fragment.params} | {var.name for var in fragment.locals}
    for block in fragment.blocks:
        found.update(arg.name for arg in block.args)
        for statement in block.body:
            target = getattr(statement, "target", None)
            if isinstance(target, Var):
                found.add(target.name)
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Entered:
    """Where a loop of the function is entered: the elements of arrays there, and how often it goes round."""

    read: Read
    trips: Expr

    def element(self, array: Var, cell: Cell, ranges: Mapping[Var, Expr]) -> Expr | None:
        """An element, if it is known which."""
        try:
            return self.read(array, cell, ranges)
        except Unresolved:
            return None


def summary_of(
    shared: Shared, effect: Effect, entered: Entered | None, unbounded: frozenset[str] | None = None
) -> LoopSummary:
    """The effect as the state at the header after any number of iterations.

    Arguments that start as constants are put in, and elements of arrays that are constants where the loop is entered. With what
    the iterations so far show by not failing where `unbounded` arrays are given, of which it is not known how far they are read.
    """
    args = shared.graph.blocks[effect.header].args
    entries = shared.entries.get(effect.header, args)  # the arguments themselves where control never comes to the loop
    starts = {arg: value for arg, value in zip(args, entries, strict=True) if isinstance(value, Const)}
    count = Var(fresh_name("t", _all_names(shared.fragment)), INT)
    values: dict[Var, Expr] = {**starts, COUNT: count, DONE: count}
    state: list[tuple[Var, Expr]] = [(arg, evaluate(effect.arguments[arg], values, plain)) for arg in args]

    def read(array: Var, cell: Cell, ranges: Mapping[Var, Expr]) -> Expr:
        if entered is None:
            return plain(array, cell, ranges)
        rounds: dict[Var, Expr] = {count: entered.trips}
        found = entered.element(array, cell, {binder: substitute(extent, rounds) for binder, extent in ranges.items()})
        return found if isinstance(found, Const) else plain(array, cell, ranges)

    for array, writes in effect.writes.items():
        contents: Expr = array
        for write in writes:
            contents = evaluate_write(write, values, read).update(contents)
        state.append((array, contents))
    trips = index(evaluate(effect.trips, values, plain))
    lost = tuple(array for array in shared.arrays if array in effect.lost)
    holds = tuple(evaluate(fact, values, plain) for fact in effect.facts)
    if effect.leading is not None:
        so_far = evaluate(replace(effect.leading, extent=count), values, plain)
        holds = (equal(exact(so_far), count), *holds)
    if unbounded is not None:
        accesses = (access.evaluated(values, plain) for access in effect.accesses)
        holds = (*holds, *shown(accesses, shared.fragment, unbounded))
    return LoopSummary(effect.header, count, clamped(trips).to_expr(), tuple(state), lost, holds)

"""Obligations of a fragment: every path between cut points, executed symbolically.

Cut points are the function's entry, the loop headers that have a summary, and the returns. A path that reaches a header from
outside has to establish the loop's invariant (the summary with 0 iterations); the header then stands for any number of
iterations, about which only the invariant is known; a path that comes back has to establish it for one iteration more; a
path that returns has to agree with the summary. Trip counts are part of the invariant (0 <= index <= trip), so loops whose
obligations hold terminate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from metalift.ir.expr.build import at_most, conj, equal, forall, implies, less, neg, plus
from metalift.ir.expr.nodes import Expr, Select, Var, integer
from metalift.ir.expr.types import BOOL, INT, MachineInt, TensorType
from metalift.ir.program.fragment import (
    Assign,
    Assume,
    Block,
    Branch,
    Check,
    Diagnostic,
    Edge,
    Fragment,
    Jump,
    Location,
    ParamKind,
    Return,
    Statement,
    Store,
    Undefined,
    Unreachable,
)
from metalift.ir.program.summary import LoopInvariant, LoopSummary, Summary, entry_name
from metalift.vcgen.aids import aided
from metalift.vcgen.arrays import Layer, frame_fact, layers, written_facts
from metalift.vcgen.erasure import erased, exact_reading
from metalift.vcgen.executed import shown_by
from metalift.vcgen.natural_loops import loop_blocks
from metalift.vcgen.obligation import Goal, Obligation, ObligationError, Symbol, SymbolKind
from metalift.vcgen.path_state import Contents, OpenLoop, PathState, resolve
from metalift.vcgen.same_results import NoElements, same
from metalift.vcgen.specification import Specification

MAX_OBLIGATIONS = 400


class PathGenerator:
    """Generates the obligations of one fragment for one summary under one case of aliasing."""

    def __init__(
        self,
        fragment: Fragment,
        summary: Summary,
        assumed: tuple[Expr, ...] = (),
        identical: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        """`identical` maps an array that is only read to the written ones that it may be; all other arrays are disjoint."""
        self.fragment = fragment
        self.blocks: dict[str, Block] = {block.label: block for block in fragment.blocks}
        self.loops = {loop.header: loop for loop in summary.loops}
        self.bodies = loop_blocks(fragment)
        self.assumed = assumed
        self.aliases = {
            name: tuple((Var(f"{name} is {other}!", BOOL), other) for other in others)
            for name, others in (identical or {}).items()
        }
        self.specification = Specification(summary, self.aliases)
        self.params = frozenset(param.var for param in fragment.params)
        self.facts = tuple(map(self.specification.resolved, summary.facts))
        self.arrays = {p.var.name: p.var for p in fragment.params if isinstance(p.var.type, TensorType)}
        self.arrays |= {var.name: var for var in fragment.locals}
        stored = {s.array.name for block in fragment.blocks for s in block.body if isinstance(s, Store)}
        pointers = {p.var.name for p in fragment.params if p.kind is ParamKind.POINTER}
        for name, others in (identical or {}).items():
            alike = all(other in self.arrays and self.arrays[name].type == self.arrays[other].type for other in others)
            if name in stored or not stored.issuperset(others) or not pointers.issuperset({name, *others}) or not alike:
                raise ObligationError(Diagnostic(fragment.location, f"{name} cannot be taken as identical with {others}"))
        self.visible = {p.var.name for p in fragment.params if p.kind in (ParamKind.POINTER, ParamKind.VECTOR_REF)}
        self.count = 0
        self.aids = summary.aids

    def obligations(self) -> Iterator[Obligation]:
        """All obligations, with what helps to prove them."""
        return aided(self.plain(), self.aids, self.fragment.location)

    def plain(self) -> Iterator[Obligation]:
        """That the names of the summary are defined, then in the order of the paths."""
        if self.specification.distinctness:
            goals = [Goal("written cells are distinct", fact) for fact in self.specification.distinctness]
            yield from self.emit(goals, "versions of arrays are defined", self.fragment.location, PathState({}, {}, {}))
        values: dict[str, Expr] = {p.var.name: p.var for p in self.fragment.params}
        arrays = {name: Contents(var) for name, var in self.arrays.items()}
        start = PathState(self.aliases, values, arrays)
        yield from self.enter(self.fragment.blocks[0].label, (), start)

    def enter(self, label: str, args: tuple[Expr, ...], state: PathState) -> Iterator[Obligation]:
        """Control reaches a block with these values for its arguments."""
        block = self.blocks[label]
        again = label in state.trail
        state = replace(state, trail=(*state.trail, label))
        if label in self.loops:
            if again:
                yield from self.close(self.loops[label], args, state)
                return
            yield from self.establish(self.loops[label], args, state)
            state = replace(self.open(self.loops[label], args, state), needs={})
        elif again:
            raise ObligationError(Diagnostic(location_of(block), "a loop has no summary, so nothing is known after it"))
        else:
            for arg, value in zip(block.args, args, strict=True):
                state = state.assigned(arg.name, value)
        yield from self.execute(block, state)

    def execute(self, block: Block, state: PathState) -> Iterator[Obligation]:
        """The statements of a block, then its end."""
        for statement in block.body:
            if isinstance(statement, Check):
                place = statement.location
                yield from self.emit([self.shown(statement, state)], f"check at {place.line}", place, state)
            state = self.after(statement, state)
        match block.end:
            case Jump(edge, _):
                yield from self.follow(edge, state)
            case Branch(cond, then, other, _):
                state = self.executed(state, (cond,))
                holds = state.evaluate(cond)
                yield from self.follow(then, state.knowing(holds))
                yield from self.follow(other, state.knowing(neg(holds)))
            case Return(returned, location):
                yield from self.finish(returned, location, state)
            case Unreachable():
                return

    def shown(self, check: Check, state: PathState) -> Goal:
        """What a check says here."""
        return Goal(check.message, state.evaluate(check.cond))

    def after(self, statement: Statement, state: PathState) -> PathState:
        """The state after a statement; after a check, which is shown to hold, that is known."""
        match statement:
            case Assign(target, value, _):
                return self.executed(state, (value,), target.name).assigned(target.name, state.evaluate(value))
            case Store(array, cell, value, _):
                state = self.executed(state, (*cell, value, Select(array, cell)))
                return state.stored(array, tuple(map(state.evaluate, cell)), state.evaluate(value))
            case Assume(cond, _, _):
                return replace(state, promised=(*state.promised, state.evaluate(cond)))
            case Check():
                return state.knowing(self.shown(statement, state).formula)
            case Undefined(target, _, _):
                return state.assigned(target.name, Var(f"{target.name}@undefined", target.type))  # no summary can name it
            case _:
                assert_never(statement)

    def executed(self, state: PathState, values: tuple[Expr, ...], name: str = "") -> PathState:
        """What is known once these values are computed and used, or, where they get a name, computed: what follows from their
        use is kept for where the name is used. Nothing of it is asked for where the summary says no facts.
        """
        if not self.facts:
            return state
        known, needed = shown_by(values, state, self.params)
        if name:
            return replace(state, promised=(*state.promised, *known), needs={**state.needs, name: needed})
        return replace(state, promised=(*state.promised, *known, *needed))

    def follow(self, edge: Edge, state: PathState) -> Iterator[Obligation]:
        """Along an edge, unless the path is contradictory on its face."""
        if not state.impossible():
            args = tuple(map(state.evaluate, edge.args))
            if self.facts:
                shown = [shown_by((value,), state, self.params) for value in edge.args]
                needs = {arg.name: needed for arg, (_, needed) in zip(self.blocks[edge.block].args, shown, strict=True)}
                known = (each for found, _ in shown for each in found)
                state = replace(state, promised=(*state.promised, *known), needs={**state.needs, **needs})
            yield from self.enter(edge.block, args, state)

    # Loops

    def establish(self, loop: LoopSummary | LoopInvariant, args: tuple[Expr, ...], state: PathState) -> Iterator[Obligation]:
        """The invariant holds when the loop is reached."""
        if isinstance(loop, LoopInvariant):
            goals = self.held(loop, args, state, integer(0))
            yield from self.emit(goals, f"{self.title(loop)}: holds on entry", location_of(self.blocks[loop.header]), state)
            return
        named, symbols, facts = self.named_arrays(loop, state)
        entered = self.opened(loop, args, named, integer(0))
        goals = self.invariant(loop, entered, integer(0), args, named.arrays)
        reached = replace(named.knowing(*facts), symbols=(*state.symbols, *symbols))
        yield from self.emit(goals, f"{self.title(loop)}: holds on entry", location_of(self.blocks[loop.header]), reached)

    def open(self, loop: LoopSummary | LoopInvariant, args: tuple[Expr, ...], state: PathState) -> PathState:
        """The state at the header after any number of iterations: only the invariant is known."""
        if isinstance(loop, LoopInvariant):
            return self.open_inductive(loop, state)
        header = loop.header
        named, symbols, facts = self.named_arrays(loop, state)
        index = Var(f"{loop.index.name}@{header}", INT)
        current = self.after_iterations(header, named, symbols)
        symbols.append(Symbol(index, SymbolKind.TRIP, header, ""))
        entered = self.opened(loop, args, named, index)
        entered = replace(entered, arrays=current)
        terms = {var.name: term for var, term in loop.state if not isinstance(var.type, TensorType)}
        values, exact = dict(named.values), dict(named.exact)
        ranges = []
        for arg in self.blocks[header].args:
            here = Var(f"{arg.name}@{header}", arg.type)
            values[arg.name] = here
            if arg.name not in terms:
                symbols.append(Symbol(here, SymbolKind.ARGUMENT, header, arg.name))
            elif isinstance(arg.type, MachineInt):
                exact[here] = erased(exact_reading(self.at_index(loop, terms[arg.name], entered, index)), named.exact)
                ranges += [at_most(integer(arg.type.low), exact[here]), at_most(exact[here], integer(arg.type.high))]
            else:
                values[arg.name] = self.at_index(loop, terms[arg.name], entered, index)
        trip = self.at_index(loop, loop.trip, entered, index)
        known = [*facts, at_most(integer(0), index), at_most(index, trip), *ranges]
        known += [goal.formula for goal in self.further(loop, entered, index)]
        for goal in self.array_goals(loop, entered, index, current):
            known.append(goal.formula)
        return replace(
            named.knowing(*known),
            values=values,
            exact=exact,
            arrays=current,
            loops={**named.loops, header: entered},
            symbols=(*named.symbols, *symbols),
        )

    def after_iterations(self, header: str, state: PathState, symbols: list[Symbol]) -> dict[str, Contents]:
        """The arrays after some iterations: those that the loop writes are symbols of their own."""
        current = dict(state.arrays)
        for root in sorted(self.written(header)):
            version = Var(f"{root}@{header}", self.arrays[root].type)
            current[root] = Contents(version)
            symbols.append(Symbol(version, SymbolKind.ARRAY, header, root))
        return current

    def close(self, loop: LoopSummary | LoopInvariant, args: tuple[Expr, ...], state: PathState) -> Iterator[Obligation]:
        """The body keeps the invariant."""
        location = location_of(self.blocks[loop.header])
        entered = state.loops[loop.header]
        written = self.written(loop.header)
        for root, contents in state.arrays.items():
            if root not in written and contents != entered.arrays[root]:
                raise ObligationError(Diagnostic(location, f"the loop writes {root} on a path that its nest does not show"))
        following = plus(entered.index, integer(1))
        if isinstance(loop, LoopInvariant):
            goals = [*self.held(loop, args, state, following), self.smaller(loop, entered, args, state, following)]
        else:
            goals = self.invariant(loop, entered, following, args, state.arrays)
        yield from self.emit(goals, f"{self.title(loop)}: kept by the body", location, state)

    # Loops that do not count

    def open_inductive(self, loop: LoopInvariant, state: PathState) -> PathState:
        """The state at the header after any number of iterations, of which the invariant tells."""
        header = loop.header
        named, symbols, facts = self.named_arrays(loop, state)
        index = Var(f"{loop.index.name}@{header}", INT)
        symbols.append(Symbol(index, SymbolKind.TRIP, header, ""))
        values, current = dict(named.values), self.after_iterations(header, named, symbols)
        here = tuple(Var(f"{arg.name}@{header}", arg.type) for arg in self.blocks[header].args)
        for arg, var in zip(self.blocks[header].args, here, strict=True):
            values[arg.name] = var
            symbols.append(Symbol(var, SymbolKind.ARGUMENT, header, arg.name))
        entered = OpenLoop(index, values, dict(named.arrays), current)
        opened = replace(named, values=values, arrays=current, symbols=(*named.symbols, *symbols))
        known = [goal.formula for goal in self.held(loop, here, opened, index)]
        return replace(opened.knowing(*facts, at_most(integer(0), index), *known), loops={**named.loops, header: entered})

    def held(self, loop: LoopInvariant, args: tuple[Expr, ...], state: PathState, index: Expr) -> list[Goal]:
        """The invariant as goals about a state at the header."""
        numbered = enumerate(loop.holds, 1)
        return [Goal(f"invariant {at}", self.at_header(loop, formula, args, state, index)) for at, formula in numbered]

    def at_header(self, loop: LoopInvariant, term: Expr, args: tuple[Expr, ...], state: PathState, index: Expr) -> Expr:
        """A term of the invariant in a state at the header."""
        now = {arg.name: value for arg, value in zip(self.blocks[loop.header].args, args, strict=True)}
        values = {**state.values, **now, loop.index.name: index}
        return resolve(term, values, state.arrays, self.aliases, {entry_name(name): name for name in self.arrays})

    def smaller(
        self, loop: LoopInvariant, entered: OpenLoop, args: tuple[Expr, ...], state: PathState, index: Expr
    ) -> Goal:
        """What decreases was not negative, and is less than it was."""
        names = {entry_name(name): name for name in self.arrays}
        values = {**entered.entry_values, loop.index.name: entered.index}
        before = resolve(loop.decreases, values, entered.arrays, self.aliases, names)
        after = self.at_header(loop, loop.decreases, args, state, index)
        return Goal("what decreases", conj(at_most(integer(0), before), less(after, before)))

    # Parts

    def named_arrays(self, loop: LoopSummary | LoopInvariant, state: PathState) -> tuple[PathState, list[Symbol], list[Expr]]:
        """The same state in which no array has unnamed writes, and what the new names mean."""
        arrays, symbols, facts = dict(state.arrays), [], []
        for root, contents in state.arrays.items():
            if contents.writes:
                version = Var(f"{root}@{loop.header}.entry", self.arrays[root].type)
                cell = cell_binders(self.arrays[root])
                facts.append(forall(cell, equal(Select(version, cell), contents.read(cell))))
                symbols.append(Symbol(version, SymbolKind.ENTRY_ARRAY, loop.header, root))
                arrays[root] = Contents(version)
        return replace(state, arrays=arrays), symbols, facts

    def opened(self, loop: LoopSummary, args: tuple[Expr, ...], state: PathState, index: Expr) -> OpenLoop:
        """The record of a loop's entry."""
        entry = dict(state.values)
        for arg, value in zip(self.blocks[loop.header].args, args, strict=True):
            entry[arg.name] = value
        named = index if isinstance(index, Var) else loop.index
        return OpenLoop(named, entry, dict(state.arrays), dict(state.arrays))

    def at_index(self, loop: LoopSummary, term: Expr, entered: OpenLoop, index: Expr) -> Expr:
        """A term of the loop's summary for `index` complete iterations."""
        values = {**entered.entry_values, loop.index.name: index}
        return resolve(term, values, entered.entry_arrays, self.aliases)

    def invariant(
        self, loop: LoopSummary, entered: OpenLoop, index: Expr, args: tuple[Expr, ...], arrays: Mapping[str, Contents]
    ) -> list[Goal]:
        """The summary as goals about a state at the header."""
        further = self.further(loop, entered, index)
        within = at_most(index, self.at_index(loop, loop.trip, entered, index))
        goals = [*further, Goal("trip count", implies(conj(*(goal.formula for goal in further)), within))]
        now = {arg.name: value for arg, value in zip(self.blocks[loop.header].args, args, strict=True)}
        for var, term in loop.state:
            if not isinstance(var.type, TensorType):
                claimed = self.at_index(loop, term, entered, index)
                if isinstance(var.type, MachineInt):
                    claimed = exact_reading(claimed)
                goals.append(Goal(var.name, equal(now[var.name], claimed)))
        return goals + self.array_goals(loop, entered, index, arrays)

    def further(self, loop: LoopSummary, entered: OpenLoop, index: Expr) -> list[Goal]:
        """What else the summary says of the iterations so far."""
        return [
            Goal(f"iterations so far {number}", self.at_index(loop, formula, entered, index))
            for number, formula in enumerate(loop.holds, 1)
        ]

    def array_goals(
        self, loop: LoopSummary, entered: OpenLoop, index: Expr, arrays: Mapping[str, Contents]
    ) -> list[Goal]:
        """What the summary says of the arrays; each array the loop writes has to be in it."""
        goals = []
        missing = self.written(loop.header) - {var.name for var in loop.unknown}
        for var, term in loop.state:
            if not isinstance(var.type, TensorType):
                continue
            root = var.name
            missing.discard(root)
            base, tower = layers(self.at_index(loop, term, entered, index))
            if base != entered.entry_arrays[root].version:
                raise ObligationError(
                    Diagnostic(location_of(self.blocks[loop.header]), f"the summary of {root} does not start from its contents")
                )
            goals += array_goals(arrays[root], base, tower, self.arrays[root])
        for root in sorted(missing):
            cell = cell_binders(self.arrays[root])
            untouched = equal(arrays[root].read(cell), Select(entered.entry_arrays[root].version, cell))
            goals.append(Goal(f"{root} untouched", forall(cell, untouched)))
        return goals

    def written(self, header: str) -> set[str]:
        """The arrays that some block of the loop stores to."""
        found = set()
        for label in self.bodies.get(header, frozenset()):
            for statement in self.blocks[label].body:
                if isinstance(statement, Store):
                    found.add(statement.array.name)
        return found

    # Returns

    def finish(self, value: Expr | None, location: Location, state: PathState) -> Iterator[Obligation]:
        """The function returns: result and arrays are the summary's."""
        spec = self.specification
        state = self.executed(state, () if value is None else (value,))
        goals = [
            *self.result(value, spec.result, location, state),
            *(Goal(f"what the run shows {number}", fact) for number, fact in enumerate(self.facts, 1)),
        ]
        for root, contents in state.arrays.items():
            if root not in self.visible:
                continue
            base, tower = layers(spec.output(self.arrays[root]))
            if base != self.arrays[root]:
                raise ObligationError(Diagnostic(location, f"the summary of {root} does not start from its contents at entry"))
            if tower or contents != Contents(self.arrays[root]):
                goals += array_goals(contents, base, tower, self.arrays[root])
        yield from self.emit(goals, f"return at {location.line}", location, state.knowing(*spec.definitions))

    def result(self, value: Expr | None, wanted: Expr | None, location: Location, state: PathState) -> list[Goal]:
        """The result is the summary's."""
        if value is None and wanted is None:
            return []
        if value is None or wanted is None:
            raise ObligationError(Diagnostic(location, "the summary has no result where the function has one, or the reverse"))
        try:
            return same(state.evaluate(value), wanted, "length")
        except NoElements as problem:
            raise ObligationError(Diagnostic(location, f"in the result, {problem}")) from None

    # Common

    def title(self, loop: LoopSummary | LoopInvariant) -> str:
        return f"loop at {location_of(self.blocks[loop.header]).line}"

    def emit(self, goals: list[Goal], name: str, location: Location, state: PathState) -> Iterator[Obligation]:
        """The obligation of one path."""
        self.count += 1
        if self.count > MAX_OBLIGATIONS:
            raise ObligationError(Diagnostic(location, f"more than {MAX_OBLIGATIONS} paths between cut points"))
        yield Obligation(
            name=name,
            location=location,
            hypotheses=tuple(erased(formula, state.exact) for formula in state.known),
            assumed=tuple(erased(formula, state.exact) for formula in (*self.assumed, *state.promised)),
            goals=tuple(Goal(goal.subject, erased(goal.formula, state.exact)) for goal in goals),
            trail=state.trail,
            opened=tuple(state.loops),
            symbols=state.symbols,
        )


def array_goals(contents: Contents, base: Expr, tower: tuple[Layer, ...], array: Var) -> list[Goal]:
    """Written cells and frame of an array."""
    goals = [
        Goal(f"{array.name} written" + (f" ({position + 1})" if position else ""), fact)
        for position, fact in enumerate(written_facts(contents.read, tower))
    ]
    return [*goals, Goal(f"{array.name} elsewhere", frame_fact(contents.read, base, tower, rank_of(array)))]


def rank_of(array: Var) -> int:
    """The number of axes."""
    assert isinstance(array.type, TensorType)
    return array.type.rank


def cell_binders(array: Var) -> tuple[Var, ...]:
    """Binders for one index per axis."""
    return tuple(Var(f"c{axis}!c", INT) for axis in range(rank_of(array)))


def location_of(block: Block) -> Location:
    """Where a block ends in the source: for a loop header, its condition."""
    return block.end.location

"""The function as a whole: a let-structured summary with a new version of an array, or a named value, per loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from metalift.ir.expr.filters import count
from metalift.ir.expr.nodes import TRUE, Build, Cast, Expr, Filter, Fold, Ite, Length, MakeTuple, Select, Var, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import alpha_equal, free_vars, subexpressions, substitute
from metalift.ir.program.fragment import Block, Branch
from metalift.ir.program.summary import Binding
from metalift.synth.derive.bounds import Ranges
from metalift.synth.derive.cells import ascending
from metalift.synth.derive.decided_choices import assuming, either_result, positive, size
from metalift.synth.derive.effects import Access, Effect
from metalift.synth.derive.gates import Gate, settle
from metalift.synth.derive.lets import has_fold, is_cheap, is_simple, numbered
from metalift.synth.derive.loop_states import Entered, stem
from metalift.synth.derive.memory import depends_on_data, on_data
from metalift.synth.derive.normal_terms import Cell, both
from metalift.synth.derive.region import RETURN, Region, Shared
from metalift.synth.derive.scatter import with_sizes
from metalift.synth.derive.state import Contents, Unresolved, Write, is_lost, merge
from metalift.synth.derive.symbolic import evaluate, replace_equal
from metalift.synth.derive.unroll import continuing, joined_writes


class Whole(Region):
    """Executes the function; loops' results become bindings."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared, None)
        self.bindings: list[Binding] = []
        self.layers: dict[Var, tuple[Var, tuple[Write, ...]]] = {}
        self.reserved = {p.var.name for p in shared.fragment.params} | {v.name for v in shared.fragment.locals}
        self.reserved |= {name for effect in shared.effects.values() for name in effect.names}
        self.taken = set(self.reserved)
        self.entered: dict[str, Entered] = {}

    # Versions of arrays

    def flushed(self, array: Var, contents: Contents, reached: Expr) -> Contents:
        """The contents as a new version, if anything was written since the last one."""
        if not contents.writes or is_lost(contents.version):
            return contents
        base = self.version_of[array]
        repeated = [index for write in contents.writes if write.binders for index in write.at]
        if any(depends_on_data(index, frozenset()) for index in repeated):
            raise Unresolved(on_data(array))
        writes = tuple(ascending(self.nested(write).where(reached)) for write in contents.writes)
        base, writes = self._joined(*self._below_covered(base, writes))
        value: Expr = base
        for write in writes:
            value = write.update(value)
        version = self.bind(stem(array.name), array, value)
        self.layers[version] = (base, writes)
        self.version_of[array] = version
        return Contents(version)

    def nested(self, write: Write) -> Write:
        """The write with the extents of inner binders as they are where the outer ones have values, folds by their names."""
        return replace(write, extents=tuple(map(self.with_names, self.extents(write.extents))))

    def with_names(self, extent: Expr) -> Expr:
        """An extent with the names of the folds in it."""
        for binding in self.bindings if has_fold(extent) else ():
            extent = replace_equal(extent, binding.value, binding.var)
            if isinstance(binding.value, Cast) and type_of(binding.value.arg) == INT:
                extent = replace_equal(extent, binding.value.arg, Cast(binding.var, INT))
        return extent

    def touched(self) -> list[Access]:
        """The elements that the function reads or writes."""
        return [replace(access, extents=self.extents(access.extents)) for access in self.accesses]

    def _below_covered(self, base: Var, writes: tuple[Write, ...]) -> tuple[Var, tuple[Write, ...]]:
        """An earlier version, if all that was written since is written over or merged with these writes, and not read."""
        while base in self.layers:
            below, earlier = self.layers[base]
            read = any(base in free_vars(part) for w in writes for part in (w.value, w.guard, *w.at, *w.extents))
            after = Contents(below, earlier)
            for write in writes:
                after = after.after(write)
            if read or any(write in after.writes for write in earlier):
                break
            base, writes = below, after.writes
        return base, writes

    def _joined(self, base: Var, writes: tuple[Write, ...]) -> tuple[Var, tuple[Write, ...]]:
        """One write for a loop's and that of the loop before it, where they are parts of one."""
        while base in self.layers and len(writes) == 1 and len(self.layers[base][1]) == 1:
            below, (earlier,) = self.layers[base]
            joined = joined_writes(earlier, writes[0])
            if joined is None or base in free_vars(joined.value):
                break
            base, writes = below, (joined,)
        return base, writes

    def written(self) -> list[Write]:
        """The writes of all versions, those that are written over included."""
        return [write for _, writes in self.layers.values() for write in writes]

    def bind(self, name: str, like: Var, value: Expr) -> Var:
        """A new name for a value."""
        var = Var(numbered(name, self.taken), like.type)
        self.taken.add(var.name)
        self.bindings.append(Binding(var, value))
        return var

    def read(self, contents: Mapping[Var, Contents], array: Var, cell: Cell, ranges: Mapping[Var, Expr]) -> Expr:
        """An element; where a version holds something simple there, that."""
        found = super().read(contents, array, cell, ranges)
        while isinstance(found, Select) and found.tensor in self.layers:
            assert isinstance(found.tensor, Var)
            below, writes = self.layers[found.tensor]
            try:
                seen = Contents(below, writes).read(found.indices, ranges)
            except Unresolved:
                break
            local = below in self.shared.fragment.locals and below not in free_vars(seen)
            if not is_simple(seen) and (not local or has_fold(seen)):
                break
            found = seen
        return found

    def merge(self, cond: Expr, then: Contents, other: Contents) -> Contents:
        """Versions made on one side only are guarded by its condition, so the latest holds on both."""
        if then.version == other.version or is_lost(then.version) or is_lost(other.version):
            return merge(cond, then, other)
        latest = max((then.version, other.version), key=self._age)
        return merge(cond, Contents(latest, then.writes), Contents(latest, other.writes))

    def _age(self, version: Var) -> int:
        return next((place for place, binding in enumerate(self.bindings) if binding.var == version), -1)

    # Loops and branches

    def apply(self, effect: Effect, entry: Mapping[Var, Expr], contents: dict[Var, Contents]) -> Gate:
        """A loop: what was written before becomes a version, and what the loop writes the next."""
        reached = self.reach[effect.header]
        before = {array: self.flushed(array, held, reached) for array, held in contents.items()}
        outside = frozenset(var for value in _terms(effect) for var in free_vars(value))
        named = {var: self.named(var, value) if var in outside else value for var, value in entry.items()}
        earlier = {binding.var: binding.value for binding in self.bindings}
        self.sized(effect.header)
        effect = self.shared.effects[effect.header] = continuing(self.shared.effects[effect.header], named, earlier)
        read = partial(self.read, before)
        self.entered[effect.header] = Entered(read, evaluate(effect.trips, named, read))
        return super().apply(effect, named, before)

    def counted(self, effect: Effect, trips: Expr) -> Expr:
        """How often a loop goes round, by its name where it depends on data."""
        leading = effect.leading
        return trips if leading is None else self.named(Var(leading.index.name, leading.acc.type), trips)

    def passed(self, effect: Effect, contents: dict[Var, Contents]) -> dict[Var, Contents]:
        """What a loop writes becomes a version."""
        return {array: self.flushed(array, held, self.reach[effect.header]) for array, held in contents.items()}

    def sized(self, header: str) -> None:
        """Puts the sizes of local arrays into what a loop, and those in it, leave in them."""
        sizes = dict(self.sizes())
        for label, loop in self.graph.loops.items():
            if label == header or self.graph.loops[header].blocks >= loop.blocks:
                self.shared.effects[label] = with_sizes(self.shared.effects[label], sizes)

    def sizes(self) -> Iterator[tuple[Expr, Expr]]:
        """The lengths of the local arrays that were filled from their start, as they were filled first."""
        for below, writes in self.layers.values():
            if below in self.shared.fragment.locals and writes[0].guard == TRUE and writes[0].at == writes[0].binders:
                for axis, extent in enumerate(writes[0].extents):
                    yield Length(below, axis), extent

    def named(self, var: Var, value: Expr) -> Expr:
        """A value that a loop uses: itself if it is simple, otherwise a name for it."""
        if is_simple(value) or is_cheap(value):
            return value
        known = next((b.var for b in self.bindings if b.value == value), None)
        return known or self.bind(stem(var.name), var, value)

    def results(self, values: dict[Var, Expr]) -> dict[Var, Expr]:
        """Folds get names, which stand for them in other results too."""
        found: dict[Var, Expr] = {}
        for var, value in sorted(values.items(), key=lambda each: not isinstance(each[1], Fold)):
            value = value if isinstance(value, Fold) else self.with_names(value)
            found[var] = self.named(var, value) if has_fold(value) else value
        return found

    def assigned(self, target: Var, value: Expr) -> Expr:
        """Values that take computing get names."""
        return self.named(target, value)

    def stored(self, array: Var, value: Expr) -> Expr:
        """Integers that take computing get names: an index may be read back."""
        return self.named(Var(array.name, type_of(value)), value) if is_integer(type_of(value)) else value

    def end(self, block: Block, contents: dict[Var, Contents]) -> Gate:
        """Before a branch, what was written becomes a version, so that both sides start from it."""
        if isinstance(block.end, Branch) and self.shared.effects:
            reached = self.reach[block.label]
            contents = {array: self.flushed(array, held, reached) for array, held in contents.items()}
        return super().end(block, contents)

    # The end

    def finish(self) -> tuple[dict[Var, Expr], Expr | None]:
        """The final contents of each array that was written, and the result."""
        gate = self.only(self.gate, RETURN)
        if gate is None:
            raise self.failure("the function does not return")
        merged = self.merged_contents(gate)
        finals: dict[Var, Expr] = {}
        for array, held in merged.items():
            last = self.flushed(array, held, TRUE).version
            if last != array:
                finals[array] = last
        returned = [self.departures[e].args for e in range(len(self.departures)) if self.departures[e].target == RETURN]
        if not returned or not returned[0]:
            return finals, None
        return finals, settle(gate, lambda e: self.result(self.departures[e].args[0]), either_result)

    def result(self, value: Expr) -> Expr:
        """What is returned; of a local vector its extents and elements as they were written last."""
        match value:
            case MakeTuple(items):
                return MakeTuple(tuple(map(self.result, items)))
            case Build(extents, binders, body):
                extents = tuple(size(extent) if isinstance(extent, Ite) else extent for extent in self.extents(extents))
                return self.whole(Build(extents, binders, self.element(body, dict(zip(binders, extents, strict=True)))))
            case _:
                return value

    def whole(self, tensor: Build) -> Expr:
        """A Filter for a tensor of all its elements."""
        values = {binding.var: binding.value for binding in self.bindings}
        match tensor:
            case Build((extent,), (binder,), Select(Filter() as kept, (place,))) if place == binder:
                number = values.get(extent, extent) if isinstance(extent, Var) else extent
                return kept if alpha_equal(number, count(kept)) else tensor
            case _:
                return tensor

    def extents(self, extents: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The extents of nested ranges, the inner ones as they are where the outer ones are not empty."""
        if len(extents) == 1:
            return extents
        sizes: dict[Var, Expr] = {}
        for binding in self.bindings:
            if is_integer(binding.var.type) and not has_fold(binding.value):
                sizes[binding.var] = substitute(binding.value, sizes)
        found: list[Expr] = []
        for extent in extents:
            known = both(*map(positive, found))
            wide = assuming(substitute(evaluate(substitute(extent, sizes), {}, self.latest), sizes), known)
            open_ = any(isinstance(part, Ite) or part in self.shared.fragment.locals for part in subexpressions(wide))
            found.append(assuming(extent, known) if open_ else wide)
        return tuple(found)

    def latest(self, array: Var, cell: Cell, ranges: Ranges) -> Expr:
        """The element of a version, by what was written last."""
        if array not in self.layers:
            return Select(array, cell)
        below, writes = self.layers[array]
        try:
            return Contents(below, writes).read(cell, ranges)
        except Unresolved:
            return Select(array, cell)

    def element(self, body: Expr, ranges: Ranges) -> Expr:
        """The element of a result; of a version of a local array as it was written last, if that is all there is to it."""
        match body:
            case Select(Var() as version, cell) if version in self.layers:
                below, _ = self.layers[version]
                found = assuming(self.latest(version, cell, ranges), both(*map(positive, ranges.values())))
                if found != body and (below not in free_vars(found) or below not in self.shared.fragment.locals):
                    return found
        return body


def _terms(effect: Effect) -> list[Expr]:
    found: list[Expr] = [effect.trips, *effect.arguments.values(), *effect.results.values()]
    for writes in (*effect.writes.values(), *(group for way_out in effect.exits for group in way_out.last.values())):
        for write in writes:
            found += [*write.extents, *write.at, write.value, write.guard]
    return found

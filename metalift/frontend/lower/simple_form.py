"""Loops of a fragment in simple form: one edge in, one edge back, exits of their own; values leave a loop as arguments of exits.

These are LLVM's loop-simplify and LCSSA forms. A loop that can be entered at more than one place is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from metalift.frontend.lower.shape import in_order, map_block, map_edges, mentioned
from metalift.ir.expr.nodes import Var
from metalift.ir.program.fragment import Assign, Block, Diagnostic, Edge, Jump, Location, Undefined, Unsupported
from metalift.ir.program.graphs import on_all_ways, reached

Fresh = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: its header and the labels of all its blocks."""

    header: str
    body: frozenset[str]


def in_simple_form(blocks: tuple[Block, ...], fresh: Fresh) -> tuple[Block, ...]:
    """The blocks with every loop in simple form; `fresh` makes names of values."""
    current = list(blocks)
    for loop in find_loops(current):
        current = _simplify(current, loop.header, fresh)
    current = in_order(current)
    for header in [loop.header for loop in find_loops(current)]:
        current = _close(current, next(loop for loop in find_loops(current) if loop.header == header), fresh)
    return tuple(current)


def find_loops(blocks: list[Block]) -> list[Loop]:
    """The natural loops, inner ones before those around them; the blocks are in reverse postorder."""
    order = {block.label: at for at, block in enumerate(blocks)}
    sources = _sources(blocks)
    above = on_all_ways(sources, {blocks[0].label})
    bodies: dict[str, set[str]] = {}
    for block in blocks:
        for edge in block.edges:
            if order[edge.block] > order[block.label]:
                continue
            if edge.block not in above[block.label]:
                raise Unsupported(
                    Diagnostic(
                        _place(block), "irreducible control flow: a loop that is entered at more than one place; " + SUPPORTED
                    )
                )
            body = bodies.setdefault(edge.block, {edge.block})
            body |= reached([block.label], sources.__getitem__, body)
    loops = [Loop(header, frozenset(body)) for header, body in bodies.items()]
    return sorted(loops, key=lambda loop: len(loop.body))


SUPPORTED = "supported are loops with one entry, as for, while and do make them"


def _place(block: Block) -> Location:
    return block.end.location


def _sources(blocks: Iterable[Block]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {block.label: [] for block in blocks}
    for block in blocks:
        for edge in block.edges:
            found[edge.block].append(block.label)
    return found


def _simplify(blocks: list[Block], header: str, fresh: Fresh) -> list[Block]:
    """Give a loop a block before it, one block that leads back, and exits that nothing else leads to."""
    loop = next(loop for loop in find_loops(blocks) if loop.header == header)
    sources = _sources(blocks)
    outside = [label for label in sources[header] if label not in loop.body]
    by_label = {block.label: block for block in blocks}
    if len(outside) != 1 or not isinstance(by_label[outside[0]].end, Jump):
        blocks = _insert(blocks, set(outside), header, f"{header}.entry", fresh)
    back = [label for label in sources[header] if label in loop.body]
    if len(back) > 1:
        blocks = _insert(blocks, set(back), header, f"{header}.latch", fresh)
        loop = next(loop for loop in find_loops(in_order(blocks)) if loop.header == header)
    for label in sorted({edge.block for block in blocks if block.label in loop.body for edge in block.edges} - loop.body):
        if any(source not in loop.body for source in _sources(blocks)[label]):
            blocks = _insert(blocks, set(loop.body), label, f"{header}.exit", fresh)
    return in_order(blocks)


def _insert(blocks: list[Block], sources: set[str], target: str, base: str, fresh: Fresh) -> list[Block]:
    """Put a block on the edges from `sources` to `target`."""
    by_label = {block.label: block for block in blocks}
    label, number = base, 1
    while label in by_label:
        label, number = f"{base}{number}", number + 1
    old = by_label[target]
    leading = [(block, edge) for block in blocks if block.label in sources for edge in block.edges if edge.block == target]
    location = leading[0][0].end.location
    if len(leading) == 1:
        args: tuple[Var, ...] = ()
        onward = leading[0][1]
    else:
        args = tuple(Var(fresh(var.name), var.type) for var in old.args)
        onward = Edge(target, args)
    made = Block(label, args, (), Jump(onward, location))

    def lead(edge: Edge) -> Edge:
        return Edge(label, edge.args if args else ()) if edge.block == target else edge

    changed = [map_edges(block, lead) if block.label in sources else block for block in blocks]
    return [*changed, made]


def _close(blocks: list[Block], loop: Loop, fresh: Fresh) -> list[Block]:
    """Pass values that the loop defines and later blocks use through arguments of its exits."""
    defined = [var for block in blocks if block.label in loop.body for var in _definitions(block)]
    outside = [block for block in blocks if block.label not in loop.body]
    for var in defined:
        if any(var in mentioned(block) for block in outside):
            blocks = _close_value(blocks, loop, var, fresh)
            outside = [block for block in blocks if block.label not in loop.body]
    return blocks


def _definitions(block: Block) -> list[Var]:
    found = list(block.args)
    for statement in block.body:
        if isinstance(statement, Assign | Undefined):
            found.append(statement.target)
    return found


def _close_value(blocks: list[Block], loop: Loop, var: Var, fresh: Fresh) -> list[Block]:
    """SSA repair for one value: arguments at the loop's exits, and where ways from different exits meet."""
    repair = _Repair(loop, var, _sources(blocks), _exits(blocks, loop), fresh)
    for block in blocks:
        if block.label not in loop.body and var in mentioned(block):
            repair.value_at(block.label)
    repair.drop_trivial()
    changed = []
    for block in blocks:
        if block.label in repair.at_start:
            block = map_block(block, {var: repair.value_at(block.label)})

        def extend(edge: Edge, source: Block = block) -> Edge:
            return Edge(edge.block, (*edge.args, repair.value_at(source.label))) if edge.block in repair.added else edge

        block = map_edges(block, extend)
        if block.label in repair.added:
            block = replace(block, args=(*block.args, repair.added[block.label]))
        changed.append(block)
    return changed


def _exits(blocks: list[Block], loop: Loop) -> set[str]:
    return {edge.block for block in blocks if block.label in loop.body for edge in block.edges} - loop.body


@dataclass(slots=True)
class _Repair:
    """What stands for a loop's value in each block after the loop."""

    loop: Loop
    var: Var
    sources: dict[str, list[str]]
    exits: set[str]
    fresh: Fresh
    at_start: dict[str, Var] = field(default_factory=dict)
    added: dict[str, Var] = field(default_factory=dict)
    same: dict[Var, Var] = field(default_factory=dict)

    def value_at(self, label: str) -> Var:
        """The variable that holds the value at the end of a block."""
        if label in self.loop.body:
            return self.var
        if label not in self.at_start:
            if label in self.exits or len(self.sources[label]) != 1:
                argument = Var(self.fresh(self.var.name), self.var.type)
                self.at_start[label] = self.added[label] = argument
                for source in self.sources[label]:
                    self.value_at(source)
            else:
                self.at_start[label] = self.value_at(self.sources[label][0])
        found = self.at_start[label]
        while found in self.same:
            found = self.same[found]
        return found

    def drop_trivial(self) -> None:
        """Take back arguments that would always get one and the same value."""
        changed = True
        while changed:
            changed = False
            for label in sorted(set(self.added) - self.exits):
                values = {self.value_at(source) for source in self.sources[label]} - {self.added[label]}
                if len(values) == 1:
                    self.same[self.added.pop(label)] = values.pop()
                    changed = True

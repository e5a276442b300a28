"""The control-flow graph of a fragment: dominators, natural loops, and the regions that are executed one by one.

A region is a loop's body, or the whole function. Its nodes are its own blocks and, for each loop directly inside it, that
loop's header, which stands for the whole loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from metalift.ir.program.fragment import Fragment, Location
from metalift.ir.program.graphs import reached, reverse_postorder


class Irreducible(Exception):
    """A cycle is entered at more than one block."""

    def __init__(self, location: Location) -> None:
        super().__init__("control flow is not reducible")
        self.location = location


@dataclass(slots=True)
class Loop:
    """A natural loop. `parent` is the header of the loop directly around it."""

    header: str
    blocks: set[str]
    latches: list[str]
    parent: str | None = None
    children: list[str] = field(default_factory=list)


class Graph:
    """Blocks in reverse post-order, the dominator tree and the loop nest of a fragment."""

    def __init__(self, fragment: Fragment) -> None:
        self.fragment = fragment
        self.blocks = {block.label: block for block in fragment.blocks}
        self.order = reverse_postorder(fragment.blocks[0].label, lambda label: [edge.block for edge in self.blocks[label].edges])
        self.position = {label: place for place, label in enumerate(self.order)}
        self.predecessors: dict[str, list[str]] = {label: [] for label in self.order}
        for label in self.order:
            for edge in self.blocks[label].edges:
                self.predecessors[edge.block].append(label)
        self.idom = self._dominators()
        self.loops = self._natural_loops()
        self._nest()

    def dominates(self, above: str, below: str) -> bool:
        """Whether every path to `below` passes `above`."""
        while self.position[below] > self.position[above]:
            below = self.idom[below]
        return below == above

    def innermost(self, label: str) -> str | None:
        """The header of the innermost loop that holds the block."""
        holding = [loop for loop in self.loops.values() if label in loop.blocks]
        return min(holding, key=lambda loop: len(loop.blocks)).header if holding else None

    def region_nodes(self, header: str | None) -> list[str]:
        """The nodes of a region, in topological order; `None` is the function."""
        inside = self.order if header is None else [b for b in self.order if b in self.loops[header].blocks]
        nodes = []
        for label in inside:
            owner = self._owner[label]
            if owner == header or (owner == label and self.loops[label].parent == header):
                nodes.append(label)
        return nodes

    def inside_out(self) -> Iterator[Loop]:
        """All loops, inner ones before those around them, otherwise in program order."""
        yield from sorted(self.loops.values(), key=lambda loop: (-self._depth(loop), self.position[loop.header]))

    def _depth(self, loop: Loop) -> int:
        depth = 0
        while loop.parent is not None:
            loop, depth = self.loops[loop.parent], depth + 1
        return depth

    def _dominators(self) -> dict[str, str]:
        """Immediate dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm)."""
        entry = self.order[0]
        idom = {entry: entry}
        changed = True
        while changed:
            changed = False
            for label in self.order[1:]:
                known = [p for p in self.predecessors[label] if p in idom]
                best = known[0]
                for other in known[1:]:
                    best = self._meet(idom, best, other)
                if idom.get(label) != best:
                    idom[label], changed = best, True
        return idom

    def _meet(self, idom: dict[str, str], one: str, two: str) -> str:
        while one != two:
            if self.position[one] > self.position[two]:
                one = idom[one]
            else:
                two = idom[two]
        return one

    def _natural_loops(self) -> dict[str, Loop]:
        loops: dict[str, Loop] = {}
        for label in self.order:
            for edge in self.blocks[label].edges:
                if self.position[edge.block] > self.position[label]:
                    continue
                if not self.dominates(edge.block, label):
                    raise Irreducible(self.blocks[label].end.location)
                loop = loops.setdefault(edge.block, Loop(edge.block, {edge.block}, []))
                loop.latches.append(label)
                loop.blocks |= reached([label], self.predecessors.__getitem__, loop.blocks)
        return loops

    def _nest(self) -> None:
        for loop in self.loops.values():
            around = [o for o in self.loops.values() if o is not loop and loop.header in o.blocks]
            if around:
                loop.parent = min(around, key=lambda o: len(o.blocks)).header
        for header in self.order:
            if header in self.loops and (parent := self.loops[header].parent) is not None:
                self.loops[parent].children.append(header)
        self._owner = {label: self.innermost(label) for label in self.order}

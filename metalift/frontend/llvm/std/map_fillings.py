"""What fills a map or set that is only asked what it has at keys once it is filled; see `std.map_lookups`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from metalift.frontend.llvm.names.algorithm_names import algorithm
from metalift.frontend.llvm.names.map_names import Container, map_member
from metalift.frontend.llvm.names.vector_names import PURE, extremum, is_allocator, is_push, vector_member
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, predecessors
from metalift.frontend.llvm.ssa.bulk import is_lifetime
from metalift.frontend.llvm.ssa.points import POINTING, UNKNOWN, Points
from metalift.frontend.llvm.ssa.slices import Place, leading_to, sliced, split_after
from metalift.frontend.llvm.std.map_keys import INTRINSICS
from metalift.frontend.llvm.std.map_writer import Probe
from metalift.ir.program.graphs import on_all_ways

WRITING = frozenset({"constructor", "operator=", "insert", "emplace", "try_emplace", "insert_or_assign"})
ASKING = frozenset({"count", "contains", "find", "at", "operator[]"})
ENDS = frozenset({"end", "cend"})
IDLE = frozenset({"destructor", "reserve"})
PLAIN = frozenset("load getelementptr extractvalue freeze declare keyed.entry keyed.same keyed.differs keyed.probe".split())


@dataclass(slots=True)
class Filling:
    """How a function uses one container.

    `inside` are pointers and iterators into it, `asks` what asks it once it is filled, `above` the blocks on all ways to each,
    `blocks` what fills it: they end with `ret`, and may be repeated.
    """

    function: LlvmFunction
    owner: str
    container: Container
    probes: Mapping[str, Probe]  # of the containers that were rewritten before
    inside: set[str] = field(default_factory=set)
    asks: list[Instr] = field(default_factory=list)
    above: dict[str, set[str]] = field(default_factory=dict)
    blocks: list[BasicBlock] = field(default_factory=list)
    points: Points = field(init=False)

    def find(self) -> bool:
        """Whether all that comes behind what fills it asks what it has at keys, and what fills it is known."""
        made = {instr.result for instr in self.function.instructions() if instr.op == "alloca"}
        self.inside = self.pointers({self.owner})
        if self.owner not in made or not all(map(self._is_known, self.function.instructions())):
            return False
        self._split()
        self.points = Points(self.function, self._named())
        goal = self._goal()
        return goal != "" and self._find_blocks(goal)

    def pointers(self, first: set[str]) -> set[str]:
        """What is computed of pointers or iterators, as such."""
        found = set(first)
        changed = True
        while changed:
            new = {instr.result for instr in self.function.instructions() if instr.result and _is_pointer(instr, found)}
            changed = not new <= found
            found |= new
        return found

    # Where it is asked

    def _is_known(self, instr: Instr) -> bool:
        """Whether what is done with it, or with a pointer into it, is known."""
        if self.inside.isdisjoint(instr.args):
            return True
        if instr.op == "store":
            return instr.args[0] not in self.inside
        if instr.op != "call":
            return instr.op in PLAIN
        member = map_member(instr.detail[0][1:])
        if member is None:
            takes = extremum(instr.detail[0][1:]) is not None or is_push(instr)
            return is_lifetime(instr) or takes or instr.detail[0].startswith("@llvm.memcpy")
        known = member.name in WRITING | ASKING | ENDS | IDLE
        return known and (instr.args[0] not in self.inside or self.inside.isdisjoint(instr.args[1:]))

    def _is_ask(self, instr: Instr) -> bool:
        member = map_member(instr.detail[0][1:]) if instr.op == "call" and instr.args[:1] == (self.owner,) else None
        return member is not None and member.name in ASKING

    def _changes(self, instr: Instr) -> bool:
        """Whether it changes the container."""
        if instr.op == "store":
            return instr.args[1] in self.inside
        if instr.op != "call" or not instr.args or instr.args[0] not in self.inside:
            return False
        member = map_member(instr.detail[0][1:])
        return member.name in WRITING if member is not None else instr.detail[0].startswith("@llvm.memcpy")

    def _split(self) -> None:
        """Let no block ask after it has changed something."""
        for block in list(self.function.blocks):
            last = max((at for at, instr in enumerate(block.instrs) if self._changes(instr)), default=-1)
            if last >= 0 and any(map(self._is_ask, block.instrs[last:])):
                split_after(self.function.blocks, block.label, last)

    def _goal(self) -> str:
        """The first block from which nothing changes it, on all ways to what asks it; finds what does. Empty if there is none."""
        blocks = self.function.blocks
        changing = {block.label for block in blocks if any(map(self._changes, block.instrs))}
        before = changing.union(*(leading_to(blocks, label) for label in changing))
        self.above = on_all_ways(predecessors(blocks), {blocks[0].label})
        asking = [block for block in blocks if block.label not in before and any(map(self._is_ask, block.instrs))]
        self.asks = [instr for block in asking for instr in block.instrs if self._is_ask(instr)]
        goals = set.intersection(*(self.above[block.label] for block in asking)) - before if asking else set()
        return min(goals, key=lambda label: len(self.above[label]), default="")

    # What fills it

    def _named(self) -> dict[str, str]:
        """Other names of containers that were rewritten before."""
        named = {probe.owner: probe.owner for probe in self.probes.values()}
        return named | {asked: probe.owner for asked, probe in self.probes.items()}

    def _find_blocks(self, goal: str) -> bool:
        """Find what fills it, before the goal; whether that may be repeated."""
        labels = {label for label in leading_to(self.function.blocks, goal) if goal not in self.above[label]}
        copied = [BasicBlock(goal, [Instr("ret")])]
        for block in self.function.blocks:
            if block.label in labels:
                ways = [each for each in block.end.targets() if each in labels | {goal}]
                end = block.end
                if len(ways) != len(end.targets()):
                    if end.op != "br":
                        return False
                    end = Instr("br", detail=(ways[0],), location=end.location)
                copied.append(BasicBlock(block.label, [*block.instrs[:-1], end]))
        first = self.function.blocks[0].label
        copied.sort(key=lambda block: block.label != first)
        places: dict[str, list[Place]] = {}
        for root, place in self._writing(copied):
            places.setdefault(root, []).append(place)
        unknown = places.get(UNKNOWN, [])

        def more(instr: Instr) -> Iterator[Place]:
            for root in self.points.used(instr) - {self.owner}:
                yield from places.get(root, [])
                yield from unknown

        self.blocks = sliced(copied, self._fills, more)
        own = {instr.result for block in self.blocks for instr in block.instrs if instr.op == "alloca"}
        own |= {probe.owner for probe in self.probes.values()}
        return all(self._is_repeatable(instr, own) for block in self.blocks for instr in block.instrs)

    def _fills(self, instr: Instr) -> bool:
        if instr.op == "store":
            return instr.args[1] in self.inside
        if instr.op != "call" or not instr.args or instr.args[0] not in self.inside or is_lifetime(instr):
            return False
        member = map_member(instr.detail[0][1:])
        return member is None or member.name not in IDLE | ENDS

    def _writing(self, blocks: list[BasicBlock]) -> Iterator[tuple[str, Place]]:
        """What makes and may write to each variable, argument or global."""
        keys = {probe.key: probe.owner for probe in self.probes.values()}
        for block in blocks:
            for at, instr in enumerate(block.instrs):
                if instr.op == "alloca" or instr.op == "keyed.probe":
                    yield keys.get(instr.result, instr.result), (block.label, at)
                for root in self.points.written(instr):
                    yield root, (block.label, at)

    def _is_repeatable(self, instr: Instr, own: set[str]) -> bool:
        """Whether an instruction may be repeated: it writes to nothing but the container and its own variables."""
        used = self.points.used(instr)
        if instr.flags & {"volatile", "atomic"} or UNKNOWN in used:
            return False
        if instr.op.startswith("keyed."):
            return instr.op == "keyed.probe" or used <= own | {self.owner}
        if instr.op == "store":
            return instr.args[0] not in self.points.found and self._is_own(instr.args[1], own)
        return instr.op != "call" or self._is_repeatable_call(instr, own)

    def _is_repeatable_call(self, call: Instr, own: set[str]) -> bool:
        symbol = call.detail[0][1:]
        vector = vector_member(symbol)
        if map_member(symbol) is not None:
            return self._is_own(call.args[0], {probe.owner for probe in self.probes.values()})
        if vector is not None and vector.name in PURE:
            return True
        if symbol.startswith("llvm.memcpy"):
            return self._is_own(call.args[0], own)
        if vector is not None or is_allocator(symbol) or algorithm(symbol) is not None or symbol.startswith("llvm.memset"):
            return self.points.used(call) <= own
        return extremum(symbol) is not None or call.detail[0].startswith(INTRINSICS)

    def _is_own(self, pointer: str, own: set[str]) -> bool:
        """Whether it points into the container or the variables."""
        return pointer in self.inside or self.points.of(pointer) <= own


def _is_pointer(instr: Instr, inside: set[str]) -> bool:
    """Whether the result of an instruction is computed of pointers or iterators, as such."""
    if instr.op not in POINTING or inside.isdisjoint(instr.args):
        return False
    if instr.op == "call":
        member = map_member(instr.detail[0][1:])
        return member is not None and instr.args[0] in inside and member.name not in ("count", "contains")
    return instr.op != "extractvalue" or instr.detail == ("0",)

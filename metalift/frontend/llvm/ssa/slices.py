"""What is left of blocks where only some of their instructions matter.

An instruction matters if it is wanted, or if something that matters uses its result or is decided by it. Branches that decide
nothing that matters go where their ways meet, so that loops without effects are gone. (Cytron et al., "Efficiently computing
static single assignment form and the control dependence graph", 1991, section 7.1.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, predecessors, reachable_in_order
from metalift.frontend.llvm.ssa.promote import forget_edges_from_nowhere
from metalift.ir.program.graphs import on_all_ways, reached

Place = tuple[str, int]  # the label of a block, and the position in it


def to_the_end(blocks: dict[str, BasicBlock]) -> dict[str, set[str]]:
    """For each block those that all ways from it to a return pass, itself included; ways that end otherwise do not count."""
    ends = {label for label, block in blocks.items() if block.end.op == "ret"}
    dead = {label for label, block in blocks.items() if block.end.op not in ("ret", "br", "switch")}
    after = {label: [each for each in block.end.targets() if each not in dead] for label, block in blocks.items()}
    return on_all_ways(after, ends)


def meeting(label: str, below: dict[str, set[str]]) -> str:
    """Where all ways from the end of a block meet first; empty where they end."""
    return max(below[label] - {label}, key=lambda each: len(below[each]), default="")


def sliced(
    blocks: list[BasicBlock], wanted: Callable[[Instr], bool], more: Callable[[Instr], Iterable[Place]]
) -> list[BasicBlock]:
    """The blocks with only what matters: what is wanted, and for each instruction that matters `more` that do then."""
    return _Slice(blocks, more).run(wanted)


class _Slice:
    def __init__(self, blocks: list[BasicBlock], more: Callable[[Instr], Iterable[Place]]) -> None:
        self.blocks = {block.label: block for block in blocks}
        self.more = more
        self.below = to_the_end(self.blocks)
        self.defined = {
            instr.result: (block.label, at) for block in blocks for at, instr in enumerate(block.instrs) if instr.result
        }
        self.deciding: dict[str, set[str]] = {label: set() for label in self.blocks}
        for label, block in self.blocks.items():
            for target in set(block.end.targets()) if len(set(block.end.targets())) > 1 else ():
                for decided in self.below[target] - (self.below[label] - {label}):
                    self.deciding[decided].add(label)
        self.matters: set[Place] = set()

    def run(self, wanted: Callable[[Instr], bool]) -> list[BasicBlock]:
        """The blocks that are left, in reverse postorder."""
        places: list[Place] = []
        for label, block in self.blocks.items():
            ends = block.end.op not in ("br", "switch") or self._may_stop(block)
            places += [(label, at) for at, instr in enumerate(block.instrs[:-1]) if wanted(instr)]
            places += [(label, len(block.instrs) - 1)] if ends else []
        self.matters = reached(places, self._needed)
        made = [self._left(block) for block in self.blocks.values()]
        made = reachable_in_order(made)
        forget_edges_from_nowhere(made)
        return made

    def _may_stop(self, block: BasicBlock) -> bool:
        """Whether a branch decides that the function does not return, or whether it does is not known."""
        dead = any(self.blocks[target].end.op not in ("ret", "br", "switch") for target in block.end.targets())
        return len(set(block.end.targets())) > 1 and (dead or not meeting(block.label, self.below))

    def _needed(self, place: Place) -> Iterator[Place]:
        label, at = place
        instr = self.blocks[label].instrs[at]
        yield from (self.defined[arg] for arg in instr.args if arg in self.defined)
        yield from self.more(instr)
        passed = {label, *instr.detail} if instr.op == "phi" else {label}
        yield from ((each, len(self.blocks[each].instrs) - 1) for block in passed for each in self.deciding[block])

    def _left(self, block: BasicBlock) -> BasicBlock:
        label, last = block.label, len(block.instrs) - 1
        instrs = [instr for at, instr in enumerate(block.instrs[:-1]) if (label, at) in self.matters]
        end = block.end
        if (label, last) not in self.matters and len(set(end.targets())) > 1:
            end = Instr("br", detail=(meeting(label, self.below),), location=end.location)
        return BasicBlock(label, [*instrs, end])


def split_after(blocks: list[BasicBlock], label: str, at: int) -> str:
    """Cut a block behind an instruction, in place; the label of the block that goes on there."""
    number = next(number for number, block in enumerate(blocks) if block.label == label)
    block = blocks[number]
    rest = BasicBlock(f"{label}.after{at}", block.instrs[at + 1 :])
    block.instrs[at + 1 :] = [Instr("br", detail=(rest.label,), location=block.instrs[at].location)]
    blocks.insert(number + 1, rest)
    rename_sources(blocks, label, rest)
    return rest.label


def rename_sources(blocks: list[BasicBlock], old: str, rest: BasicBlock) -> None:
    """Phis that named a block that was cut as their source name the block that goes on behind it."""
    targets = set(rest.end.targets())
    for block in blocks:
        if block.label not in targets:
            continue
        for at, instr in enumerate(block.instrs):
            if instr.op == "phi":
                block.instrs[at] = replace(instr, detail=tuple(rest.label if label == old else label for label in instr.detail))


def leading_to(blocks: list[BasicBlock], label: str) -> set[str]:
    """The blocks from which a block may be reached without passing it before; itself left out."""
    sources = predecessors(blocks)
    return reached(sources[label], sources.__getitem__, {label})

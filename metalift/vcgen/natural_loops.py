"""Natural loops of a fragment's control-flow graph, from dominators."""

from __future__ import annotations

from metalift.ir.program.fragment import Fragment
from metalift.ir.program.graphs import on_all_ways, reached


def loop_blocks(fragment: Fragment) -> dict[str, frozenset[str]]:
    """For each header (a block that dominates a predecessor of its own), the labels of the loop's blocks."""
    preceding = _preceding(fragment)
    dominators = dominator_sets(fragment)
    loops: dict[str, set[str]] = {}
    for block in fragment.blocks:
        for edge in block.edges:
            if edge.block in dominators[block.label]:
                loops.setdefault(edge.block, {edge.block}).update(reached([block.label], preceding.__getitem__, {edge.block}))
    return {header: frozenset(labels) for header, labels in loops.items()}


def _preceding(fragment: Fragment) -> dict[str, set[str]]:
    preceding: dict[str, set[str]] = {block.label: set() for block in fragment.blocks}
    for block in fragment.blocks:
        for edge in block.edges:
            preceding[edge.block].add(block.label)
    return preceding


def dominator_sets(fragment: Fragment) -> dict[str, set[str]]:
    """For each block, the blocks on every path from the entry to it (itself included)."""
    return on_all_ways(_preceding(fragment), {fragment.blocks[0].label})

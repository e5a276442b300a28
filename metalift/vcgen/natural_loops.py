"""Natural loops of a fragment's control-flow graph, from dominators."""

from __future__ import annotations

from metalift.ir.program.fragment import Fragment


def loop_blocks(fragment: Fragment) -> dict[str, frozenset[str]]:
    """For each header (a block that dominates a predecessor of its own), the labels of the loop's blocks."""
    preceding = _preceding(fragment)
    dominators = dominator_sets(fragment)
    loops: dict[str, set[str]] = {}
    for block in fragment.blocks:
        for edge in block.edges:
            if edge.block in dominators[block.label]:
                loops.setdefault(edge.block, {edge.block}).update(reaching(block.label, edge.block, preceding))
    return {header: frozenset(labels) for header, labels in loops.items()}


def _preceding(fragment: Fragment) -> dict[str, set[str]]:
    preceding: dict[str, set[str]] = {block.label: set() for block in fragment.blocks}
    for block in fragment.blocks:
        for edge in block.edges:
            preceding[edge.block].add(block.label)
    return preceding


def dominator_sets(fragment: Fragment) -> dict[str, set[str]]:
    """For each block, the blocks on every path from the entry to it (itself included)."""
    entry, preceding = fragment.blocks[0].label, _preceding(fragment)
    everything = set(preceding)
    dominators = {label: {entry} if label == entry else set(everything) for label in preceding}
    changed = True
    while changed:
        changed = False
        for label in preceding:
            if label == entry:
                continue
            incoming = [dominators[before] for before in preceding[label]]
            found = {label} | (set.intersection(*incoming) if incoming else set())
            if found != dominators[label]:
                dominators[label], changed = found, True
    return dominators


def reaching(label: str, header: str, preceding: dict[str, set[str]]) -> set[str]:
    """The blocks from which `label` is reached without passing the header."""
    found, work = {label}, [label]
    while work:
        current = work.pop()
        if current == header:
            continue
        for before in preceding[current] - found:
            found.add(before)
            work.append(before)
    return found

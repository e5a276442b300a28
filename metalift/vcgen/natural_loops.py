"""Natural loops of a fragment's control-flow graph, from dominators."""

from __future__ import annotations

from metalift.ir.program.fragment import Fragment


def loop_blocks(fragment: Fragment) -> dict[str, frozenset[str]]:
    """For each header (a block that dominates a predecessor of its own), the labels of the loop's blocks."""
    following = {block.label: tuple(edge.block for edge in block.edges) for block in fragment.blocks}
    preceding: dict[str, set[str]] = {label: set() for label in following}
    for label, targets in following.items():
        for target in targets:
            preceding[target].add(label)
    dominators = dominator_sets(fragment.blocks[0].label, preceding)
    loops: dict[str, set[str]] = {}
    for label, targets in following.items():
        for header in targets:
            if header in dominators[label]:
                loops.setdefault(header, {header}).update(reaching(label, header, preceding))
    return {header: frozenset(labels) for header, labels in loops.items()}


def dominator_sets(entry: str, preceding: dict[str, set[str]]) -> dict[str, set[str]]:
    """For each block, the blocks on every path from the entry to it (itself included)."""
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

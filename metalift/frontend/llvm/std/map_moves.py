"""Pointers and iterators into a map or set whose elements move into another: they lead to those elements there.

Here they stand for a place in the map that had the elements, so they may not be used any more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr


def used_after(blocks: Sequence[BasicBlock], moving: Instr, pointers: Collection[str]) -> Instr | None:
    """An instruction that may use one of the registers as it was before an instruction that moves what it points to."""
    by_label = {block.label: block for block in blocks}
    stale: dict[str, set[str]] = {block.label: set() for block in blocks}
    pending = [block.label for block in blocks if any(instr is moving for instr in block.instrs)]
    while pending:
        label = pending.pop()
        held = set(stale[label])
        for instr in by_label[label].instrs:
            if not held.isdisjoint(instr.args) and instr.op != "declare":
                return instr
            held.discard(instr.result)
            if instr is moving:
                held |= set(pointers)
        for target in by_label[label].end.targets():
            if not held <= stale[target]:
                stale[target] |= held
                pending.append(target)
    return None

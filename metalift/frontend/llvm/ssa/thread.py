"""Sends control straight on where a block is entered with a literal that decides its branch.

Clang leaves such places behind: a `return` inside a loop stores which way to go on in a slot that a later switch reads, `a && b`
as a condition passes `false` to a block that branches on it. The block is copied for the edge that brings the literal.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import (
    BasicBlock,
    Instr,
    Layout,
    LlvmFunction,
    is_literal,
    predecessors,
    reachable_in_order,
)
from metalift.frontend.llvm.ssa.promote import forget_edges, forget_edges_from_nowhere, promote

LIMIT = 500  # copies in one function
SIZE = 24  # instructions of a block that may be copied
FOLDED = frozenset({"icmp", "zext", "trunc", "xor", "phi", "freeze"})


def thread(function: LlvmFunction, layout: Layout) -> None:
    """Thread all edges that can be, in place; unreachable blocks are removed."""
    tidy(function)
    count = 0
    while count < LIMIT:
        before = count
        for block, source in _candidates(function):
            count += _thread_edge(function, block, source, count)
        if count == before:
            return
        tidy(function)
        promote(function, layout)


def tidy(function: LlvmFunction) -> None:
    """Follow branches on literals, in place, and leave out what nothing leads to."""
    sources = predecessors(function.blocks)
    for block in function.blocks:
        before = sources[block.label]
        taken = _decided(block.end, _known(block, before[0]) if len(before) == 1 else {})
        if taken is not None and len(block.end.detail) > 1:
            block.instrs[-1] = Instr("br", detail=(taken,), location=block.end.location)
    function.blocks = reachable_in_order(function.blocks)
    forget_edges_from_nowhere(function.blocks)
    forget_edges(function.blocks, predecessors(function.blocks))


def _decided(end: Instr, known: dict[str, str]) -> str | None:
    """The label to which a branch or switch passes control if the known values decide it."""
    if end.op == "br" and len(end.detail) == 2:
        cond = known.get(end.args[0], end.args[0])
        if cond in ("true", "false"):
            return end.detail[0] if cond == "true" else end.detail[1]
    if end.op == "switch":
        subject = known.get(end.args[0], end.args[0])
        if is_literal(subject):
            cases = dict(zip(end.detail[1::2], end.detail[2::2], strict=True))
            return cases.get(subject, end.detail[0])
    return None


def _candidates(function: LlvmFunction) -> list[tuple[BasicBlock, str]]:
    """Edges, by the block entered and the label of the source, that may bring a literal that decides the block's branch."""
    sources = predecessors(function.blocks)
    order = {block.label: at for at, block in enumerate(function.blocks)}
    found = []
    for block in function.blocks[1:]:
        before = sources[block.label]
        header = any(order[source] >= order[block.label] for source in before)
        if not header and len(before) > 1 and len(block.end.detail) > 1 and len(block.instrs) <= SIZE:
            found += [(block, source) for source in before if before.count(source) == 1]
    return found


def _thread_edge(function: LlvmFunction, block: BasicBlock, source: str, number: int) -> bool:
    """Thread one edge if a literal decides the branch and the edge is still there."""
    by_label = {other.label: other for other in function.blocks}
    entered = [other.label for other in function.blocks if block.label in other.end.targets()]
    if source not in entered or len(entered) < 2 or any(i.op == "phi" and source not in i.detail for i in block.instrs):
        return False
    target = _decided(block.end, _known(block, source))
    if target is None:
        return False
    demote(function, block, number)
    _copy_for(by_label, function, block, source, target, number)
    return True


def _known(block: BasicBlock, source: str) -> dict[str, str]:
    """The literals that values of the block have when it is entered from `source`."""
    known: dict[str, str] = {}
    for instr in block.instrs:
        if instr.op == "phi":
            token = instr.args[instr.detail.index(source)]
            if is_literal(token):
                known[instr.result] = token
        elif instr.op in FOLDED and all(is_literal(known.get(arg, arg)) for arg in instr.args):
            folded = _fold(instr, [known.get(arg, arg) for arg in instr.args])
            if folded is not None:
                known[instr.result] = folded
    return known


def _fold(instr: Instr, args: list[str]) -> str | None:
    """The result of an instruction on literals, where that is simple."""
    numbers = [{"true": 1, "false": 0}[arg] if arg in ("true", "false") else int(arg) for arg in args if "." not in arg]
    if len(numbers) != len(args):
        return None
    if instr.op == "icmp" and instr.detail[0] in ("eq", "ne"):
        return "true" if (numbers[0] == numbers[1]) == (instr.detail[0] == "eq") else "false"
    if instr.op == "xor" and instr.type == "i1":
        return "true" if numbers[0] % 2 != numbers[1] % 2 else "false"
    if instr.op == "zext":
        return str(numbers[0]) if numbers[0] >= 0 else None
    if instr.op == "trunc" and instr.type == "i1":
        return "true" if numbers[0] % 2 else "false"
    return None


def demote(function: LlvmFunction, block: BasicBlock, number: int, kept: frozenset[str] = frozenset()) -> None:
    """Put the values that a block defines, but for `kept`, and others use into variables: there will be more definitions."""
    for instr in (each for each in list(block.instrs) if each.result not in kept):
        uses = [(other, item) for other in function.blocks for item in other.instrs if instr.result and instr.result in item.args]
        others = [(other, item) for other, item in uses if other is not block or item.op == "phi"]
        outside = [(other, item) for other, item in others if not _comes_along(item, instr.result, block)]
        if not outside:
            continue
        slot = f"{instr.result}.slot{number}"
        if instr.result in function.hints:
            function.hints[slot] = function.hints[instr.result]
        store = Instr("store", "", instr.type, (instr.result, slot), (instr.type, "ptr"), location=instr.location)
        at = 1 + max(place for place, item in enumerate(block.instrs) if item is instr or item.op == "phi")
        block.instrs.insert(at, store)
        function.blocks[0].instrs.insert(0, Instr("alloca", slot, "ptr", detail=(instr.type,)))
        for count, (other, item) in enumerate(outside):
            _load_for(function, block, other, item, Instr("load", f"{slot}.{count}", instr.type, (slot,), ("ptr",)), instr.result)


def _comes_along(item: Instr, value: str, block: BasicBlock) -> bool:
    """Whether the use is a phi's that takes the value only as coming from the block."""
    return item.op == "phi" and all(
        label == block.label for arg, label in zip(item.args, item.detail, strict=True) if arg == value
    )


def _load_for(function: LlvmFunction, block: BasicBlock, other: BasicBlock, item: Instr, load: Instr, value: str) -> None:
    """Let one use read the variable: just before it, or for a phi at the end of the block that the value comes from."""
    place = next(at for at, candidate in enumerate(other.instrs) if candidate is item)
    if item.op != "phi":
        other.instrs[place] = item.map_values(lambda arg: load.result if arg == value else arg)
        other.instrs.insert(place, load)
        return
    args = list(item.args)
    for at, label in enumerate(item.detail):
        if args[at] == value and label != block.label:
            source = next(candidate for candidate in function.blocks if candidate.label == label)
            named = replace(load, result=f"{load.result}.{at}")
            source.instrs.insert(len(source.instrs) - 1, named)
            args[at] = named.result
    other.instrs[place] = replace(item, args=tuple(args))


def _copy_for(
    by_label: dict[str, BasicBlock], function: LlvmFunction, block: BasicBlock, source: str, target: str, number: int
) -> None:
    """Give the edge from `source` its own copy of the block, which goes on to `target`."""
    label = f"{block.label}.{source}.{number}"
    values: dict[str, str] = {}
    copied: list[Instr] = []

    def rename(value: str) -> str:
        return values.get(value, value)

    for at, instr in enumerate(block.instrs[:-1]):
        if instr.op == "phi":
            values[instr.result] = instr.args[instr.detail.index(source)]
            block.instrs[at] = _without(instr, source)
            continue
        made = instr.map_values(rename)
        if instr.result:
            values[instr.result] = f"{instr.result}.t{number}"
            if instr.result in function.hints:
                function.hints[values[instr.result]] = function.hints[instr.result]
            if instr.result in function.elements:
                function.elements[values[instr.result]] = function.elements[instr.result]
            made = replace(made, result=values[instr.result])
        copied.append(made)
    copied.append(Instr("br", detail=(target,), location=block.end.location))
    function.blocks.append(BasicBlock(label, copied))
    for at, instr in enumerate(by_label[target].instrs):
        if instr.op == "phi":
            value = rename(instr.args[instr.detail.index(block.label)])
            by_label[target].instrs[at] = replace(
                instr, args=(*instr.args, value), types=(*instr.types, instr.type), detail=(*instr.detail, label)
            )
    end = by_label[source].end
    by_label[source].instrs[-1] = replace(end, detail=tuple(label if item == block.label else item for item in end.detail))


def _without(instr: Instr, source: str) -> Instr:
    kept = [(arg, label) for arg, label in zip(instr.args, instr.detail, strict=True) if label != source]
    args = tuple(arg for arg, _ in kept)
    return replace(instr, args=args, types=(instr.type,) * len(args), detail=tuple(label for _, label in kept))

"""Turns the local variables of a function (allocas) into SSA values, keeping track of those that were never given a value.

After: no load or store of an alloca that is only loaded and stored whole, field by field; phis at joins; an `undefined`
instruction for each value that a variable has without having been assigned, named after the variable.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from metalift.frontend.llvm.read.llvm_ir import (
    BasicBlock,
    Instr,
    Layout,
    LlvmFunction,
    offset_of,
    predecessors,
    reachable_in_order,
    scalar_size,
)
from metalift.frontend.llvm.ssa.bulk import Slot, expand_copies, is_lifetime
from metalift.frontend.llvm.ssa.choices import load_before_choice
from metalift.ir.program.graphs import reached


@dataclass(slots=True)
class Places:
    """Where pointers into allocas point, and which allocas may be promoted with which types at which offsets."""

    pointers: dict[str, Slot]
    types: dict[Slot, str]
    names: dict[str, str]


def promote(function: LlvmFunction, layout: Layout) -> None:
    """Promote every alloca that can be, in place; unreachable blocks are removed and straight lines joined first."""
    function.blocks = reachable_in_order(function.blocks)
    forget_edges_from_nowhere(function.blocks)
    join_straight(function)
    expand_copies(function, layout)
    places = find_places(function, layout)
    while places.pointers or load_before_choice(function):  # promoting a pointer to a variable may free that variable
        if places.pointers:
            _Promotion(function, places).run()
        expand_copies(function, layout)
        places = find_places(function, layout)


def forget_edges_from_nowhere(blocks: list[BasicBlock]) -> None:
    """Drop the operands of phis that come from blocks that are no more."""
    labels = {block.label for block in blocks}
    forget_edges(blocks, dict.fromkeys(labels, labels))


def forget_edges(blocks: list[BasicBlock], sources: Mapping[str, Collection[str]]) -> None:
    """Drop the operands of phis that come from no source of their block."""
    for block in blocks:
        known = sources[block.label]
        for at, instr in enumerate(block.instrs):
            if instr.op == "phi" and any(label not in known for label in instr.detail):
                kept = [pair for pair in zip(instr.args, instr.types, instr.detail, strict=True) if pair[2] in known]
                args, types, labels = zip(*kept, strict=True) if kept else ((), (), ())
                block.instrs[at] = replace(instr, args=tuple(args), types=tuple(types), detail=tuple(labels))


def join_straight(function: LlvmFunction) -> None:
    """Join each block to the one before it where control cannot come from or go elsewhere; drop phis of one value."""
    renamed, moved = _chains(function)
    for block in function.blocks:
        copies = {instr.result: instr.args[0] for instr in block.instrs if instr.op == "phi" and len(set(instr.args)) == 1}
        renamed |= copies
        block.instrs[:] = [instr for instr in block.instrs if instr.result not in copies]
    if not moved and not renamed:
        return
    function.blocks = [block for block in function.blocks if block.label not in moved]
    for block in function.blocks:
        for at, instr in enumerate(block.instrs):
            made = instr.map_values(lambda arg: last_name(arg, renamed))
            if made.op == "phi" and not moved.keys().isdisjoint(made.detail):
                made = replace(made, detail=tuple(last_name(label, moved) for label in made.detail))
            block.instrs[at] = made


def last_name(name: str, renamed: dict[str, str]) -> str:
    """What a name has become after all renamings."""
    while name in renamed:
        name = renamed[name]
    return name


def _chains(function: LlvmFunction) -> tuple[dict[str, str], dict[str, str]]:
    """Move the instructions of joined blocks; the values of their phis, and into which block each was moved."""
    sources = predecessors(function.blocks)
    by_label = {block.label: block for block in function.blocks}
    renamed: dict[str, str] = {}
    moved: dict[str, str] = {}
    for block in function.blocks:
        while block.label not in moved and block.end.op == "br" and len(block.end.detail) == 1:
            after = by_label[block.end.detail[0]]
            if len(sources[after.label]) != 1 or after is block or after is function.blocks[0]:
                break
            phis = [instr for instr in after.instrs if instr.op == "phi"]
            renamed |= {phi.result: phi.args[0] for phi in phis}
            block.instrs[-1:] = after.instrs[len(phis) :]
            moved[after.label] = block.label
    return renamed, moved


def find_places(function: LlvmFunction, layout: Layout) -> Places:
    """The pointers into allocas that are only loaded from and stored to."""
    pointers: dict[str, Slot] = {}
    names: dict[str, str] = {}
    for instr in function.instructions():
        if instr.op == "alloca" and not instr.args:
            pointers[instr.result] = (instr.result, 0)
            names[instr.result] = instr.detail[0]
        elif instr.op == "getelementptr" and instr.args[0] in pointers:
            offset = offset_of(instr, layout)
            if offset is not None:
                root, start = pointers[instr.args[0]]
                pointers[instr.result] = (root, start + offset)
    accessed: dict[str, set[tuple[int, str]]] = defaultdict(set)
    rejected: set[str] = set()
    for instr in function.instructions():
        _classify(instr, pointers, accessed, rejected)
    rejected |= {root for root, accesses in accessed.items() if _overlap(accesses)}
    kept = {register: slot for register, slot in pointers.items() if slot[0] not in rejected}
    types = {(root, offset): type_ for root, accesses in accessed.items() for offset, type_ in accesses}
    return Places(kept, types, names)


def _classify(instr: Instr, pointers: dict[str, Slot], accessed: dict[str, set[tuple[int, str]]], rejected: set[str]) -> None:
    """Note how one instruction uses pointers into allocas."""
    used = instr.args
    if instr.op in ("load", "store"):
        place = pointers.get(instr.args[-1])
        if place:
            accessed[place[0]].add((place[1], instr.type))
            if scalar_size(instr.type) is None or instr.flags & {"volatile", "atomic"}:
                rejected.add(place[0])
        used = instr.args[:-1]
    elif instr.op == "declare" or is_lifetime(instr) or (instr.op == "getelementptr" and instr.result in pointers):
        used = ()
    rejected.update(pointers[arg][0] for arg in used if arg in pointers)


def _overlap(accesses: set[tuple[int, str]]) -> bool:
    """Whether two different accesses share a byte."""
    spans = sorted((offset, offset + (scalar_size(type_) or 0)) for offset, type_ in accesses)
    return any(earlier[1] > later[0] for earlier, later in zip(spans, spans[1:], strict=False))


class _Promotion:
    """SSA construction: a phi for each variable at each join, then those that are trivial or unused are removed."""

    def __init__(self, function: LlvmFunction, places: Places) -> None:
        self.function = function
        self.places = places
        order = {name: number for number, name in enumerate(places.names)}
        kept = [slot for slot in places.types if slot[0] in places.pointers]
        self.slots = sorted(kept, key=lambda slot: (order[slot[0]], slot[1]))
        self.renamed: dict[str, str] = {}
        self.defined = {instr.result for instr in function.instructions()}
        self.taken = self.defined | {arg.name for arg in function.args}
        self.numbers = Counter[str]()  # the next that may be free, by what a name begins with
        self.undefined: dict[str, Instr] = {}
        self.at_entry: list[str] = []
        self.phis: dict[str, dict[Slot, str]] = {}

    def run(self) -> None:
        """Rewrite the function."""
        incoming = predecessors(self.function.blocks)
        ends: dict[str, dict[Slot, str]] = {}
        entry = self.function.blocks[0]
        for block in self.function.blocks:
            sources = incoming[block.label]
            if block is entry:
                values = {slot: self._undefined(slot, Instr("declare")) for slot in self.slots}
                self.at_entry = list(values.values())
            elif len(sources) == 1 and sources[0] in ends:
                values = dict(ends[sources[0]])
            else:
                values = {slot: self._fresh(self._base(slot), slot) for slot in self.slots}
                self.phis[block.label] = dict(values)
            self._block(block, values)
            ends[block.label] = values
        self._finish(incoming, ends)

    def _base(self, slot: Slot) -> str:
        hint = self.function.hints.get(slot[0])
        name = hint.name if hint else slot[0][1:].strip('"').removesuffix(".addr")
        return name if slot[1] == 0 else f"{name}.at{slot[1]}"

    def _fresh(self, base: str, slot: Slot) -> str:
        number = self.numbers[base]
        while f"%{base}.{number}" in self.taken:
            number += 1
        name = f"%{base}.{number}"
        self.numbers[base] = number + 1
        self.taken.add(name)
        self._hint(name, slot)
        return name

    def _hint(self, value: str, slot: Slot) -> None:
        hint = self.function.hints.get(slot[0])
        if hint and value.startswith("%"):
            if slot[1] == 0:
                self.function.note(value, hint)
            if value not in self.function.fields or hint.own:
                self.function.fields[value] = hint, slot[1]

    def _undefined(self, slot: Slot, at: Instr) -> str:
        name = self._fresh(f"{self._base(slot)}.undefined", slot)
        variable = self._base(slot)
        type_ = self.places.types[slot]
        self.undefined[name] = Instr("undefined", name, type_, detail=(variable,), location=at.location)
        return name

    def _block(self, block: BasicBlock, values: dict[Slot, str]) -> None:
        kept: list[Instr] = []
        for instr in block.instrs:
            place = self.places.pointers.get(instr.args[-1]) if instr.args else None
            if instr.op == "load" and place:
                self.renamed[instr.result] = values[place]
            elif instr.op == "store" and place:
                value = self._resolve(instr.args[0])
                values[place] = value
                if value in self.defined:
                    self._hint(value, place)
            elif instr.op == "declare" and place:
                for slot in self.slots:
                    if slot[0] == place[0]:
                        values[slot] = self._undefined(slot, instr)
                        kept.append(self.undefined[values[slot]])
            elif instr.result not in self.places.pointers and not (place and is_lifetime(instr)):
                kept.append(instr)
        block.instrs[:] = kept

    def _resolve(self, value: str) -> str:
        return last_name(value, self.renamed)

    def _finish(self, incoming: dict[str, list[str]], ends: dict[str, dict[Slot, str]]) -> None:
        operands: dict[str, list[tuple[str, str]]] = {}
        for label, values in self.phis.items():
            for slot, name in values.items():
                operands[name] = [(ends[source][slot], source) for source in incoming[label]]
        self._drop_trivial(operands)
        live = self._live(operands)
        for block in self.function.blocks:
            made = []
            for slot, name in self.phis.get(block.label, {}).items():
                if name in live and name not in self.renamed:
                    args = tuple(self._resolve(value) for value, _ in operands[name])
                    sources = tuple(source for _, source in operands[name])
                    type_ = self.places.types[slot]
                    made.append(Instr("phi", name, type_, args, (type_,) * len(args), sources, location=block.end.location))
            rest = [instr.map_values(self._resolve) for instr in block.instrs]
            block.instrs[:] = made + [instr for instr in rest if instr.op != "undefined" or instr.result in live]
        self.function.blocks[0].instrs[:0] = [self.undefined[name] for name in self.at_entry if name in live]

    def _drop_trivial(self, operands: dict[str, list[tuple[str, str]]]) -> None:
        changed = True
        while changed:
            changed = False
            for name, pairs in operands.items():
                if name in self.renamed:
                    continue
                values = {self._resolve(value) for value, _ in pairs} - {name}
                if len(values) == 1:
                    self.renamed[name] = values.pop()
                    changed = True

    def _live(self, operands: dict[str, list[tuple[str, str]]]) -> set[str]:
        used = (self._resolve(arg) for instr in self.function.instructions() for arg in instr.args)
        live = reached(used, lambda value: (self._resolve(operand) for operand, _ in operands.get(value, ())))
        return live

"""Pointers that stand for one array or another, such as two buffers that change places in each step of a loop.

Blocks are copied for what such a pointer stands for, so that in each copy it is one pointer of the entry: a loop that swaps two
buffers becomes a loop of two steps, which can be left after each. A run passes copies of the blocks that it passed before. Left
alone are pointers that may be made further down, such as one that walks, and functions that would become large.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, Layout, LlvmFunction
from metalift.frontend.llvm.ssa.promote import promote
from metalift.frontend.llvm.ssa.thread import demote

LIMIT = 150  # blocks of a function with its copies
ALLOCATIONS = frozenset({"alloca", "array.new", "vector.new"})

State: TypeAlias = tuple[tuple[str, str], ...]
"""The pointers that are used in a block or behind it, and what each stands for."""


def settle_pointers(function: LlvmFunction, layout: Layout) -> None:
    """Copy blocks until it is known of every pointer that is one of several arrays which one it is, in place."""
    chosen = _chosen(function)
    copier = _Copier(function, chosen)
    if not chosen or not copier.find():
        return
    copied = [block for block in function.blocks if len(copier.copies[block.label]) > 1]
    if any(instr.op in ALLOCATIONS for block in copied for instr in block.instrs):
        return
    for number, block in enumerate(copied):
        demote(function, block, number, chosen)
    function.blocks = list(copier.blocks())
    promote(function, layout)


def _chosen(function: LlvmFunction) -> frozenset[str]:
    """The phis that stand for pointers of the entry which do not all point into one array, and the phis among their operands."""
    made = {instr.result: instr for instr in function.instructions() if instr.type == "ptr"}
    fixed = {arg.name for arg in function.args} | {instr.result for instr in function.blocks[0].instrs}
    found: set[str] = set()
    for register in (name for name, instr in made.items() if instr.op == "phi"):
        phis, ends = _origins(register, made)
        if ends <= fixed and len({_base(end, made) for end in ends}) > 1:
            found |= phis
    return frozenset(found)


def _origins(register: str, made: Mapping[str, Instr]) -> tuple[set[str], set[str]]:
    """The phis that lead to one, itself included, and what they choose from."""
    phis, ends, work = {register}, set[str](), [register]
    while work:
        for arg in made[work.pop()].args:
            if arg not in made or made[arg].op != "phi":
                ends.add(arg)
            elif arg not in phis:
                phis.add(arg)
                work.append(arg)
    return phis, ends


def _base(register: str, made: Mapping[str, Instr]) -> str:
    """The pointer from which one is counted."""
    while (instr := made.get(register)) is not None and instr.op in ("getelementptr", "freeze"):
        register = instr.args[0]
    return register


@dataclass(slots=True)
class _Copier:
    """Copies blocks, one for each state in which control comes to it: the labels of all copies are in `copies`."""

    function: LlvmFunction
    chosen: frozenset[str]
    by_label: dict[str, BasicBlock] = field(init=False)
    live: dict[str, frozenset[str]] = field(init=False)
    copies: dict[str, dict[State, str]] = field(init=False)

    def __post_init__(self) -> None:
        self.by_label = {block.label: block for block in self.function.blocks}
        self.live = dict.fromkeys(self.by_label, frozenset())
        self.copies = {label: {} for label in self.by_label}

    def find(self) -> bool:
        """Find the states, and whether there are not too many."""
        self._find_live()
        first = self.function.blocks[0].label
        self.copies[first][()] = first
        work: list[tuple[str, State]] = [(first, ())]
        for label, state in work:  # which grows meanwhile
            for target in self.by_label[label].end.targets():
                known, following = self.copies[target], self._following(label, state, target)
                if following not in known:
                    known[following] = f"{target}.again{len(known)}" if known else target
                    work.append((target, following))
            if len(work) > LIMIT:
                return False
        return True

    def _find_live(self) -> None:
        """Which pointers are used in each block or behind it; its own phis are there when it begins."""
        before: dict[str, frozenset[str]] = {}
        while before != self.live:
            before = dict(self.live)
            for block in reversed(self.function.blocks):
                used = {arg for instr in block.instrs if instr.op != "phi" for arg in instr.args}
                for target in block.end.targets():
                    phis = [instr for instr in self.by_label[target].instrs if instr.op == "phi"]
                    needed = [phi for phi in phis if phi.result not in self.chosen or phi.result in self.live[target]]
                    used |= self.live[target] - {phi.result for phi in phis}
                    used |= {_operand(phi, block.label) for phi in needed}
                self.live[block.label] = self.chosen & used

    def _following(self, label: str, state: State, target: str) -> State:
        """The state of a block that is entered from another one in a state."""
        known = dict(state)
        phis = {instr.result: instr for instr in self.by_label[target].instrs if instr.op == "phi"}
        ends = {name: _operand(phis[name], label) if name in phis else name for name in self.live[target]}
        return tuple((name, known.get(end, end)) for name, end in sorted(ends.items()))

    def blocks(self) -> Iterator[BasicBlock]:
        """All copies."""
        for label, found in self.copies.items():
            for state in found:
                yield BasicBlock(found[state], list(self._copied(label, state)))

    def _copied(self, label: str, state: State) -> Iterator[Instr]:
        """The instructions of a copy, without what the state settles."""
        values = self._values(label, state)
        block = self.by_label[label]
        targets = {to: self.copies[to][self._following(label, state, to)] for to in block.end.targets()}
        for instr in block.instrs:
            if instr.result in self.chosen:
                continue
            made = self._entered(instr, label, state) if instr.op == "phi" else instr.map_values(lambda a: values.get(a, a))
            if instr is block.end:
                made = replace(made, detail=tuple(targets.get(each, each) for each in made.detail))
            result = values.get(instr.result, "")
            if instr.result in self.function.hints:
                self.function.hints[result] = self.function.hints[instr.result]
            yield replace(made, result=result)

    def _values(self, label: str, state: State) -> dict[str, str]:
        """What registers are in a copy: those that it defines get names of their own."""
        suffix = self.copies[label][state].removeprefix(label)
        own = {instr.result: f"{instr.result}{suffix}" for instr in self.by_label[label].instrs if instr.result}
        return own | dict(state)

    def _entered(self, phi: Instr, label: str, state: State) -> Instr:
        """A phi with what it is from each copy that leads to its own."""
        found = [
            (self._values(source, before).get(arg, arg), copy)
            for arg, source in zip(phi.args, phi.detail, strict=True)
            for before, copy in self.copies[source].items()
            if self._following(source, before, label) == state
        ]
        args, detail = tuple(arg for arg, _ in found), tuple(copy for _, copy in found)
        return replace(phi, args=args, types=(phi.type,) * len(args), detail=detail)


def _operand(phi: Instr, label: str) -> str:
    """What a phi is where control comes from a block."""
    return phi.args[phi.detail.index(label)]

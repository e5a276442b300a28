"""Pointers that a loop carries only to read through them at the end, as std::max_element does: the loop carries what they
point to instead.

`while (++p != end) if (*best < *p) best = p; return *best;` becomes `if (v < *p) v = *p; return v;`. That is exact where nothing
is written while such a pointer is held, and where each value that is read early is read later anyway, or was read before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, predecessors
from metalift.frontend.llvm.ssa.bulk import is_lifetime
from metalift.ir.program.graphs import reached

HARMLESS_CALLS = ("@llvm.assume", "@llvm.fabs", "@llvm.sqrt", "@llvm.exp", "@llvm.pow", "@llvm.abs")


def carry_values(function: LlvmFunction) -> None:
    """Replace pointers by values, in place."""
    done: set[str] = set()
    while (group := _find(function, done)) is not None:
        if group.is_exact():
            group.rewrite()
        done |= group.members


def _find(function: LlvmFunction, done: set[str]) -> _Group | None:
    """Choices of pointers that are connected with each other, at least one of them round a loop, and only loaded from."""
    order = {block.label: at for at, block in enumerate(function.blocks)}
    chosen = {instr.result: instr for instr in function.instructions() if instr.op in ("phi", "select") and instr.type == "ptr"}
    for block in function.blocks:
        for instr in block.instrs:
            carried = instr.op == "phi" and any(order.get(label, 0) >= order[block.label] for label in instr.detail)
            if instr.result in chosen and instr.result not in done and carried:
                members = _connected(instr.result, chosen)
                found = _Group(function, frozenset(members), chosen)
                if found.loads:
                    return found
                done |= members
    return None


def _connected(start: str, chosen: dict[str, Instr]) -> set[str]:
    """The choices that take one another as operands, in either direction."""
    users: dict[str, set[str]] = {}
    for result, instr in chosen.items():
        for arg in _pointers(instr):
            users.setdefault(arg, set()).add(result)
    return reached([start], lambda name: (users.get(name, set()) | set(_pointers(chosen[name]))) & chosen.keys())


def _pointers(choice: Instr) -> tuple[str, ...]:
    """The pointers among the operands of a choice."""
    return choice.args if choice.op == "phi" else choice.args[1:]


@dataclass(slots=True)
class _Group:
    """Choices of pointers (`members`) with the loads through them; no loads where they are used in another way."""

    function: LlvmFunction
    members: frozenset[str]
    chosen: dict[str, Instr]
    loads: tuple[Instr, ...] = ()

    def __post_init__(self) -> None:
        loads: list[Instr] = []
        for instr in self.function.instructions():
            if self.members.isdisjoint(instr.args) or instr.result in self.members:
                continue
            if instr.op != "load" or instr.flags or instr.type == "ptr" or (loads and instr.type != loads[0].type):
                return
            loads.append(instr)
        self.loads = tuple(loads)

    def entries(self) -> Iterator[tuple[BasicBlock, Instr, str]]:
        """The pointers that come into the group: the choice, and the block at whose end or in which they do."""
        by_label = {block.label: block for block in self.function.blocks}
        for block in self.function.blocks:
            for instr in block.instrs:
                if instr.result in self.members:
                    places = instr.detail if instr.op == "phi" else (block.label,) * 2
                    for pointer, label in zip(_pointers(instr), places, strict=True):
                        if pointer not in self.members:
                            yield by_label[label], instr, pointer

    def is_exact(self) -> bool:
        """Whether the values may be read where the pointers are chosen."""
        loading = {block.label for block in self.function.blocks for instr in block.instrs if instr in self.loads}
        if any(pointer.startswith("@") or pointer in ("null", "undef", "poison") for _, _, pointer in self.entries()):
            return False
        if not all(self._is_read(block, pointer, loading) for block, _, pointer in self.entries()):
            return False
        return not self._is_disturbed()

    def _is_read(self, block: BasicBlock, pointer: str, loading: set[str]) -> bool:
        """Whether what a pointer points to was read before, on the way to the end of the block, or is read later in any case."""
        sources = predecessors(self.function.blocks)
        by_label = {other.label: other for other in self.function.blocks}
        before: BasicBlock | None = block
        seen: set[str] = set()
        while before is not None and before.label not in seen:
            if any(instr.op == "load" and instr.args[0] == pointer for instr in before.instrs):
                return True
            seen.add(before.label)
            entered = set(sources[before.label])
            before = by_label[entered.pop()] if len(entered) == 1 else None
        return not self._may_leave(block, loading, by_label)

    def _may_leave(self, block: BasicBlock, loading: set[str], by_label: dict[str, BasicBlock]) -> bool:
        """Whether the function can return from the end of a block without a load of the group."""
        after = reached(block.end.targets(), lambda label: by_label[label].end.targets(), loading)
        return any(each.end.op == "ret" for each in (block, *map(by_label.__getitem__, after)))

    def _is_disturbed(self) -> bool:
        """Whether something is written while a pointer of the group is held."""
        after = self._held_after()
        for block in self.function.blocks:
            held = set(after[block.label])
            for instr in reversed(block.instrs):
                if _writes(instr) and held:
                    return True
                held.discard(instr.result)
                if instr.op != "phi":
                    held |= self.members.intersection(instr.args)
        return False

    def _held_after(self) -> dict[str, set[str]]:
        """The members that are used after the end of each block."""
        by_label = {block.label: block for block in self.function.blocks}
        after: dict[str, set[str]] = {label: set() for label in by_label}
        changed = True
        while changed:
            changed = False
            for block in reversed(self.function.blocks):
                held: set[str] = set()
                for target in block.end.targets():
                    held |= self._held_before(by_label[target], after[target])
                    for phi in by_label[target].instrs:
                        if phi.op == "phi" and block.label in phi.detail:
                            held |= self.members & {phi.args[phi.detail.index(block.label)]}
                if held != after[block.label]:
                    after[block.label], changed = held, True
        return after

    def _held_before(self, block: BasicBlock, after: set[str]) -> set[str]:
        held = set(after)
        for instr in reversed(block.instrs):
            held.discard(instr.result)
            if instr.op != "phi":
                held |= self.members.intersection(instr.args)
        return held

    def rewrite(self) -> None:
        """Let the group choose values."""
        load, number = self.loads[0], 0
        values: dict[tuple[str, str, str], str] = {}
        for block, choice, pointer in list(self.entries()):
            key = (choice.result, block.label, pointer)
            if key in values:
                continue
            number += 1
            values[key] = f"{choice.result}.read{number}"
            made = replace(load, result=values[key], args=(pointer,))
            at = len(block.instrs) - 1 if choice.op == "phi" else block.instrs.index(choice)
            block.instrs.insert(at, made)
        names = {instr.result: instr.args[0] for instr in self.loads}
        for block in self.function.blocks:
            made_here = [self._valued(block, instr, values, load.type) for instr in block.instrs if instr.result not in names]
            block.instrs[:] = [instr.map_values(lambda arg: names.get(arg, arg)) for instr in made_here]

    def _valued(self, block: BasicBlock, instr: Instr, values: dict[tuple[str, str, str], str], type_: str) -> Instr:
        """A choice of values in place of one of pointers."""
        if instr.result not in self.members:
            return instr
        places = instr.detail if instr.op == "phi" else (block.label,) * 2
        pairs = zip(_pointers(instr), places, strict=True)
        args = tuple(values.get((instr.result, label, pointer), pointer) for pointer, label in pairs)
        if instr.op == "phi":
            return replace(instr, type=type_, args=args, types=(type_,) * len(args))
        return replace(instr, type=type_, args=(instr.args[0], *args), types=(instr.types[0], type_, type_))


def _writes(instr: Instr) -> bool:
    """Whether an instruction may change memory."""
    if instr.op == "call":
        return not is_lifetime(instr) and not instr.detail[0].startswith(HARMLESS_CALLS)
    return instr.op in ("store", "other", "vector.set_row_length")

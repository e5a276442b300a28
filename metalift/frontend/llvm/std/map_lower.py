"""Takes the instructions of `std.maps` away: what is done at a key is done where that is the key that is seen.

    if (read there, k) A else B      if (k == key) { if (there) A else B }

What is done only where a map lacks the key is written as what is done elsewhere: the map has 0 there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from metalift.frontend.llvm.names.map_names import ZEROS, zero
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, predecessors
from metalift.frontend.llvm.std.map_keys import KeyLabels, probe_of
from metalift.frontend.llvm.std.map_writer import KEY


def at_one_key(function: LlvmFunction) -> None:
    """Check the function and rewrite it, in place. Raises Unsupported where something goes from one key to another."""
    if function.keyed is not None or function.probed:
        labels = KeyLabels(function)
        labels.run()
        _Lowering(function, labels).run()


@dataclass(slots=True)
class _Lowering:
    function: LlvmFunction
    labels: KeyLabels
    renamed: dict[str, str] = field(default_factory=dict)
    apart: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # the blocks that are only passed at a key

    def run(self) -> None:
        """Rewrite the function."""
        for instr in self.function.instructions():
            if instr.op == "keyed.key":
                self.renamed[instr.result] = KEY
        blocks = {block.label: block for block in self.function.blocks}
        sources = predecessors(self.function.blocks)
        for block in list(self.function.blocks):
            if block.end.op == "br" and len(set(block.end.detail)) == 2:
                self._without_absence(block, blocks, sources)
        for block in list(self.function.blocks):
            if block.end.op in ("br", "switch") and block.end.args:
                self._set_apart(block, blocks)
        self._replace()

    def _last(self, name: str) -> str:
        while name in self.renamed:
            name = self.renamed[name]
        return name

    # Where a map lacks a key

    def _without_absence(self, block: BasicBlock, blocks: dict[str, BasicBlock], sources: dict[str, list[str]]) -> None:
        """Write what is done where a map lacks the key with the 0 that it has there."""
        read, positive = self._asked(block.end.args[0])
        if read is None or len(read.args) < 3:
            return
        there, absent = (blocks[label] for label in (block.end.detail if positive else block.end.detail[::-1]))
        if sources[there.label] == [block.label]:
            self._without_questions(there.label, read)
        if sources[absent.label] != [block.label]:
            return
        for instr in absent.instrs:
            if instr.op == "select" and self._is_same(instr.args[0], read):
                self.renamed[instr.result] = instr.args[2]
        for before in read.args[2:]:
            self._without_absent_value(there, absent, read, before, alone=sources[there.label] == [block.label])

    def _without_absent_value(self, there: BasicBlock, absent: BasicBlock, read: Instr, before: str, *, alone: bool) -> None:
        """The same for one variable, of which `before` is the value."""
        key = self.labels.key(read.args[1])
        for at, instr in enumerate(absent.instrs):
            if instr.op != "keyed.write" or instr.args[2] != before or self.labels.key(instr.args[0]) != key:
                continue
            value = self._last(instr.args[1])
            if value in ZEROS:
                self.renamed[instr.result] = before
            elif alone and (added := self._added(there, before, key, value)) is not None:
                total = f"{instr.result}.sum"
                types = (added.type, added.type)
                absent.instrs[at] = replace(instr, args=(instr.args[0], total, before))
                absent.instrs.insert(at, replace(added, result=total, args=(before, value), types=types))
                return

    def _without_questions(self, label: str, read: Instr) -> None:
        """Leave out that the map has to have the key where that was asked before."""
        for block in self.function.blocks:
            if label in self.labels.above[block.label]:
                block.instrs[:] = [instr for instr in block.instrs if not self._is_known(instr, read)]

    def _is_known(self, instr: Instr, read: Instr) -> bool:
        same = instr.op == "keyed.require" and instr.args[0] == read.args[0]
        return same and self.labels.key(instr.args[1]) == self._key_of(read)

    def _asked(self, cond: str) -> tuple[Instr | None, bool]:
        """The question whether a map has a key that a condition is, and whether it is that or its opposite."""
        positive = True
        while (instr := self.labels.defined.get(cond)) is not None:
            match instr:
                case Instr(op="keyed.read"):
                    return instr, positive
                case Instr(op="xor", args=(cond, "true")):
                    positive = not positive
                case Instr(op="xor", args=(cond, "false")) | Instr(op="zext", args=(cond,)):
                    pass
                case Instr(op="icmp", args=(cond, "0"), detail=("ne",)) | Instr(op="icmp", args=(cond, "0"), detail=("ugt",)):
                    pass
                case Instr(op="icmp", args=(cond, "0"), detail=("eq",)):
                    positive = not positive
                case _:
                    return None, positive
        return None, positive

    def _is_same(self, cond: str, read: Instr) -> bool:
        """Whether a condition asks what the other question asked."""
        other, positive = self._asked(cond)
        if other is None or not positive or self._key_of(other) != self._key_of(read):
            return False
        return (other.args[0], *other.args[2:]) == (read.args[0], *read.args[2:])

    def _key_of(self, read: Instr) -> str:
        return self.labels.key(read.args[1])

    def _added(self, block: BasicBlock, before: str, key: str, value: str) -> Instr | None:
        """The addition of the value, or an equal one, to what the map had, where the block writes that."""
        for write in block.instrs:
            made = self.labels.defined.get(write.args[1]) if write.op == "keyed.write" and write.args[2] == before else None
            if made is None or made.op not in ("add", "fadd") or self.labels.key(write.args[0]) != key:
                continue
            for own, other in (made.args, made.args[::-1]):
                read = self.labels.defined.get(own)
                if read is not None and read.op == "keyed.read" and read.args[0] == before:
                    if self.labels.key(other) == self.labels.key(value):
                        return made
        return None

    # Branches

    def _set_apart(self, block: BasicBlock, blocks: dict[str, BasicBlock]) -> None:
        """Let what a branch on what was read at a key decides be passed only where that is the function's key."""
        label = self.labels.labels.get(block.end.args[0], "")
        read = next(self._reads(label, block), None) if label else None
        if read is None or block.label in self.apart[probe_of(read)] or self._is_seen(read):
            return
        key, kind, probe = read.args[1], read.types[1], probe_of(read)
        meeting = self.labels.meeting(block.label)
        inside = self.labels.region(block, meeting, blocks)
        phis = [instr for instr in blocks[meeting].instrs if instr.op == "phi"]
        entering = {phi.result: self._skipped(phi, inside, block.label) for phi in phis}
        if any(value is None for value in entering.values()):
            return
        cond, inner = f"%at.{block.label}", f"{block.label}.at"
        end = block.end
        made = BasicBlock(inner, [end])
        block.instrs[-1:] = [
            Instr("icmp", cond, "i1", (key, probe), (kind, kind), ("eq",), location=end.location),
            Instr("br", args=(cond,), types=("i1",), detail=(inner, meeting), location=end.location),
        ]
        for target in {*end.targets()}:
            for at, instr in enumerate(blocks[target].instrs):
                if instr.op == "phi":
                    labels = tuple(inner if each == block.label else each for each in instr.detail)
                    blocks[target].instrs[at] = replace(instr, detail=labels)
        for at, instr in enumerate(blocks[meeting].instrs):
            if instr.op == "phi":
                args, labels = (*instr.args, entering[instr.result] or ""), (*instr.detail, block.label)
                blocks[meeting].instrs[at] = replace(instr, args=args, types=(*instr.types, instr.type), detail=labels)
        self.function.blocks.insert(self.function.blocks.index(block) + 1, made)
        self.apart[probe] |= inside | {inner}

    def _is_seen(self, instr: Instr) -> bool:
        """Whether an instruction reads, writes or requires something at the key at which the container is seen."""
        return self._last(instr.args[0] if instr.op == "keyed.write" else instr.args[1]) == self._last(probe_of(instr))

    def _reads(self, label: str, block: BasicBlock) -> Iterator[Instr]:
        """What was read at the key before the end of a block."""
        for instr in self.labels.defined.values():
            if instr.op == "keyed.read" and self.labels.at(instr) == label:
                if self.labels.place[instr.result] in self.labels.above[block.label]:
                    yield instr

    def _skipped(self, phi: Instr, inside: set[str], label: str) -> str | None:
        """What a phi is where the key is another: what a map had before, or any value; None where there is none."""
        if phi.result in self.labels.state:
            return self.labels.entering(phi, inside, label)
        return {"i1": "false", "float": "0.0", "double": "0.0", "ptr": None}.get(phi.type, "0")

    # Instructions

    def _replace(self) -> None:
        """Write ordinary instructions."""
        for block in self.function.blocks:
            for instr in block.instrs:
                if instr.op in ("keyed.read", "keyed.some", "keyed.copy"):
                    self.renamed[instr.result] = instr.args[0]
                elif instr.op == "keyed.write" and self._is_exact(instr, block):
                    self.renamed.setdefault(instr.result, instr.args[1])
        for block in self.function.blocks:
            done: list[Instr] = []
            for instr in block.instrs:
                if instr.result not in self.renamed:
                    exact = instr.op == "keyed.require" and self._is_exact(instr, block)
                    probe = self._last(probe_of(instr)) if instr.op in ("keyed.write", "keyed.require") else ""
                    changed = instr.map_values(self._last)
                    done += _lowered(changed, probe, f"%at.{block.label}.{len(done)}", exact=exact)
            block.instrs[:] = done

    def _is_exact(self, instr: Instr, block: BasicBlock) -> bool:
        return block.label in self.apart[probe_of(instr)] or self._is_seen(instr)


def _lowered(instr: Instr, probe: str, same: str, *, exact: bool) -> list[Instr]:
    """The instruction; `same` is a register for whether a key is the one that is seen, which it is known to be if `exact`."""
    at = instr.location
    if instr.op == "keyed.write":
        key, value, old = instr.args
        asked = Instr("icmp", same, "i1", (key, probe), (instr.types[0],) * 2, ("eq",), location=at)
        return [asked, replace(instr, op="select", args=(same, value, old), types=("i1", *instr.types[1:]), detail=())]
    if instr.op == "keyed.shown":
        there, value = instr.args
        types = ("i1", instr.type, instr.type)
        return [replace(instr, op="select", args=(there, value, zero(instr.type)), types=types)]
    if instr.op == "keyed.require":
        there, key = instr.args
        if exact:
            return [Instr("keyed.assume", args=(there,), types=("i1",), detail=instr.detail[:1], location=at)]
        other = Instr("icmp", same, "i1", (key, probe), (instr.types[1],) * 2, ("ne",), location=at)
        either = Instr("or", f"{same}.holds", "i1", (same, there), ("i1", "i1"), location=at)
        return [other, either, Instr("keyed.assume", args=(either.result,), types=("i1",), detail=instr.detail[:1], location=at)]
    return [instr]

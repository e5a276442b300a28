"""Checks that what a function reads of maps and sets at one key reaches nothing but what it writes at that key.

A value has the *label* %k where it may be computed of what was read at %k: it is that of the source only where %k is the
function's own key, or the key at which that container is seen. Labels spread to what is computed of a value, and to what is
chosen by it: all that is done between a branch on a value with a label and where its ways meet again. What has a label may be
written at that key and nowhere else. Thus whatever has no label is what it is in the source, for any key: by induction over the
steps of a run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn

from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, is_literal, predecessors
from metalift.frontend.llvm.ssa.slices import meeting, to_the_end
from metalift.frontend.llvm.std.map_writer import KEY, NotAtOneKey
from metalift.ir.program.fragment import Diagnostic
from metalift.ir.program.graphs import on_all_ways

SUPPORTED = "supported are statements that read and write maps and sets at one key, and write nothing else"
PURE = frozenset(
    "add sub mul shl lshr ashr and or xor fadd fsub fmul fdiv fneg icmp fcmp select zext sext trunc sitofp uitofp fptosi fptoui "
    "fpext fptrunc extremum keyed.copy freeze identity.whole identity.part".split()
)
DIVISIONS = frozenset({"sdiv", "udiv", "srem", "urem"})
READING = frozenset(
    "load getelementptr vector.length vector.inside vector.row_length vector.less vector.one_more vector.plus".split()
)
INTRINSICS = ("@llvm.fabs", "@llvm.sqrt", "@llvm.abs", "@llvm.smax", "@llvm.smin", "@llvm.umax", "@llvm.umin", "@llvm.lifetime",
              "@llvm.exp", "@llvm.log", "@llvm.pow", "@llvm.dbg", "@abs", "@labs", "@llabs")  # fmt: skip
Label = str  # a key, as text in which registers stand for what is not computed here


@dataclass(slots=True)
class KeyLabels:
    """The labels of a function's values."""

    function: LlvmFunction
    defined: dict[str, Instr] = field(default_factory=dict)
    place: dict[str, str] = field(default_factory=dict)  # the block of each register
    above: dict[str, set[str]] = field(default_factory=dict)  # the blocks that dominate each block
    below: dict[str, set[str]] = field(default_factory=dict)  # those that all ways from it to the end pass
    labels: dict[str, Label] = field(default_factory=dict)
    control: dict[str, set[Label]] = field(default_factory=dict)  # what decides whether a block is passed
    joins: dict[str, set[Label]] = field(default_factory=dict)  # what decides from where a block is entered
    state: set[str] = field(default_factory=set)  # registers that hold what a map has at the function's key
    leaves: dict[Label, set[str]] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)  # pointers into arrays of the function's own
    writes: bool = False  # whether other memory is written
    writes_own: bool = False

    def run(self) -> None:
        """Raises Unsupported where something goes from one key to another."""
        for block in self.function.blocks:
            for instr in block.instrs:
                if instr.result:
                    self.defined[instr.result], self.place[instr.result] = instr, block.label
        self._find_writes()
        blocks = {block.label: block for block in self.function.blocks}
        self.above = on_all_ways(predecessors(self.function.blocks), {self.function.blocks[0].label})
        self.below = to_the_end(blocks)
        self._find_state()
        changed = True
        while changed:
            before = (dict(self.labels), {k: set(v) for k, v in self.control.items()}, {k: set(v) for k, v in self.joins.items()})
            for block in self.function.blocks:
                for instr in block.instrs:
                    self._spread(block, instr)
                self._decide(block, blocks)
            changed = before != (self.labels, self.control, self.joins)
        for block in self.function.blocks:
            for instr in block.instrs:
                self._check(block, instr)

    def _fail(self, instr: Instr, found: str) -> NoReturn:
        raise NotAtOneKey(Diagnostic(instr.location, f"{found}; {SUPPORTED}"))

    def _find_writes(self) -> None:
        """Find what the function writes to, so that keys may be read anew from the rest."""
        found = {name for name, instr in self.defined.items() if instr.op in ("alloca", "vector.new")}
        while found - self.own:
            self.own |= found
            steps = (instr for instr in self.defined.values() if instr.op in ("getelementptr", "freeze", "vector.inside"))
            found = {instr.result for instr in steps if instr.args[0] in self.own}
        stores = [instr for instr in self.function.instructions() if instr.op == "store"]
        self.writes = any(store.args[1] not in self.own for store in stores)
        self.writes_own = bool(stores)

    # What maps have

    def _find_state(self) -> None:
        """Registers that hold what a map has: written ones, and phis of these. They are used as such and in no other way."""
        self.state = {name for name, instr in self.defined.items() if instr.op in ("keyed.write", "keyed.shown")}
        changed = True
        while changed:
            phis = [each for each in self.defined.values() if each.op == "phi" and each.result not in self.state]
            found = {each.result for each in phis if not self.state.isdisjoint(each.args)}
            self.state |= found
            changed = bool(found)
        for instr in self.function.instructions():
            held = self._held(instr)
            others = list(instr.args)
            for arg in held:
                others.remove(arg)
            if not self.state.isdisjoint(others):
                self._fail(instr, "a map or set that is used as a value")
            if any(arg not in self.state and not is_literal(arg) for arg in held):
                self._fail(instr, "a map or set that may not have been made")

    def _held(self, instr: Instr) -> tuple[str, ...]:
        """The operands of an instruction that are what a map has."""
        match instr.op:
            case "keyed.read":
                return (instr.args[0], *instr.args[2:])
            case "keyed.write":
                return instr.args[2:]
            case "keyed.require":
                return instr.args[:1]
            case "keyed.some" | "keyed.shown":
                return instr.args
            case "ret" if self.function.keyed is not None:
                return instr.args
            case "phi" if instr.result in self.state:
                return instr.args
            case _:
                return ()

    # Labels

    def key(self, token: str) -> Label:
        """A key as text: equal texts are equal keys, where the same registers hold."""
        instr = self.defined.get(token)
        if instr is None or token in self.state:
            self.leaves.setdefault(token, {token} if instr is not None else set())
            return token
        if instr.op == "keyed.copy":
            return self.key(instr.args[0])
        readable = instr.op in PURE or (instr.op in READING and self._is_kept(instr))
        if not readable or instr.flags & {"volatile", "atomic"}:
            self.leaves.setdefault(token, {token})
            return token
        parts = [self.key(arg) for arg in instr.args]
        text = f"{instr.op}.{instr.type}.{'.'.join(sorted(instr.flags))}.{instr.detail}({', '.join(parts)})"
        self.leaves[text] = {leaf for part in parts for leaf in self.leaves[part]}
        return text

    def _is_kept(self, instr: Instr) -> bool:
        """Whether memory that an instruction reads, or computes with the place of, is never written."""
        known = instr.op == "getelementptr" or not self.writes_own or self._begins_outside(instr.args[0])
        return not self.writes and known

    def _begins_outside(self, pointer: str) -> bool:
        """Whether a pointer is computed of arguments alone."""
        instr = self.defined.get(pointer)
        if instr is not None and instr.op in ("getelementptr", "freeze", "vector.inside"):
            return self._begins_outside(instr.args[0])
        if instr is not None and instr.op == "phi":
            return pointer not in self.own and all(self._is_step(arg, pointer) or self._begins_outside(arg) for arg in instr.args)
        return instr is None

    def _is_step(self, pointer: str, start: str) -> bool:
        """Whether a pointer is a later one of a loop that goes through an array."""
        instr = self.defined.get(pointer)
        return instr is not None and instr.op == "getelementptr" and instr.args[0] == start

    def at(self, instr: Instr) -> Label:
        """The label of what an instruction reads, writes or requires; empty where the key is known to be the one that is seen."""
        probe = probe_of(instr)
        text = self.key(instr.args[0] if instr.op == "keyed.write" else instr.args[1])
        if probe == KEY:
            return text
        label = f"{probe}: {text}"
        self.leaves[label] = self.leaves[text]
        return "" if text == self.key(probe) else label

    def _joined(self, instr: Instr, labels: Iterable[Label]) -> Label:
        found = set(labels)
        if len(found) > 1:
            self._fail(instr, "what is read at one key, together with what is read at another")
        return found.pop() if found else ""

    def _of(self, tokens: Iterable[str]) -> set[Label]:
        return {self.labels[token] for token in tokens if token in self.labels}

    def _spread(self, block: BasicBlock, instr: Instr) -> None:
        """Give the result of an instruction its label."""
        if not instr.result or instr.result in self.state:
            return
        match instr.op:
            case "keyed.read":
                label = self.at(instr)
            case "keyed.key":
                label = self.key(instr.result)
            case "keyed.some":
                label = self.key(instr.detail[0])
            case "phi":
                chosen = self.joins.get(block.label, set()) | self.control.get(block.label, set())
                label = self._joined(instr, self._of(instr.args) | chosen)
                if any(not self._is_above(leaf, block.label) for leaf in self.leaves.get(label, ())):
                    self._fail(instr, "what is read at one key, and is kept until another key")
            case _:
                label = self._joined(instr, self._of(instr.args))
        if label:
            self.labels[instr.result] = label

    def _is_above(self, register: str, label: str) -> bool:
        """Whether a register is defined before any entry of a block."""
        return self.place[register] != label and self.place[register] in self.above[label]

    def _decide(self, block: BasicBlock, blocks: dict[str, BasicBlock]) -> None:
        """Note what a branch on a value with a label decides."""
        end = block.end
        label = self._joined(end, self._of(end.args)) if end.op in ("br", "switch") else ""
        if not label:
            return
        meeting = self.meeting(block.label)
        inside = self.region(block, meeting, blocks)
        if block.label in inside or any(blocks[place].end.op not in ("br", "switch") for place in inside):
            self._fail(end, "a loop, a return or an exception that depends on what is read at one key")
        for phi in blocks[meeting].instrs:
            if phi.op == "phi" and phi.result in self.state and self.entering(phi, inside, block.label) is None:
                self._fail(end, "a map or set that is made or copied where that depends on what is read at one key")
        for place in inside:
            self.control.setdefault(place, set()).add(label)
            self.joins.setdefault(place, set()).add(label)
        self.joins.setdefault(meeting, set()).add(label)

    @staticmethod
    def region(block: BasicBlock, meeting: str, blocks: dict[str, BasicBlock]) -> set[str]:
        """The blocks between the end of a block and where the ways from it meet."""
        inside: set[str] = set()
        pending = [target for target in block.end.targets() if target != meeting]
        while pending:
            place = pending.pop()
            if place not in inside:
                inside.add(place)
                pending += [target for target in blocks[place].end.targets() if target != meeting]
        return inside

    def meeting(self, label: str) -> str:
        """Where all ways from the end of a block meet first; empty where they end."""
        return meeting(label, self.below)

    def entering(self, phi: Instr, inside: set[str], label: str) -> str | None:
        """What a map has before a branch, where only what is written at keys changes it until a phi after the branch."""
        found: set[str] = set()
        seen: set[str] = set()
        pending = [arg for arg, source in zip(phi.args, phi.detail, strict=True) if source in inside | {label}]
        while pending:
            name = pending.pop()
            instr = self.defined.get(name)
            if name in seen:
                continue
            seen.add(name)
            if instr is None or self.place[name] not in inside:
                found.add(name)
            else:
                pending += instr.args[2:] if instr.op == "keyed.write" else instr.args
        return found.pop() if len(found) == 1 else None

    # Effects

    def _check(self, block: BasicBlock, instr: Instr) -> None:
        control = self.control.get(block.label, set())
        if instr.op in ("keyed.write", "keyed.require", "keyed.read"):
            key = instr.args[0] if instr.op == "keyed.write" else instr.args[1]
            used = self._of((key, probe_of(instr))) | control
            used |= self._of((instr.args[1],)) if instr.op == "keyed.write" else set()
            if used - {self.at(instr)}:
                self._fail(instr, "what is read at one key, used at another")
            return
        labelled = self._of(instr.args) | control
        if not labelled or instr.op in ("phi", "br", "switch", "keyed.key", "keyed.some", "declare"):
            return
        if instr.op in PURE or (instr.op == "call" and instr.detail[0].startswith(INTRINSICS)):
            return
        if instr.op in READING and not self._of(instr.args):
            return
        exact = all(self.defined[label].op == "keyed.key" for label in labelled if label in self.defined)
        exact = exact and all(label in self.defined for label in labelled)
        if instr.op in DIVISIONS and (exact or (is_literal(instr.args[1]) and instr.args[1] not in ("0", "-1"))):
            return
        self._fail(instr, "what is read at one key, used for something else")


def probe_of(instr: Instr) -> str:
    """The register of the key at which the container is seen that an instruction reads, writes or requires something of."""
    return instr.detail[-1]

"""The null behind the characters of a std::string, which C++ lets be read by s[s.size()]: an assumption says that it is not.

It is left out where a comparison before shows that the index is no such one.
"""

from __future__ import annotations

from collections.abc import Iterator

from metalift.frontend.llvm.names.string_names import string_call
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, int_bits, predecessors, reachable_in_order

WIDENED, NARROWED = ("zext", "sext", "freeze"), "trunc"
BELOW = {"ult": True, "slt": True, "ugt": False, "sgt": False}  # whether what is less stands first
NEGATED = {"uge": "ult", "sge": "slt", "ule": "ugt", "sle": "sgt", "eq": "ne"}
CHANGING = frozenset("push_back operator+= pop_back clear resize assign operator= swap".split())
LARGEST_STEP = 1 << 20
Sum = tuple[str, int]  # a register and what is added to it


class Terminators:
    """What is known of the indices of strings, before their calls are rewritten."""

    def __init__(self, function: LlvmFunction) -> None:
        self._function = function
        self._defined = {instr.result: instr for instr in function.instructions() if instr.result}
        self._before = predecessors(function.blocks)
        self._blocks = {block.label: block for block in function.blocks}
        self._order = {block.label: number for number, block in enumerate(reachable_in_order(function.blocks))}
        self._changed = frozenset(_changed(function))

    def may_be_read(self, block: BasicBlock, call: Instr) -> bool:
        """Whether a call of operator[] may have the size of the string as its index."""
        string = call.args[0]
        base, added = self._sum(call.args[1])
        if string in self._changed:
            return True
        if self._is_size(base, string):
            return added >= 0
        return not any(self._shows(cond, truth, (base, added), string) for cond, truth in self._conditions(block))

    def _conditions(self, block: BasicBlock) -> Iterator[tuple[Instr, bool]]:
        """The comparisons that were made on every way to a block, with what they gave."""
        label, seen = block.label, {block.label}
        while len(self._before[label]) == 1:
            [before] = self._before[label]
            end = self._blocks[before].end
            made = self._defined.get(end.args[0]) if end.op == "br" and end.args else None
            truth = made is not None and len(set(end.detail)) == 2 and end.detail[0] == label
            if made is not None and made in self._blocks[before].instrs and made.op == "phi" and truth:
                made, before = self._held(made, before)
            if made is not None and made.op == "icmp" and len(set(end.detail)) == 2:
                yield made, truth
            if before in seen:
                return
            seen.add(label := before)

    def _held(self, phi: Instr, label: str) -> tuple[Instr | None, str]:
        """What holds where a && b does: b, and the block that it comes from, which is no earlier turn of a loop."""
        sources = [(arg, source) for arg, source in zip(phi.args, phi.detail, strict=True) if arg != "false"]
        if len(sources) != 1 or self._order[sources[0][1]] >= self._order[label]:
            return None, label
        return self._defined.get(sources[0][0]), sources[0][1]

    def _shows(self, made: Instr, truth: bool, index: Sum, string: str) -> bool:
        """Whether a comparison shows that the index is not the size: it is, or lies before, what is less than that."""
        predicate = made.detail[0] if truth else NEGATED.get(made.detail[0], "")
        for less, size in (made.args, made.args[::-1]):
            base, added = self._sum(less)
            if base != index[0] or not self._is_size(size, string):
                continue
            if predicate == "ne" and added == index[1]:
                return True
            if BELOW.get(predicate) is (less is made.args[0]) and added >= index[1]:
                return True
        return False

    def _sum(self, register: str) -> Sum:
        """A value as a register with a number added to it. The sum does not wrap where it is narrower than an index."""
        made = self._defined.get(register)
        if made is not None and made.op in WIDENED:
            base, added = self._sum(made.args[0])
            return (register, 0) if made.op == "zext" and added else (base, added)  # what is below 0 becomes large
        if made is None or made.op not in ("add", "sub") or not (int_bits(made.type) == 64 or "nsw" in made.flags):
            return register, 0
        left, right = made.args
        if made.op == "add" and left.lstrip("-").isdigit():
            left, right = right, left
        if not right.lstrip("-").isdigit() or abs(int(right)) > LARGEST_STEP:
            return register, 0
        base, added = self._sum(left)
        return base, added + (int(right) if made.op == "add" else -int(right))

    def _is_size(self, register: str, string: str) -> bool:
        """Whether a value is the size of the string, or its last bits."""
        made = self._defined.get(register)
        while made is not None and (made.op in WIDENED or made.op == NARROWED):
            made = self._defined.get(made.args[0])
        call = string_call(made.detail[0][1:]) if made is not None and made.op == "call" else None
        return made is not None and call is not None and call.name in ("size", "length") and made.args[:1] == (string,)


def _changed(function: LlvmFunction) -> set[str]:
    """The strings whose size may change once it was asked for."""
    found = set()
    for block in function.blocks:
        for instr in block.instrs:
            call = string_call(instr.detail[0][1:]) if instr.op == "call" else None
            if call is None or not call.member:
                continue
            again = call.name == "constructor" and block is not function.blocks[0]
            if call.name in CHANGING or again:
                found |= set(instr.args[:2])
    return found

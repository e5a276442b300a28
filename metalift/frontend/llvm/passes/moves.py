"""Writes memmove as memcpy, and comparisons by memcmp as a loop: what std::copy and std::equal are on numbers.

A memmove may go by a temporary array, where the two places could overlap; memcpys become loops in `passes.copies`.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.frontend.llvm.passes.copies import Elements
from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction
from metalift.frontend.llvm.read.llvm_text import LlvmModule

MOVE, COPY = "@llvm.memmove.", "@llvm.memcpy.p0.p0.i64"
OWN = ("array.new", "vector.new")
PURE = frozenset(
    "add sub mul sdiv udiv srem urem shl lshr ashr and or xor sext zext trunc getelementptr ptrtoint vector.length".split()
)


def expand_moves(function: LlvmFunction, module: LlvmModule) -> None:
    """Replace the calls of memmove in place."""
    moves = _Moves(function, Elements(function, module))
    for block in function.blocks:
        made: list[Instr] = []
        for instr in block.instrs:
            moved = instr.op == "call" and instr.detail[0].startswith(MOVE) and instr.args[-1] == "false"
            made += moves.written(instr) if moved else [instr]
        block.instrs[:] = made
    function.blocks[0].instrs[:0] = moves.temporaries


class _Moves:
    """What is known of the pointers of a function, and the temporary arrays that were made."""

    def __init__(self, function: LlvmFunction, elements: Elements) -> None:
        self.defined = {instr.result: instr for instr in function.instructions() if instr.result}
        self.elements = elements
        self.temporaries: list[Instr] = []

    def written(self, call: Instr) -> list[Instr]:
        """A memmove as one or two memcpys."""
        target, source = call.args[:2]
        copy = replace(call, detail=(COPY,))
        element = self.elements.of(source)
        if not element or self._apart(target, source):
            return [copy]
        name = f"%moved.{len(self.temporaries)}"
        self.temporaries.append(Instr("array.new", name, "ptr", detail=("moved", element), location=call.location))
        away, back = replace(copy, args=(name, *call.args[1:])), replace(copy, args=(target, name, *call.args[2:]))
        return [away, back]

    def _apart(self, target: str, source: str) -> bool:
        """Whether copying from the first element to the last is as good: where both places are the same or in different arrays.

        Two arrays of the caller may be one. From the same index of both they are then the same place, or the copy is proved
        for arrays that do not overlap only.
        """
        to, steps = self._root(target)
        start, others = self._root(source)
        if not to or not start or to == start:
            return False
        own = [self.defined[name].op in OWN for name in (to, start) if name in self.defined]
        return any(own) or self._equal_steps(steps, others)

    def _root(self, pointer: str) -> tuple[str, list[Instr]]:
        """The array that an address is computed from, with the steps on the way; empty where it is one of several."""
        steps: list[Instr] = []
        while (made := self.defined.get(pointer)) is not None and made.op == "getelementptr":
            if made.args[1:] != ("0",) * (len(made.args) - 1):
                steps.append(made)
            pointer = made.args[0]
        return (pointer if made is None or made.op in OWN else ""), steps

    def _equal_steps(self, left: list[Instr], right: list[Instr]) -> bool:
        if len(left) != len(right):
            return False
        pairs = zip(left, right, strict=True)
        alike = all(one.detail == other.detail and len(one.args) == len(other.args) for one, other in pairs)
        pairs = zip(left, right, strict=True)
        return alike and all(all(map(self._equal, one.args[1:], other.args[1:])) for one, other in pairs)

    def _equal(self, left: str, right: str) -> bool:
        """Whether two registers hold the same value, as computed from the same values in the same way."""
        if left == right:
            return True
        one, other = self.defined.get(left), self.defined.get(right)
        if one is None or other is None or one.op not in PURE:
            return False
        same = (one.op, one.detail, one.types) == (other.op, other.detail, other.types) and len(one.args) == len(other.args)
        return same and all(map(self._equal, one.args, other.args))

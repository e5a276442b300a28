"""Refuses pointers that are kept while their elements go to another vector.

swap and moves exchange the storage of vectors: a pointer, reference or iterator to an element goes with the element. Here an
element is a cell of the array that its vector is, and what points to it stays, so no pointer may be used afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

from metalift.frontend.llvm.names.vector_names import Member, vector_member
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction
from metalift.frontend.llvm.std.vector_writer import INTO, Writer


def refuse_kept_pointers(write: Writer) -> None:
    """Raise Unsupported where a pointer into a vector is used after the vector's elements have gone."""
    for block in write.function.blocks:
        for at, instr in enumerate(block.instrs):
            member = vector_member(instr.detail[0][1:]) if instr.op == "call" and instr.args else None
            for vector in _emptied(instr, member) if member is not None else ():
                kept = _pointers_into(write, vector)
                used = next((name for name in used_after(write.function, block, at) if name in kept), None)
                if used is not None:
                    raise write.fail(instr, f"a pointer into {_spelled(write, used)} that is used after its elements are moved")


def _emptied(call: Instr, member: Member) -> tuple[str, ...]:
    """The vectors whose elements go to another one."""
    if member.name == "swap":
        return call.args[:2]
    types = member.template if member.name == "emplace_back" else member.params
    moved = any(type_.endswith("&&") or (member.template and not type_.endswith("&")) for type_ in types)
    return call.args[1:2] if moved else ()


def _pointers_into(write: Writer, vector: str) -> set[str]:
    """The pointers that may be to elements of a vector, not to the vector itself."""
    roots, depth = write.origins(vector), _depth(write, vector)
    return {name for name in write.defined if write.origins(name) & roots and _depth(write, name) > depth}


def _depth(write: Writer, register: str, seen: frozenset[str] = frozenset()) -> int:
    """How many vectors lie around what a pointer points to."""
    instr = write.defined.get(register)
    if instr is None or register in seen or register in write.objects:
        return 0
    seen |= {register}
    if instr.op == "call":
        member = vector_member(instr.detail[0][1:])
        return 1 + _depth(write, instr.args[0], seen) if member and member.name in INTO else 0
    sources = instr.args[1:] if instr.op == "select" else instr.args if instr.op == "phi" else instr.args[:1]
    return max((_depth(write, source, seen) for source in sources), default=0)


def used_after(function: LlvmFunction, block: BasicBlock, at: int) -> Iterator[str]:
    """The registers from before an instruction that are used after it."""
    blocks = {one.label: one for one in function.blocks}
    pending: list[tuple[BasicBlock, int, frozenset[str]]] = [(block, at + 1, frozenset())]
    seen: dict[str, frozenset[str]] = {}
    while pending:
        current, start, fresh = pending.pop()
        for instr in current.instrs[start:]:
            if instr.op not in ("declare", "phi"):
                yield from (arg for arg in instr.args if arg not in fresh)
            fresh |= {instr.result}
        for label in current.end.targets():
            phis = [instr for instr in blocks[label].instrs if instr.op == "phi"]
            passed = (arg for phi in phis for arg, source in zip(phi.args, phi.detail, strict=True) if source == current.label)
            yield from (arg for arg in passed if arg not in fresh)
            before = seen.get(label)
            if before is None or not before <= fresh:
                seen[label] = fresh if before is None else before & fresh
                pending.append((blocks[label], 0, seen[label]))


def _spelled(write: Writer, register: str) -> str:
    return ", ".join(sorted(map(write.name, write.origins(register))))

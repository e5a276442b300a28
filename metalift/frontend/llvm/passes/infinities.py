"""INFINITY and -INFINITY as the value that a search for an extremum starts from.

Floats are real numbers here, so an infinity is the largest finite number in its place. That is exact where all that it is
compared with is less, and where it is in no result: both are premises. It must not be computed with: a loop that does so
while the value may still be the first one is refused, as is every other use of an infinity.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, predecessors
from metalift.frontend.lower.infinities import PREMISE
from metalift.ir.program.fragment import Diagnostic, Unsupported

FINITE = {
    ("float", "0x7FF0000000000000"): "0x47EFFFFFE0000000",
    ("float", "0xFFF0000000000000"): "0xC7EFFFFFE0000000",
    ("double", "0x7FF0000000000000"): "0x7FEFFFFFFFFFFFFF",
    ("double", "0xFFF0000000000000"): "0xFFEFFFFFFFFFFFFF",
}
COMPARING = ("@llvm.maxnum", "@llvm.minnum", "@llvm.maximum", "@llvm.minimum", "@fmax", "@fmin")


def bound_infinities(function: LlvmFunction) -> tuple[str, ...]:
    """Replace the infinities that loops start from, in place; what is relied on."""
    found = False
    for block in function.blocks:
        for at, instr in enumerate(block.instrs):
            finite = tuple(FINITE.get((instr.type, arg.upper().replace("0X", "0x")), arg) for arg in instr.args)
            if instr.op == "phi" and finite != instr.args:
                body = _loop(function, block)
                if body:
                    _refuse_arithmetic(function, instr.result, body)
                    block.instrs[at] = replace(instr, args=finite)
                    found = True
    return (PREMISE,) if found else ()


def _loop(function: LlvmFunction, header: BasicBlock) -> set[str]:
    """The labels of the blocks of the loop with the header; empty where there is no such loop."""
    sources = predecessors(function.blocks)
    by_label = {block.label: block for block in function.blocks}
    outside = {function.blocks[0].label} - {header.label}
    pending = list(outside)
    while pending:
        for target in by_label[pending.pop()].end.targets():
            if target != header.label and target not in outside:
                outside.add(target)
                pending.append(target)
    pending = [label for label in sources[header.label] if label not in outside]
    body = {header.label} if pending else set()
    while pending:
        label = pending.pop()
        if label not in body:
            body.add(label)
            pending += sources[label]
    return body


def _refuse_arithmetic(function: LlvmFunction, value: str, body: set[str]) -> None:
    for block in function.blocks:
        for instr in block.instrs if block.label in body else ():
            if value in instr.args and not _compares(instr):
                found = "arithmetic on a value that is INFINITY at first"
                raise Unsupported(Diagnostic(instr.location, f"{found}; supported are comparisons, and finite first values"))


def _compares(instr: Instr) -> bool:
    """Whether an instruction compares or chooses values, and computes nothing with them."""
    return instr.op in ("fcmp", "phi", "select") or (instr.op == "call" and instr.detail[0].startswith(COMPARING))

"""Exceptions: a run that throws does not return, so that none is thrown becomes an assumption where the source decides about it.

What happens once an exception is caught is not modelled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, reachable_in_order
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.ssa.promote import forget_edges_from_nowhere
from metalift.ir.program.fragment import Diagnostic, Location, Unsupported
from metalift.ir.program.graphs import reached

ALLOCATE, THROW = "@__cxa_allocate_exception", "@__cxa_throw"
LIBRARY_THROWS = re.compile(r"@_ZSt\d+__throw_\w+|@_ZNSt3__1\d+__throw_\w+|@__cxa_(re)?throw\w*|@__cxa_bad_\w+")
HANDLER = re.compile(r"call ptr @__cxa_begin_catch\(.*?!dbg (!\d+)|call ptr @__cxa_begin_catch\(")
CALLED = re.compile(r'@(?:"([^"]*)"|([-\w.$]+))\(')


def is_throw(symbol: str) -> bool:
    """Whether a function that does not return throws an exception, by its name."""
    return LIBRARY_THROWS.fullmatch(f"@{symbol}") is not None


def refuse_handlers(module: LlvmModule, symbol: str) -> None:
    """Refuse a function that catches exceptions, or comes to one of the program that does."""

    def called(name: str) -> Iterator[str]:
        symbols = (found[1] or found[2] for line in module.bodies[name][1:] for found in CALLED.finditer(line))
        return (other for other in symbols if other in module.bodies and module.is_own(other))

    for name in sorted(reached([symbol], called)):
        for line in module.bodies[name]:
            if found := HANDLER.search(line):
                where = module.metadata.location(found[1]) if found[1] else Location(module.metadata.main_file, 0)
                message = "a handler of exceptions; supported are exceptions that leave the function, assumed not to be thrown"
                raise Unsupported(Diagnostic(where, message))


def cut_throws(function: LlvmFunction) -> None:
    """Let each block that always ends in throwing an exception only throw: what it does before is never seen, in place."""
    ending = {block.label: place for block in function.blocks if (place := _throw(block)) is not None}
    changed = True
    while changed:
        changed = False
        for block in function.blocks:
            targets = block.end.targets()
            if block.label not in ending and targets and all(target in ending for target in targets):
                ending[block.label] = ending[targets[0]]
                changed = True
    for block in function.blocks:
        if block.label in ending:
            where = ending[block.label]
            block.instrs[:] = [Instr("call", detail=(THROW,), location=where), Instr("unreachable", location=where)]
    function.blocks = reachable_in_order(function.blocks)
    forget_edges_from_nowhere(function.blocks)


def _throw(block: BasicBlock) -> Location | None:
    """Where a block begins to throw, if it does."""
    for instr in block.instrs:
        if instr.op == "call" and (instr.detail[0] == ALLOCATE or LIBRARY_THROWS.fullmatch(instr.detail[0])):
            return instr.location
    return None

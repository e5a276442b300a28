"""Places that the source says are never reached: failing assertions, aborts, __builtin_unreachable."""

from __future__ import annotations

import re

from metalift.frontend.llvm.importer.scope import Scope
from metalift.frontend.llvm.passes.exceptions import is_throw
from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr
from metalift.frontend.llvm.ssa.bulk import is_lifetime

ASSERTIONS = frozenset(
    {"__assert_fail", "__assert_rtn", "__assert", "_assert", "__assert2", "_ZSt21__glibcxx_assert_failPKciS0_S0_"}
)
ABORTS = frozenset({"abort", "exit", "_exit", "_Exit", "quick_exit", "__builtin_trap", "llvm.trap", "_ZSt9terminatev"})


def refusal(block: BasicBlock, scope: Scope) -> str | None:
    """What the source calls the condition under which the block is not entered, if entering it only ends the program."""
    if block.end.op != "unreachable":
        return None
    calls = [instr for instr in block.instrs if instr.op == "call" and not is_lifetime(instr)]
    if any(instr.op in ("store", "undefined") for instr in block.instrs) or len(calls) > 1:
        return None
    if not calls:
        return "__builtin_unreachable"
    name = calls[0].detail[0][1:]
    if name in ASSERTIONS:
        return _assertion(calls[0], scope)
    if is_throw(name):
        return "no exception is thrown"
    if name in ABORTS:
        return f"{name.removeprefix('llvm.')} is not called"
    return None


def _assertion(call: Instr, scope: Scope) -> str:
    """The text of an assertion, from the string that its failure would print."""
    for arg in call.args:
        text = scope.module.globals.get(arg, "")
        found = re.search(r'c"((?:[^"\\]|\\.)*)\\00"', text)
        if found and arg.startswith("@.str"):
            readable = re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), found[1])
            return f"assert({readable})"
    return "assert"

"""Refuses calls without a meaning before a function is worked on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from metalift.frontend.llvm.importer.calls import SUPPORTED, external, unknown_call
from metalift.frontend.llvm.names.library_names import has_own_meaning
from metalift.frontend.llvm.passes.local_arrays import is_memory_call
from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction, reachable_in_order
from metalift.ir.program.fragment import Diagnostic, External, Unsupported

CALLABLE = re.compile(r"_ZNK?St(?:3__1)?8functionI")
NO_BODY = re.compile(r"a call of (.*), which is not defined in this file\Z")
MOST = 5  # functions without a body that a message names beside the first
COROUTINE = "@llvm.coro."
INDIRECT = "supported are functions that the compiler can tell from the text, such as lambdas and function objects of the file"


def refuse_unknown_calls(function: LlvmFunction, externals: Sequence[External] = ()) -> None:
    """Refuse the first call that is not modelled and does not stay one; failed assertions and the like are judged later."""
    blocks = reachable_in_order(function.blocks)
    calls = [(block, instr) for block in blocks for instr in block.instrs if instr.op == "call"]
    for _, instr in calls:
        if instr.detail[0].startswith(COROUTINE):
            raise Unsupported(Diagnostic(instr.location, "a coroutine; supported are functions that run from beginning to end"))
    defined = {instr.result: instr for instr in function.instructions() if instr.result}
    found: dict[str, Instr] = {}  # what to tell a person, and the first call that it is about
    for block, instr in calls:
        callee = instr.detail[0]
        indirect = _indirect(callee, defined)
        if indirect and not found:
            raise Unsupported(Diagnostic(instr.location, f"{indirect}; {INDIRECT}"))
        if indirect:
            break
        symbol = callee[1:]
        known = block.end.op == "unreachable" or has_own_meaning(symbol) or is_memory_call(symbol)
        known = known or external(symbol, externals) is not None
        told = None if known else unknown_call(instr)
        if told is not None:
            found.setdefault(told, instr)
    if found:
        first, *others = found
        raise Unsupported(Diagnostic(found[first].location, f"{first}{_nor(first, others)}; {SUPPORTED}"))


def _nor(first: str, others: Sequence[str]) -> str:
    """Which functions have no body either, a few of many; nothing where the first message is not about one that has none."""
    names = [each[1] for other in others if (each := NO_BODY.match(other))]
    if not names or not NO_BODY.match(first):
        return ""
    last = names.pop() if len(names) <= MOST else f"{len(names) - MOST} more"
    return f" (nor are {', '.join(names[:MOST])} and {last})" if names else f" (nor is {last})"


def keeps_its_call(symbol: str) -> bool:
    """Whether calls of a function are not inlined: they have a meaning of their own, or are refused by name."""
    return has_own_meaning(symbol) or CALLABLE.match(symbol) is not None


def _indirect(callee: str, defined: Mapping[str, Instr]) -> str:
    """What is called where it is no function of a name; empty where it is one."""
    if CALLABLE.match(callee[1:]):
        return "a std::function"
    return "a call of a virtual function" if _is_virtual(callee, defined) else ""


def _is_virtual(callee: str, defined: Mapping[str, Instr]) -> bool:
    """Whether the address of a function comes from the table at the beginning of an object."""
    place = _loaded_from(callee, defined)
    entry = defined.get(place)
    table = entry.args[0] if entry is not None and entry.op == "getelementptr" else place
    made = defined.get(table)
    return made is not None and made.op == "load" and made.result.strip("%\"").startswith("vtable")


def _loaded_from(register: str, defined: Mapping[str, Instr]) -> str:
    made = defined.get(register)
    return made.args[0] if made is not None and made.op == "load" else ""

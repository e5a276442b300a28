"""What is printed is not part of what is claimed: calls that only print, and whose results nothing uses, are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.lower.printing import PREMISE

# Of functions of C the arguments that are the stream and the format, -1 where there is none.
OF_C = {
    **{name: (-1, -1) for name in ("puts", "putchar", "putchar_unlocked", "perror")},
    **{name: (1, -1) for name in ("fputs", "fputc", "putc", "putc_unlocked")},
    **{"printf": (-1, 0), "fprintf": (0, 1), "fwrite": (3, -1), "fflush": (0, -1)},
}
STREAMS = frozenset({"@stdout", "@stderr", "@__stdoutp", "@__stderrp"})
OUTPUTS = re.compile(r"@_ZN?St(?:3__1)?4(?:cout|cerr|clog)E?\Z")
MEMBERS = "(?:ls|3put|5write|5flush)"
INSERTERS = re.compile(rf"_ZNSo{MEMBERS}|_ZNSt3__113basic_ostreamI.*?E{MEMBERS}|_ZN?St(?:3__1)?ls\w*basic_ostream")
WRITES = re.compile(r"%[^%A-Za-z]*I?(?:hh|h|ll|l|q|L|j|z|Z|t)?n")


def prints(symbol: str, module: LlvmModule) -> bool:
    """Whether a function is one of the library's that print: calls of these are not inlined."""
    return INSERTERS.match(symbol) is not None or (symbol in OF_C and _is_the_librarys(symbol, module))


def _is_the_librarys(symbol: str, module: LlvmModule) -> bool:
    """Whether a function of C is that of the library: it is not defined, or only for inlining, in a header."""
    if symbol not in module.bodies:
        return True
    return " available_externally " in module.bodies[symbol][0] and not module.is_own(symbol)


def leave_out_printing(function: LlvmFunction, module: LlvmModule) -> None:
    """Leave out what prints, in place."""
    instrs = list(function.instructions())
    loaded = {instr.result: instr.args[0] for instr in instrs if instr.op == "load"}
    printing: dict[int, Instr] = {}
    streams: set[str] = set()
    for instr in instrs:  # what a call of an inserter gives is the stream again
        if instr.op == "call" and _only_prints(instr, module, loaded, streams):
            printing[id(instr)] = instr
            streams.add(instr.result)
    while used := _used_elsewhere(instrs, printing):
        printing = {key: instr for key, instr in printing.items() if instr.result not in used}
    if printing:
        dead = {name for name, place in loaded.items() if place in STREAMS} - _used_elsewhere(instrs, printing, every=True)
        for block in function.blocks:
            block.instrs[:] = [each for each in block.instrs if id(each) not in printing and each.result not in dead]
        function.relied_on = (*function.relied_on, PREMISE)


def _only_prints(instr: Instr, module: LlvmModule, loaded: dict[str, str], streams: set[str]) -> bool:
    """Whether a call does nothing but print."""
    symbol = instr.detail[0][1:]
    if not prints(symbol, module):
        return False
    if symbol not in OF_C:
        return OUTPUTS.match(instr.args[0]) is not None or instr.args[0] in streams
    stream, form = OF_C[symbol]
    known = stream < 0 or loaded.get(instr.args[stream]) in STREAMS or (symbol == "fflush" and instr.args[stream] == "null")
    return known and (form < 0 or _writes_nothing(instr.args[form], module))


def _writes_nothing(form: str, module: LlvmModule) -> bool:
    """Whether a format is a constant without `%n`, which writes to memory."""
    found = re.search(r'\bconstant \[\d+ x i8\] c"(.*)"', module.globals.get(form, ""))
    return found is not None and WRITES.search(found[1].replace("%%", "")) is None


def _used_elsewhere(instrs: Sequence[Instr], printing: dict[int, Instr], *, every: bool = False) -> set[str]:
    """The results of what prints, or with `every` all values, that something else uses."""
    own = {instr.result for instr in printing.values() if instr.result}
    used = set(_used(instr for instr in instrs if id(instr) not in printing))
    return used if every else used & own


def _used(instrs: Iterator[Instr]) -> Iterator[str]:
    for instr in instrs:
        yield from (arg for arg in instr.args if arg.startswith("%"))

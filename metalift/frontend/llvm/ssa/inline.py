"""Inlining of the functions that a module defines, until only calls of what the importer knows or refuses remain."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import BasicBlock, Instr, LlvmFunction, reachable_in_order
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.ssa.slices import rename_sources
from metalift.ir.program.fragment import Diagnostic, Location, Unsupported

CALL = re.compile(r'^  (?:%\S+ = )?(?:tail |musttail |notail )?call [^@]*@(?:"([^"]*)"|([-\w.$]+))\(')
LIMIT = 20_000  # instructions of one function after inlining


class Inliner:
    """Inlines within one module. `keep` says of a symbol that its calls stay: they have a meaning of their own."""

    def __init__(self, module: LlvmModule, keep: Callable[[str], bool]) -> None:
        self.module = module
        self.keep = keep
        self.count = 0
        self.callees: dict[str, LlvmFunction] = {}
        self.lines: dict[str, int] = {}

    def function(self, symbol: str, callers: tuple[str, ...] = ()) -> LlvmFunction:
        """The function with all calls of defined functions inlined."""
        if not callers and self._lines(symbol) > 2 * LIMIT:
            raise self._too_large(symbol)
        function = self.module.function(symbol)
        function.blocks = reachable_in_order(function.blocks)
        pending = list(function.blocks)
        size = sum(len(block.instrs) for block in pending)
        function.blocks = []
        while pending:
            block = pending.pop(0)
            function.blocks.append(block)
            at = next((at for at, instr in enumerate(block.instrs) if self._inlinable(instr)), None)
            if at is not None:
                spliced, rest = self._splice(function, block, at, (*callers, symbol))
                rename_sources([*function.blocks, *pending, rest], block.label, rest)
                function.blocks += spliced
                pending.insert(0, rest)
                size += sum(len(each.instrs) for each in spliced)
            if size > LIMIT:
                raise self._too_large(symbol)
        return function

    def _too_large(self, symbol: str) -> Unsupported:
        place = Location(self.module.metadata.main_file, 0)
        return Unsupported(Diagnostic(place, f"{symbol} is too large after inlining"))

    def _lines(self, symbol: str) -> int:
        """About how many instructions a function has with the bodies of what it calls: those of its text."""
        if symbol not in self.lines:
            self.lines[symbol] = 0  # recursion is told when it is met
            body = self.module.bodies[symbol]
            called = (found[1] or found[2] for line in body[1:] if (found := CALL.search(line)))
            inlined = [name for name in called if name in self.module.bodies and not self.keep(name)]
            self.lines[symbol] = len(body) + sum(map(self._lines, inlined))
        return self.lines[symbol]

    def _inlinable(self, instr: Instr) -> bool:
        return instr.op == "call" and instr.detail[0][1:] in self.module.bodies and not self.keep(instr.detail[0][1:])

    def _splice(
        self, function: LlvmFunction, block: BasicBlock, at: int, callers: tuple[str, ...]
    ) -> tuple[list[BasicBlock], BasicBlock]:
        """Cut `block` at the call; the callee's blocks, and the block that goes on after it."""
        call = block.instrs[at]
        symbol = call.detail[0][1:]
        name = self.module.metadata.subprogram_name(self.module.subprogram(symbol)) or symbol
        if symbol in callers:
            raise Unsupported(Diagnostic(call.location, self._recursion((*callers, symbol), name)))
        callee = self._callee(symbol, callers, call)
        if callee.variadic or [arg.type for arg in callee.args] != list(call.types) or callee.result != call.type:
            raise Unsupported(Diagnostic(call.location, f"the call of {name} has other types than its definition"))
        self.count += 1
        suffix = f".i{self.count}"
        inside = self._in_main_file(callee)
        values = dict(zip((arg.name for arg in callee.args), call.args, strict=True))
        copies = _copies(self.module, callee, call, suffix)
        values |= {arg: copy for arg, (copy, _) in copies.items()}

        def rename(value: str) -> str:
            return values.get(value, value + suffix if value.startswith("%") else value)

        after = BasicBlock(f"{block.label}.after{suffix}", block.instrs[at + 1 :])
        spliced = [
            BasicBlock(inner.label + suffix, [_moved(item, rename, suffix) for item in inner.instrs]) for inner in callee.blocks
        ]
        returns: list[tuple[str, str]] = []
        for inner in spliced:
            if not inside:
                inner.instrs[:] = [replace(instr, location=call.location) for instr in inner.instrs]
            if inner.end.op == "ret":
                returns += [(value, inner.label) for value in inner.end.args]
                inner.instrs[-1] = Instr("br", detail=(after.label,), location=inner.end.location)
        allocated = [instr.result for inner in spliced for instr in inner.instrs if instr.op == "alloca"]
        renewed = [Instr("declare", args=(local,), detail=(local[1:],), location=call.location) for local in allocated]
        copied = [instr for _, instrs in copies.values() for instr in instrs]
        block.instrs[at:] = [*copied, *renewed, Instr("br", detail=(spliced[0].label,), location=call.location)]
        if call.result and returns:
            args, sources = zip(*returns, strict=True)
            types = (call.type,) * len(args)
            after.instrs.insert(0, Instr("phi", call.result, call.type, args, types, sources, location=call.location))
        kept = {value: hint for value, hint in callee.hints.items() if value not in values}
        function.hints |= {rename(value): hint if inside else replace(hint, own=False) for value, hint in kept.items()}
        return spliced, after

    def _callee(self, symbol: str, callers: tuple[str, ...], call: Instr) -> LlvmFunction:
        """The function that is called; what is wrong in a header is told at the call."""
        try:
            if symbol not in self.callees:
                self.callees[symbol] = self.function(symbol, callers)
            return self.callees[symbol]
        except Unsupported as problem:
            if problem.diagnostic.location.file == self.module.metadata.main_file:
                raise
            raise Unsupported(replace(problem.diagnostic, location=call.location)) from problem

    def _recursion(self, callers: tuple[str, ...], name: str) -> str:
        """What to tell a person: of functions from headers, the one that the source calls."""
        metadata = self.module.metadata
        scopes = [(caller, self.module.subprogram(caller)) for caller in callers]
        outer = [ref for _, ref in scopes if metadata.scope_file(ref) != metadata.main_file]
        known = metadata.scope_file(self.module.subprogram(callers[-1])) == metadata.main_file
        if known or not outer:
            return f"recursion: {name} calls itself; only calls that can be inlined are supported"
        called = metadata.subprogram_name(outer[0]).partition("<")[0]
        return f"a call of {called}, which is recursive; only calls that can be inlined are supported"

    def _in_main_file(self, function: LlvmFunction) -> bool:
        metadata = self.module.metadata
        return metadata.scope_file(function.subprogram) == metadata.main_file


def _copies(module: LlvmModule, callee: LlvmFunction, call: Instr, suffix: str) -> dict[str, tuple[str, list[Instr]]]:
    """For each struct that is passed in memory, by parameter: the callee's own copy, and what makes it."""
    made = {}
    for arg, passed in zip(callee.args, call.args, strict=True):
        size = module.layout.size(arg.pointee) if "byval" in arg.attributes else None
        if size is not None:
            name, where = f"{arg.name}{suffix}", call.location
            args, types = (name, passed, str(size), "false"), ("ptr", "ptr", "i64", "i1")
            copy = Instr("call", "", "void", args, types, ("@llvm.memcpy.p0.p0.i64",), location=where)
            made[arg.name] = (name, [Instr("alloca", name, "ptr", detail=(arg.pointee,), location=where), copy])
    return made


def _moved(instr: Instr, rename: Callable[[str], str], suffix: str) -> Instr:
    """The callee's instruction with its values and labels renamed."""
    made = instr.map_values(rename)
    if made.result:
        made = replace(made, result=rename(made.result))
    if made.op in ("br", "phi"):
        made = replace(made, detail=tuple(label + suffix for label in made.detail))
    elif made.op == "switch":
        labels = (made.detail[0] + suffix, *(item + suffix if at % 2 else item for at, item in enumerate(made.detail[1:])))
        made = replace(made, detail=labels)
    return made

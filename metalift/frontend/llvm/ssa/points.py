"""Which variables, arguments and globals the pointers of a function may point into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from metalift.frontend.llvm.names.map_names import map_member
from metalift.frontend.llvm.names.vector_names import PURE, extremum, vector_member
from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction
from metalift.frontend.llvm.ssa.bulk import is_lifetime

UNKNOWN = "?"
POINTING = frozenset({"call", "getelementptr", "extractvalue", "keyed.entry", "phi", "select", "freeze"})


@dataclass(slots=True)
class Points:
    """The roots of pointers: allocas, arguments, globals, and `?` for what is not known. `named` gives those of other names."""

    function: LlvmFunction
    named: Mapping[str, str]
    found: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = [instr.result for instr in self.function.instructions() if instr.op == "alloca"]
        self.found = {name: frozenset({name}) for name in (*own, *(arg.name for arg in self.function.args))}
        self.found |= {name: frozenset({root}) for name, root in self.named.items()}
        changed = True
        while changed:
            changed = False
            for instr in self.function.instructions():
                if "ptr" in instr.type and instr.result and instr.op != "alloca":
                    new = self._of_result(instr)
                    if new != self.found.get(instr.result, frozenset()):
                        self.found[instr.result], changed = new, True

    def _of_result(self, instr: Instr) -> frozenset[str]:
        sources = _sources(instr)
        if not sources:
            return frozenset({UNKNOWN})
        known = (self.found.get(each, frozenset({each} if each[:1] == "@" else ())) for each in sources)
        return frozenset[str]().union(*known)

    def of(self, pointer: str) -> frozenset[str]:
        """The roots of a pointer."""
        return self.found.get(pointer, frozenset({pointer if pointer[:1] == "@" else UNKNOWN}))

    def used(self, instr: Instr) -> set[str]:
        """The roots of all pointers that an instruction uses."""
        return {root for arg in instr.args for root in self.found.get(arg, frozenset({arg} if arg[:1] == "@" else ()))}

    def written(self, instr: Instr) -> set[str]:
        """The roots of the pointers through which an instruction may write."""
        if instr.op == "store":
            return self.used(instr)
        if instr.op != "call" or is_lifetime(instr):
            return set()
        symbol = instr.detail[0][1:]
        member, vector = map_member(symbol), vector_member(symbol)
        if extremum(symbol) is not None or (vector is not None and vector.name in PURE):
            return set()
        if member is not None and not any(param.endswith("&&") for param in (*member.params, *member.template)):
            return set(self.of(instr.args[0]))
        return self.used(instr)


def _sources(instr: Instr) -> tuple[str, ...]:
    """The pointers that a pointer is computed of; none where that is not known."""
    match instr.op:
        case "phi":
            return instr.args
        case "select":
            return instr.args[1:]
        case "call":
            symbol = instr.detail[0][1:]
            known = vector_member(symbol) is not None or map_member(symbol) is not None
            return instr.args if extremum(symbol) is not None else instr.args[:1] if known else ()
    return instr.args[:1] if instr.op in POINTING else ()

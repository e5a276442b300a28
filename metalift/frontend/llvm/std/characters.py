"""Reads strings whose characters are used as vectors of char: the calls of their members become those of std::vector<char>.

Strings that are only compared stay for `metalift.frontend.llvm.std.strings`. A string is either the one or the other, with all
strings that it is copied to or from: what is asked of one that has no such member of vectors is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from metalift.frontend.llvm.names.string_names import STRING, StringCall, string_call
from metalift.frontend.llvm.names.vector_names import iterated
from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.metadata import SourceType
from metalift.frontend.llvm.ssa.promote import promote
from metalift.frontend.llvm.std.kept_pointers import used_after
from metalift.frontend.llvm.std.terminators import Terminators
from metalift.frontend.llvm.std.vector_members import REVERSED, TERMINATED
from metalift.ir.expr.types import STRING as TEXT
from metalift.ir.program.fragment import Diagnostic, Premise, PremiseKind, Unsupported

SIZE, CHAR, COPIED, MOVED = "unsigned long", "char", f"{STRING} const&", f"{STRING}&&"
VECTOR = "@_ZNSt6vectorIcSaIcEE"
MEMBERS = {  # of std::string, by name and parameters, as the linker names of those of std::vector<char>
    ("size", ()): "4sizeEv",
    ("length", ()): "4sizeEv",
    ("empty", ()): "5emptyEv",
    ("operator[]", (SIZE,)): "ixEm",
    ("at", (SIZE,)): "2atEm",
    ("front", ()): "5frontEv",
    ("back", ()): "4backEv",
    ("data", ()): "4dataEv",
    ("begin", ()): "5beginEv",
    ("cbegin", ()): "6cbeginEv",
    ("end", ()): "3endEv",
    ("cend", ()): "4cendEv",
    ("push_back", (CHAR,)): "9push_backERKc",
    ("operator+=", (CHAR,)): "9push_backERKc",
    ("pop_back", ()): "8pop_backEv",
    ("clear", ()): "5clearEv",
    ("reserve", ()): "13shrink_to_fitEv",
    ("reserve", (SIZE,)): "7reserveEm",
    ("shrink_to_fit", ()): "13shrink_to_fitEv",
    ("resize", (SIZE,)): "6resizeEm",
    ("resize", (SIZE, CHAR)): "6resizeEmRKc",
    ("assign", (SIZE, CHAR)): "6assignEmRKc",
    ("assign", (COPIED,)): "aSERKS1_",
    ("operator=", (COPIED,)): "aSERKS1_",
    ("operator=", (MOVED,)): "aSEOS1_",
    ("swap", (f"{STRING}&",)): "4swapERS1_",
    ("constructor", ()): "C2Ev",
    ("constructor", (SIZE, CHAR)): "C2EmRKcRKS0_",
    ("constructor", (COPIED,)): "C2ERKS1_",
    ("constructor", (MOVED,)): "C2EOS1_",
}
RANGE, BACKWARDS = "C2IPKcvEET_S4_RKS0_", "C2ISt16reverse_iteratorIPKcEvEET_S6_RKS0_"
EITHER = frozenset({("empty", ()), ("constructor", ())})  # asked of strings of both kinds
OF_STRINGS = frozenset({COPIED, MOVED, f"{STRING}&"})
GIVE_ITSELF = frozenset({"operator=", "operator+=", "assign"})
WITHOUT_NULL = "the null behind the characters of a string is not read through a pointer"
REFERENCES = frozenset({"operator[]", "at", "front", "back"})
LIFETIME = re.compile(r"@llvm\.lifetime\.(?:start|end)\b")
SUPPORTED = (
    "of a string whose characters are used, supported are size, length, empty, [], at, front, back, data, begin, end, push_back, "
    "+= of a character, pop_back, clear, reserve, resize, assign, swap, copies, moves and range-for"
)


def use_characters(function: LlvmFunction, module: LlvmModule) -> None:
    """Let strings whose characters are used be vectors of char, in place."""
    if any(instr.op == "call" and string_call(instr.detail[0][1:]) for instr in function.instructions()):
        promote(function, module.layout)
        _Characters(function, module).run()


@dataclass(slots=True)
class _Characters:
    """`groups` has the strings that are copied to each other, by each of them; `places` are of characters passed by value."""

    function: LlvmFunction
    module: LlvmModule
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    places: list[Instr] = field(default_factory=list)

    def run(self) -> None:
        """Rewrite the function."""
        self._name_themselves()
        self.groups = {name: frozenset({name}) for name in self._objects()}
        for instr, _ in self._members():
            self._join({arg for arg in instr.args[:2] if arg in self.groups})
        used = {instr.args[0] for instr, call in self._members() if _is_of_characters(call)} & self.groups.keys()
        used |= {arg.name for arg in self.function.args if "sret" in arg.attributes} & self.groups.keys()
        ours = frozenset[str]().union(*(self.groups[name] for name in used))
        if ours:
            self._rewrite(ours)

    def _members(self) -> Iterator[tuple[Instr, StringCall]]:
        """The calls of members."""
        for instr in self.function.instructions():
            call = string_call(instr.detail[0][1:]) if instr.op == "call" and instr.args else None
            if call is not None and call.member:
                yield instr, call

    def _name_themselves(self) -> None:
        """Let the references that members give to their own strings be these."""
        given = {instr.result: instr.args[0] for instr, call in self._members() if call.name in GIVE_ITSELF and instr.result}

        def whole(name: str) -> str:
            return whole(given[name]) if name in given else name

        for block in self.function.blocks:
            block.instrs[:] = [instr.map_values(whole) for instr in block.instrs]

    def _objects(self) -> Iterator[str]:
        """The strings that are parameters, the result or variables of the function itself."""
        metadata = self.module.metadata
        result, *types = [metadata.type(ref) for ref in metadata.signature(self.function.subprogram)] or [SourceType("void", "")]
        taken = [arg for arg in self.function.args if "sret" not in arg.attributes]
        if len(taken) == len(types):
            yield from (arg.name for arg, type_ in zip(taken, types, strict=True) if arg.type == "ptr" and _is_string(type_))
        if result.kind == "scalar" and result.scalar == TEXT:
            yield from (arg.name for arg in self.function.args if "sret" in arg.attributes)
        called = {instr.args[0] for instr, _ in self._members()}
        yield from (i.result for i in self.function.instructions() if i.op == "alloca" and i.result in called)

    def _join(self, names: set[str]) -> None:
        whole = frozenset[str]().union(*(self.groups[name] for name in names))
        self.groups.update(dict.fromkeys(whole, whole))

    def _rewrite(self, ours: frozenset[str]) -> None:
        for block in self.function.blocks:
            block.instrs[:] = [instr for instr in block.instrs if ours.isdisjoint(instr.args) or not _ends_or_begins(instr)]
        self._check(ours)
        known = Terminators(self.function)
        pointed = any(self._gives_pointer(instr, call) for instr, call in self._members() if instr.args[0] in ours)
        for block in self.function.blocks:
            changed: list[Instr] = []
            for instr in block.instrs:
                if ours.isdisjoint(instr.args) or instr.op == "declare":
                    changed.append(instr)
                    continue
                end = _call_of(instr).name == "operator[]" and known.may_be_read(block, instr)
                changed += self._converted(instr, frozenset({TERMINATED}) if end else frozenset())
            block.instrs[:] = changed
        self.function.blocks[0].instrs[:0] = self.places
        if pointed:
            self.function.relied_on = (*self.function.relied_on, Premise(WITHOUT_NULL, PremiseKind.VALUES))
        self.function.characters = ours & {arg.name for arg in self.function.args}

    def _gives_pointer(self, instr: Instr, call: StringCall) -> bool:
        """Whether the result may be a pointer that goes on to the end: a reference is read or written at once."""
        if call.name not in REFERENCES:
            return call.name == "data"
        uses = (each for each in self.function.instructions() if instr.result in each.args)
        return any(each.op not in ("load", "store") or instr.result in each.args[:-1] for each in uses)

    def _check(self, ours: frozenset[str]) -> None:
        """Raise Unsupported where a string is asked what a vector is not, or used in another way."""
        for block in self.function.blocks:
            for at, instr in enumerate(block.instrs):
                if ours.isdisjoint(instr.args) or instr.op == "declare":
                    continue
                if instr.op != "call" or string_call(instr.detail[0][1:]) is None:
                    raise _fail(instr, "a std::string that is passed on")
                call = _call_of(instr)
                others = instr.args[1:2] if OF_STRINGS & set(call.params) else ()
                if _suffix(call) is None or not ours.issuperset((instr.args[0], *others)):
                    raise _fail(instr, f"std::string::{call.name}" if call.member else f"{call.name} of std::string")
                if MOVED in call.params and instr.args[1] in set(used_after(self.function, block, at)):
                    raise _fail(instr, "a std::string that is used after a move")

    def _converted(self, instr: Instr, flags: frozenset[str]) -> list[Instr]:
        """The call of the vector's member, with characters that are passed by value in memory before."""
        call = _call_of(instr)
        args, types, stores = list(instr.args), list(instr.types), []
        for position, type_ in enumerate(call.params, start=1):
            if type_ == CHAR:
                place = f"%character.p{len(self.places)}"
                self.places.append(Instr("alloca", place, "ptr", detail=("i8",)))
                stores.append(Instr("store", "", "i8", (args[position], place), ("i8", "ptr"), location=instr.location))
                args[position], types[position] = place, "ptr"
        changed = replace(instr, args=tuple(args), types=tuple(types), detail=(f"{VECTOR}{_suffix(call)}",), flags=flags)
        return [*stores, replace(changed, result="", type="void") if call.name in GIVE_ITSELF else changed]


def _call_of(instr: Instr) -> StringCall:
    """What an instruction that is known to be a call of std::string calls."""
    found = string_call(instr.detail[0][1:])
    assert found is not None
    return found


def _ends_or_begins(instr: Instr) -> bool:
    """Whether it only begins or ends the life of a string."""
    call = string_call(instr.detail[0][1:]) if instr.op == "call" else None
    return instr.op == "call" and (
        LIFETIME.match(instr.detail[0]) is not None or (call is not None and call.name == "destructor")
    )


def _is_string(type_: SourceType) -> bool:
    held = type_.target if type_.kind == "reference" and type_.target is not None else type_
    return held.kind == "scalar" and held.scalar == TEXT


def _is_of_characters(call: StringCall) -> bool:
    """Whether it shows that a string's characters are used."""
    either = OF_STRINGS & set(call.params) or _plain(call) in EITHER
    return _suffix(call) is not None and not either


def _plain(call: StringCall) -> tuple[str, tuple[str, ...]]:
    return call.name, tuple(type_ for type_ in call.params if not type_.startswith("std::allocator<"))


def _suffix(call: StringCall) -> str | None:
    """How the linker name of the vector's member ends; None where there is no such member."""
    if not call.member or not call.template or _plain(call) in MEMBERS:
        return MEMBERS.get(_plain(call)) if call.member else None
    backwards = REVERSED.match(call.template[0])
    if call.name != "constructor" or iterated(backwards[1] if backwards else call.template[0]) != CHAR:
        return None
    return BACKWARDS if backwards else RANGE


def _fail(instr: Instr, found: str) -> Unsupported:
    shown = found.replace("constructor", "string")
    return Unsupported(Diagnostic(instr.location, f"{shown} as it is used here; {SUPPORTED}"))

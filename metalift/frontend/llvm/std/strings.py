"""Writes std::string out as values of the pseudo type `string`, of which nothing is known but whether two are equal.

Those whose characters are used are vectors before (`metalift.frontend.llvm.std.characters`).

A string object is a place that holds such a value: copies, moves and assignments of strings are loads and stores, comparisons
are of the values, and a constant is the number that stands for it (`metalift.ir.interp.identities`). Parameters by value, or by
reference to const, are values. What else is asked of a string, or made of one, is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from metalift.frontend.llvm.names.string_names import CHARACTERS, STRING, StringCall, string_call
from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.read.metadata import SourceType
from metalift.frontend.llvm.read.tables import constant_cells
from metalift.frontend.llvm.ssa.promote import promote
from metalift.ir.expr.types import STRING as TEXT
from metalift.ir.interp import identities
from metalift.ir.program.fragment import Diagnostic, Location, Unsupported

TYPE = "string"  # the pseudo type
SUPPORTED = (
    "supported are ==, !=, compare with 0, empty, copies, moves, assignments, swap, and strings made of a literal; "
    "or the characters of strings that are parameters, variables or the result"
)
EMPTY = str(identities.of_text(""))
PLAIN = (f"{STRING} const&", f"{STRING}&&", f"{STRING}&")


def expand_strings(function: LlvmFunction, module: LlvmModule) -> None:
    """Replace all calls of members and operators of std::string, and the parameters that are strings, in place."""
    calls = any(instr.op == "call" and string_call(instr.detail[0][1:]) for instr in function.instructions())
    if calls:
        promote(function, module.layout)
    own: set[str] = set()  # the places of local variables and of their fields
    for instr in function.instructions():
        if instr.op == "alloca" or (instr.op == "getelementptr" and instr.args[0] in own):
            own.add(instr.result)
    _Expansion(function, module, own).run()


@dataclass(slots=True)
class _Expansion:
    function: LlvmFunction
    module: LlvmModule
    locals: set[str]
    out: list[Instr] = field(default_factory=list)
    count: int = 0

    def run(self) -> None:
        """Rewrite the function."""
        self._result()
        self._parameters()
        for block in self.function.blocks:
            self.out = []
            for instr in block.instrs:
                call = string_call(instr.detail[0][1:]) if instr.op == "call" else None
                if call is not None:
                    self._call(instr, call)
                else:
                    self.out.append(instr)
            block.instrs[:] = self.out

    def _result(self) -> None:
        metadata = self.module.metadata
        result = metadata.signature(self.function.subprogram)[:1] if not self._gives_characters() else []
        if result and metadata.type(result[0]).scalar == TEXT and metadata.type(result[0]).kind == "scalar":
            line = int(metadata.fields(self.function.subprogram).get("line", 0))
            place = Location(metadata.scope_file(self.function.subprogram), line)
            found = "a result of type std::string; supported are results that are numbers, and vectors and sets of strings"
            raise Unsupported(Diagnostic(place, found))

    def _gives_characters(self) -> bool:
        return any("sret" in arg.attributes and arg.name in self.function.characters for arg in self.function.args)

    def _parameters(self) -> None:
        """Let parameters that are strings be values, in a variable each."""
        metadata = self.module.metadata
        types = [metadata.type(ref) for ref in metadata.signature(self.function.subprogram)[1:]]
        taken = [arg for arg in self.function.args if "sret" not in arg.attributes]
        values = {arg.name for arg, type_ in zip(taken, types, strict=False) if arg.type == "ptr" and is_value(type_)}
        strings = values - self.function.characters
        if not strings or len(types) != len(taken):
            return
        objects = {name: f"%{name[1:].strip(chr(34))}.object" for name in strings}
        for block in self.function.blocks:
            block.instrs[:] = [instr.map_values(lambda arg: objects.get(arg, arg)) for instr in block.instrs]
        made = []
        for name, place in objects.items():
            made.append(Instr("alloca", place, "ptr", detail=(TYPE,)))
            made.append(Instr("store", "", TYPE, (name, place), (TYPE, "ptr")))
        self.function.blocks[0].instrs[:0] = made
        args = (replace(arg, type=TYPE, attributes=frozenset()) if arg.name in strings else arg for arg in self.function.args)
        self.function.args = tuple(args)

    # Calls

    def _call(self, instr: Instr, call: StringCall) -> None:
        handlers: dict[str, Callable[[Instr, StringCall], bool]] = {
            "constructor": self._assign,
            "operator=": self._assign,
            "assign": self._assign,
            "destructor": lambda instr, call: True,
            "operator==": self._compare,
            "operator!=": self._compare,
            "compare": self._compare,
            "empty": self._empty,
            "swap": self._swap,
        }
        handler = handlers.get(call.name)
        if handler is None or not handler(instr, call):
            raise self._fail(instr, f"std::string::{call.name}" if call.member else f"{call.name} of std::string")

    def _fail(self, instr: Instr, found: str) -> Unsupported:
        shown = found.replace("constructor", "string")
        return Unsupported(Diagnostic(instr.location, f"{shown} as it is used here; {SUPPORTED}"))

    def _assign(self, instr: Instr, call: StringCall) -> bool:
        """string(), string(s), string("..."), s = t, s = "...", s.assign(t)"""
        if not call.params and call.name == "constructor":
            value = EMPTY
        elif len([each for each in call.params if not each.startswith("std::allocator<")]) != 1:
            return False
        else:
            value = self._value(instr, instr.args[1], call.params[0])
        self._store(instr, value, instr.args[0])
        if call.params and call.params[0].endswith("&&") and instr.args[1] != instr.args[0]:
            self._moved(instr, instr.args[1])
        if instr.result:
            args, types = (instr.args[0], "0"), ("ptr", "i64")
            self.out.append(Instr("getelementptr", instr.result, "ptr", args, types, ("i8",), location=instr.location))
        return True

    def _moved(self, instr: Instr, place: str) -> None:
        """What a string holds after a move is not known: a variable has no value then."""
        if place not in self.locals:
            raise self._fail(instr, "std::move of a string that is no local variable")
        lost = self._fresh("moved")
        self.out.append(Instr("undefined", lost, TYPE, detail=(place[1:],), location=instr.location))
        self._store(instr, lost, place)

    def _compare(self, instr: Instr, call: StringCall) -> bool:
        """s == t, s != t, s.compare(t), which is only asked whether it is 0"""
        types = (f"{STRING} const&", *call.params) if call.member else call.params
        if len(types) != 2 or len(instr.args) != 2:
            return False
        values = tuple(self._value(instr, arg, type_) for arg, type_ in zip(instr.args, types, strict=True))
        differ = call.name != "operator=="
        if call.name != "compare":
            self._same(instr, values, instr.result, differ=differ)
            return True
        users = [each for each in self.function.instructions() if instr.result in each.args]
        if any(each.op != "icmp" or each.detail[0] not in ("eq", "ne") or "0" not in each.args for each in users):
            return False
        different = self._fresh("differ")
        self._same(instr, values, different, differ=True)
        self.out.append(Instr("zext", instr.result, instr.type, (different,), ("i1",), location=instr.location))
        return True

    def _same(self, instr: Instr, values: tuple[str, ...], result: str, *, differ: bool) -> None:
        detail = ("ne",) if differ else ("eq",)
        self.out.append(Instr("icmp", result, "i1", values, (TYPE, TYPE), detail, location=instr.location))

    def _empty(self, instr: Instr, call: StringCall) -> bool:
        """s.empty()"""
        self._same(instr, (self._load(instr, instr.args[0]), EMPTY), instr.result, differ=False)
        return True

    def _swap(self, instr: Instr, call: StringCall) -> bool:
        """s.swap(t)"""
        values = [self._load(instr, arg) for arg in instr.args]
        for value, place in zip(reversed(values), instr.args, strict=True):
            self._store(instr, value, place)
        return True

    # Values

    def _value(self, instr: Instr, token: str, type_: str) -> str:
        if type_ in PLAIN:
            return self._load(instr, token)
        text = self._constant(token) if type_ == CHARACTERS else None
        if text is None:
            raise self._fail(instr, f"a std::string compared with, or made of, a {type_}")
        return str(identities.of_text(text))

    def _constant(self, token: str) -> str | None:
        """The text of a literal of the source, up to its first null character."""
        found = constant_cells(self.module, token)
        if found is None or found[0] != "i8" or "0" not in found[1]:
            return None
        cells = found[1][: found[1].index("0")]
        try:
            return bytes(int(cell) % 256 for cell in cells).decode()
        except UnicodeDecodeError:
            return None

    def _fresh(self, base: str) -> str:
        self.count += 1
        return f"%{base}.s{self.count}"

    def _load(self, instr: Instr, place: str) -> str:
        result = self._fresh("text")
        self.out.append(Instr("load", result, TYPE, (place,), ("ptr",), location=instr.location))
        return result

    def _store(self, instr: Instr, value: str, place: str) -> None:
        self.out.append(Instr("store", "", TYPE, (value, place), (TYPE, "ptr"), location=instr.location))


def is_value(type_: SourceType) -> bool:
    """Whether a parameter of the type is a string that the function only reads, or its own copy of one."""
    if type_.kind == "reference":
        return type_.target is not None and type_.target.kind == "scalar" and type_.target.scalar == TEXT and type_.target.const
    return type_.kind == "scalar" and type_.scalar == TEXT

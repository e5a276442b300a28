"""Reads the text of an LLVM module. Only the functions that are asked for are parsed: a C++ file that includes <vector> has
thousands of lines that no kernel reaches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from metalift.frontend.llvm.read.llvm_instructions import Tokens, parse_instruction
from metalift.frontend.llvm.read.llvm_ir import Argument, BasicBlock, Hint, Instr, Layout, LlvmFunction
from metalift.frontend.llvm.read.metadata import Metadata
from metalift.ir.program.fragment import Location

NAME = r'"(?:[^"\\]|\\.)*"|[-\w.$]+'
DEFINE = re.compile(rf"define .*?@({NAME})\(")
WEAK = re.compile(r"define (?:\w+ )*?(?:internal|private|weak|weak_odr|linkonce|linkonce_odr|available_externally) ")
LABEL = re.compile(rf"({NAME}):")
GLOBAL = re.compile(rf"@({NAME}) = (.*)")
MENTIONED = re.compile(rf"@({NAME})")
NAMED_TYPE = re.compile(r'(%"[^"]*"|%[-\w.$]+) = type (.*)')
UNITS = re.compile(r"!llvm\.dbg\.cu = !\{(!\d+)")
METADATA_LINE = re.compile(r"(!\d+) = (?:distinct )?(.*)")
DEBUG_RECORD = re.compile(r"dbg[_.](declare|value)\(")


@lru_cache(maxsize=2)
def mentions(text: str) -> Mapping[str, frozenset[str]]:
    """What is named in each function and variable that a module's text defines."""
    found: dict[str, set[str]] = {}
    current: set[str] = set()
    for line in text.splitlines():
        head = DEFINE.match(line) if line.startswith("define ") else GLOBAL.match(line) if line.startswith("@") else None
        if head is not None:
            current = found.setdefault(head[1].strip('"'), set())
        if head is not None or line.startswith(" "):
            current.update(name.strip('"') for name in MENTIONED.findall(line))
    return {name: frozenset(used) for name, used in found.items()}


class LlvmModule:
    """A module by its text: `directory` is where clang ran."""

    def __init__(self, text: str, directory: Path) -> None:
        self.bodies: dict[str, list[str]] = {}
        self.globals: dict[str, str] = {}
        named: dict[str, str] = {}
        metadata: dict[str, str] = {}
        main_unit = ""
        body: list[str] | None = None
        for line in text.splitlines():
            if body is not None:
                body.append(line)
                if line == "}":
                    body = None
            elif line.startswith("!") and (found := METADATA_LINE.match(line)):
                metadata[found[1]] = found[2]
            elif line.startswith("define ") and (found := DEFINE.match(line)):
                body = self.bodies.setdefault(found[1].strip('"'), [line])
            elif line.startswith("@") and (found := GLOBAL.match(line)):
                self.globals["@" + found[1].strip('"')] = found[2]
            elif line.startswith("%") and (found := NAMED_TYPE.match(line)):
                named[found[1]] = found[2]
            elif found := UNITS.match(line):
                main_unit = found[1]
        self.metadata = Metadata(metadata, directory, main_unit)
        self.layout = Layout(named)

    def subprogram(self, symbol: str) -> str:
        """The number of the debug information of a defined function, empty where it has none."""
        found = re.search(r"!dbg (!\d+)", self.bodies[symbol][0])
        return found[1] if found else ""

    def is_own(self, symbol: str) -> bool:
        """Whether a defined function is the program's own: its text is in no header, or nothing else may define it."""
        ref = self.subprogram(symbol)
        return ref != "" and (self.metadata.is_own_file(self.metadata.scope_file(ref)) or not WEAK.match(self.bodies[symbol][0]))

    def function(self, symbol: str) -> LlvmFunction:
        """Parse a function that has a body here."""
        lines = self.bodies[symbol]
        args, result, variadic = _parse_header(lines[0])
        function = LlvmFunction(symbol, args, result, [], self.subprogram(symbol), variadic)
        label = "entry"
        unnamed = sum(arg.name[1:].isdigit() for arg in args)
        instrs: list[Instr] = []
        for line in _joined(lines[1:-1]):
            if not line.startswith(" "):
                if found := LABEL.match(line):
                    label = found[1].strip('"')
                    instrs = []
                    function.blocks.append(BasicBlock(label, instrs))
                continue
            if not function.blocks:
                function.blocks.append(BasicBlock(str(unnamed), instrs))
            if "#dbg_label" in line or "#dbg_assign" in line:
                continue
            if DEBUG_RECORD.search(line):
                instrs += self._debug_record(line, function)
            else:
                for instr in parse_instruction(line, self._where):
                    instrs += _hoisted(_marker(instr))
        return function

    def _where(self, tokens: Tokens) -> Location:
        if "!dbg" in tokens.items:
            return self.metadata.location(tokens.items[tokens.items.index("!dbg") + 1])
        return Location("", 0)

    def _debug_record(self, line: str, function: LlvmFunction) -> list[Instr]:
        """A variable's declaration stays as an instruction: there it begins to exist, without a value."""
        tokens = [token for token in Tokens(line).items if token != "metadata"]
        start = next(at for at, token in enumerate(tokens) if re.search(r"dbg[_.](declare|value)\Z", token))
        value = next((token for token in tokens[start + 2 : start + 4] if token.startswith("%") and token[1:2] != '"'), "")
        variable = next((token for token in tokens[start + 2 :] if re.fullmatch(r"!\d+", token)), "")
        fields = self.metadata.fields(variable)
        expression = tokens[tokens.index("!DIExpression") :] if "!DIExpression" in tokens else []
        plain = "DW_OP_deref" not in expression and "DW_OP_LLVM_fragment" not in expression
        if not value or fields.get("node") != "DILocalVariable":
            return []
        where = self.metadata.location(re.findall(r"!\d+", line)[-1])
        if "arg" in fields and fields.get("scope") == function.subprogram:
            place = where if where.line else Location(where.file, int(fields.get("line", 0)))
            function.arg_places.setdefault(int(fields["arg"]), place)
        type_ = self.metadata.type(fields.get("type", ""))
        vague = type_.kind == "pointer" and type_.target is not None and type_.target.kind == "void"
        hint = Hint(fields.get("name", ""), fields.get("type", ""), vague=vague)
        if value in ("%result.ptr", "%agg.result") and not plain:
            function.hints.setdefault("%agg.result", hint)  # the variable that is built in the place of the result
        if not plain:
            return []
        if all(arg.name != value for arg in function.args):
            function.note(value, hint)
        if tokens[start].endswith("value") or "arg" in fields:
            return []
        return [Instr("declare", args=(value,), detail=(hint.name,), location=where)]


def _marker(instr: Instr) -> Instr:
    """The plugin's call of metalift.undef.TYPE.NAME as an instruction of its own; other instructions as they are."""
    if instr.op == "call" and instr.detail[0].startswith("@metalift.undef."):
        name = instr.detail[0].split(".", 3)[3]
        return Instr("undefined", instr.result, instr.type, detail=(name,), location=instr.location)
    return instr


def _hoisted(instr: Instr) -> list[Instr]:
    """The instruction after those that compute its constant address expressions."""
    made: list[Instr] = []
    args = list(instr.args)
    for at, arg in enumerate(args):
        if arg.startswith("getelementptr") and instr.op != "phi":
            name = f"%constant.{id(instr)}.{at}"
            flags, _, operands = arg.partition("(")
            text = f"{name} = {flags}{operands.rstrip(') ')}"
            made += _hoisted(parse_instruction(text, lambda _: instr.location)[0])
            args[at] = name
    return [*made, replace(instr, args=tuple(args))] if made else [instr]


def _joined(lines: list[str]) -> list[str]:
    """The lines of a body with continuation lines (of switch, invoke, landingpad) joined to the first."""
    joined: list[str] = []
    for line in lines:
        deeper = line.startswith("   ") and not line.lstrip().startswith("#dbg")
        if (deeper or line.startswith("  ]")) and joined:
            joined[-1] += " " + line.strip()
        elif line and not line.startswith(";"):
            joined.append(line)
    return joined


def _parse_header(line: str) -> tuple[tuple[Argument, ...], str, bool]:
    tokens = Tokens(line)
    tokens.take()
    tokens.attributes()
    result = tokens.type()
    tokens.value()
    tokens.take()
    args: list[Argument] = []
    variadic = False
    while tokens.current and not tokens.skip(")"):
        if tokens.skip("..."):
            variadic = True
            continue
        type_ = tokens.type()
        attributes = tokens.attributes()
        name = tokens.take() if tokens.current.startswith("%") else f"%{len(args)}"
        args.append(Argument(name, type_, attributes))
        tokens.skip(",")
    return tuple(args), result, variadic

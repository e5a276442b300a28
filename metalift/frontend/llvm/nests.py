"""Loop nests as units: the functions that the LLVM pass makes of the loops of a file, and which of them a line means.

The pass (llvm-pass/Nests.cpp) says of each loop what its parameters and results are: `!metalift.nests`. Here that is written
down as debug information of an ordinary function, so that everything behind reads a nest as it reads a function of the source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from metalift.frontend.llvm.compile.clang import Module
from metalift.frontend.llvm.compile.plugin import find_plugin, run_plugin
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.source import functions, import_function, is_listed
from metalift.frontend.nests import LoopNest, LoopNests
from metalift.ir.program.fragment import Diagnostic, Fragment, Location, Premise, PremiseKind, Store, Unsupported
from metalift.result.errors import SourceError, UsageError

PASSES = "metalift,metalift-nests"
ITEM = re.compile(r'!"((?:[^"\\]|\\[0-9A-F]{2})*)"|(![0-9]+)|(null)')
AGGREGATE = re.compile(r"  (%\S+) = insertvalue .*?, ([^,]+), (\d+)(?:, !dbg .*)?$")
RETURN = re.compile(r"  ret \{.*\} (%\S+)")
SHAPE = re.compile(r"([fiu])(\d+)\Z")
NAMES = {
    ("f", 32): ("float", "DW_ATE_float"),
    ("f", 64): ("double", "DW_ATE_float"),
    ("i", 8): ("signed char", "DW_ATE_signed_char"),
    ("u", 8): ("unsigned char", "DW_ATE_unsigned_char"),
    ("i", 16): ("short", "DW_ATE_signed"),
    ("u", 16): ("unsigned short", "DW_ATE_unsigned"),
    ("i", 32): ("int", "DW_ATE_signed"),
    ("u", 32): ("unsigned int", "DW_ATE_unsigned"),
    ("i", 64): ("long", "DW_ATE_signed"),
    ("u", 64): ("unsigned long", "DW_ATE_unsigned"),
}


@dataclass(frozen=True, slots=True)
class Nest(LoopNest):
    """A loop that the pass made a function of.

    `steady` are members of structs that it reads as if nothing in it wrote to them.
    """

    steady: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Nests(LoopNests):
    """The loops of a file; `text` is the LLVM IR of its module."""

    module: Module
    text: str
    found: tuple[Nest, ...]


def find_nests(module: Module) -> Nests:
    """Outline every loop of a file. Raises UsageError where the LLVM pass is not built, SourceError where it fails."""
    plugin = find_plugin()
    if isinstance(plugin, str):
        raise UsageError(f"loop nests as units need the LLVM pass, and {plugin}; `metalift doctor` says how to get it")
    text, problem = run_plugin(plugin, module.compiled, PASSES)
    if problem:
        raise SourceError(f"{module.path}: its loop nests cannot be told apart: {problem}")
    return _read(module, text)


def import_nest(nests: Nests, nest: Nest) -> Fragment:
    """The fragment of a nest; raises Unsupported."""
    file = nests.module.llvm.metadata.main_file
    if nest.problem:
        raise Unsupported(Diagnostic(Location(file, nest.first), f"the loop at line {nest.first} {nest.problem}"))
    try:
        fragment = import_function(nests.module, nest.symbol)
    except Unsupported as problem:
        said = problem.diagnostic  # what a nest gets are variables of its function, and parameters
        raise Unsupported(replace(said, message=said.message.replace("the parameter ", "the variable ", 1))) from None
    lines = nests.module.source.splitlines()[nest.first - 1 : nest.last]
    apart = Premise(f"nothing that the loops store overlaps {', '.join(nest.steady)}", PremiseKind.MEMORY)
    return replace(
        fragment,
        location=Location(file, nest.first),
        source="\n".join(lines),
        premises=(*fragment.premises, apart) if nest.steady and _stores(fragment) else fragment.premises,
    )


def _stores(fragment: Fragment) -> bool:
    return any(isinstance(item, Store) for block in fragment.blocks for item in block.body)


def _read(module: Module, text: str) -> Nests:
    """The nests that the pass lists."""
    llvm = LlvmModule(_returning_several(text), Path.cwd())
    known = {symbol: line for _, line, symbol in functions(module)}
    made = []
    listed = re.search(r"^!metalift\.nests = !\{(.*)\}", text, re.MULTILINE)
    writer = _Writer(llvm)
    seen = set[tuple[str, str, str]]()
    for ref in re.findall(r"!\d+", listed[1]) if listed else ():
        symbol, subprogram, first, last, inlined, written_in, outer, problem, parameters, results, steady = writer.items(ref)
        function = re.sub(r"_line\d+(_\d+)?\Z", "", symbol)
        if function not in known:
            continue
        name = writer.name(subprogram) + symbol[len(function) :]
        if not problem:
            writer.describe(symbol, name, subprogram, int(first), parameters, results)
        nest = Nest(
            name,
            symbol,
            function,
            known[function],
            int(first),
            int(last),
            int(inlined),
            bool(written_in) and (is_listed(llvm.metadata, written_in) or (function, written_in, inlined) in seen),
            outer,
            problem,
            tuple(writer.items(steady)),
        )
        seen.add((function, written_in, inlined))
        made.append(nest)
    outlined = replace(module, llvm=llvm, listed=())
    return Nests(outlined, text, tuple(sorted(made, key=lambda nest: (nest.function_line, nest.first))))


def _returning_several(text: str) -> str:
    """The text with `ret T %a, U %b` for the return of a struct that is put together just before."""
    kept: list[str] = []
    parts: dict[str, str] = {}
    names: list[str] = []
    for line in text.splitlines():
        if found := AGGREGATE.match(line):
            parts[found[1]] = found[2]
            names.append(found[1])
        else:
            if (found := RETURN.match(line)) and names and found[1] == names[-1]:
                del kept[-len(names) :]  # they stand just before
                line = f"  ret {', '.join(parts[name] for name in names)}"
            parts, names = {}, []
        kept.append(line)
    return "\n".join(kept)


class _Writer:
    """Writes the debug information of outlined functions into a module."""

    def __init__(self, llvm: LlvmModule) -> None:
        self.llvm = llvm
        self.lines = llvm.metadata.lines
        self.next = 1 + max((int(ref[1:]) for ref in self.lines), default=0)
        self.types: dict[str, str] = {}

    def items(self, ref: str) -> Sequence[str]:
        """The items of a tuple node: strings without quotes, references, and empty texts for null."""
        line = self.lines.get(ref, "!{}")
        return [_unescaped(text) or node for text, node, _ in ITEM.findall(line[line.index("{") :])]

    def name(self, subprogram: str) -> str:
        """The function's name with its namespaces."""
        return self.llvm.metadata.subprogram_name(subprogram)

    def add(self, line: str) -> str:
        """A new node."""
        ref = f"!{self.next}"
        self.next += 1
        self.lines[ref] = line
        return ref

    def describe(self, symbol: str, name: str, subprogram: str, line: int, parameters: str, results: str) -> None:
        """Give an outlined function a subprogram of its own."""
        taken = [self._parameter(*self.items(ref)) for ref in self.items(parameters)]
        left = [self._type(type_, shape) for _, type_, shape, _ in map(self.items, self.items(results))]
        result = "null" if not left else left[0] if len(left) == 1 else self.add(f"!{{{', '.join(left)}}}")
        types = self.add(f"!{{{', '.join([result, *taken])}}}")
        subroutine = self.add(f"!DISubroutineType(types: {types})")
        fields = self.llvm.metadata.fields(subprogram)
        plain = name.split("::")[-1]
        scope = fields.get("scope", "")
        place = f"scope: {scope}, file: {fields.get('file', '')}, line: {line}, type: {subroutine}"
        ref = self.add(f'!DISubprogram(name: "{plain}", {place})')
        self.llvm.bodies[symbol][0] += f" !dbg {ref}"

    def _parameter(self, name: str, type_: str, shape: str, words: str) -> str:
        """The type of a parameter. A variable in memory is passed as a pointer to it, or to its elements."""
        if "address" not in words.split() or not type_:
            return self._type(type_, shape)
        source = self.llvm.metadata.type(type_)
        tag = "DW_TAG_reference_type" if source.kind == "vector" else "DW_TAG_pointer_type"
        return self.add(f"!DIDerivedType(tag: {tag}, baseType: {type_}, size: 64)")

    def _type(self, type_: str, shape: str) -> str:
        """The source's type if there is one that fits, else that of the IR."""
        if type_ and not shape.startswith("*"):
            scalar = self.llvm.metadata.type(type_)
            if scalar.kind == "scalar" and scalar.scalar is not None:
                return type_
        elif type_:
            return type_
        return self._made(shape)

    def _made(self, shape: str) -> str:
        if shape not in self.types:
            self.types[shape] = self._new(shape)
        return self.types[shape]

    def _new(self, shape: str) -> str:
        if shape.startswith("*"):
            base = self._made(shape[1:]) if shape[1:] else self.add('!DICompositeType(tag: DW_TAG_structure_type, name: "?")')
            return self.add(f"!DIDerivedType(tag: DW_TAG_pointer_type, baseType: {base}, size: 64)")
        if shape == "bool":
            return self.add('!DIBasicType(name: "_Bool", size: 8, encoding: DW_ATE_boolean)')
        found = SHAPE.match(shape)
        kind, bits = (found[1], int(found[2])) if found else ("", 0)
        name, encoding = NAMES.get((kind, bits), (f"{bits}-bit integer", "DW_ATE_signed"))
        return self.add(f'!DIBasicType(name: "{name}", size: {bits}, encoding: {encoding})')


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), text)

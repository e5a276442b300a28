"""Source files to fragments: the front end for C and C++."""

from __future__ import annotations

import difflib
import keyword
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from metalift.frontend.llvm.compile.clang import Module, compile_source, plain, read_source
from metalift.frontend.llvm.compile.confined import Reach, project
from metalift.frontend.llvm.importer.calls import external, is_called, readable
from metalift.frontend.llvm.importer.importer import Importer
from metalift.frontend.llvm.importer.scope import Scope
from metalift.frontend.llvm.importer.unknown_calls import keeps_its_call
from metalift.frontend.llvm.libc import relied_on
from metalift.frontend.llvm.passes.coerced import passes_structs
from metalift.frontend.llvm.passes.infinities import bound_infinities
from metalift.frontend.llvm.passes.printing import prints
from metalift.frontend.llvm.pipeline import Context, Watch, run_passes
from metalift.frontend.llvm.read.llvm_ir import LlvmFunction
from metalift.frontend.llvm.read.llvm_text import NAME, LlvmModule
from metalift.frontend.llvm.read.metadata import Metadata
from metalift.frontend.llvm.ssa.inline import Inliner
from metalift.frontend.llvm.std.map_lookups import refuse_changes
from metalift.frontend.llvm.std.map_writer import NotAtOneKey
from metalift.frontend.lower.printing import PREMISE, check_gives
from metalift.frontend.lower.questions import OfComputed
from metalift.ir.expr.types import BoolType, MachineInt, RealType
from metalift.ir.program.fragment import (
    Diagnostic,
    External,
    Fragment,
    Location,
    ParamKind,
    Premise,
    PremiseKind,
    Store,
    Unsupported,
)
from metalift.result.errors import SourceError, UsageError


def functions(module: Module) -> list[tuple[str, int, str]]:
    """The functions with a body in the file itself, or in one that is no header and that it includes.

    Name, line, linker name; in the order of the file. A body that is included has the line of the `#include`.
    """
    return list(module.listed or _functions(module))


@lru_cache(maxsize=2)
def _functions(module: Module) -> tuple[tuple[str, int, str], ...]:
    found = []
    found_before: Counter[tuple[str, str]] = Counter()
    metadata = module.llvm.metadata
    for symbol in module.llvm.bodies:
        ref = module.llvm.subprogram(symbol)
        in_unit = metadata.fields(ref).get("unit", metadata.main_unit) == metadata.main_unit
        if module.llvm.is_own(symbol) and in_unit and is_listed(metadata, ref):
            found.append((metadata.subprogram_name(ref), _line_in_file(module, ref, found_before), symbol))
    return tuple(sorted(found, key=lambda item: (item[1], item[0])))


def is_listed(metadata: Metadata, subprogram: str) -> bool:
    """Whether a function of a file of the program is one of those listed there: no lambda, and nothing that the compiler made."""
    fields = metadata.fields(subprogram)
    lambda_body = not metadata.fields(fields.get("scope", "")).get("name") and "operator()" in fields.get("name", "")
    unnamed = lambda_body or "(lambda at " in fields.get("name", "")
    return "DIFlagArtificial" not in fields.get("flags", "") and not unnamed


def _line_in_file(module: Module, ref: str, before: Counter[tuple[str, str]]) -> int:
    """The line of a function in the file itself: of one whose body is included, that of the `#include`."""
    fields, file = module.llvm.metadata.fields(ref), module.llvm.metadata.scope_file(ref)
    line = fields.get("line", "0")
    if file == module.llvm.metadata.main_file:
        return int(line)
    name = re.escape(Path(file).name)
    places = [at for at, text in enumerate(module.source.splitlines(), 1) if re.match(rf'\s*#\s*include\b.*\b{name}[">]', text)]
    before[file, line] += 1
    return places[: before[file, line]][-1] if places else int(line)


def text_of(module: Module, file: str) -> str:
    """The text of the file, or of one that it includes; empty where that is not one that it may."""
    if file == module.llvm.metadata.main_file:
        return module.source
    reach = module.reach or Reach(tuple(map(Path, project(module.path))))
    try:
        return read_source(Path(file)) if reach.holds(file) else ""
    except SourceError:
        return ""


def functions_of(module: Module) -> list[tuple[str, int]]:
    """Name and line of each function; functions that share a name are told apart by their linker names."""
    known = functions(module)
    names = Counter(name for name, _, _ in known)
    return [(name if names[name] == 1 else symbol, line) for name, line, symbol in known]


def import_function(module: Module, name: str, watch: Watch | None = None) -> Fragment:
    """The fragment of a function by its name or linker name; `watch` is shown the function after each pass.

    Raises Unsupported, or SourceError where there is none.
    """
    symbol = find_function(module, name)
    try:
        try:
            return _import_twice(module, symbol, watch, lookups=False)
        except NotAtOneKey:
            return _import_twice(module, symbol, watch, lookups=True)
    except Unsupported as problem:
        place = problem.diagnostic.location
        if place.column or not place.line:
            raise
        line = text_of(module, place.file).splitlines()[place.line - 1 : place.line]
        column = len(line[0]) - len(line[0].lstrip()) + 1 if line else 0
        raise Unsupported(replace(problem.diagnostic, location=replace(place, column=column))) from problem


def _import_twice(module: Module, symbol: str, watch: Watch | None, *, lookups: bool) -> Fragment:
    """Import once to see which vectors that are passed by value are written, and if any are, again with copies of them."""
    fragment = _import(module, symbol, frozenset(), watch, lookups=lookups)
    private = {param.var.name for param in fragment.params if param.kind is ParamKind.VECTOR}
    written = {item.array.name for block in fragment.blocks for item in block.body if isinstance(item, Store)} & private
    names = frozenset(f"%{name}" for name in written)
    return _import(module, symbol, names, watch, lookups=lookups) if written else fragment


def _import(module: Module, symbol: str, written: frozenset[str], watch: Watch | None, *, lookups: bool) -> Fragment:
    """Import with copies of the vector parameters that are named: they are passed by value and written.

    With `lookups`, maps and sets that are only asked once they are filled are seen at the keys that they are asked for.
    """
    llvm = _readable(module, symbol)
    fields = llvm.metadata.fields(llvm.subprogram(symbol))
    line = int(fields.get("line", 0))
    location = Location(llvm.metadata.scope_file(llvm.subprogram(symbol)), line)
    function = Inliner(llvm, lambda name: _stays(name, llvm, module)).function(symbol)
    if watch is not None:
        watch("inlined", function)
    run_passes(function, Context(llvm, symbol, location, module.externals, module.silent, written, lookups, module.leaves), watch)
    infinities = tuple(Premise(text, PremiseKind.VALUES) for text in bound_infinities(function))
    text = text_of_function(module, symbol)
    try:
        fragment = Importer(Scope(llvm, function, location, externals=module.externals)).run(text)
    except OfComputed:  # where it compares what is computed with itself, no float is NaN; isnan of it is refused again
        fragment = Importer(Scope(llvm, function, location, externals=module.externals, numbers=True)).run(text)
    if PREMISE in function.relied_on:
        check_gives(fragment)
    if function.probed:
        refuse_changes(fragment)
    fragment = _of_all_keys(fragment, function) if function.keyed is not None else fragment
    notes = ignored_pragmas(text_of(module, location.file), text, location)
    premises = (*fragment.premises, *infinities, *function.relied_on, *relied_on(module.compiled, symbol))
    return replace(fragment, premises=premises, notes=notes, unused=function.unused)


def _stays(symbol: str, llvm: LlvmModule, module: Module) -> bool:
    """Whether calls of a function are not inlined."""
    if keeps_its_call(symbol) or prints(symbol, llvm) or external(symbol, module.externals) is not None:
        return True
    if not OF_LIBRARY.fullmatch(symbol):
        return False
    file = llvm.metadata.scope_file(llvm.subprogram(symbol))  # has bodies of these, which call what no source names
    return Path(file).name in ("stdlib.h", "stdlib-float.h")


def _of_all_keys(fragment: Fragment, function: LlvmFunction) -> Fragment:
    """The fragment of a function at one key: its last parameter is the key."""
    assert function.keyed is not None
    changed = {item.array for block in fragment.blocks for item in block.body if isinstance(item, Store)}
    for param in fragment.params:
        if param.var in changed and param.kind is not ParamKind.VECTOR:
            found = f"a function that returns a map or set, and writes its parameter {param.var.name}"
            raise Unsupported(Diagnostic(fragment.location, f"{found}; return one of them"))
    *others, last = fragment.params
    return replace(fragment, params=(*others, replace(last, kind=ParamKind.KEY, c_type=function.keyed.kind)))


def ignored_pragmas(source: str, text: str, location: Location) -> tuple[Diagnostic, ...]:
    """What to tell a person about the pragmas in the text of a function, which begins at or before its location."""
    first = source.count("\n", 0, max(source.find(text), 0)) + 1 if text else location.line
    found = []
    for number, line in enumerate(text.splitlines(), start=first):
        pragma = PRAGMA.match(line)
        if pragma:
            sequential = ": the code is read as it runs without threads" if pragma[2] in ("omp", "acc") else ""
            place = Location(location.file, number, len(pragma[1]) + 1)
            found.append(Diagnostic(place, f"#pragma {pragma[2]} is ignored{sequential}"))
    return tuple(found)


def _readable(module: Module, symbol: str) -> LlvmModule:
    """The module to read a function from: one that the plugin has not seen where structs are passed by value, or calls stay.

    The plugin's promotion to registers writes the packing of their fields as shifts and casts, and it inlines all that it can.
    """
    if module.without_plugin:
        return module.llvm
    before = plain(module.compiled)
    if symbol not in before.bodies:  # a loop nest that the plugin made a function of
        return module.llvm
    inlined = any(external(body, module.externals) is not None for body in before.bodies)
    return before if inlined or passes_structs(before, symbol) else module.llvm


def find_function(module: Module, name: str) -> str:
    """The linker name of a function of the file."""
    known = functions(module)
    matching = [item for item in known if name in (item[0], item[2], item[0].split("::")[-1])]
    if len(matching) == 1:
        return matching[0][2]
    if matching:
        choices = ", ".join(f"{symbol} (line {line})" for _, line, symbol in matching)
        raise SourceError(f"{module.path} has several functions {name}: {choices}; give the linker name")
    if not known:
        raise SourceError(f"{module.path} has no function with a body")
    if re.search(rf"\btemplate\s*<[^;{{}}]*\b{re.escape(name)}\s*\(", module.source):
        raise SourceError(f"{module.path}: {name} is a template that nothing in the file uses; add `template ...;` for its types")
    names = list(dict.fromkeys(item[0] for item in known))
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise SourceError(f"{module.path} has no function {name}; it has {', '.join(names)}{hint}")


def pure_function(module: Module, name: str) -> External | None:
    """The function that is declared pure: one of numbers that has no body in the program; None for one that returns nothing, or
    takes something else than numbers, so that only calls whose result is not used can be left out. Raises UsageError."""
    before = plain(module.compiled)
    if keyword.iskeyword(name):
        raise UsageError(f"{name} is a word of Python, which cannot name a function in the code that is written")
    if any(is_called(symbol, name) for symbol in before.bodies):
        raise UsageError(f"{name} has a body in the program, which is read: leave out --pure {name}")
    found = [each for each in _declared(module.compiled) if is_called(each.symbol, name)]
    if len(found) != 1:
        missing = [readable(each.symbol) for each in _declared(module.compiled)]
        there = f"those without a body are {', '.join(dict.fromkeys(missing))}" if missing else "all that are called have bodies"
        raise UsageError(f"the program calls no function {name} without a body; {there}")
    if found[0].nothing:
        return None
    result, *params = (before.metadata.type(ref) for ref in before.metadata.signature(found[0].type))
    scalars = [type_.scalar for type_ in params if type_.kind == "scalar"]
    types = [scalar for scalar in scalars if isinstance(scalar, BoolType | MachineInt | RealType)]
    if len(types) != len(params) or result.kind != "scalar" or not isinstance(result.scalar, BoolType | MachineInt | RealType):
        return None
    return External(name, tuple(types), result.scalar)


def silent_symbols(module: Module) -> tuple[str, ...]:
    """The linker names of the functions without a body whose calls are left out."""
    declared = (each.symbol for each in _declared(module.compiled))
    return tuple(symbol for symbol in declared if any(is_called(symbol, name) for name in module.silent))


class _Declared(NamedTuple):
    """A function without a body: its linker name, the number of its type in the debug information, whether it returns nothing."""

    symbol: str
    type: str
    nothing: bool


def _declared(text: str) -> Iterator[_Declared]:
    for found in DECLARED.finditer(text):
        yield _Declared(found[3].strip('"'), found[1], found[2].split()[-1:] == ["void"])


DECLARED = re.compile(rf"^declare !dbg (!\d+) ([^@\n]*)@({NAME})\(", re.MULTILINE)
OF_LIBRARY = re.compile("ato[fil]l?")
PRAGMA = re.compile(r"(\s*)#\s*pragma\s+(\w+)")
BODY = re.compile(r"[^;{}()]*(?:\([^;{}()]*\)\s*)+[^;{}()=]*\{")  # behind the head of a function whose name is a macro
LOOP = re.compile(r"\b(?:for|while)\b")  # a do has its while
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|/\*.*?\*/|[{};]', re.DOTALL)


def function_text(source: str, line: int) -> str:
    """The lines of the function whose declaration is on the line, as they stand in the file."""
    lines = source.splitlines(keepends=True)
    first = max(line - 1, 0)
    while first > 0 and _continues(lines[first - 1]):
        first -= 1
    start = sum(len(text) for text in lines[: max(line - 1, 0)])
    depth, end = 0, len(source)
    for token in TOKEN.finditer(source, start):
        depth += (token[0] == "{") - (token[0] == "}")
        if token[0] == "}" and depth == 0:
            end = token.end()
            break
    return "".join(lines[first : max(line - 1, 0)]) + source[start:end]


def loops_in(text: str) -> int:
    """How many loops the text of a function has."""
    return len(LOOP.findall(TOKEN.sub(" ", text)))


def text_of_function(module: Module, symbol: str) -> str:
    """The lines of a function as they stand in the file; of one that a macro makes, the line that calls the macro."""
    metadata, ref = module.llvm.metadata, module.llvm.subprogram(symbol)
    fields = metadata.fields(ref)
    source, line = text_of(module, metadata.scope_file(ref)), int(fields.get("line", 0))
    rest = "".join(source.splitlines(keepends=True)[max(line - 1, 0) :])
    head = rest.partition("\n")[0]
    name = re.match(r"\w*", fields.get("name", ""))
    written = name is not None and name[0] in head or BODY.match(rest)
    return function_text(source, line) if written else head


def _continues(line: str) -> bool:
    """Whether a line before a declaration belongs to it: a result type or a template head on its own line."""
    text = line.strip()
    return bool(text) and not text.endswith((";", "}", "{", "*/", ":", ",", ")")) and not text.startswith(("#", "//", "/*", "*"))


def load(path: Path | str, name: str, clang_args: tuple[str, ...] = ()) -> Fragment:
    """Compile a file and import one function of it."""
    return import_function(compile_source(path, clang_args), name)

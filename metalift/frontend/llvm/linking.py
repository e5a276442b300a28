"""Other files of a program, linked with the one that is lifted: by LLVM's linker, so that a body is found wherever it is.

What LLVM's linker does is what a linker of objects does: `static` functions of one name stay apart, inline functions that several
files have are one, and a strong definition takes the place of weak ones. A file that defines what another does is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metalift.frontend.llvm.compile.clang import LeftOut, Module, Unit, compiled_text, read_source
from metalift.frontend.llvm.compile.confined import Reach
from metalift.frontend.llvm.compile.database import real
from metalift.frontend.llvm.compile.needed import Uses, reached
from metalift.frontend.llvm.libc import FUNCTIONS, text_of_strings
from metalift.frontend.llvm.names.library_names import has_own_meaning
from metalift.frontend.llvm.read.llvm_text import DEFINE, GLOBAL, NAME, WEAK, mentions
from metalift.frontend.llvm.read.mangled import demangle
from metalift.result.errors import SourceError

if TYPE_CHECKING:
    from llvmlite.binding import ContextRef, ModuleRef

DECLARED = re.compile(rf"declare .*?@({NAME})\(")
WEAK_WORDS = "internal|private|weak|weak_odr|linkonce|linkonce_odr|available_externally|external|extern_weak"
NO_DEFINITION = re.compile(rf"(?:\w+ )*?(?:{WEAK_WORDS}) ")
MISSING = "other files are linked by llvmlite, which is not installed: `pip install llvmlite`"
INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+\.(?:c|cc|cpp|cxx|C))"', re.MULTILINE)
TWO_PARTS = re.compile(r"^(?:[\w*]+[ \t]+)*\w+[ \t]*\([ \t]*(\w+)[ \t]*,[ \t]*(\w+)[ \t]*\)", re.MULTILINE)
WEAK_ONES = re.compile(rf"^(?:define (?:\w+ )*?weak .*?@|@(?=[^ ]+ = (?:\w+ )*?weak ))({NAME})(?=\(| = )", re.MULTILINE)
LOCAL = re.compile(r"define (?:\w+ )*?(?:internal|private) ")


def link(
    module: Module,
    named: Sequence[Unit],
    offered: Sequence[Unit] = (),
    pure: Sequence[str] = (),
    roots: frozenset[str] | None = None,
) -> Module:
    """The module before any pass with the files that are `named`, and with those of the `offered` ones that define what it needs,
    or what some `roots` of it need: no body of functions that are said to be `pure`.

    Which were taken, and which were left out and why, the result says. What is not linked is not part of the program; of what is,
    the text has only what the module's own file can reach.
    """
    linking = _Linking(module, frozenset(pure), roots)
    for unit in named:
        linking.add(unit)
    linking.take(list(offered))
    if not linking.add_strings() and not linking.others:
        return replace(module, left_out=tuple(linking.left_out))
    return replace(module, compiled=linking.text(), others=tuple(linking.others), left_out=tuple(linking.left_out))


class _Linking:
    """A program as it grows. `defined` says which file has each symbol that no other may have too, `uses` what each definition
    names; what the `roots` do not reach is not needed."""

    def __init__(self, module: Module, pure: frozenset[str], roots: frozenset[str] | None) -> None:
        self.pure = pure
        self.uses = Uses(module.compiled)
        self.roots = frozenset(self.uses.named) if roots is None else roots
        self.reach: Reach | None = module.reach
        self.texts = [module.compiled]
        self.context: ContextRef | None = None
        self.linked: ModuleRef | None = None
        self.defined = dict.fromkeys(defined_in(module.compiled), module.path)
        self.visible = set(visible_in(module.compiled))
        self.weak = set(WEAK_ONES.findall(module.compiled))
        self.used = set(missing_in(module.compiled))
        self.others: list[Unit] = []
        self.left_out: list[LeftOut] = []
        self.seen = {real(module.path)}

    def missing(self) -> frozenset[str]:
        """What the roots reach, and the program has no definition of, or a weak one, which another file may replace."""
        without = (self.used - self.visible) | (self.weak - self.defined.keys())
        return frozenset(name for name in without & self.uses.reached(self.roots) if plain_name(name) not in self.pure)

    def text(self) -> str:
        """The program, without what the first module does not reach."""
        linked = str(self._program())
        return str(self._parsed(reached(linked, frozenset(mentions(self.texts[0])))))  # which leaves out what described the rest

    def add(self, unit: Unit, wanted: frozenset[str] | None = None) -> None:
        """Link a file, or leave it out; with `wanted`, say nothing of one that has none of these symbols."""
        if real(unit.path) in self.seen:
            return
        self.seen.add(real(unit.path))
        try:
            compiled = compiled_text(unit.path, read_source(unit.path), unit.clang_args, self.reach)
            defined = tuple(defined_in(compiled))
            if wanted is not None and wanted.isdisjoint(defined):
                self.seen.remove(real(unit.path))  # it may have what is missing later
                return
            clashing = [name for name in defined if name in self.defined]
            if clashing:
                self.left_out.append(LeftOut(unit.path, self._clash("main" if "main" in clashing else clashing[0])))
                return
            self._link(compiled)
        except (SourceError, RuntimeError) as problem:
            first = " ".join(str(problem).removeprefix(f"{unit.path} ").splitlines()[:2])
            self.left_out.append(LeftOut(unit.path, first, broken=True))
            return
        self.defined |= dict.fromkeys(defined, unit.path)
        self.others.append(unit)

    def _link(self, compiled: str) -> None:
        """Link a module. Raises RuntimeError where it cannot be; the program is as before then."""
        program, more = self._program(), self._parsed(compiled)
        self.linked = None  # what a failure leaves behind is of no use
        program.link_in(more)
        self.linked = program
        self.texts.append(compiled)
        self.uses.add(compiled)
        self.visible |= set(visible_in(compiled))
        self.weak |= set(WEAK_ONES.findall(compiled))
        self.used |= set(missing_in(compiled))

    def _parsed(self, text: str) -> ModuleRef:
        """A module of llvmlite. Raises RuntimeError for a text that is none, SourceError where there is no linker."""
        try:
            from llvmlite import binding  # which takes long to import, and lifts of single files do not need
        except ImportError:
            raise SourceError(MISSING) from None
        if self.context is None:
            self.context = binding.create_context()
        return binding.parse_assembly(text, self.context)

    def _program(self) -> ModuleRef:
        if self.linked is None:
            self.linked, *others = map(self._parsed, self.texts)
            for each in others:
                self.linked.link_in(each)
        return self.linked

    def take(self, units: Sequence[Unit]) -> None:
        """Link those of the files that define what is missing, and name those that define it too."""
        wanted: frozenset[str] = frozenset()
        while units and (new := self.missing() - wanted):
            wanted |= new
            names = frozenset(map(plain_name, new))
            for unit in units:
                if _may_define(unit, names):
                    self.add(unit, wanted)

    def add_strings(self) -> bool:
        """Link functions of the C library that are called and have no body; where there is no linker, their calls stay."""
        if FUNCTIONS.isdisjoint(self.missing()):
            return False
        try:
            self._link(text_of_strings())
        except SourceError:
            return False
        return True

    def _clash(self, symbol: str) -> str:
        where = self.defined[symbol]
        if symbol == "main":
            return f"it has a second main, {where} has one too; name the files of one program only"
        return f"it defines {plain_name(symbol)}, which {where} defines too; name the files of one program only"


def defined_in(text: str) -> Iterator[str]:
    """The symbols that a module defines so that no other module may: no static, inline or weak ones."""
    for line in text.splitlines():
        if line.startswith("define ") and not WEAK.match(line) and (found := DEFINE.match(line)):
            yield found[1].strip('"')
        elif line.startswith("@") and (found := GLOBAL.match(line)) and not NO_DEFINITION.match(found[2]):
            if not found[1].startswith("llvm."):
                yield found[1].strip('"')


def visible_in(text: str) -> Iterator[str]:
    """The symbols that a module defines for other modules, weak ones too."""
    for line in text.splitlines():
        function = DEFINE.match(line) if line.startswith("define ") and not LOCAL.match(line) else None
        variable = GLOBAL.match(line) if line.startswith("@") else None
        if function:
            yield function[1].strip('"')
        elif variable and not re.match(r"(?:\w+ )*?(?:internal|private|external|extern_weak) ", variable[2]):
            yield variable[1].strip('"')


def missing_in(text: str) -> Iterator[str]:
    """The symbols that a module uses, but has no definition of, and that mean nothing by themselves."""
    for line in text.splitlines():
        declared = DECLARED.match(line) if line.startswith("declare ") else None
        variable = GLOBAL.match(line) if line.startswith("@") else None
        if declared and not declared[1].startswith("llvm.") and not has_own_meaning(declared[1].strip('"')):
            yield declared[1].strip('"')
        elif variable and re.match(r"(?:\w+ )*?external ", variable[2]):
            yield variable[1].strip('"')


def plain_name(symbol: str) -> str:
    """What a source calls a symbol, without its namespaces and classes."""
    found = demangle(symbol)
    return found.name if found is not None else symbol


def _may_define(unit: Unit, names: frozenset[str]) -> bool:
    """Whether the text of a file, or of a source that it includes, has the head of a function, the declaration of a variable or
    the call of a macro with a name, or a macro's call with two parts that a name begins and ends with."""
    try:
        text = read_source(unit.path)
        beside = (unit.path.parent / found[1] for found in INCLUDED.finditer(text))
        text = "\n".join((text, *(read_source(path) for path in beside if path.is_file())))
    except SourceError:
        return False
    name = f"\\b({'|'.join(map(re.escape, names))})\\b"
    function = rf"^[ \t]*(?:[A-Za-z_][^;{{}}()=\n]*[\s*&:])?{name}\s*\([^;{{}}]*\)[^;{{}}()]*[{{:]"
    variable = rf"{name}\s*(\[[^\]]*\]\s*)*[=;]"
    macro = rf"^\w+\s*\([^;{{}}]*{name}"
    if re.search(f"{function}|{variable}|{macro}", text, re.MULTILINE):
        return True
    pairs = {found.groups() for found in TWO_PARTS.finditer(text)}
    return any(each.startswith(first) and each[len(first) :].endswith(last) for first, last in pairs for each in names)

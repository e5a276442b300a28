"""Reads the linker names of C++ functions and types (the Itanium ABI's mangling), as far as std's containers need it.

Types come out as text in one canonical form: `const` behind what it qualifies, the inline namespace of libc++ and the default
allocator of a container left out: `_ZNSt6vectorIS_IfSaIfEESaIS1_EE9push_backERKS1_` is the member push_back of
`std::vector<std::vector<float>>` with the parameter `std::vector<float> const&`. What is not understood reads `?`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

BUILTIN = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned", "l": "long", "m": "unsigned long", "x": "long long",
    "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128", "f": "float", "d": "double", "e": "long double",
    "z": "...",
}  # fmt: skip
STANDARD = {"a": "std::allocator", "b": "std::basic_string", "s": "std::string", "i": "std::istream", "o": "std::ostream"}
OPERATORS = {
    "nw": "new", "dl": "delete", "ix": "[]", "cl": "()", "aS": "=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=",
    "ge": ">=", "ss": "<=>", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%", "pp": "++", "mm": "--", "pL": "+=",
    "mI": "-=", "mL": "*=", "dV": "/=", "de": "*", "ad": "&", "pt": "->", "nt": "!", "ng": "-", "aa": "&&", "oo": "||",
    "ls": "<<", "rs": ">>", "co": "~", "an": "&", "or": "|", "eo": "^", "cm": ",",
}  # fmt: skip
UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class MangledName:
    """A function: the class or namespace it is in, its own name, its template arguments and the types of its parameters."""

    scope: str
    name: str
    template: tuple[str, ...] = ()
    params: tuple[str, ...] = ()


class NotUnderstoodError(Exception):
    """The mangling has a part that is not read here."""


@lru_cache(maxsize=4096)
def demangle(symbol: str) -> MangledName | None:
    """What a linker name says; None for what is not a mangled function or not understood."""
    if not symbol.startswith("_Z"):
        return None
    try:
        return _Reader(symbol[2:]).encoding()
    except (NotUnderstoodError, IndexError, ValueError):
        return None


@lru_cache(maxsize=1024)
def type_name(symbol: str) -> str:
    """The type that the name of its type information (`_ZTS...`) stands for; `?` where that is not understood."""
    try:
        return _Reader(symbol.removeprefix("_ZTS")).type()
    except (NotUnderstoodError, IndexError, ValueError):
        return UNKNOWN


@dataclass(slots=True)
class _Reader:
    """A cursor over a mangled name, with the table of what it may refer back to.

    After a skipped expression the table may lack entries: what refers to a later one is not known.
    """

    text: str
    at: int = 0
    table: list[str] = field(default_factory=list)
    known: int | None = None
    arguments: tuple[str, ...] = ()

    def skip(self, word: str) -> bool:
        """Move past a word if it comes next."""
        if not self.text.startswith(word, self.at):
            return False
        self.at += len(word)
        return True

    def add(self, name: str) -> str:
        """Enter something that later parts may refer to."""
        self.table.append(name)
        return name

    def encoding(self) -> MangledName:
        """A function's name and the types of its parameters, up to the end or an E."""
        scope, name, template = self._function_name()
        self.arguments = template
        if template and name not in ("constructor", "destructor"):
            self.type()
        params = []
        while self.at < len(self.text) and self.text[self.at] not in "E.":
            params.append(self.type())
        return MangledName(scope, name, template, () if params == ["void"] else tuple(params))

    def _function_name(self) -> tuple[str, str, tuple[str, ...]]:
        if self.skip("N"):
            return self._member_name()
        if self.text.startswith("S", self.at) and not self.text.startswith("St", self.at):
            raise NotUnderstoodError
        scope = "std" if self.skip("St") else ""
        self.skip("L")
        name = self._unqualified("")
        template: tuple[str, ...] = ()
        if self._at_arguments():
            self.add(_within(scope, name))
            template = self._arguments()
        return scope, name, template

    def _member_name(self) -> tuple[str, str, tuple[str, ...]]:
        """What stands between N and E: the last part is the function's own name."""
        while self.text[self.at] in "rVKRO":
            self.at += 1
        scope, name, added = "", "", True
        template: tuple[str, ...] = ()
        while not self.skip("E"):
            if self._at_arguments():
                self._note(scope, name, added)
                template, added = self._arguments(), False
                continue
            if name:
                scope = _instance(_within(scope, name), template)
                if not added:
                    self.add(scope)
            name, template, added = self._prefix(scope)
        return scope, name, template

    def _note(self, scope: str, name: str, added: bool) -> None:
        if not added:
            self.add(_within(scope, name))

    def _prefix(self, scope: str) -> tuple[str, tuple[str, ...], bool]:
        """The next part of a nested name; and whether the table has it already or never will."""
        if self.text[self.at] == "S":
            return self._substitution(), (), True
        if self.text[self.at] == "T":
            return self.type(), (), True
        self.skip("L")
        name = self._unqualified(scope)
        if re.fullmatch(r"__\d+|__cxx11", name) and scope == "std":
            self.add("std")
            return "", (), True
        return name, (), False

    def _substitution(self) -> str:
        """S_, S1_, St, Sa: something named before, or one of std's own abbreviations."""
        self.at += 1
        letter = self.text[self.at]
        if letter == "t":
            self.at += 1
            return "std"
        if letter in STANDARD:
            self.at += 1
            return STANDARD[letter]
        end = self.text.index("_", self.at)
        code = self.text[self.at : end]
        self.at = end + 1
        number = int(code, 36) + 1 if code else 0
        if self.known is not None and number >= self.known:
            return UNKNOWN
        return self.table[number]

    def _unqualified(self, scope: str) -> str:
        """A source name, an operator, a constructor or destructor, a lambda; ABI tags are dropped."""
        match self.text[self.at]:
            case digit if digit.isdigit():
                name = self._source_name()
            case "C":
                self.at += 2
                name = "constructor"
            case "D" if self.text[self.at + 1] in "0123":
                self.at += 2
                name = "destructor"
            case "U":
                name = self._unnamed()
            case _:
                name = self._operator()
        while self.skip("B"):
            self._source_name()
        return name

    def _source_name(self) -> str:
        found = re.compile(r"\d+").match(self.text, self.at)
        if found is None:
            raise NotUnderstoodError
        end = found.end() + int(found[0])
        self.at = end
        return self.text[found.end() : end]

    def _unnamed(self) -> str:
        """A lambda or an unnamed class."""
        found = re.compile(r"U[lt]").match(self.text, self.at)
        if found is None:
            raise NotUnderstoodError
        self.at = found.end()
        if found[0] == "Ul":
            while not self.skip("E"):
                self.type()
        self.at = self.text.index("_", self.at) + 1
        return "(unnamed)"

    def _operator(self) -> str:
        code = self.text[self.at : self.at + 2]
        self.at += 2
        if code == "cv":
            return f"operator {self.type()}"
        if code not in OPERATORS:
            raise NotUnderstoodError
        return f"operator{OPERATORS[code]}"

    def _at_arguments(self) -> bool:
        return self.text.startswith("I", self.at)

    def _arguments(self) -> tuple[str, ...]:
        """I ... E; the elements of a pack stand among the others."""
        self.at += 1
        found: list[str] = []
        while not self.skip("E"):
            found += self._argument()
        return tuple(found)

    def _argument(self) -> list[str]:
        if self.skip("Tn"):
            self.type()
            return self._argument()
        if self.skip("J"):
            pack: list[str] = []
            while not self.skip("E"):
                pack += self._argument()
            return pack
        if self.text[self.at] in "LX":
            return [self._expression()]
        return [self.type()]

    def _expression(self) -> str:
        """A literal, or an expression that is skipped."""
        literal = re.compile(r"L([a-z])(n?\d+)E").match(self.text, self.at)
        if literal:
            self.at = literal.end()
            return literal[2].replace("n", "-")
        self.known = len(self.table) if self.known is None else self.known
        depth = 0
        while True:
            if self.text[self.at].isdigit():
                self._source_name()
                continue
            if found := re.compile(r"([ST][0-9A-Z]*_)|sr(?=\d)|cl").match(
                self.text, self.at
            ):  # qualifiers and calls end with an E
                self.at, depth = found.end(), depth + (found[1] is None)
                continue
            letter = self.text[self.at]
            self.at += 1
            depth += (letter in "LXINJ") - (letter == "E")
            if depth == 0:
                return UNKNOWN

    def type(self) -> str:
        """A type."""
        letter = self.text[self.at]
        if letter in BUILTIN:
            self.at += 1
            return BUILTIN[letter]
        if letter in "PRO":
            self.at += 1
            return self.add(self.type() + {"P": "*", "R": "&", "O": "&&"}[letter])
        if letter in "rVK":
            self.at = found.end() if (found := re.compile(r"r?V?K?").match(self.text, self.at)) else self.at
            return self.add(f"{self.type()} const")
        return self._other_type(letter)

    def _other_type(self, letter: str) -> str:
        match letter:
            case "N":
                self.at += 1
                scope, name, template = self._member_name()
                return self.add(_instance(_within(scope, name), template))
            case "S":
                return self._standard_type()
            case "T":
                return self._parameter()
            case "D":
                return self._decorated()
            case "Z":
                return self._local()
            case "A":
                return self._array()
            case "u":
                self.at += 1
                return self._class("")
            case digit if digit.isdigit() or digit == "U":
                return self._class("")
            case _:
                raise NotUnderstoodError

    def _standard_type(self) -> str:
        """St followed by a name, or something named before; with template arguments where they follow."""
        if self.skip("St"):
            return self._class("std")
        name = self._substitution()
        return self.add(_instance(name, self._arguments())) if self._at_arguments() else name

    def _class(self, scope: str) -> str:
        name = self.add(_within(scope, self._unqualified(scope)))
        return self.add(_instance(name, self._arguments())) if self._at_arguments() else name

    def _parameter(self) -> str:
        """T_, T0_: an argument of the function's own template, where it is known."""
        end = self.text.index("_", self.at)
        code = self.text[self.at + 1 : end]
        self.at = end + 1
        number = int(code, 36) + 1 if code else 0
        return self.add(self.arguments[number] if number < len(self.arguments) else UNKNOWN)

    def _decorated(self) -> str:
        code = self.text[self.at : self.at + 2]
        self.at += 2
        if code == "Dp":
            return self.add(self.type() + "...")
        if code in ("DT", "Dt"):
            self.at -= 1
            self.text = f"{self.text[: self.at]}X{self.text[self.at + 1 :]}"
            return self.add(self._expression())
        names = {"Dn": "std::nullptr_t", "Di": "char32_t", "Ds": "char16_t", "Du": "char8_t", "Da": "auto"}
        if code not in names:
            raise NotUnderstoodError
        return names[code]

    def _local(self) -> str:
        """A class or lambda inside a function."""
        self.at += 1
        inner = _Reader(self.text, self.at, self.table, self.known)
        inside = inner.encoding()
        self.at, self.known = inner.at, inner.known
        if not self.skip("E"):
            raise NotUnderstoodError
        if found := re.compile(r"d\d*_|_\d").match(self.text, self.at):
            self.at = found.end()
        name = self.add(f"{_within(inside.scope, inside.name)}()::{self._unqualified('')}")
        return self.add(_instance(name, self._arguments())) if self._at_arguments() else name

    def _array(self) -> str:
        found = re.compile(r"A(\d+)_").match(self.text, self.at)
        if found is None:
            raise NotUnderstoodError
        self.at = found.end()
        return self.add(f"{self.type()}[{found[1]}]")


def _within(scope: str, name: str) -> str:
    return f"{scope}::{name}" if scope and name else scope or name


def _instance(name: str, arguments: tuple[str, ...]) -> str:
    """A template with its arguments, without those of a container that are what they are by default."""
    while len(arguments) > 1 and arguments[-1] in _defaults(arguments):
        arguments = arguments[:-1]
    whole = f"{name}<{', '.join(arguments)}>" if arguments else name
    return "std::string" if whole == "std::basic_string<char>" else whole


def _defaults(arguments: tuple[str, ...]) -> set[str]:
    key = arguments[0]
    found = {f"std::{name}<{key}>" for name in ("allocator", "less", "hash", "equal_to", "char_traits")}
    return found | {f"std::allocator<std::pair<{key} const, {arguments[1]}>>"}

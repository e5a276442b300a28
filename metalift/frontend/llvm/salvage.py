"""Compiling what compiles of a C or C++ file.

Headers that are missing are taken as empty, types of C that are not known as incomplete structs, and declarations that have
errors all the same are left out. clang is given the changed texts by a virtual file system, so that lines and names of files
stay what they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from metalift.frontend.llvm.compile.clang import Module, read_module, read_source
from metalift.frontend.llvm.compile.compilers import is_cplusplus
from metalift.frontend.llvm.compile.confined import Reach
from metalift.frontend.llvm.source import loops_in
from metalift.result.errors import SourceError

ROUNDS = 100  # each finds a missing header, or leaves out all declarations with errors
TOLERANT = ("-ferror-limit=0", "-w", "-Wno-error", "-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int")
ERROR = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)
UNKNOWN = re.compile(r"unknown type name '([A-Za-z_]\w*)'")
MISSING = re.compile(r"'([^'\n]+)' file not found")
TOKEN = re.compile(
    r'R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|/\*.*?\*/'
    r"|^[ \t]*\#(?:[^\n\\]|\\.)*|[{}();]|=",
    re.DOTALL | re.MULTILINE,
)
SCOPE = re.compile(r'(?:\bextern\s*"[^"]*"|\bnamespace\b[^;{}()=]*)\s*\Z')
DECLARED = re.compile(r"([A-Za-z_~][\w:~]*)\s*\(")
TYPE = re.compile(r"\b(?:struct|union|enum|class)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class Broken:
    """A declaration that was left out, in this file or one that it includes. `loops` counts those in its text."""

    file: str
    line: int
    name: str
    message: str
    error_line: int
    loops: int
    function: bool


@dataclass(frozen=True, slots=True)
class Salvaged:
    """A file as far as it compiles: the module before any pass, what was left out, and the headers that were not found."""

    module: Module
    broken: tuple[Broken, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A declaration outside of all functions: where its text is, and which lines that covers."""

    start: int
    end: int
    first: int
    last: int


def salvage(path: Path, clang_args: Sequence[str], scratch: Path, reach: Reach) -> Salvaged:
    """Compile a file, leaving out what has errors; files that stand for others are written to the folder `scratch`.

    Nothing outside of the reach is read. Raises SourceError where nothing could be left out that would help.
    """
    attempt = _Attempt(scratch, is_cplusplus(path, clang_args), reach)
    within = Reach((*reach.folders, scratch))
    arguments = tuple(clang_args)
    for _ in range(ROUNDS):
        try:
            module = read_module(path, arguments, within)
        except SourceError as problem:
            if not attempt.learn(str(problem)) and arguments != tuple(clang_args):
                raise
            arguments = (*clang_args, *TOLERANT, *attempt.arguments())
            continue
        source = read_source(path)  # as people see it, for what is quoted
        return Salvaged(replace(module, source=source), tuple(attempt.broken), tuple(attempt.missing))
    raise SourceError(f"{path} does not compile, and goes on not to when {len(attempt.broken)} declarations are left out")


@dataclass
class _Attempt:
    """What has been changed so far."""

    scratch: Path
    cplusplus: bool
    reach: Reach
    texts: dict[Path, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)

    def learn(self, messages: str) -> bool:
        """Change what clang complains of; whether there was anything."""
        errors = list(ERROR.finditer(messages))
        absent = [name for error in errors for name in MISSING.findall(error["text"]) if _is_inside(name)]
        opaque = [] if self.cplusplus else [name for error in errors for name in UNKNOWN.findall(error["text"])]
        for found, known in ((absent, self.missing), (opaque, self.unknown)):
            new = [name for name in dict.fromkeys(found) if name not in known]
            known += new
            if new:
                return True
        left_out = list(_left_out(errors, self.texts, self.reach))
        self.broken += left_out
        return bool(left_out)

    def arguments(self) -> tuple[str, ...]:
        """The clang arguments that put the changed texts in the places of the files, and empty headers where there are none."""
        headers = self.scratch / "headers"
        for name in self.missing:
            header = headers / name
            header.parent.mkdir(parents=True, exist_ok=True)
            header.touch()
        types = self.scratch / "types.h"
        types.write_text("".join(f"typedef struct {name} {name};\n" for name in self.unknown), encoding="utf-8")
        roots = []
        for number, (path, text) in enumerate(self.texts.items()):
            copy = self.scratch / f"replaced{number}{path.suffix}"
            copy.write_text(text, encoding="utf-8", errors="replace")
            roots.append({"type": "file", "name": str(path), "external-contents": str(copy)})
        overlay = self.scratch / "overlay.yaml"
        overlay.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}), encoding="utf-8")
        return (
            *(("-idirafter", str(headers)) if self.missing else ()),
            *(("-include", str(types)) if self.unknown else ()),
            *(("-ivfsoverlay", str(overlay)) if roots else ()),
        )


def _is_inside(name: str) -> bool:
    """Whether a header's name stays below the folder that it is looked for in."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts


def _left_out(errors: Sequence[re.Match[str]], texts: dict[Path, str], reach: Reach) -> Iterator[Broken]:
    """Blank the declarations that the errors are in.

    A source can say that its lines are those of any file (`#line`); one out of reach is not read.
    """
    spans: dict[Path, list[Span]] = {}
    for error in errors:
        file = Path(error["file"]).absolute()
        if file not in texts:
            if not reach.holds(file):
                continue
            try:
                texts[file] = read_source(file)
            except SourceError:
                continue
        if file not in spans:
            spans[file] = list(declarations(texts[file]))
        line = int(error["line"])
        for span in spans[file]:
            text = texts[file][span.start : span.end]
            if span.first <= line <= span.last and text.strip():
                blank = re.sub(r"[^\n]", " ", text)
                texts[file] = texts[file][: span.start] + blank + texts[file][span.end :]
                yield Broken(error["file"], span.first, _name(text), error["text"], line, loops_in(text), _is_function(text))


def _name(text: str) -> str:
    """The name of the function or type that a text declares."""
    head = text.split("{", 1)[0]
    function = DECLARED.search(head)
    named = function or TYPE.search(head)
    return named[1] if named else ""


def _is_function(text: str) -> bool:
    """Whether it is a function with its body."""
    return text.endswith("}") and ")" in text.split("{", 1)[0]


def declarations(text: str) -> Iterator[Span]:
    """The declarations of a file that are in no other; those in a namespace or an `extern "C" { }` each on their own."""
    scanner = _Scanner(text)
    for token in TOKEN.finditer(text):
        match scanner.take(token):
            case Ends.DECLARATION:
                yield _span(text, scanner.start, token.end())
                scanner.begin(token.end())
            case Ends.OTHER:
                scanner.begin(token.end())


class Ends(Enum):
    """What ends with a token."""

    NOTHING = "nothing"
    DECLARATION = "a declaration"
    OTHER = "the head or the end of a scope, a line for the preprocessor, a comment"


@dataclass
class _Scanner:
    """Where in a file the declarations outside of functions begin and end. `body`: braces would be those of a function."""

    text: str
    start: int = 0
    depth: int = 0
    parens: int = 0
    body: bool = False

    def begin(self, start: int) -> None:
        """A declaration begins."""
        self.start, self.parens, self.body = start, 0, False

    @property
    def outside(self) -> bool:
        """Whether neither braces nor parentheses are open."""
        return self.depth == 0 and self.parens <= 0

    def take(self, token: re.Match[str]) -> Ends:
        """What ends with the token."""
        match token[0]:
            case "(" | ")":
                self.parens += 1 if token[0] == "(" else -1
                self.body = self.body or (token[0] == ")" and self.depth == 0)
            case "=" if self.outside:
                self.body = False  # what follows in braces is an initialiser, with a semicolon behind it
            case "{":
                return self._opened(token)
            case "}":
                return self._closed()
            case ";" if self.outside:
                return Ends.DECLARATION
            case other if other.lstrip().startswith(("#", "//", "/*")) and self.outside:
                return Ends.NOTHING if self.text[self.start : token.start()].strip() else Ends.OTHER
        return Ends.NOTHING

    def _opened(self, token: re.Match[str]) -> Ends:
        if self.outside and SCOPE.search(self.text, self.start, token.start()):
            return Ends.OTHER
        self.depth += 1
        return Ends.NOTHING

    def _closed(self) -> Ends:
        if self.depth:
            self.depth -= 1
            return Ends.DECLARATION if self.outside and self.body else Ends.NOTHING
        return Ends.OTHER


def _span(text: str, start: int, end: int) -> Span:
    """The span of the text without the space around it."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    first = text.count("\n", 0, start) + 1
    return Span(start, end, first, first + text.count("\n", start, end))

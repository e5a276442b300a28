"""From the text of an answer to syntax trees of functions. Nothing of an answer is ever executed."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

MAX_CHARACTERS = 60_000
MAX_NODES = 4_000
MAX_DEPTH = 60
MAX_DIGITS = 40
CANNOT = "cannot"  # the name to which a reason is assigned why a function cannot be written
LONGEST_REASON = 400  # characters

_BLOCK = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)(?:^[ \t]*(?:```|~~~)|\Z)", re.DOTALL | re.MULTILINE)
_HARMLESS_IMPORTS = frozenset({"__future__", "math", "numpy", "numpy.typing", "typing"})


class Rejected(Exception):
    """Why an answer is not accepted, in words for whoever gave it."""


class Declined(Exception):
    """An answer that says why the function cannot be written."""


@dataclass(frozen=True, slots=True)
class Code:
    """Python text of an answer with the functions that it defines, by name."""

    text: str
    functions: dict[str, ast.FunctionDef]

    def at(self, node: ast.AST) -> str:
        """`line 3, column 5: y[:n] = ad(x, y)`."""
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        return place(self.text, line, column + 1)


def place(text: str, line: int, column: int) -> str:
    """A position with the line that stands there."""
    lines = text.splitlines()
    shown = lines[line - 1].strip()[:120] if 0 < line <= len(lines) else ""
    return f"line {line}, column {column}: `{shown}`"


def read_code(answer: str, wanted: Sequence[str]) -> Code:
    """The last piece of code in the answer that defines one of the wanted functions, or any function.

    Prose around code and several pieces are fine. Raises Rejected; Declined where all there is is a reason why it cannot be done.
    """
    if len(answer) > MAX_CHARACTERS:
        raise Rejected(f"the answer has {len(answer)} characters; at most {MAX_CHARACTERS} are read")
    if not answer.strip():
        raise Rejected("the answer is empty")
    problem: Rejected | None = None
    best: Code | None = None
    for text in _pieces(answer):
        try:
            code = _parsed(text)
        except Rejected as found:
            problem = problem or found
            continue
        if code.functions and (best is None or any(name in code.functions for name in wanted)):
            best = code
    if best is not None:
        return best
    declined = next(filter(None, map(_reason, _pieces(answer))), "")
    if declined:
        raise Declined(declined)
    raise problem or Rejected(f"the answer has no function; it has to hold `def {wanted[0]}(...)`")


def code_of(answer: str) -> str:
    """The code in an answer for people to read, right or wrong: its last block, or all of it."""
    *_, last = ["", *_pieces(answer)]
    return (last or answer).strip("\n")


def _pieces(answer: str) -> Iterator[str]:
    """What may be code: fenced blocks; without any, the text from the first `def` on."""
    blocks = [match.group(1) for match in _BLOCK.finditer(answer)]
    if blocks:
        yield from map(textwrap.dedent, blocks)
        return
    start = re.search(rf"^(?:from |import |@|def |{CANNOT} =)", answer, re.MULTILINE)
    if start is not None:
        yield from _shorter(answer[start.start() :])


def _reason(text: str) -> str:
    """What is said of why it cannot be done, in one line; empty where nothing is."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        match ast.parse(text).body:
            case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str() as reason))] if name == CANNOT:
                return " ".join("".join(char if char.isprintable() else " " for char in reason).split())[:LONGEST_REASON]
    return ""


def _shorter(text: str) -> Iterator[str]:
    """The text, or, where prose follows the code, what stands before that."""
    try:
        _parsed(text)
    except Rejected:
        lines = text.splitlines()
        ends = (
            at for at, line in enumerate(lines) if at and line and not line[0].isspace() and not line.startswith(("def ", "@"))
        )
        end = next(ends, len(lines))
        if end < len(lines) and text.startswith(("def ", "@")):
            yield "\n".join(lines[:end])
            return
    yield text


def _parsed(text: str) -> Code:
    """The piece as code; raises Rejected where it is not, or is too big."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except SyntaxError as error:
        where = place(text, error.lineno or 1, error.offset or 1)
        raise Rejected(f"the answer is not Python: {error.msg}, {where}") from error
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise Rejected("the answer cannot be parsed: it is nested too deeply, or holds odd characters") from error
    _check_size(module, text)
    functions: dict[str, ast.FunctionDef] = {}
    for node in module.body:
        match node:
            case ast.FunctionDef(name=name):
                if name in functions:
                    raise Rejected(f"`{name}` is defined twice, {place(text, node.lineno, 1)}")
                functions[name] = node
            case ast.Import() | ast.ImportFrom():
                _check_import(node, text)
            case ast.Expr(value=ast.Constant()) | ast.Assign(targets=[ast.Name()], value=ast.Constant()):
                pass
            case _:
                raise Rejected(f"only functions stand at the top of an answer, {place(text, node.lineno, 1)}")
    return Code(text, functions)


def _check_import(node: ast.Import | ast.ImportFrom, text: str) -> None:
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    if any(module not in _HARMLESS_IMPORTS for module in modules):
        raise Rejected(f"nothing but numpy and math is imported: an answer is read, never run, {place(text, node.lineno, 1)}")


def _check_size(module: ast.Module, text: str) -> None:
    """Neither large nor deep, and no huge numbers; found without recursion."""
    work: list[tuple[ast.AST, int]] = [(module, 0)]
    count = 0
    while work:
        node, depth = work.pop()
        count += 1
        if count > MAX_NODES or depth > MAX_DEPTH:
            raise Rejected("the answer is too large or nested too deeply; a few operators on slices should do")
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and abs(node.value) >= 10**MAX_DIGITS:
            raise Rejected(f"a number has more than {MAX_DIGITS} digits, {place(text, node.lineno, node.col_offset + 1)}")
        work.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def chosen(code: Code, wanted: str) -> ast.FunctionDef:
    """The function of that name, or the only one. Raises Rejected."""
    for node in code.functions.values():
        if node.decorator_list:
            raise Rejected(f"decorators are not accepted, {code.at(node)}")
    if wanted in code.functions:
        return code.functions[wanted]
    if len(code.functions) == 1:
        return next(iter(code.functions.values()))
    raise Rejected(f"the answer has no function `{wanted}`; it defines {', '.join(code.functions)}")

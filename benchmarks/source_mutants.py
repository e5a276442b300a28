"""Mutants of the text of a source: small changes, each of one kind, that nearly always change what it computes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COMMENT = re.compile(
    r'//[^\n]*|/\*.*?\*/|^\s*\#[^\n]*|""".*?"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL | re.MULTILINE
)
FOR = re.compile(r"\bfor \((?:[^()]|\([^()]*\))*\)|\bwhile \((?:[^()]|\([^()]*\))*\)|\brange\((?:[^()]|\([^()]*\))*\)")
INDEX = re.compile(r"(?<=[\w\])])(?<!list)(?<!tuple)\[((?:[^\[\]]|\[[^\[\]]*\])+)\]")
OPERATOR = re.compile(r"(?<=[\w)\]] )([-+*/])(?= [\w(*])|(?<=[\w)\]] )([-+*/])(?== )")
COMPARISON = re.compile(r"(?<= )(<=|>=|<|>|==|!=)(?= )")
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+)(?=f?\b)")
LIMIT = re.compile(r"(?<= )(?:<=?|>=?) ([^;<>]+)(?=;)|^while \(\w+--( > 0)?(?=\))")
VALUE = re.compile(
    r"(?<=return )(?=[\w*(])|(?<=[\w\])] = )(?=[\w*(])|(?<=push_back\()(?=[\w*])|(?<=append\()(?=\w)|(?<=return \[)(?=[\w-])"
)
OTHER = {"+": "-", "-": "+", "*": "+", "/": "*", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}


@dataclass(frozen=True, slots=True)
class SourceMutant:
    """A changed text: which kind of change, on which line, from what to what."""

    kind: str
    line: int
    old: str
    new: str
    text: str


@dataclass(frozen=True, slots=True)
class _Change:
    start: int
    end: int
    new: str


def source_mutants(text: str, count: int, seed: int = 0) -> list[SourceMutant]:
    """At most `count` different mutants: one of each kind as far as there are any, then more of those that are left."""
    order = random.Random(seed)
    found = {kind: [_made(kind, text, change) for change in changes(text)] for kind, changes in KINDS.items()}
    chosen: list[SourceMutant] = []
    for made in found.values():
        order.shuffle(made)
    while len(chosen) < count and any(found.values()):
        for made in found.values():
            if made and len(chosen) < count:
                chosen.append(made.pop())
    return chosen


def _made(kind: str, text: str, change: _Change) -> SourceMutant:
    changed = text[: change.start] + change.new + text[change.end :]
    return SourceMutant(kind, text.count("\n", 0, change.start) + 1, text[change.start : change.end], change.new, changed)


def _code(text: str) -> str:
    """The text with comments, strings and directives blanked out; everything else stays where it is."""
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _outside(code: str, *patterns: re.Pattern[str]) -> str:
    """The code with what the patterns match made one word of the same length."""
    for pattern in patterns:
        code = pattern.sub(lambda match: "_" * len(match[0]), code)
    return code


def _operators(text: str) -> Iterator[_Change]:
    for match in OPERATOR.finditer(_outside(_code(text), FOR, INDEX)):
        yield _Change(match.start(), match.end(), OTHER[match[0]])


def _comparisons(text: str) -> Iterator[_Change]:
    for match in COMPARISON.finditer(_outside(_code(text), FOR)):
        yield _Change(match.start(), match.end(), OTHER[match[0]])


def _constants(text: str) -> Iterator[_Change]:
    for match in NUMBER.finditer(_outside(_code(text), FOR, INDEX)):
        number = match[0]
        yield _Change(match.start(), match.end(), str(int(number) + 1) if number.isdigit() else repr(float(number) + 1))


def _bounds(text: str) -> Iterator[_Change]:
    for loop in FOR.finditer(_code(text)):
        if loop[0].startswith("range("):
            yield _Change(loop.end() - 1, loop.end() - 1, " - 1")
            continue
        if (limit := LIMIT.search(loop[0])) is not None:
            new = " - 1" if limit[0][0] in "<>" else " > 1"
            end = loop.start() + limit.end()
            yield _Change(end - len(limit[2] or ""), end, new)
        if (start := re.search(r"= 0;", loop[0])) is not None:
            yield _Change(loop.start() + start.start(), loop.start() + start.end(), "= 1;")


def _values(text: str) -> Iterator[_Change]:
    for match in VALUE.finditer(_outside(_code(text), FOR)):
        yield _Change(match.start(), match.end(), "1 + ")


def _indices(text: str) -> Iterator[_Change]:
    for match in INDEX.finditer(_code(text)):
        if not match[1].strip().isdigit():
            yield _Change(match.end() - 1, match.end() - 1, " + 1")


KINDS: dict[str, Callable[[str], Iterator[_Change]]] = {
    "operator": _operators,
    "comparison": _comparisons,
    "constant": _constants,
    "bound": _bounds,
    "index": _indices,
    "value": _values,
}

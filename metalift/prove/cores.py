"""What of a script its unsatisfiability rests on: hundreds of instances are tried where a handful is needed, and a script of
those few is what the next solver, and a reader, gets.
"""

from __future__ import annotations

import re
from collections.abc import Collection

ASSERT = "(assert "
DEFINES = ("(define-fun ", "(declare-fun ")
SYMBOL = re.compile(r"\|[^|]*\||[^\s()|]+")


def named(script: str) -> str:
    """The script with a name for each assertion, its number among them, and a request for the names of a core."""
    lines = script.split("\n")
    numbers = iter(range(len(lines)))
    told = [f"(assert (! {line[len(ASSERT) : -1]} :named |core {next(numbers)}|))" if _asserts(line) else line for line in lines]
    return "\n".join([*told, "(get-unsat-core)"])


def numbers_in(core: str) -> list[int]:
    """The numbers that an answer to that request names."""
    return sorted(int(number) for number in re.findall(r"\|core (\d+)\|", core))


def only(script: str, numbers: Collection[int]) -> str:
    """The script with those of its assertions, and with what they use."""
    lines = script.split("\n")
    asserted = [position for position, line in enumerate(lines) if _asserts(line)]
    left_out = set(asserted) - {asserted[number] for number in numbers if number < len(asserted)}
    used: set[str] = set()
    kept: list[str] = []
    for position in range(len(lines) - 1, -1, -1):  # what a line uses stands above it
        line = lines[position]
        if position in left_out or (line.startswith(DEFINES) and SYMBOL.findall(line)[1] not in used):
            continue
        used.update(SYMBOL.findall(line))
        kept.append(line)
    return "\n".join(reversed(kept))


def is_part(found: str, script: str) -> bool:
    """Whether nothing is said in a text that the script does not say: it is the script, or leaves out some of what it asserts,
    declares and defines. A line of a script is a command.
    """
    rest = found.split("\n")
    position = 0
    for line in script.split("\n"):
        if position < len(rest) and rest[position] == line:
            position += 1
        elif not line.startswith((ASSERT, *DEFINES)):
            return False
    return position == len(rest)


def _asserts(line: str) -> bool:
    return line.startswith(ASSERT)

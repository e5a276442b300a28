"""Why a function was not lifted, as people are told it: part of the contract of `--json`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReasonResult:
    """A reason with its code, which `metalift explain` has a page for, the place, and what would help.

    `target` is the one that it is about, empty where it is about all of them; `line` is 0 where no place is known, `column` where
    only the line is. `inside` is the function that the line is in where it is another one, whose body was read as a part.
    """

    code: str
    target: str
    file: str
    line: int
    column: int
    what: str
    help: tuple[str, ...] = ()
    inside: str = ""

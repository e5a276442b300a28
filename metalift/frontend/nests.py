"""Loops as units, whatever the language: what is known of each, and which ones a file has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from metalift.result.errors import UsageError


@dataclass(frozen=True, slots=True)
class LoopNest:
    """A loop with the loops in it.

    `name` is FUNCTION_lineN, `symbol` what loops in it call it, and `outer` the symbol of the loop around it, empty if there is
    none. `first` and `last` are its lines in the function; for a loop of a function that was inlined they are the line of the
    call, and `inlined` is its own line. It is `elsewhere` where it is one of that function's loops, in this file or another, or
    was inlined at another call already. `problem` says why it is no unit.
    """

    name: str
    symbol: str
    function: str
    function_line: int
    first: int
    last: int
    inlined: int
    elsewhere: bool
    outer: str
    problem: str

    def covers(self, line: int) -> bool:
        """Whether a line of the function is one of the loop's."""
        return self.first <= line <= self.last


N = TypeVar("N", bound=LoopNest)
N_co = TypeVar("N_co", bound=LoopNest, covariant=True)


class _HasPath(Protocol):
    @property
    def path(self) -> Path: ...


class _Listed(Protocol[N_co]):
    @property
    def module(self) -> _HasPath: ...

    @property
    def found(self) -> tuple[N_co, ...]: ...


class LoopNests:
    """The loops of a file, outer ones before those in them: `found`, in `module`, which has a function for each."""

    __slots__ = ()

    def named(self: _Listed[N], name: str) -> N:
        """The nest of that name."""
        for nest in self.found:
            if nest.name == name:
                return nest
        raise UsageError(f"{self.module.path} has no loop nest {name}")

    def inside(self: _Listed[N], symbol: str) -> tuple[N, ...]:
        """The loops directly in the nest of that symbol, without those that are written elsewhere."""
        return tuple(one for one in self.found if one.outer == symbol and not one.elsewhere)

    def outermost(self: _Listed[N], function: str) -> tuple[N, ...]:
        """The loops that are written in a function and are in no other loop; of C and C++ by its linker name."""
        return tuple(one for one in self.found if one.function == function and not one.outer and not one.elsewhere)

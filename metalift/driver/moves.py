"""What a target offers to a search for faster kernels: changes of kernels, and what a kernel takes by a model. None is trusted.

Whatever comes out of a search is proved as any other kernel is, so a move that is wrong costs time and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from metalift.ir.expr.nodes import TRUE, Expr
from metalift.ir.program.kernel import Kernel

if TYPE_CHECKING:
    from metalift.driver.layout import Request

Site = tuple[str, ...]
"""Where a move can be made; what is in it is for the move to say. A kernel has the same sites whenever it is asked for them."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A changed kernel; `guard` says for which sizes the change was made, where that is not for all."""

    kernel: Kernel
    guard: Expr = TRUE


class Move(Protocol):
    """A change that can be made at some sites of a kernel; a module is one."""

    NAME: str

    def sites(self, kernel: Kernel, /) -> tuple[Site, ...]:
        """Where it can be made."""

    def apply(self, kernel: Kernel, site: Site, /) -> Moved:
        """The kernel with the change made at one of its sites."""


@dataclass(frozen=True, slots=True)
class Optimiser:
    """The moves of a target. `starts` gives kernels to begin from. `score` is the less, the less a kernel takes.

    `score` raises CannotWrite for a kernel that the model cannot count, that does not fit the machine, or that has no text.
    `told` is what a kernel takes, for people, by the model of that `version`: scores of two versions are not compared.
    """

    moves: Sequence[Move]
    starts: Callable[[Request], Sequence[Kernel]]
    score: Callable[[Request, Kernel], float]
    told: Callable[[Request, Kernel], str]
    version: int

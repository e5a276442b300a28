"""An obligation: hypotheses and goals, with a name for people and the path it speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from metalift.ir.expr.build import conj
from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.program.fragment import Diagnostic, Location


class SymbolKind(Enum):
    """Where the value of a symbol is found in a concrete run."""

    TRIP = "trip"  # complete iterations of the loop
    ARGUMENT = "argument"  # a block argument at the header
    ARRAY = "array"  # contents of an array at the header
    ENTRY_ARRAY = "entry array"  # contents of an array when the loop was entered


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol introduced at a loop header."""

    var: Var
    kind: SymbolKind
    header: str
    subject: str


@dataclass(frozen=True, slots=True)
class Goal:
    """One thing to show; `subject` says of what."""

    subject: str
    formula: Expr


@dataclass(frozen=True, slots=True)
class Obligation:
    """The goals follow from the hypotheses.

    `hypotheses` come from the source, the invariants of the loops on the path and definitions; `assumed` are conditions
    beyond these (derived requirements, the user's). `trail` is the path from the function's entry: block labels; a loop
    header in `opened` stands for any number of iterations. `parameters` are sizes that a target's caller chooses, 1 or more.
    `instances` of lemmas, which other obligations are about, hold anyway: no witness has to show that.
    """

    name: str
    location: Location
    hypotheses: tuple[Expr, ...]
    assumed: tuple[Expr, ...]
    goals: tuple[Goal, ...]
    trail: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    parameters: tuple[Var, ...] = ()
    instances: tuple[Expr, ...] = ()

    @property
    def premises(self) -> tuple[Expr, ...]:
        """What may be used of it without what is assumed."""
        return (*self.hypotheses, *self.instances)

    @property
    def goal(self) -> Expr:
        """All goals together."""
        return conj(*(goal.formula for goal in self.goals))


class ObligationError(Exception):
    """No obligations can be generated: a loop without a summary, or a state that the summaries leave out."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic

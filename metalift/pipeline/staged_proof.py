"""What is known of a plan of loops that stay loops: its proofs, or the part that is not proved."""

from __future__ import annotations

from dataclasses import dataclass

from metalift.check.proving import Evidence
from metalift.check.staged import StagedClaims
from metalift.ir.expr.nodes import Expr
from metalift.ir.program.fragment import Diagnostic
from metalift.ir.program.summary import StagedSummary
from metalift.vcgen.plans import Run


@dataclass(frozen=True, slots=True)
class Failing:
    """A part that is not proved, and why: `header` of the loop in it whose summary its body is not proved to keep, or the `fact`
    that is not proved to hold where it ends.
    """

    run: Run
    why: str
    header: str | None = None
    fact: Expr | None = None
    views: bool = False  # whether a target's program has views or operators that are not shown to be inside of arrays or in range


@dataclass(frozen=True, slots=True)
class StagedProof:
    """A plan whose parts are proved; `stayed` has why each loop stays."""

    claims: StagedClaims
    evidence: tuple[Evidence, ...]
    stayed: tuple[Diagnostic, ...]

    @property
    def staged(self) -> StagedSummary:
        """The plan."""
        return self.claims.staged

"""What a proof rests on: a condition on parameters, or how two arrays lie in memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from metalift.ir.expr.nodes import Expr


class Overlap(Enum):
    """How two array arguments may lie in memory."""

    DISJOINT = "do not overlap"
    SAME_OR_DISJOINT = "are the same array or do not overlap"


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something the proof rests on. `formula` speaks of the parameters, `arrays` and `overlap` of two of them in memory.

    `inherent`: every tensor is so, whatever a target's tensors are. `briefly`: how a claim says it that has it in nearly every
    file, such as "over real numbers".
    """

    text: str
    formula: Expr | None = None
    arrays: tuple[str, str] | None = None
    overlap: Overlap = Overlap.SAME_OR_DISJOINT
    inherent: bool = False
    briefly: str = ""

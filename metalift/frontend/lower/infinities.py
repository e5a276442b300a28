"""What infinities are where floats are real numbers: the largest finite number in their place, and what is relied on then."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction

from metalift.ir.expr.nodes import Const
from metalift.ir.expr.types import DOUBLE
from metalift.ir.program.graphs import reached

PREMISE = "what INFINITY or -INFINITY is compared with is smaller than the largest finite number, and neither is in a result"
INFINITY = Const(Fraction(sys.float_info.max), DOUBLE)
MINUS_INFINITY = Const(-Fraction(sys.float_info.max), DOUBLE)


def loop_of(header: str, following: Mapping[str, Sequence[str]]) -> set[str]:
    """The labels of the blocks of the loop with the header; empty where there is no such loop.

    `following`: of each block, where control goes next; the first one is where it begins.
    """
    outside = reached([next(iter(following))], following.__getitem__, {header})  # without the header
    latches = [label for label, targets in following.items() if header in targets and label not in outside]
    sources = {label: [other for other, targets in following.items() if label in targets] for label in following}
    return {header, *reached(latches, sources.__getitem__, {header})} if latches else set()

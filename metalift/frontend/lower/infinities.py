"""What infinities are where floats are real numbers: the largest finite number in their place, and what is relied on then."""

from __future__ import annotations

import sys
from fractions import Fraction

from metalift.ir.expr.nodes import Const
from metalift.ir.expr.types import DOUBLE

PREMISE = "INFINITY and -INFINITY lie beyond everything that they are compared with, and are in no result"
INFINITY = Const(Fraction(sys.float_info.max), DOUBLE)
MINUS_INFINITY = Const(-Fraction(sys.float_info.max), DOUBLE)

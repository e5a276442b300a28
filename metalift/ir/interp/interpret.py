"""The interpreter: `evaluate` for expressions, `run` for fragments, and everything that their callers need."""

from metalift.ir.interp.evaluate import evaluate, evaluate_if_defined
from metalift.ir.interp.execute import Made, Outcome, Shared, Unbounded, run
from metalift.ir.interp.functions import FUNCTIONS, Function
from metalift.ir.interp.reals import EXACT, FLOATS, Reals
from metalift.ir.interp.values import (
    Array,
    AssumeViolated,
    CheckViolated,
    LimitExceeded,
    SourceUndefined,
    Tensor,
    Touched,
    Undef,
    Value,
)

__all__ = [
    "EXACT",
    "FLOATS",
    "FUNCTIONS",
    "Array",
    "AssumeViolated",
    "CheckViolated",
    "Function",
    "LimitExceeded",
    "Made",
    "Outcome",
    "Reals",
    "Shared",
    "SourceUndefined",
    "Tensor",
    "Touched",
    "Unbounded",
    "Undef",
    "Value",
    "evaluate",
    "evaluate_if_defined",
    "run",
]

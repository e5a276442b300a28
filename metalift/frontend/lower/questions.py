"""Questions for NaN and infinities are asked of inputs as they are: of what is computed, floats may say what no real number does.

`isinf(a / b)` holds where b is 0, and `isinf((float)d)` where d is large; what is proved of real numbers does not see it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from metalift.frontend.lower.shape import placed_expressions
from metalift.ir.expr.floats import LARGEST_FLOAT32
from metalift.ir.expr.nodes import Call, Cast, Const, Expr, Ite, Select, Var, type_of
from metalift.ir.expr.types import RealType
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.functions import QUESTIONS
from metalift.ir.program.fragment import Assign, Block, Diagnostic, Premise, PremiseKind, Store, Unsupported

PREMISE = Premise("no float is NaN or an infinity, though the code asks for them where the source does", PremiseKind.VALUES)
COMPUTED = (
    "a question for NaN or infinities of what is computed, stored or the best so far; supported are questions for elements and "
    "parameters as they are given"
)


class OfComputed(Unsupported):
    """Such a question is asked of what is no input."""


def questions_of_inputs(params: Collection[Var], blocks: Sequence[Block]) -> Iterator[Premise]:
    """What is relied on where there are such questions. Raises OfComputed for one of a value that is no input."""
    inputs = _Inputs(params, blocks)
    asked = False
    for block in blocks:
        for expr, place in placed_expressions(block):
            for part in subexpressions(expr):
                if isinstance(part, Call) and part.function in QUESTIONS:
                    asked = True
                    if inputs.origin(part.args[0]) is None:
                        raise OfComputed(Diagnostic(place, COMPUTED))
    if asked:
        yield PREMISE


@dataclass(slots=True)
class _Inputs:
    """Finds out which parameter or element of one a value is."""

    params: Collection[Var]
    blocks: Sequence[Block]
    stored: dict[Var, list[Expr]] = field(default_factory=dict)  # all that is written to an array
    values: dict[Var, list[Expr]] = field(default_factory=dict)  # all that a variable may be

    def __post_init__(self) -> None:
        args = {block.label: block.args for block in self.blocks}
        for block in self.blocks:
            for statement in block.body:
                if isinstance(statement, Assign):
                    self.values.setdefault(statement.target, []).append(statement.value)
                elif isinstance(statement, Store):
                    self.stored.setdefault(statement.array, []).append(statement.value)
            for edge in block.edges:
                for arg, value in zip(args[edge.block], edge.args, strict=True):
                    self.values.setdefault(arg, []).append(value)

    def origin(self, value: Expr) -> Expr | None:
        """The parameter, or the element of one; None for other values, and where there are several."""
        return self._origin(value, frozenset(), {})

    def _origin(self, value: Expr, seen: frozenset[Var], known: dict[Var, Expr | None]) -> Expr | None:
        match value:
            case Cast(arg, RealType(bits)) if isinstance(source := type_of(arg), RealType) and 0 < source.bits <= bits:
                return self._origin(arg, seen, known)
            case Select(Var() as array) if array in self.params and self._keeps(array, seen, known):
                return value
            case Var() if value in self.params:
                return value
            case Var() if value in self.values and value not in seen:
                if value not in known:  # each once: variables that are swapped lead to each other in many ways
                    within = seen | {value}
                    origins = {self._origin(each, within, known) for each in self.values[value] if each not in within}
                    known[value] = origins.pop() if len(origins) == 1 else None
                return known[value]
            case _:
                return None

    def _keeps(self, array: Var, seen: frozenset[Var], known: dict[Var, Expr | None]) -> bool:
        """Whether an array has only what it was given, and constants and other inputs that were put into it."""
        return array in seen or all(self._is_plain(each, seen | {array}, known) for each in self.stored.get(array, ()))

    def _is_plain(self, value: Expr, seen: frozenset[Var], known: dict[Var, Expr | None]) -> bool:
        match value:
            case Const(value=number):
                return not isinstance(number, Fraction) or abs(number) <= LARGEST_FLOAT32  # others may be stored as an infinity
            case Ite(_, then, other):
                return self._is_plain(then, seen, known) and self._is_plain(other, seen, known)
            case _:
                return self._origin(value, seen, known) is not None

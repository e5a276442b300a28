"""Whether two numbers are the same on some inputs: how intermediates of a program are found again in a kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, product
from typing import Any

from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.interp.evaluate import evaluate
from metalift.ir.interp.interpret import SourceUndefined
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Size
from metalift.run.inputs.inputs import inputs

TRIED = 24  # inputs
LEAST = 3  # cells of an input that is used
MOST = 40
ENOUGH = 60  # inputs and sizes on which two numbers are compared
CHOICES = (1, 2, 3, 5, 7)
CLOSE = 1e-6


@dataclass
class Probes:
    """Inputs of a function with values of a kernel's own sizes; `defined` are intermediates in terms of the parameters."""

    fragment: Fragment
    sizes: Sequence[Size]
    defined: Mapping[Var, Expr]
    made: list[dict[str, Any]] = field(default_factory=list)

    def agree(self, one: Expr, other: Expr, holds: Sequence[Expr]) -> bool:
        """Whether both are the same wherever conditions hold, as far as it is tried."""
        compared = 0
        for env in self.environments():
            try:
                if not all(evaluate(each, env) for each in holds):
                    continue
                if not _same(evaluate(one, env), evaluate(other, env)):
                    return False
            except (ArithmeticError, LookupError, SourceUndefined, ValueError):
                continue
            compared += 1
            if compared == ENOUGH:
                break
        return compared > 1

    def environments(self) -> Iterator[dict[str, Any]]:
        """Values for all names."""
        if not self.made:
            for run in islice(inputs(self.fragment), TRIED):
                if LEAST <= run.input.cells <= MOST:
                    self.made += self.with_sizes(dict(run.input.env()))
        yield from self.made

    def with_sizes(self, env: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """An input with several values of the sizes, and what the intermediates are."""
        numbers = [value for value in env.values() if isinstance(value, int) and 0 < value <= MOST]
        for chosen in product(*(dict.fromkeys((*CHOICES, *numbers)) for _ in self.sizes)):
            found = env | {size.var.name: value for size, value in zip(self.sizes, chosen, strict=True) if value <= size.most}
            if len(found) == len(env) + len(self.sizes):
                try:
                    yield found | {let.name: evaluate(value, found) for let, value in self.defined.items()}
                except (ArithmeticError, LookupError, SourceUndefined, ValueError):
                    continue


def _same(one: object, other: object) -> bool:
    """Whether two numbers are close."""
    if isinstance(one, bool | int) and isinstance(other, bool | int):
        return one == other
    mine, others = (float(each) if isinstance(each, int | float | Fraction) else float(str(each)) for each in (one, other))
    return abs(mine - others) <= CLOSE * max(1.0, abs(mine), abs(others))

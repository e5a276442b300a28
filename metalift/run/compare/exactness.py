"""How exact results are, in figures that a person can judge: errors as shares of the largest number of the same output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from metalift.run.compare.agreement import Number, Output


class Figures(NamedTuple):
    """Of all inputs, for the output with the largest: each relative to the largest exact number that the output has.

    `difference` of the generated code and the source; `error`: of the generated code and exact arithmetic, beside
    `source_error`, that of the source. An output in which the source is the more exact one comes before others.
    """

    difference: float = 0.0
    error: float = 0.0
    source_error: float = 0.0


@dataclass(slots=True)
class _Largest:
    """The largest number of an output, difference and errors."""

    number: float = 0.0
    difference: float = 0.0
    error: float = 0.0
    source_error: float = 0.0

    def relative(self) -> Figures:
        if self.number == 0.0:
            return Figures(*(float("inf") if each else 0.0 for each in (self.difference, self.error, self.source_error)))
        return Figures(self.difference / self.number, self.error / self.number, self.source_error / self.number)


@dataclass(slots=True)
class Exactness:
    """Takes results of the generated code and the source into account, output by output."""

    largest: dict[str, _Largest] = field(default_factory=dict)

    def add(self, output: Output, seen: Sequence[Number], source: Sequence[Number]) -> None:
        """Both give finite floats for the output."""
        one = self.largest.setdefault(output.called, _Largest())
        one.number = max([one.number, *(abs(high) for high, _ in output.parts)])
        one.difference = max([one.difference, *(abs(a - b) for a, b in zip(seen, source, strict=True))])
        one.error = max([one.error, *output.errors(seen)])
        one.source_error = max([one.source_error, *output.errors(source)])

    def figures(self) -> Figures:
        """Of everything so far."""
        found = [each.relative() for each in self.largest.values()]
        worst = max(found, key=lambda each: (each.error > each.source_error, each.error), default=Figures())
        return worst._replace(difference=max((each.difference for each in found), default=0.0))

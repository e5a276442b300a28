"""What an operator is declared with, and what of it has to fit together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from metalift.driver.layout import Partial
from metalift.driver.meaning.language import TypePattern
from metalift.driver.meaning.lift import Axes
from metalift.driver.meaning.reader import Meaning, read_meaning
from metalift.driver.meaning.several import Part, read_results
from metalift.driver.operators import Parameter, is_size

Cost = float | Callable[..., float]  # a number, or a function of parameters, of which it sees the extents
Spellings = str | Mapping[str, str]  # one template, or one for each target


@dataclass(frozen=True)
class Options:
    """What `define` was given beside the meaning."""

    name: str = ""
    emit: Spellings = ""
    scalars: Spellings = ""
    cost: Cost = 1.0
    numbers: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    elementwise: bool = False
    axes: Axes | None = None
    holes: Mapping[str, int] | None = None
    holds: tuple[str, ...] = ()
    partial: Mapping[str, Partial] = field(default_factory=dict)
    reducer: tuple[str, str] | None = None
    counted: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    part: Part | None = None

    def of_part(self, called: str, part: int | None, results: Sequence[str]) -> Options:
        """The options of that result."""
        if part is None:
            return self
        return replace(self, name=f"{called}.{results[part]}", part=Part(called, part, len(results)))


def parts(function: Callable[..., Any], results: Sequence[str]) -> list[tuple[Meaning, int | None]]:
    """The meaning, or that of each result with its place."""
    if not results:
        return [(read_meaning(function), None)]
    return [(meaning, at) for at, meaning in enumerate(read_results(function, results))]


def signature(meaning: Meaning, axes: Axes | None) -> tuple[tuple[Parameter, ...], TypePattern]:
    """The parameters and the result of the operator; along axes the first is a tensor."""
    params = tuple(Parameter(param, pattern) for param, pattern in meaning.params)
    if axes is None:
        return params, meaning.result
    first = Parameter(params[0].name, replace(params[0].pattern, rank=axes.rank))
    return (first, *params[1:]), replace(meaning.result, rank=axes.rank if meaning.result.rank else axes.rank - len(axes.along))


def check_configuration(meaning: Meaning, params: tuple[Parameter, ...], options: Options) -> None:
    """Raises DriverError where holes and held cells are not parameters of the kind that they have to be."""
    known = {param.name: param for param in params}
    for hole, choices in (options.holes or {}).items():
        if hole not in known or not is_size(known[hole]) or choices < 1:
            raise meaning.error(
                f"the hole {hole!r} of {meaning.name!r} has to be a parameter of the type Size with 1 choice or more"
            )
    if options.holes is None and not options.holds:
        return
    if missing := [held for held in options.holds if held not in known]:
        raise meaning.error(f"{meaning.name!r} has no parameter {missing[0]!r}, which 'holds' names")
    if any(pattern.rank or pattern.takes for pattern in (*(param.pattern for param in params), meaning.result)):
        raise meaning.error(f"{meaning.name!r} has 'holes' or 'holds': its meaning is on scalars, not on Vec, Matrix or Fn")


def with_axes(templates: Mapping[str, str], axes: int | tuple[int, ...]) -> dict[str, str]:
    """The spellings with the axes filled in."""
    return {target: template.replace("{axis}", str(axes)) for target, template in templates.items()}

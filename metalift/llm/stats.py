"""`metalift llm stats`: what came of the calls, by model, and for each model by function."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from metalift.llm.log import printable
from metalift.llm.store import Call, Judged

HEADER = ("model", "function", "asked", "proved", "1 call", "2 calls", "calls", "tokens", "cost", "seconds")


@dataclass(frozen=True, slots=True)
class Stat:
    """Of one model and one function, or of all (`function` is empty).

    `asked`: functions that it was asked about; `proved`: those of which an answer was proved, `first` and `second` after one call
    and after at most two. `tokens` of prompts and answers, `cost` in US dollars, None where a price is not known, `seconds` of
    the calls.
    """

    model: str
    function: str
    asked: int
    proved: int
    first: int
    second: int
    calls: int
    tokens: int
    cost: float | None
    seconds: float


def table(calls: Sequence[Call], verdicts: Sequence[Judged]) -> list[Stat]:
    """For each model all functions together, then one by one."""
    found = []
    for model in dict.fromkeys(call.model for call in calls):
        own = [call for call in calls if call.model == model]
        judged = [each for each in verdicts if each.model == model]
        found.append(of(model, "", own, judged))
        for function in dict.fromkeys(call.function for call in own):
            theirs = [call for call in own if call.function == function]
            found.append(of(model, function, theirs, [each for each in judged if each.function == function]))
    return found


def of(model: str, function: str, calls: Sequence[Call], judged: Sequence[Judged]) -> Stat:
    """One line."""
    best: dict[str, int] = {}
    for each in judged:
        if each.accepted:
            best[each.function] = min(each.attempt, best.get(each.function, each.attempt))
    costs = [call.cost for call in calls]
    return Stat(
        model=model,
        function=function,
        asked=len({call.function for call in calls}),
        proved=len(best),
        first=sum(attempt == 1 for attempt in best.values()),
        second=sum(attempt <= 2 for attempt in best.values()),
        calls=len(calls),
        tokens=sum(call.tokens_in + call.tokens_out for call in calls),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=round(sum(call.seconds for call in calls), 1),
    )


def show(stats: Sequence[Stat]) -> str:
    """A line for each."""
    if not stats:
        return "no model was asked yet"
    rows = [HEADER, *(_row(each) for each in stats)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    lines = []
    for row in rows:
        pairs = list(zip(row, widths, strict=True))
        cells = [cell.ljust(width) for cell, width in pairs[:2]] + [cell.rjust(width) for cell, width in pairs[2:]]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def to_json(stats: Sequence[Stat]) -> str:
    """As one JSON list."""
    return json.dumps([asdict(each) for each in stats], indent=2)


def _row(each: Stat) -> tuple[str, ...]:
    cost = "?" if each.cost is None else f"${each.cost:.4f}"
    numbers = (each.asked, each.proved, each.first, each.second, each.calls, each.tokens)
    return (each.model, printable(each.function), *(f"{number:,}" for number in numbers), cost, f"{each.seconds:.1f}")

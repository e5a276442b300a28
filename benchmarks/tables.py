"""What a run of the benchmark suites prints."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.suites import Kernel

ALL = "all"


@dataclass(frozen=True, slots=True)
class Run:
    """One lift: what it printed as JSON about its function (empty where it failed), and what it took."""

    function: dict[str, Any]
    wall: float
    megabytes: float
    error: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)  # see `benchmarks.compare`

    @property
    def verdict(self) -> str:
        """The function's verdict, or that it failed."""
        return str(self.function.get("verdict", "FAILED"))

    @property
    def solver_seconds(self) -> float:
        """The prover's time over all obligations."""
        return sum(float(obligation["seconds"]) for obligation in self.function.get("obligations", ()))

    def agreement(self, target: str) -> str:
        """Whether the target's code agrees with the source."""
        return str(self.function.get("targets", {}).get(target, {}).get("checked", "-"))


@dataclass(slots=True)
class Row:
    """A kernel and its runs, by target; all the same one where one lift was for all targets."""

    kernel: Kernel
    runs: dict[str, Run] = field(default_factory=dict)

    @property
    def first(self) -> Run:
        """The run that times are taken from."""
        return next(iter(self.runs.values()))

    @property
    def good(self) -> bool:
        """Every verdict is the expected one, and all code agrees."""
        expected = all(run.verdict == self.kernel.expected for run in self.runs.values())
        return expected and (self.agrees or self.kernel.expected != "PROVED")

    @property
    def proved(self) -> bool:
        """Whether it is proved for all targets."""
        return all(run.verdict == "PROVED" for run in self.runs.values())

    @property
    def agrees(self) -> bool:
        """Whether the code of all targets agrees with the source."""
        return all(run.agreement(target) == "agrees" for target, run in self.runs.items())


def suites_and_styles(rows: Sequence[Row], targets: Sequence[str]) -> list[str]:
    """A line for each suite and family of styles, and one for all: how many are proved and agree, median and maximum times."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.kernel.suite, row.kernel.family), []).append(row)
    if len(groups) > 1:
        groups[(ALL, "")] = list(rows)
    header = ["suite", "style", "kernels", "proved", *targets, "wall s", "max", "prover s", "max", "MB"]
    body = [[suite, family, *_counts(found, targets), *_times(found)] for (suite, family), found in groups.items()]
    return _align([header, *body], left=2)


def _counts(rows: Sequence[Row], targets: Sequence[str]) -> list[str]:
    agree = (sum(row.runs[target].agreement(target) == "agrees" for row in rows) for target in targets)
    return [str(number) for number in (len(rows), sum(row.proved for row in rows), *agree)]


def _times(rows: Sequence[Row]) -> list[str]:
    """Median and maximum of the wall time and of the prover's, and the most memory."""
    walls = [row.first.wall for row in rows]
    provers = [row.first.solver_seconds for row in rows]
    times = (statistics.median(walls), max(walls), statistics.median(provers), max(provers))
    return [*(f"{seconds:.3f}" for seconds in times), f"{max(row.first.megabytes for row in rows):.0f}"]


def each_kernel(rows: Sequence[Row], targets: Sequence[str]) -> list[str]:
    """A header, one line per kernel with the time of each stage, then medians and maxima."""
    stages = list(dict.fromkeys(stage for row in rows for stage in row.first.function.get("seconds", {})))
    header = ["kernel", "style", "verdict", *targets, "wall s", *stages, "prover s", "MB"]
    numbers = [_numbers(row.first, stages) for row in rows]
    body = [
        [row.kernel.label, row.kernel.style, row.first.verdict, *(row.runs[t].agreement(t) for t in targets), *_format(values)]
        for row, values in zip(rows, numbers, strict=True)
    ]
    blank = [""] * (2 + len(targets))
    columns = list(zip(*numbers, strict=True))
    footer = [
        ["median", *blank, *_format([statistics.median(column) for column in columns])],
        ["maximum", *blank, *_format([max(column) for column in columns])],
    ]
    return _align([header, *body, *footer], left=3 + len(targets))


def _numbers(run: Run, stages: Iterable[str]) -> list[float]:
    """Wall time, the stages, the prover's time, memory."""
    seconds = run.function.get("seconds", {})
    return [run.wall, *(float(seconds.get(stage, 0.0)) for stage in stages), run.solver_seconds, run.megabytes]


def _format(values: Sequence[float]) -> list[str]:
    """Seconds with three decimals, the last value as whole megabytes."""
    return [*(f"{value:.3f}" for value in values[:-1]), f"{values[-1]:.0f}"]


def _align(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """Columns side by side, the first `left` ones flush left."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if position < left else cell.rjust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def explain(row: Row) -> list[str]:
    """Why a kernel does not count: verdicts, and the first message of each run."""
    lines = [f"{row.kernel.label} ({row.kernel.style}, {row.kernel.path}): expected {row.kernel.expected}"]
    for target, run in row.runs.items():
        messages = [diagnostic["message"] for diagnostic in run.function.get("diagnostics", ())]
        obligations = [o for o in run.function.get("obligations", ()) if o["verdict"] != "PROVED"]
        unproved = [f"{o['name']}: {o['verdict']} {o['reason']}" for o in obligations]
        reason = next(iter([*messages, *unproved, *filter(None, [run.error])]), "")
        lines.append(f"  {target}: {run.verdict}, code {run.agreement(target)}; {reason}")
    return lines

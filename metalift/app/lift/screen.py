"""A lift as one screen: a line for each function as it ends, then what stopped those that are not proved, and what would help."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from metalift.app import plain_report
from metalift.app.excerpt import excerpt
from metalift.app.terminal import Paint, Progress
from metalift.check.assumptions import Origin
from metalift.ir.interp.identities import in_brief
from metalift.pipeline.listening import Listener
from metalift.result import AssumptionResult, FunctionResult, ReasonResult, Result, TargetResult
from metalift.result.reasons import pages, plain
from metalift.result.verdict import Agreement, Checked, FunctionVerdict

HEAD = "function"
WIDEST = 40  # characters of a name
CELL = max(len(verdict.value) for verdict in FunctionVerdict) + 2
FORMULA = re.compile(r"\b(fold|update|forall|exists|gather|dim)\(")
ARRAY = re.compile(r"\b([A-Za-z_]\w*)\[")
NOT_RUN, DIFFERS = "PROVED, not run", "PROVED, differs"  # what is proved and does not count as done
SHOWN = 6  # reasons with their lines; of others it is said which there are
USUAL = {Origin.SOURCE.value, Origin.REAL.value, Origin.EXTENT.value}
ALWAYS = (
    "Always assumed: the source's behaviour is defined, floats compute like real numbers, and arrays have the elements that the "
    "source\naccesses. What the generated code checks itself, with a ValueError, is not listed either: -v shows all of it."
)
COLOURS = {
    FunctionVerdict.PROVED.value: "green",
    FunctionVerdict.TESTED.value: "yellow",
    FunctionVerdict.VACUOUS.value: "yellow",
    NOT_RUN: "yellow",
}


@dataclass(slots=True)
class Screen(Listener):
    """Prints a lift. `verbosity`: 0 the table, 1 all that is known, -1 the last line only. `timed`: with seconds."""

    out: TextIO
    paint: Paint
    progress: Progress
    verbosity: int = 0
    timed: bool = False
    stages: bool = False
    source: str = ""
    targets: Sequence[str] = ()
    count: int = 0
    done: list[FunctionResult] = field(default_factory=list)
    units: int = 0
    width: int = 0
    notes: dict[str, int] = field(default_factory=dict)  # assumptions with their numbers
    began: float = field(default_factory=time.monotonic)

    def begins(self, source: str, functions: Sequence[str], targets: Sequence[str]) -> None:
        """Nothing is printed before the first result: there may be none."""
        self.source, self.targets, self.count = source, targets, len(functions)
        self.width = min(WIDEST, max(map(len, (HEAD, *functions))))

    def ended(self, results: Sequence[FunctionResult]) -> None:
        """A line for a function and each of its nests, or a paragraph."""
        self.progress.clear()
        if self.verbosity == 0 and not self.done:
            self.line(self.paint.bold(self.row(HEAD, list(self.targets), "assumed beyond the usual, or why not", "s")))
        for result in results:
            if self.verbosity == 0:
                self.line(self.result_row(result))
            elif self.verbosity > 0:
                self.line(plain_report.show_function(self.source, result, self.stages) + "\n")
        self.done += results
        self.units += 1

    def runs(self, functions: Sequence[tuple[str, float]]) -> None:
        """What is under way, on a terminal."""
        working = ", ".join(f"{name} ({seconds:.0f} s)" for name, seconds in functions)
        self.progress.show(f"{self.units} of {self.count} done, {time.monotonic() - self.began:.0f} s: {working}")

    def stage(self, stage: str, begins: bool) -> None:
        """What this process does, on a terminal."""
        if begins:
            self.progress.show(f"{self.units} of {self.count or 1} done, {time.monotonic() - self.began:.0f} s: {stage}")

    def finish(self, result: Result) -> None:
        """What comes after the last function."""
        self.progress.clear()
        if self.verbosity == 0:
            self.below(result)
        elif self.verbosity > 0:
            for line in plain_report.program_lines(result):
                self.line(line)
        self.line(plain_report.totals(result))

    def interrupted(self) -> None:
        """What is done of what was asked for."""
        self.progress.clear()
        proved = sum(result.ok for result in self.done)
        self.line(f"interrupted: {self.units} of {self.count} functions done, {proved} of them proved with code that agrees")

    # The table

    def result_row(self, result: FunctionResult) -> str:
        """The line of a function."""
        cells = [self.cell(result, name) for name in self.targets]
        said = " ".join(self.noted(result)) if result.ok or not result.reasons else self.why(result)
        if any(target.file for target in result.targets.values()):
            said = f"{said or '-'}  {code_of(result)}"
        return self.row(result.name, cells, said, f"{sum(result.seconds.values()):.1f}")

    def row(self, name: str, cells: Sequence[str], said: str, seconds: str) -> str:
        """Its parts side by side."""
        name = name if len(name) <= WIDEST else f"{name[: WIDEST - 3]}..."
        cell = max(CELL, len(NOT_RUN) + 2)
        shown = "".join(self.paint.word(text, COLOURS.get(text, "red" if text.isupper() else ""), cell) for text in cells)
        timing = f"{seconds:>6}  " if self.timed else ""
        return f"{name:<{self.width}}  {shown}{timing}{said}".rstrip()

    def cell(self, result: FunctionResult, name: str) -> str:
        """What became of a target."""
        target = result.targets.get(name)
        return str(result.verdict.value) if target is None else word_of(target)

    def noted(self, result: FunctionResult) -> Iterator[str]:
        """The numbers of what is assumed beyond the usual."""
        for assumption in beyond_usual(result):
            yield f"[{self.notes.setdefault(assumption, len(self.notes) + 1)}]"

    def why(self, result: FunctionResult) -> str:
        """The first reason in a few words."""
        titles = {page.code: page.title for page in pages()}
        first = result.reasons[0]
        more = f" (+{len(result.reasons) - 1})" if len(result.reasons) > 1 else ""
        return f"{first.code} line {first.line}: {titles[first.code]}{more}"

    # Below the table

    def below(self, result: Result) -> None:
        """What the numbers mean, what stopped the rest, and which files belong to the program."""
        if any(function.ok for function in result.functions):
            self.line("\n" + "\n".join([*(f"[{number}] {text}" for text, number in self.notes.items()), ALWAYS]))
        alike: dict[tuple[str, str], list[tuple[str, ReasonResult]]] = {}
        for function in result.functions:
            for reason in function.reasons:
                alike.setdefault((reason.code, reason.what), []).append((function.name, reason))
        for told in list(alike.values())[:SHOWN]:
            self.line("\n" + self.reason(*told[0], list(dict.fromkeys((name, each.line) for name, each in told[1:]))))
        if rest := list(alike.values())[SHOWN:]:
            places = ", ".join(f"{told[0][1].code} in {told[0][0]}" for told in rest)
            self.line(f"\n{len(rest)} more, which --function NAME shows: {places}")
        lines = [*plain_report.program_lines(result), *self.told_late(result)]
        self.line("\n".join(["", *lines]) + "\n" if lines else "")

    def told_late(self, result: Result) -> Iterator[str]:
        """What became known of functions after they had ended."""
        for before, after in zip(self.done, result.functions, strict=False):
            yield from (each.message for each in after.diagnostics if each not in before.diagnostics)

    def reason(self, name: str, reason: ReasonResult, others: Sequence[tuple[str, int]]) -> str:
        """The line of the source, what stopped it there, what would help, and where else it is the same."""
        place = excerpt(Path(reason.file), self.source, reason.line, reason.column, self.paint)
        help_lines = [f"  {self.paint.bold('help')}: {text}" for text in reason.help]
        where = f"{name}, in {reason.inside}" if reason.inside else name
        head = f"{place.head}: {where}: {self.paint.bold(f'{reason.what} [{reason.code}]')}"
        same = ", ".join(f"{other} (line {line})" for other, line in others if other != name)
        also = [f"  also: {same}"] if same else []
        return "\n".join([head, *place.lines, *help_lines, *also, f"  more: metalift explain {reason.code}"])

    def line(self, text: str) -> None:
        """Print it at once."""
        print(text, file=self.out, flush=True)


def word_of(target: TargetResult) -> str:
    """The verdict of a target; what is proved and does not count as done is marked."""
    if target.ok or target.verdict is not FunctionVerdict.PROVED:
        return str(target.verdict.value)
    return DIFFERS if target.checked is Agreement.DIFFERS else NOT_RUN


def beyond_usual(result: FunctionResult) -> list[str]:
    """What is assumed beyond the usual, once each."""
    shown = (one for target in result.targets.values() for one in target.assumptions)
    return list(dict.fromkeys(for_users(one) for one in [*result.assumptions, *shown] if is_unusual(one)))


def is_unusual(assumption: AssumptionResult) -> bool:
    """Whether it goes beyond what every proof assumes, and what the code checks itself; what the user asked for does."""
    return assumption.origin == Origin.USER.value or (assumption.checked is Checked.NO and assumption.origin not in USUAL)


def for_users(assumption: AssumptionResult) -> str:
    """An assumption without names that only metalift has; one that is a formula over all elements by what it is about."""
    about = FORMULA.search(assumption.text)
    if about is None:
        return f"{plain(in_brief(assumption.text))} [{assumption.origin}]"
    arrays = ", ".join(dict.fromkeys(ARRAY.findall(assumption.text)))
    what = "what is computed of all elements of" if assumption.origin == Origin.RANGE.value else "a condition on all elements of"
    return f"{what} {arrays or 'arrays'}, which -v shows [{assumption.origin}]"


def code_of(result: FunctionResult) -> str:
    """Where the code is: a path, for several targets with a star in the place of each."""
    files = [Path(target.file) for target in result.targets.values() if target.file]
    if len(files) == 1:
        return str(files[0])
    endings = {file.suffix for file in files}
    return str(files[0].parents[1] / "*" / f"{files[0].stem}{endings.pop() if len(endings) == 1 else '.*'}")



"""What is shown of a batch while it runs: lines in a pipe; on a terminal, below the lines, a table of what is running."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from metalift.app.batch.events import Began, Entered, Event, Finished, Left, Listen, Measured, Started
from metalift.app.batch.speed.shown import SOURCE

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

PER_SECOND = 4  # refreshes of the table
BAR = 18  # columns


def printable(text: str) -> str:
    """A text from a source or a tool, in which nothing controls the terminal."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def line(event: Finished) -> str:
    """What became of a kernel."""
    outcome = ", ".join(f"{row.target} {row.verdict}" for row in event.rows)
    reason = next((f"; {row.reason}" for row in event.rows if row.reason), "").split("\n")[0]
    return printable(f"{event.label}: {outcome} in {event.rows[0].seconds:.1f} s{reason}")


def measured_text(speed: Mapping[str, Any]) -> str:
    """What measuring a kernel came to."""
    if "problem" in speed:
        return f"no speed: {speed['problem']}"
    if speed["recommended"] == SOURCE:
        return "the compiled source is the fastest"
    return f"{speed['recommended']} is {speed['speedup']:.3g} times as fast as the compiled source"


@dataclass(slots=True)
class Lines:
    """A line for each kernel that is finished."""

    say: Callable[[str], None]
    done: int = 0
    kernels: int = 0

    def __call__(self, event: Event) -> None:
        """Take notice of an event."""
        if isinstance(event, Began):
            self.done, self.kernels = event.finished, event.kernels
        elif isinstance(event, Finished):
            self.done += 1
            self.say(f"[{self.done:>{len(str(self.kernels))}}/{self.kernels}] {line(event)}")
        elif isinstance(event, Measured):
            self.say(printable(f"measured {event.label}: {measured_text(event.speed)}"))


@dataclass(slots=True)
class Active:
    """A kernel that is being lifted, with its stages, the innermost last."""

    label: str
    since: float
    stages: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Progress:
    """How far a batch is, by its events. `work` and `worked` are in the unit of the events."""

    began: float = 0.0
    kernels: int = 0
    done: int = 0
    results: int = 0
    ok: int = 0
    work: float = 0.0
    worked: float = 0.0
    measured: int = 0
    active: dict[str, Active] = field(default_factory=dict)

    def __call__(self, event: Event) -> None:
        """Take notice of an event."""
        match event:
            case Began():
                self.began, self.kernels, self.done = event.at, event.kernels, event.finished
                self.results, self.ok, self.work = event.results, event.ok, event.work
            case Started():  # perhaps again, where a worker was lost
                self.drop(event.label)
                self.active[event.worker] = Active(event.label, event.at)
            case Entered() if event.worker in self.active:
                self.active[event.worker].stages.append(event.stage)
            case Left() if event.worker in self.active and self.active[event.worker].stages:
                self.active[event.worker].stages.pop()
            case Finished():
                self.drop(event.label)
                self.done += 1
                self.results += len(event.rows)
                self.ok += sum(row.ok for row in event.rows)
                self.worked += event.expected
            case Measured():
                self.measured += 1

    def drop(self, label: str) -> None:
        """The kernel is not being lifted any more."""
        self.active = {worker: one for worker, one in self.active.items() if one.label != label}

    def left(self, now: float) -> float | None:
        """Seconds that the rest may take, at the pace so far; None while nothing is finished."""
        return (now - self.began) * (self.work - self.worked) / self.worked if self.worked > 0 else None


@contextmanager
def shown(say: Callable[[str], None], also: Sequence[Listen] = ()) -> Iterator[Listen]:
    """A listener that shows a batch: with a table where standard output is a terminal. `also` hear everything too."""
    if not sys.stdout.isatty():
        yield _each([Lines(say), *also])
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_dumb_terminal:
        yield _each([Lines(say), *also])
        return

    screen = _Screen(console)
    with Live(console=console, get_renderable=screen.table, refresh_per_second=PER_SECOND, transient=True):
        yield _each([screen, *also])


def _each(listeners: Sequence[Listen]) -> Listen:
    def listen(event: Event) -> None:
        for one in listeners:
            one(event)

    return listen


class _Screen:
    """The lines of what is finished above a table of what is running."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress()
        self._lock = Lock()
        self._lines = Lines(lambda text: console.print(text, soft_wrap=True))

    def __call__(self, event: Event) -> None:
        """Take notice of an event."""
        with self._lock:
            self._progress(event)
        self._lines(event)

    def table(self) -> RenderableType:
        """What is shown now."""
        with self._lock:
            return render(self._progress, time.time())


def render(progress: Progress, now: float) -> RenderableType:
    """How far a batch is: a bar with numbers, and a row for each kernel that is being lifted."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    left = progress.left(now)
    told = Text(f"{progress.done}/{progress.kernels} kernels  ")
    told.append(f"{progress.ok}/{progress.results} proved", "green" if progress.ok == progress.results else "yellow")
    told.append(f"  {duration(now - progress.began) if progress.began else ''}")
    if left is not None and progress.done < progress.kernels:
        told.append(f"  about {duration(left)} left", "dim")
    if progress.measured:
        told.append(f"  {progress.measured} measured")
    head = Table.grid(padding=(0, 2), expand=True)
    head.add_column(width=BAR)
    head.add_column(ratio=1, overflow="ellipsis", no_wrap=True)
    head.add_row(ProgressBar(max(1, progress.kernels), progress.done, width=BAR), told)
    rows = Table.grid(padding=(0, 2), expand=True)
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(ratio=1, overflow="ellipsis", no_wrap=True)
    rows.add_column(style="cyan", no_wrap=True)
    rows.add_column(justify="right", no_wrap=True)
    for worker, one in sorted(progress.active.items()):
        stage = one.stages[-1] if one.stages else ""
        rows.add_row(Text(worker), Text(printable(one.label)), Text(stage), duration(max(0.0, now - one.since)))
    return Group(Text(), head, rows)

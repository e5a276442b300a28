"""The events of a batch in files: a JSON object on each line, or a trace in the format of Chrome's trace viewer and Perfetto."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TextIO

from metalift.app.batch.events import Began, Ended, Entered, Event, Finished, Left, Listen, Measured, Started
from metalift.app.batch.store import Row
from metalift.result.errors import UsageError

PROCESS, MEASURING = 1, 0  # the numbers of the process and of a thread; those of workers come after it


@contextmanager
def observers(log: Path | None, trace: Path | None) -> Iterator[list[Listen]]:
    """Listeners that write these files, where they are wanted. Raises UsageError where one cannot be written."""
    with ExitStack() as files:
        wanted: list[Listen] = []
        if log is not None:
            wanted.append(Log(files.enter_context(_opened(log, "a"))))
        if trace is not None:
            wanted.append(Trace(files.enter_context(_opened(trace, "w"))))
        yield wanted


@contextmanager
def _opened(path: Path, mode: Literal["a", "w"]) -> Iterator[_File]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open(mode, encoding="utf-8", newline="\n")
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}") from None
    try:
        yield _File(path, stream)
    finally:
        with suppress(OSError):  # what could not be written
            stream.close()


@dataclass(slots=True)
class _File:
    """What is written is in the file at once. When it cannot be written any more, that is said once: the batch goes on."""

    path: Path
    stream: TextIO
    works: bool = True

    def write(self, text: str) -> None:
        """Add a text."""
        if not self.works:
            return
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError as problem:
            self.works = False
            sys.stderr.write(f"metalift: {self.path} cannot be written any more: {problem.strerror}\n")


@dataclass(slots=True)
class Log:
    """One JSON object for each event, in the order in which they happened: `event` is its name, `at` the time in seconds."""

    file: _File

    def __call__(self, event: Event) -> None:
        """Write an event."""
        plain = {item.name: _plain(getattr(event, item.name)) for item in fields(event)}
        self.file.write(json.dumps({"event": type(event).__name__.lower(), **plain}, allow_nan=False) + "\n")


def _plain(value: object) -> object:
    return [_result(row) for row in value] if isinstance(value, tuple) else value


def _result(row: Row) -> dict[str, object]:
    times = {"seconds": round(row.seconds, 4), "prover": round(row.prover, 4)}
    return {"target": row.target, "verdict": row.verdict, "ok": row.ok, **times, "reason": row.reason}


@dataclass(slots=True)
class Trace:
    """Spans: for each worker its kernels, in them their stages; and how many results are proved.

    Ends of spans are written when they come, and the format does not ask for the array's end: what is left of a batch that was
    killed can be viewed.
    """

    file: _File
    empty: bool = True
    workers: dict[str, int] = field(default_factory=dict)
    open: dict[str, list[str]] = field(default_factory=dict)
    finished: int = 0
    ok: int = 0
    last: float = 0.0  # when the event before was

    def __call__(self, event: Event) -> None:
        """Write what an event begins and ends. Kernels are measured one after the other: one begins where the one before ends."""
        match event:
            case Began():
                self.finished, self.ok = event.results, event.ok
                self.write("M", "process_name", 0.0, 0, {"name": "metalift batch"})
                self.write("M", "thread_name", 0.0, MEASURING, {"name": "measuring"})
                self.count(event.at)
            case Measured():
                self.write("X", event.label, self.last, MEASURING, seconds=event.at - self.last)
            case Ended():
                for worker in self.open:
                    self.close(worker, event.at)
                self.file.write("\n]\n")
            case _:
                self.work(event)
        self.last = event.at

    def work(self, event: Started | Entered | Left | Finished) -> None:
        """What a worker does."""
        match event:
            case Started():
                for worker, spans in self.open.items():  # what a worker that was lost did not end
                    if worker == event.worker or spans[:1] == [event.label]:
                        self.close(worker, event.at)
                self.begin(event.worker, event.label, event.at)
            case Entered():
                self.begin(event.worker, event.stage, event.at)
            case Left() if self.open.get(event.worker, [])[-1:] == [event.stage]:
                self.end(event.worker, event.at)
            case Finished():
                self.close(event.worker, event.at, {row.target: row.verdict for row in event.rows})
                self.finished += len(event.rows)
                self.ok += sum(row.ok for row in event.rows)
                self.count(event.at)

    def close(self, worker: str, at: float, more: Mapping[str, object] | None = None) -> None:
        """The end of the worker's kernel, and of its stages, where the worker died in one."""
        while self.open.get(worker):
            self.end(worker, at, more)

    def begin(self, worker: str, name: str, at: float) -> None:
        """A span in those of the worker that are open."""
        if worker not in self.workers:
            self.workers[worker] = len(self.workers) + 1
            self.write("M", "thread_name", 0.0, self.workers[worker], {"name": f"worker {worker}"})
        self.open.setdefault(worker, []).append(name)
        self.write("B", name, at, self.workers[worker])

    def end(self, worker: str, at: float, more: Mapping[str, object] | None = None) -> None:
        """The end of the worker's innermost span."""
        name = self.open[worker].pop()
        self.write("E", name, at, self.workers[worker], more)

    def count(self, at: float) -> None:
        """How far the batch is."""
        self.write("C", "results", at, 0, {"proved": self.ok, "other": self.finished - self.ok})

    def write(
        self, phase: str, name: str, at: float, thread: int, more: Mapping[str, object] | None = None, seconds: float = 0.0
    ) -> None:
        """One event of the format, whose times are in microseconds."""
        event: dict[str, Any] = {"ph": phase, "name": name, "pid": PROCESS, "tid": thread, "ts": round(at * 1e6)}
        if phase == "X":
            event["dur"] = round(seconds * 1e6)
        if more:
            event["args"] = dict(more)
        self.file.write(("[\n" if self.empty else ",\n") + json.dumps(event, allow_nan=False))
        self.empty = False

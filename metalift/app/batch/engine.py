"""Where the kernels of a batch are lifted: what an engine is given, and what it tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from metalift.app.batch.suite import Kernel

Answer: TypeAlias = Mapping[str, Any]  # `seconds`, and either `function`, its JSON object, or `problem`, why there is none


@dataclass(frozen=True, slots=True)
class Limits:
    """What one kernel may take: seconds of wall time, and bytes of resident memory of its process and those below it."""

    seconds: float = 120.0
    memory: int = 4 << 30


@dataclass(frozen=True, slots=True)
class Task:
    """A kernel with the targets that there is no result for, and their keys; `expected` is the time that it may take.

    `job` is what a worker is told.
    """

    kernel: Kernel
    keys: Mapping[str, str]
    expected: float
    job: Mapping[str, object]


class Watcher(Protocol):
    """Who is told what happens; may be called from several threads."""

    def started(self, worker: str, task: Task) -> None:
        """A worker begins with a kernel, perhaps again after another one was lost."""

    def stage(self, worker: str, task: Task, at: float, stage: str, begins: bool) -> None:
        """A stage of a kernel began or ended, at that time of the clock."""

    def finished(self, worker: str, task: Task, answer: Answer) -> None:
        """What came of it; once for each task."""


class Engine(Protocol):
    """Runs tasks, in processes that can be killed."""

    def run(self, tasks: Sequence[Task], watcher: Watcher) -> None:
        """All tasks, begun in this order. When it returns or raises, no process of its own is left."""


def folder_of(out: Path, label: str) -> Path:
    """The folder for the code and the certificate of a kernel."""
    parts = ["".join(c if c.isalnum() or c in "_-." else "_" for c in part).lstrip(".") or "_" for part in label.split("/")]
    return out.joinpath("lifted", *parts)

"""The engine for several machines: Ray runs the tasks; each lifts in a worker process of ours, which has its limits.

The machines see suites and the output folder at the same paths, and have the same metalift, clang, solver and driver: a task on
one that has not says so. What Ray loses (a process, a machine) is run again by it.
"""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from metalift.app.batch.content import tools
from metalift.app.batch.engine import Answer, Limits, Task, Watcher
from metalift.app.batch.local import answered
from metalift.app.batch.workers import Worker
from metalift.driver import choosing
from metalift.result.errors import UsageError

RUNS_AGAIN = 3  # times, where Ray loses a task
LOOK = 1.0  # seconds between two looks at tasks that may be stuck
STORE = 100 << 20  # bytes of shared memory; jobs and answers are small
STARTING = 60.0  # seconds for a task to begin


@dataclass(frozen=True, slots=True)
class RayEngine:
    """At most `jobs` tasks at a time on this machine, or, at an address, as many as the cluster has processors.

    `patience`: seconds until a task that does not answer is cancelled; by default what its own limit and a lost worker may take.
    """

    jobs: int
    limits: Limits
    driver: str | None
    targets: tuple[str, ...]
    address: str | None = None
    patience: float | None = None

    def run(self, tasks: Sequence[Task], watcher: Watcher) -> None:
        """All tasks. Raises UsageError where there is no Ray or no cluster, and what the watcher raises."""
        ray = _ray()
        if not tasks:
            return
        try:
            self._start(ray)
            _Running(ray, self, list(reversed(tasks)), watcher).all()
        finally:
            ray.shutdown()

    def _start(self, ray: Any) -> None:  # noqa: ANN401 - ray is imported when it is needed
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if self.address is None:
            options |= {"num_cpus": self.jobs, "include_dashboard": False, "object_store_memory": STORE}
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            ray.init(address=self.address or "local", **options)
        except (ConnectionError, RuntimeError, ValueError) as problem:
            raise UsageError(f"Ray cannot be reached at {self.address or 'this machine'}: {problem}") from problem

    def slots(self, ray: Any) -> int:  # noqa: ANN401
        """How many tasks there may be at a time."""
        return self.jobs if self.address is None else max(1, int(ray.cluster_resources().get("CPU", 1)))

    @property
    def longest(self) -> float:
        """Seconds until a task is cancelled."""
        return self.patience if self.patience is not None else STARTING + 2 * self.limits.seconds


@dataclass(slots=True)
class _Submitted:
    """A task under way."""

    task: Task
    slot: int
    at: float
    cancelled: bool = False


@dataclass(slots=True)
class _Running:
    """The tasks of one run. `waiting` has the next one last."""

    ray: Any
    engine: RayEngine
    waiting: list[Task]
    watcher: Watcher
    under_way: dict[Any, _Submitted] = field(default_factory=dict)

    def all(self) -> None:
        """Submit as many as there is room for, and take what is finished, until there is no more."""
        remote = self.ray.remote(max_retries=RUNS_AGAIN, num_cpus=1)(lift_remotely)
        expected = _tools(self.engine.driver, self.engine.targets)
        given = (self.engine.limits, str(Path.cwd()), self.engine.driver, self.engine.targets, expected)
        while self.waiting or self.under_way:
            free = sorted(set(range(1, self.engine.slots(self.ray) + 1)) - {one.slot for one in self.under_way.values()})
            for slot in free[: len(self.waiting)]:
                task = self.waiting.pop()
                self.watcher.started(str(slot), task)
                self.under_way[remote.remote(dict(task.job), *given)] = _Submitted(task, slot, time.monotonic())
            ready, _ = self.ray.wait(list(self.under_way), timeout=LOOK)
            for reference in ready:
                one = self.under_way.pop(reference)
                answer = self.answer(reference, one)
                for at, stage, begins in answer.get("stages", ()):
                    self.watcher.stage(str(one.slot), one.task, at, stage, begins)
                self.watcher.finished(str(one.slot), one.task, answer)
            self.cancel_stuck()

    def answer(self, reference: Any, one: _Submitted) -> Answer:  # noqa: ANN401
        """What came of a task, or how Ray lost it."""
        try:
            found: Mapping[str, Any] = self.ray.get(reference)
            return found
        except self.ray.exceptions.RayError as problem:
            lines = str(problem).strip().splitlines() or [type(problem).__name__]
            why = f"Ray: {type(problem).__name__}: {lines[0]}"
            if one.cancelled:
                why = f"did not answer within {self.engine.longest:g} s"
            return {"problem": why, "seconds": time.monotonic() - one.at}

    def cancel_stuck(self) -> None:
        """Kill what is past its time."""
        for reference, one in self.under_way.items():
            if not one.cancelled and time.monotonic() - one.at > self.engine.longest:
                one.cancelled = True
                self.ray.cancel(reference, force=True)


def lift_remotely(
    job: Mapping[str, object], limits: Limits, folder: str, driver: str | None, targets: tuple[str, ...], expected: str
) -> Answer:
    """In a process of Ray's: what a worker of ours says of a job, and its `stages` as they began and ended."""
    if _tools(driver, targets) != expected:
        other = f"{os.uname().nodename} has another metalift, clang, solver or driver than where the batch was started"
        return {"problem": other, "seconds": 0.0}
    stages: list[tuple[float, str, bool]] = []
    answer = answered(_worker(folder), job, limits, lambda at, stage, begins: stages.append((at, stage, begins)))
    return {**answer, "stages": stages}


@cache
def _tools(driver: str | None, targets: tuple[str, ...]) -> str:
    return tools(choosing.distinct(choosing.select(driver, targets)))


@cache
def _worker(folder: str) -> Worker:
    """The worker of this process; it ends with it."""
    return Worker(folder=Path(folder))


def _ray() -> Any:  # noqa: ANN401
    try:
        return importlib.import_module("ray")
    except ImportError as problem:
        raise UsageError("--engine ray needs Ray: pip install 'metalift[ray]'") from problem

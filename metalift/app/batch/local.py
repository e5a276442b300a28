"""The engine for one machine: worker processes, each served by a thread."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial

from metalift.app.batch.engine import Answer, Limits, Task, Watcher
from metalift.app.batch.workers import Died, Watch, Worker


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """So many workers on this machine. `inherit` are file descriptors that every worker holds open; `module` is what they run."""

    jobs: int
    limits: Limits
    inherit: tuple[int, ...] = ()
    module: str = "metalift.app.batch.worker"

    def run(self, tasks: Sequence[Task], watcher: Watcher) -> None:
        """All tasks. Raises what the watcher raises."""
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        ending = threading.Event()
        numbers = range(1, min(self.jobs, len(tasks)) + 1)
        workers = [Worker(str(number), self.inherit, module=self.module) for number in numbers]
        pool = ThreadPoolExecutor(max(1, len(workers)))
        try:
            serving = [pool.submit(self.serve, worker, waiting, watcher, ending) for worker in workers]
            for each in as_completed(serving):
                each.result()
        finally:
            ending.set()
            for worker in workers:
                worker.close()
            pool.shutdown(wait=False, cancel_futures=True)

    def serve(self, worker: Worker, waiting: queue.SimpleQueue[Task], watcher: Watcher, ending: threading.Event) -> None:
        """Lift what waits, one after the other."""
        while not ending.is_set():
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            watcher.started(worker.name, task)
            answer = answered(worker, task.job, self.limits, partial(watcher.stage, worker.name, task))
            if ending.is_set():  # the worker was killed, which says nothing of the kernel
                return
            watcher.finished(worker.name, task, answer)


def answered(worker: Worker, job: Mapping[str, object], limits: Limits, watch: Watch | None = None) -> Answer:
    """What a worker says of a job, or how it died."""
    began = time.monotonic()
    try:
        return worker.serve(job, limits.seconds, limits.memory, watch)
    except Died as problem:
        return {"problem": str(problem), "seconds": time.monotonic() - began}

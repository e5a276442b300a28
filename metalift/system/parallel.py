"""Work in processes of their own, several at a time, each with limits: one that crashes does not stop the others."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Generic, TypeVar

from metalift.result.errors import MetaliftError
from metalift.system.children import descendants, why_ended

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

T = TypeVar("T")
LOOK = 0.2  # seconds between two looks at the time
PATIENCE = 2.0  # seconds for a process to remove its half-written files before it is killed


@dataclass(frozen=True, slots=True)
class Limits:
    """What one piece of work may take: seconds of wall time, and bytes of memory of its process; None is no limit."""

    seconds: float | None = None
    memory: int | None = None

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return self.seconds is not None or self.memory is not None


@dataclass(frozen=True, slots=True)
class Doing:
    """What a process says that it does."""

    words: str


Opened = Callable[[Callable[[str], None]], AbstractContextManager[Callable[[int], T]]]


@dataclass(slots=True)
class _Worker:
    """A forked process, the connection to it, the number of what it works on since when, and the stage that it says it is in."""

    process: ForkProcess
    connection: Connection
    at: int | None = None
    since: float = 0.0
    doing: str = ""


@dataclass(slots=True)
class Pool(Generic[T]):
    """Processes that are forked from this one and have all that it has. `opened` makes what does the work by its number; the
    function that it is given takes words for what is being done, which are told of work that reaches its limit of time.

    An error of metalift's in a process is raised here; what else stops one is a text in the place of its result.
    """

    opened: Opened[T]
    jobs: int
    limits: Limits = Limits()
    tick: Callable[[Sequence[tuple[int, float]]], None] = lambda running: None  # what runs, since how many seconds
    workers: list[_Worker] = field(default_factory=list)

    def results(self, count: int) -> Iterator[tuple[int, T | str]]:
        """The results of the work with the numbers 0 to `count` - 1, each as it ends."""
        waiting = list(reversed(range(count)))
        try:
            while waiting or any(worker.at is not None for worker in self.workers):
                self._hand_out(waiting)
                ended = list(self._ended())
                self.tick([(worker.at, time.monotonic() - worker.since) for worker in self.workers if worker.at is not None])
                yield from ended
        finally:
            for worker in self.workers:
                _end(worker)

    def _hand_out(self, waiting: list[int]) -> None:
        """Give work to the processes that have none, which are started as they are needed."""
        while waiting:
            worker = next((worker for worker in self.workers if worker.at is None), None)
            if worker is None and len(self.workers) >= self.jobs:
                return
            worker = worker or self._started()
            worker.at, worker.since, worker.doing = waiting.pop(), time.monotonic(), ""
            worker.connection.send(worker.at)

    def _started(self) -> _Worker:
        from multiprocessing import get_context

        context = get_context("fork")
        ours, theirs = context.Pipe()
        inherited = [ours, *(worker.connection for worker in self.workers)]
        process = context.Process(target=_serve, args=(self.opened, theirs, inherited, self.limits.memory), daemon=True)
        process.start()
        theirs.close()
        self.workers.append(_Worker(process, ours))
        return self.workers[-1]

    def _ended(self) -> Iterator[tuple[int, T | str]]:
        """What has ended after a short wait: with a result, at its limit, or because its process did."""
        from multiprocessing.connection import wait

        ready = wait([worker.connection for worker in self.workers if worker.at is not None], LOOK)
        for worker in list(self.workers):
            if worker.at is None:
                continue
            if worker.connection in ready:
                answer = self._answer(worker)
                if not isinstance(answer, Doing):
                    yield worker.at, answer
                    worker.at = None
                    continue
                worker.doing = answer.words
            if self.limits.seconds is not None and time.monotonic() - worker.since > self.limits.seconds:
                self._drop(worker)
                while_ = f", while {worker.doing}" if worker.doing else ""
                yield worker.at, f"it took longer than the {self.limits.seconds:g} s of its time limit{while_}"

    def _answer(self, worker: _Worker) -> T | str | Doing:
        """What a process sent; of one that ended, why it did."""
        try:
            fine, answer = worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join(PATIENCE)
            self._drop(worker)
            return why_ended(worker.process.exitcode or 0, "")
        if isinstance(answer, MetaliftError):
            raise answer
        if fine or isinstance(answer, (str, Doing)):
            return answer  # type: ignore[no-any-return]
        raise AssertionError(f"no answer: {answer!r}")

    def _drop(self, worker: _Worker) -> None:
        _end(worker)
        self.workers.remove(worker)


def _end(worker: _Worker) -> None:
    """End a process and all that it started; one that works is asked first, so that it removes what it has half written."""
    process = worker.process
    worker.connection.close()  # one that waits for work ends by that
    family = descendants(process.pid or 0)
    if worker.at is not None:
        process.terminate()
    process.join(PATIENCE)
    for pid in family:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    process.kill()
    process.join()


def _serve(
    opened: Opened[T],
    connection: Connection,
    inherited: Sequence[Connection],
    memory: int | None,
) -> None:
    """In the process: do what is asked until the other end closes, which it does where no other process holds it.

    Ctrl-C is the parent's to deal with.
    """
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    def say(words: str) -> None:
        connection.send((True, Doing(words)))

    with suppress(EOFError, KeyboardInterrupt, ConnectionError), opened(say) as work:
        while True:
            at = connection.recv()
            connection.send(_answered(work, at))


def _answered(work: Callable[[int], T], at: int) -> tuple[bool, T | MetaliftError | str]:
    try:
        return True, work(at)
    except MetaliftError as problem:
        return False, problem
    except MemoryError:
        return False, "it took more memory than its limit"


def _stop(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt

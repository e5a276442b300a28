"""A worker process as the one that asks sees it: started early, killed on time, its answers read one by one."""

from __future__ import annotations

import json
import os
import selectors
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from metalift.driver import Target
from metalift.run.workers.forks import PATIENCE, start_worker
from metalift.run.workers.jobs import engine_entry
from metalift.run.workers.servers import server_of
from metalift.system import confinement
from metalift.system.children import why_ended

Answer = dict[str, Any]


class WorkerFailed(Exception):
    """The worker gave no answer: it could not start, crashed, ran out of time or memory.

    `answered` is the number of cases done before, None if it came to none.
    """

    def __init__(self, reason: str, answered: int | None = None, *, crashed: bool = False) -> None:
        super().__init__(reason)
        self.answered = answered
        self.crashed = crashed


class Worker:
    """A worker process that imports a target's library while its parent goes on. A context manager: leaving it kills it."""

    def __init__(self, target: Target, *, cpu_seconds: int | None = None, seconds: float | None = None) -> None:
        """Start it. `seconds` of wall time are for the start, and for one job (as the target says). Raises WorkerFailed."""
        self.target = target
        cpu_seconds = cpu_seconds or target.engine.seconds
        self._seconds = seconds or 2 * cpu_seconds
        self._engine: str | None = None
        self._ended = False
        self._pending = b""
        self._job = Path(os.devnull)
        self._errors = tempfile.TemporaryFile()
        self._scratch = tempfile.TemporaryDirectory(prefix="metalift-worker-", ignore_cleanup_errors=True)
        given, self._input = os.pipe()
        self._output, told = os.pipe()
        try:
            setup = {**engine_entry(target), "server": server_of(target) if target.engine.served else ""}
            streams = [given, told, self._errors.fileno()]
            self._forks, self._number = start_worker(setup, target.engine.environment, streams)
        except OSError as error:
            self._close_streams()
            self._scratch.cleanup()
            raise WorkerFailed(f"the worker process cannot be started: {error.strerror}") from error
        finally:
            os.close(given)
            os.close(told)
        limits = {"cpu_seconds": cpu_seconds, "scratch": self._scratch.name, "confinement": confinement.__file__}
        self._send_line(json.dumps({**limits, **setup}))

    def engine(self) -> str:
        """The library and its version, such as "numpy 2.4.6". Raises WorkerFailed where it cannot be imported."""
        if self._engine is None:
            answer = self._answer(time.monotonic() + self._seconds, None)
            if "missing" in answer:
                raise WorkerFailed(f"{self.target.name} cannot be imported: {answer['missing']}")
            self._engine = str(answer["engine"])
        return self._engine

    def run(self, job: Mapping[str, object], count: int) -> Iterator[Answer]:
        """The answers to the job's `count` cases, in order. A worker serves one job. Raises WorkerFailed."""
        self.engine()
        handle, path = tempfile.mkstemp(prefix="metalift-job-", suffix=".json")
        self._job = Path(path)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(job))  # as a whole: written in pieces, it takes several times as long
        deadline = time.monotonic() + self._seconds
        self._send_line(path)
        ready = self._answer(deadline, None)
        if "failed" in ready:
            raise WorkerFailed(str(ready["failed"]))
        for number in range(count):
            yield self._answer(deadline, number)

    def _send_line(self, line: str) -> None:
        with suppress(BrokenPipeError):  # why it died is said by the missing answer
            os.write(self._input, line.encode() + b"\n")

    def _answer(self, deadline: float, answered: int | None) -> Answer:
        """The next line of the worker."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    self._kill()
                    raise WorkerFailed(f"no answer within {self._seconds:g} s", answered)
                data = os.read(self._output, 1 << 20)
                if not data:
                    raise self._death(answered)
                self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        answer: Answer = json.loads(line)
        return answer

    def _death(self, answered: int | None) -> WorkerFailed:
        """Why the worker ended: a signal, a limit, or the last line that it wrote on standard error."""
        self._ended = True
        status = self._forks.end(self._number, PATIENCE)
        if status is None:
            status, errors = self._forks.death()
        else:
            self._errors.seek(0)
            errors = self._errors.read().decode(errors="replace")
        if status == -signal.SIGXCPU:
            return WorkerFailed("the limit of CPU time was reached", answered)
        if status == -signal.SIGKILL:
            return WorkerFailed("the worker process was killed", answered)
        return WorkerFailed(why_ended(status, errors, "the worker process"), answered, crashed=status < 0)

    def _kill(self) -> None:
        """Kill the worker; where the library hangs as it is imported, the process that does."""
        self._ended = True
        if self._engine is None:
            self._forks.kill()
        else:
            self._forks.end(self._number)

    def close(self) -> None:
        """Kill the worker if it still runs."""
        self._close_streams()
        if not self._ended:
            self._forks.end(self._number, wait=self._engine is not None)  # who is still importing has to answer nobody
            self._ended = True
        self._scratch.cleanup()
        if self._job != Path(os.devnull):
            self._job.unlink(missing_ok=True)

    def _close_streams(self) -> None:
        for stream in (self._input, self._output):
            os.close(stream)
        self._errors.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

"""The worker process as its parent sees it: started early, killed on time, its answers read one by one."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from metalift.children import why_ended
from metalift.driver import Target
from metalift.synth.testing.jobs import engine_entry

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
        self._pending = b""
        self._job = Path(os.devnull)
        self._errors = tempfile.TemporaryFile()
        self._scratch = tempfile.TemporaryDirectory(prefix="metalift-worker-", ignore_cleanup_errors=True)
        try:
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("worker.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
                env={**os.environ, **target.engine.environment, "TMPDIR": self._scratch.name},
            )
        except OSError as error:
            self._errors.close()
            self._scratch.cleanup()
            raise WorkerFailed(f"the worker process cannot be started: {error.strerror}") from error
        self._send({"cpu_seconds": cpu_seconds, "scratch": self._scratch.name, **engine_entry(target)})

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
            json.dump(job, file)
        deadline = time.monotonic() + self._seconds
        self._send_line(path)
        ready = self._answer(deadline, None)
        if "failed" in ready:
            raise WorkerFailed(str(ready["failed"]))
        for number in range(count):
            yield self._answer(deadline, number)

    def _send(self, message: Mapping[str, object]) -> None:
        self._send_line(json.dumps(message))

    def _send_line(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # why it died is said by the missing answer
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def _answer(self, deadline: float, answered: int | None) -> Answer:
        """The next line of the worker."""
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    self._kill()
                    raise WorkerFailed(f"no answer within {self._seconds:g} s", answered)
                data = os.read(self._process.stdout.fileno(), 1 << 20)
                if not data:
                    raise self._death(answered)
                self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        answer: Answer = json.loads(line)
        return answer

    def _death(self, answered: int | None) -> WorkerFailed:
        """Why the worker ended: a signal, a limit, or the last line that it wrote on standard error."""
        status = self._process.wait()
        self._errors.seek(0)
        errors = self._errors.read().decode(errors="replace")
        if status == -signal.SIGXCPU:
            return WorkerFailed("the limit of CPU time was reached", answered)
        if status == -signal.SIGKILL:
            return WorkerFailed("the worker process was killed", answered)
        return WorkerFailed(why_ended(status, errors, "the worker process"), answered, crashed=status < 0)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill the worker if it still runs."""
        if self._process.poll() is None:
            self._kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self._errors.close()
        self._scratch.cleanup()
        if self._job != Path(os.devnull):
            self._job.unlink(missing_ok=True)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

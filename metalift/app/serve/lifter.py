"""The process that lifts, as the server sees it: asked for one lift at a time, stopped on time, started anew where it ended."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

from metalift.system.children import kill_tree, why_ended

Event = dict[str, Any]
LOOK = 0.1  # seconds between two looks at whether anybody still waits
WARM = 120.0  # seconds for the process to start
PATIENCE = 1.0  # seconds in which a lift that was told to stop does
WAITING = 8  # requests that wait for their turn, with the one that has it
LAST = ("done", "failed", "stopped")


class Ended(Exception):
    """The process ended; the message says why."""


class Lifter:
    """A warm process. A context manager: leaving it ends the process and all that it started."""

    def __init__(self, targets: Sequence[str], memory: int) -> None:
        self._command = [sys.executable, "-P", "-m", "metalift.app.serve.lifting", str(memory), *targets]
        self._turn = threading.Lock()
        self._waiting = threading.Semaphore(WAITING)
        self._pending, self._ready = b"", False
        self._start()

    def lift(self, wanted: Mapping[str, object], seconds: float, gone: Callable[[], bool]) -> Generator[Event, None, None]:
        """The events of one lift; the last is `done` or `failed`, or there is none where the one who asked is `gone`.

        A lift that takes longer than `seconds` is stopped, and so is one of which the rest is not asked for.
        """
        if not self._waiting.acquire(blocking=False):
            yield failed("too many lifts wait: try again later")
            return
        try:
            while not self._turn.acquire(timeout=LOOK):
                if gone():
                    return
            try:
                if self._process.poll() is not None:
                    self._start()
                yield from self._lifted(json.dumps(wanted), seconds, gone)
            except Ended as problem:
                yield failed(f"the process that lifts ended: {problem}")
            finally:
                self._turn.release()
        finally:
            self._waiting.release()

    def _lifted(self, request: str, seconds: float, gone: Callable[[], bool]) -> Generator[Event, None, None]:
        """The same, when it is this lift's turn. Raises Ended."""
        deadline = time.monotonic() + WARM
        while not self._ready:
            self._ready = self._event() is not None
            if gone():
                return
            if time.monotonic() > deadline:
                self._end()
                raise Ended(f"it was not ready within {WARM:g} s")
        self._send(request)
        deadline = time.monotonic() + seconds
        busy = True
        try:
            while not gone():
                event = self._event()
                if event is not None:
                    busy = event["event"] not in LAST
                    yield event
                    if not busy:
                        return
                if time.monotonic() > deadline:
                    self._stop()
                    busy = False
                    yield failed(f"it took longer than {seconds:g} s: lift fewer functions, or start the server with --seconds")
                    return
        finally:
            if busy:
                self._stop()

    def _start(self) -> None:
        self._pending, self._ready = b"", False
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )

    def _send(self, request: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # why it ended is said where its answer is missing
            self._process.stdin.write(request.encode() + b"\n")
            self._process.stdin.flush()

    def _event(self) -> Event | None:
        """The next event; None where none comes for a moment. Raises Ended."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while b"\n" not in self._pending:
            if not select.select([descriptor], [], [], LOOK)[0]:
                return None
            data = os.read(descriptor, 1 << 16)
            if not data:
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(PATIENCE)
                self._end()
                raise Ended(why_ended(self._process.wait(), "", "it"))
            self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        event: Event = json.loads(line)
        return event

    def _stop(self) -> None:
        """Have the lift that is under way stop; one that does not is ended with its process, and another one started."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + PATIENCE
        try:
            while time.monotonic() < deadline:
                event = self._event()
                if event is not None and event["event"] in LAST:
                    return
            self._end()
        except Ended:
            pass
        self._start()

    def _end(self) -> None:
        kill_tree(self._process.pid)
        self._process.wait()

    def __enter__(self) -> Lifter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()


def failed(message: str) -> Event:
    """That there is no result, and why."""
    return {"event": "failed", "message": message}

"""Workers that start at once: one process for each library imports it, and forks a worker for each job (see worker.py)."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PATIENCE = 10.0  # seconds for an answer of the process that forks, which does nothing else once it has imported the library
MESSAGE_SIZE = 1 << 12  # bytes
KEPT = 8  # libraries that stay imported

SCRIPT = Path(__file__).with_name("worker.py")


class Forks:
    """The process that has imported a library, started with the first worker that needs it."""

    def __init__(self, setup: Mapping[str, object], environment: Mapping[str, str]) -> None:
        """Raises OSError where it cannot be started."""
        self._lock = threading.Lock()
        self._started = 0
        self._running: set[int] = set()
        self._errors = tempfile.TemporaryFile()
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.settimeout(PATIENCE)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, str(SCRIPT), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=dict(environment),
            )
        self._connection.send(json.dumps(setup).encode())

    @property
    def alive(self) -> bool:
        """Whether it can fork further workers."""
        return self._process.poll() is None

    @property
    def idle(self) -> bool:
        """Whether no worker of it is in use."""
        return not self._running

    def start(self, streams: Sequence[int]) -> int:
        """Have a worker started with these standard streams, as soon as the library is imported; its number is returned."""
        with self._lock:
            self._started += 1
            self._running.add(self._started)
            with suppress(OSError):  # that it has ended is seen by the worker's streams
                socket.send_fds(self._connection, [json.dumps({"start": self._started}).encode()], streams)
            return self._started

    def end(self, number: int, patience: float = 0.0, *, wait: bool = True) -> int | None:
        """Kill a worker that has not ended within so many seconds, and return its exit status, negative for a signal.

        None where that is not waited for, or the process that forks has ended.
        """
        with self._lock:
            self._running.discard(number)
            try:
                self._connection.send(json.dumps({"end": number, "patience": patience, "answer": wait}).encode())
                if wait and (message := self._connection.recv(MESSAGE_SIZE)):
                    return int(json.loads(message)["status"])
            except TimeoutError:
                self.kill()
            except OSError:  # it has ended, or is about to
                return None
        return None

    def death(self) -> tuple[int, str]:
        """How the process that forks has ended: its exit status, and what it wrote on standard error."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
        self.kill()
        self._errors.seek(0)
        return self._process.wait(), self._errors.read().decode(errors="replace")

    def kill(self) -> None:
        """End the process; its workers end with it."""
        with suppress(ProcessLookupError):
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._connection.close()


_FORKS: dict[str, Forks] = {}  # the least recently used one first
_LOCK = threading.Lock()


def start_worker(setup: Mapping[str, object], environment: Mapping[str, str], streams: Sequence[int]) -> tuple[Forks, int]:
    """Start a worker for this library, with these standard streams and additions to the environment of now.

    Returns the process that forks it, and its number there. Raises OSError.
    """
    environment = {**os.environ, **environment}
    key = json.dumps([setup, environment], sort_keys=True)
    with _LOCK:
        forks = _FORKS.pop(key, None)
        for other in [key for key, each in _FORKS.items() if each.idle][: max(0, len(_FORKS) + 1 - KEPT)]:
            _FORKS.pop(other).kill()
        if forks is None or not forks.alive:
            forks = Forks(setup, environment)
        _FORKS[key] = forks
        return forks, forks.start(streams)


os.register_at_fork(after_in_child=_FORKS.clear)  # the parent's: two processes must not talk to one of them


@atexit.register
def _end_all() -> None:
    for forks in _FORKS.values():
        forks.kill()

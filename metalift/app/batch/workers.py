"""Worker processes that can be killed: by time, by memory, or with the run."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from metalift.system.children import descendants, why_ended

LOOK = 0.25  # seconds between two looks at the memory
PAGE = os.sysconf("SC_PAGE_SIZE")
LONGEST = 64 << 20  # bytes of an answer, and of what else is printed
TOLD = 1 << 16  # bytes of the end of what was printed, to say why a process ended

Watch: TypeAlias = Callable[[float, str, bool], None]  # when, which stage, and whether it begins there or ends


class Died(Exception):
    """The worker gave no answer; the message says why."""


class Worker:
    """One process that serves jobs one after the other; it starts with the first, and again after it died.

    `inherit` are file descriptors that it holds open as long as it lives; it works in `folder`, with `environment` added to this
    process's. `module` is what it runs.
    """

    def __init__(
        self,
        name: str = "1",
        inherit: Sequence[int] = (),
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        module: str = "metalift.app.batch.worker",
    ) -> None:
        self.name = name
        self._module = module
        self._environment = {**os.environ, **(environment or {})}
        self._inherit = tuple(inherit)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()

    def serve(self, job: Mapping[str, object], seconds: float, memory: int, watch: Watch | None = None) -> dict[str, Any]:
        """The answer to a job, within so many seconds and bytes of resident memory; `watch` is told of stages. Raises Died."""
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise self._death() from None
        return self._answer(process, time.monotonic() + seconds, seconds, memory, watch)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._errors.seek(0)
            self._errors.truncate()
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._module, str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=self._folder,
                env=self._environment,
                pass_fds=self._inherit,
                start_new_session=True,
            )
        return self._process

    def _answer(
        self, process: subprocess.Popen[bytes], deadline: float, seconds: float, memory: int, watch: Watch | None
    ) -> dict[str, Any]:
        assert process.stdout is not None
        found = b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            looked = time.monotonic()
            while True:
                if selector.select(LOOK):
                    data = os.read(process.stdout.fileno(), 1 << 20)
                    if not data:
                        raise self._death()
                    found += data
                    *lines, found = found.split(b"\n")
                    for message in map(json.loads, lines):
                        if "at" not in message:
                            return dict(message)
                        if watch is not None:
                            watch(message["at"], message["stage"], message["begins"])
                now = time.monotonic()
                if now > deadline:
                    self.kill()
                    raise Died(f"took longer than {seconds:g} s")
                if now < looked + LOOK:  # looking at all processes takes longer than reading a line
                    continue
                looked = now
                self._look(process, memory, len(found))

    def _look(self, process: subprocess.Popen[bytes], memory: int, found: int) -> None:
        """Raises Died, and kills the process, where it takes too much memory or prints too much."""
        if _resident(process.pid) > memory:
            self.kill()
            raise Died(f"took more than {memory >> 20} MiB of memory")
        if max(found, os.fstat(self._errors.fileno()).st_size) > LONGEST:
            self.kill()
            raise Died(f"printed more than {LONGEST >> 20} MiB")

    def _death(self) -> Died:
        """Why the process ended."""
        assert self._process is not None
        status = self._process.wait()
        self._errors.seek(max(0, os.fstat(self._errors.fileno()).st_size - TOLD))
        errors = self._errors.read().decode(errors="replace")
        self.kill()
        return Died(why_ended(status, errors))

    def kill(self) -> None:
        """Kill the process and what it started."""
        process, self._process = self._process, None
        if process is None:
            return
        for pid in (process.pid, *descendants(process.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def close(self) -> None:
        """Kill the process for good."""
        self.kill()
        self._errors.close()


def _resident(root: int) -> int:
    """Bytes of resident memory of the process and those that it started."""
    total = 0
    for pid in (root, *descendants(root)):
        with suppress(OSError, IndexError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    return total

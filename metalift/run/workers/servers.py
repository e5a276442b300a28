"""The processes that keep a library loaded: one for each library whose engine asks for it, until this process ends."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from metalift.driver import Target

SOCKET = "library"


class Server:
    """One process, and the socket that it listens at. What it writes on standard error is kept in its folder."""

    def __init__(self, target: Target) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="metalift-server-", ignore_cleanup_errors=True)
        self.path = str(Path(self.folder.name) / SOCKET)
        self._errors = (Path(self.folder.name) / "errors").open("wb")
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("served.py")), self.path],
            stdin=subprocess.PIPE,
            stdout=self._errors,
            stderr=self._errors,
            start_new_session=True,
            env={**os.environ, **target.engine.environment, "TMPDIR": self.folder.name},
        )

    @property
    def runs(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process and what it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._errors.close()
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        self.folder.cleanup()


_servers: dict[tuple[int, str], Server] = {}  # by this process, so that a fork has its own, and how the library is set up


def server_of(target: Target) -> str:
    """The socket of the process that has the target's library; it is started where there is none."""
    key = (os.getpid(), target.engine.setup)
    if key not in _servers or not _servers[key].runs:
        _servers[key] = Server(target)
    return _servers[key].path


@atexit.register
def _close() -> None:
    for (owner, _), server in _servers.items():
        if owner == os.getpid():
            server.close()

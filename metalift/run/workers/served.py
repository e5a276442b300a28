"""A library that one process keeps loaded for all functions (it imports nothing of metalift): `python served.py SOCKET`.

Some libraries take long to start, or need what the process that runs sources has given up, such as sockets. Their generated code
runs in this process; sources never do. When its standard input ends, so does the process. A connection is one job. Its first line
is what the target's driver says of the library, which is answered by the library's version, or that it is missing; then a line
with the path of a job, as the process that runs sources gets it, is answered by whether it could be loaded, and each line of
arguments by what the generated code made of them. Several connections may be open; the library does one thing at a time.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import IO, Any

Answer = dict[str, Any]
_ONE = threading.Lock()
_OWN = ("scratch", "server", "cpu_seconds", "confinement")  # what says nothing of the library
PAUSE = 0.05  # seconds between attempts to connect while the process starts


class ServerGone(Exception):
    """The process that has the library ended."""


class Remote:
    """The library in its process, as the process that runs sources sees it."""

    def __init__(self, setup: Mapping[str, Any]) -> None:
        """Connects. `setup` is what the process that runs sources was told.

        Raises ImportError where the library is not there, ServerGone where the process does not answer.
        """
        deadline = time.monotonic() + setup["cpu_seconds"]
        connection = socket.socket(socket.AF_UNIX)
        while True:
            try:
                connection.connect(setup["server"])
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise ServerGone("it does not answer") from None
                time.sleep(PAUSE)
        self._stream = connection.makefile("rw", encoding="utf-8")
        library = {name: value for name, value in setup.items() if name not in _OWN}
        hello = self._asked(json.dumps(library, sort_keys=True))
        if "missing" in hello:
            raise ImportError(hello["missing"])
        self.version = str(hello["engine"])

    def load(self, path: str) -> None:
        """Names the job. Raises RuntimeError where its module cannot be loaded."""
        answer = self._asked(path)
        if "failed" in answer:
            raise RuntimeError(answer["failed"])

    def run(self, args: Sequence[Any]) -> Answer:
        """What the generated function makes of the arguments."""
        return self._asked(json.dumps(args))

    def _asked(self, line: str) -> Answer:
        self._stream.write(line + "\n")
        self._stream.flush()
        return self._answer()

    def _answer(self) -> Answer:
        line = self._stream.readline()
        if not line:
            raise ServerGone("the process that has the library ended")
        answer: Answer = json.loads(line)
        return answer


def _module(name: str) -> ModuleType:
    """Another file of this folder, which is no package here."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _serve(connection: IO[str], worker: ModuleType, engines: dict[str, Any]) -> None:
    """One job; `engines` has the library as the drivers' targets see it, by what they say."""

    def answer(value: Answer) -> None:
        connection.write(json.dumps(value) + "\n")
        connection.flush()

    setup = connection.readline()
    try:
        with _ONE:
            engine = engines.get(setup) or worker.Engine(json.loads(setup))
            engines[setup] = engine
    except Exception as error:  # noqa: BLE001 - whatever a library raises that cannot start
        answer({"missing": f"{type(error).__name__}: {error}".splitlines()[0]})
        return
    answer({"engine": engine.version})
    path = connection.readline().rstrip("\n")
    if not path:
        return
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    try:
        emitted = worker.Emitted(job, engine)
    except Exception as error:  # noqa: BLE001 - a module that cannot be loaded is an answer
        answer({"failed": f"{type(error).__name__}: {error}"})
        return
    answer({"ready": True})
    for line in connection:
        with _ONE:
            found = emitted.run(json.loads(line))
        answer(found)


def _connected(connection: socket.socket, worker: ModuleType, engines: dict[str, Any]) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked was stopped
        with connection, connection.makefile("rw", encoding="utf-8") as stream:
            _serve(stream, worker, engines)


def _end_with_input() -> None:
    """The parent holds the other end, and has ended when it is closed."""
    while sys.stdin.read(1 << 10):
        pass
    os._exit(0)


def main() -> None:
    """Serve jobs for as long as the parent is there."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    threading.Thread(target=_end_with_input, daemon=True).start()
    worker, engines = _module("worker"), dict[str, Any]()
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_connected, args=(connection, worker, engines), daemon=True).start()


if __name__ == "__main__":
    main()

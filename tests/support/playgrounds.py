"""A playground that runs, and requests to it as a program makes them that is no browser."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from metalift.app.serve.lifter import Lifter
from metalift.app.serve.server import HOST, Playground

MEMORY = 4 << 30
TIME = 60.0  # seconds until a test that waits has failed


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its status, headers, text, and of a stream its events."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events of a stream, each with its name as `event`."""
        parts = [part.split("\n") for part in self.text.split("\n\n") if part]
        return [{"event": name.removeprefix("event: "), **json.loads(data.removeprefix("data: "))} for name, data in parts]

    def last(self, name: str) -> dict[str, Any]:
        """The last event of a name."""
        return [event for event in self.events if event["event"] == name][-1]


def ask(playground: Playground, method: str, path: str, body: str = "", headers: Mapping[str, str] | None = None) -> Answer:
    """One request, by default from the host that it goes to; headers that are empty are left out."""
    connection = http.client.HTTPConnection(HOST, playground.server_port, timeout=TIME)
    own = {"Host": f"{HOST}:{playground.server_port}", "Content-Length": str(len(body)) if method == "POST" else ""}
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in {**own, **(headers or {})}.items():
        if value:
            connection.putheader(name, value)
    connection.endheaders(body.encode())
    answer = connection.getresponse()
    return Answer(answer.status, dict(answer.headers), answer.read().decode())


def lift(playground: Playground, source: str, language: str = "c", **more: object) -> Answer:
    """What comes of a source."""
    body = json.dumps({"source": source, "language": language, "to": ["numpy"], **more})
    return ask(playground, "POST", "/lift", body, authorized(playground))


def authorized(playground: Playground) -> dict[str, str]:
    """The headers that a lift needs."""
    return {"Authorization": f"Bearer {playground.token}", "Content-Type": "application/json"}


@contextmanager
def running(seconds: float = TIME) -> Iterator[Playground]:
    """A playground on a free port."""
    with Lifter(("numpy",), MEMORY) as lifter:
        playground = Playground(0, lifter, ("numpy",), seconds)
        thread = threading.Thread(target=playground.serve_forever, daemon=True)
        thread.start()
        try:
            yield playground
        finally:
            playground.shutdown()
            playground.server_close()
            thread.join()

"""The server of the playground: the page with its files, and lifts as server-sent events, to this machine's user alone.

Any page in the user's browser, and any user of the machine, can send requests to a port of the loopback interface. So a request
is answered only if it names the host that the server printed (a name that was made to lead here is another one), if it does not
come from another site, and, where something is compiled or run, if it has the secret of this run. That secret stands in the
fragment of the printed address, which browsers send to nobody.
"""

from __future__ import annotations

import errno
import hmac
import json
import secrets
import select
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from metalift.app.serve.lifter import Lifter
from metalift.app.serve.pages import FILES, page, policy
from metalift.app.serve.wanted import LARGEST, Wanted
from metalift.result.errors import UsageError

HOST = "127.0.0.1"
CONNECTIONS = 32  # at a time
QUIET = 20.0  # seconds in which a client has to say something, and in which it has to send a request's body
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Refused(Exception):
    """A request that is not answered, with the status and a sentence."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class Playground(ThreadingHTTPServer):
    """Listens on the loopback interface only."""

    daemon_threads = True

    def __init__(self, port: int, lifter: Lifter, targets: Sequence[str], seconds: float) -> None:
        """Raises UsageError where the port cannot be had."""
        try:
            super().__init__((HOST, port), Handler)
        except OSError as problem:
            why = "is taken" if problem.errno == errno.EADDRINUSE else f"cannot be had ({problem.strerror})"
            raise UsageError(f"port {port} {why}: --port 0 takes a free one") from None
        self.lifter, self.targets, self.seconds = lifter, targets, seconds
        self.token = secrets.token_urlsafe(24)
        self.hosts = frozenset(f"{name}:{self.server_port}" for name in (HOST, "localhost"))
        self._room = threading.Semaphore(CONNECTIONS)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{HOST}:{self.server_port}/#token={self.token}"

    def serve(self) -> None:
        """Serve until Ctrl-C."""
        try:
            self.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as socketserver has it
        """In a thread, as long as there are not too many."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """In its thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """A client that went away is none of ours; what else fails here is said to it by the status."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Playground
    timeout = QUIET
    server_version, sys_version = "metalift", ""

    def do_GET(self) -> None:
        """The page or one of its files."""
        try:
            self._from_here(page=self.path == "/")
            if self.path == "/":
                nonce = secrets.token_urlsafe(16)
                self._answer("text/html; charset=utf-8", page(nonce, self.server.targets), policy(nonce))
            elif self.path in FILES:
                kind, text = FILES[self.path]
                self._answer(kind, text, policy())
            else:
                raise Refused(HTTPStatus.NOT_FOUND, "there is no such page")
        except Refused as problem:
            self._refuse(problem)

    def do_POST(self) -> None:
        """A lift."""
        try:
            self._from_here(page=False)
            if self.path != "/lift":
                raise Refused(HTTPStatus.NOT_FOUND, "there is nothing of that name")
            self._authorized()
            wanted = Wanted.read(self._body())
        except Refused as problem:
            self._refuse(problem)
        except UsageError as problem:
            self._refuse(Refused(HTTPStatus.BAD_REQUEST, str(problem)))
        else:
            self._stream(wanted)

    def _from_here(self, page: bool) -> None:
        """Raises Refused for a request to another host or from another site; the `page` may be opened by a link on any."""
        if self.headers.get_all("Host", []) not in ([host] for host in self.server.hosts):
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "this is another host")
        origins = self.headers.get_all("Origin", [])
        if any(origin.removeprefix("http://") not in self.server.hosts for origin in origins):
            raise Refused(HTTPStatus.FORBIDDEN, "requests of other sites are not answered")
        opened = self.headers.get("Sec-Fetch-Mode") == "navigate" and self.headers.get("Sec-Fetch-Dest") == "document"
        sites = self.headers.get_all("Sec-Fetch-Site", [])
        if any(site not in ("same-origin", "none") for site in sites) and not (page and opened):
            raise Refused(HTTPStatus.FORBIDDEN, "requests of other sites are not answered")

    def _authorized(self) -> None:
        """Raises Refused where the request has not the secret of this run."""
        given = self.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), f"Bearer {self.server.token}".encode()):
            raise Refused(HTTPStatus.UNAUTHORIZED, "open the address that metalift serve printed: this page is of another run")

    def _body(self) -> bytes:
        """What the request holds. Raises Refused where it says not how long it is, is too long, or does not come."""
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request is JSON")
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers or len(lengths) != 1 or not lengths[0].isascii() or not lengths[0].isdecimal():
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "a request says how long it is")
        if len(lengths[0]) > 9 or int(lengths[0]) > LARGEST:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a source has at most {LARGEST >> 10} KiB")
        left, parts, deadline = int(lengths[0]), list[bytes](), time.monotonic() + QUIET
        while left:
            try:
                part = self.rfile.read1(left)
            except OSError:
                part = b""
            if not part or time.monotonic() > deadline:
                raise Refused(HTTPStatus.REQUEST_TIMEOUT, "the request did not come")
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def _stream(self, wanted: Wanted) -> None:
        """The events of a lift, until it or the client ends."""
        self._head(HTTPStatus.OK, "text/event-stream", policy())
        with closing(self.server.lifter.lift(asdict(wanted), self.server.seconds, self._gone)) as events:
            for event in events:
                name = event.pop("event")
                try:
                    self.wfile.write(f"event: {name}\ndata: {json.dumps(event)}\n\n".encode())
                except OSError:  # the client has gone
                    return

    def _gone(self) -> bool:
        """Whether the client has left; it says nothing after its request."""
        try:
            return bool(select.select([self.connection], [], [], 0)[0]) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _answer(self, kind: str, text: str, allowed: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        body = text.encode()
        self._head(status, kind, allowed, len(body))
        self.wfile.write(body)

    def _refuse(self, problem: Refused) -> None:
        """Say so in one sentence, which repeats nothing of the request but names."""
        self._answer("application/json", json.dumps({"message": str(problem)}), policy(), problem.status)

    def _head(self, status: HTTPStatus, kind: str, allowed: str, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", allowed)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses, such as another method, is refused in the same form."""
        self._refuse(Refused(HTTPStatus(code), "this is no request that is answered"))

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged: requests are the user's own."""

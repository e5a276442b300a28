"""A server on 127.0.0.1 that speaks the three protocols, answers in the order it is told, and misbehaves on demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

KEY = "sk-loopback-0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Text:
    """A good answer with this text. `tokens` in and out, None for a server that does not count."""

    text: str
    tokens: tuple[int, int] | None = (100, 20)
    stopped: str = "stop"


@dataclass(frozen=True, slots=True)
class Status:
    """An error's status, with an error in the provider's form."""

    status: int
    message: str = "something is wrong"
    headers: tuple[tuple[str, str], ...] = ()
    retry_delay: str | None = None  # of google.rpc.RetryInfo in the body
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """Status 200 with these bytes."""

    body: bytes
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Slow:
    """Nothing for so many seconds, then a good answer."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Together:
    """A good answer once as many requests wait for it as the barrier says."""

    barrier: threading.Barrier

    def answer(self) -> str:
        """The answer, after the wait."""
        self.barrier.wait()
        return "together"


@dataclass(frozen=True, slots=True)
class Drip:
    """A byte every 50 ms, of a header or a body that never ends."""

    part: Literal["header", "body"]


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection ends in the middle of the answer, or before it."""

    after: int = 0  # bytes


class Echo:
    """The prompt comes back as the answer."""


class EchoKey:
    """The key comes back in the answer."""


Step = Text | Status | Raw | Slow | Together | Drip | Cut | Echo | EchoKey | str
"""What is sent for one request; a string is a good answer with that text."""


@dataclass(frozen=True, slots=True)
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def protocol(self) -> str:
        """Whose."""
        if self.path.endswith("/chat/completions"):
            return "openai"
        return "anthropic" if self.path.endswith("/messages") else "google"

    @property
    def prompt(self) -> str:
        """The text that was asked."""
        if self.protocol == "google":
            return str(self.body["contents"][0]["parts"][0]["text"])
        return str(self.body["messages"][0]["content"])

    @property
    def key(self) -> str:
        """The key it came with."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-api-key") or self.headers.get("x-goog-api-key") or bearer


@dataclass(slots=True)
class LlmServer:
    """The script and what was received. The last step is repeated."""

    script: list[Step]
    received: list[Received] = field(default_factory=list)
    most_at_once: int = 0
    port: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _now: int = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def model(self, protocol: str, name: str = "test") -> str:
        """A model on this server, for --model."""
        return f"{protocol}:{name}@{self.url}" + ("/v1" if protocol == "openai" else "")

    @property
    def prompts(self) -> list[str]:
        """What was asked, in the order it came."""
        return [request.prompt for request in self.received]

    def enter(self, request: Received) -> Step:
        """Note a request; the step for it."""
        with self._lock:
            self.received.append(request)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def leave(self) -> None:
        """A request is done."""
        with self._lock:
            self._now -= 1


@contextmanager
def llm_server(*script: Step) -> Iterator[LlmServer]:
    """A running server; the last step is repeated for all further requests."""
    server = LlmServer(list(script))
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = True
    server.port = http.server_address[1]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        http.shutdown()
        thread.join()
        http.server_close()


@contextmanager
def scripted_session(answers: Sequence[str]) -> Iterator[LlmServer]:
    """A model that gives these answers in order; a further question fails, with status 400, for good."""
    with llm_server(*answers, Status(400, "the script has no further answer")) as server:
        yield server


def _handler(server: LlmServer) -> type[BaseHTTPRequestHandler]:
    """The handler of one server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Received(self.path.split("?")[0], headers, json.loads(self.rfile.read(length)))
            step = server.enter(request)
            try:
                _answer(self, server, request, step.answer() if isinstance(step, Together) else step)
            except OSError:
                self.close_connection = True  # the client gave up
            finally:
                server.leave()

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def _answer(handler: BaseHTTPRequestHandler, server: LlmServer, request: Received, step: Step) -> None:
    """Do what the step says."""
    match step:
        case str():
            _send(handler, 200, _good(request.protocol, Text(step)))
        case Text():
            _send(handler, 200, _good(request.protocol, step))
        case Echo() | EchoKey():
            text = request.prompt if isinstance(step, Echo) else f"your key is {request.key}"
            _send(handler, 200, _good(request.protocol, Text(text)))
        case Status():
            _send(handler, step.status, _error(request.protocol, step, request.key), headers=step.headers)
        case Raw():
            _send(handler, 200, step.body, step.content_type, step.headers)
        case Slow(seconds):
            if not server.stopping.wait(seconds):
                _send(handler, 200, _good(request.protocol, Text("late")))
        case Drip():
            _drip(handler, server, step)
        case Cut():
            _cut(handler, _good(request.protocol, Text("cut " * 100)), step.after)


def _send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    content_type: str = "application/json",
    headers: Sequence[tuple[str, str]] = (),
) -> None:
    """One whole response."""
    handler.send_response(status)
    for name, value in (("Content-Type", content_type), ("Content-Length", str(len(body))), *headers):
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def _drip(handler: BaseHTTPRequestHandler, server: LlmServer, step: Drip) -> None:
    """An answer that is always under way."""
    start = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n"
    handler.wfile.write(start + (b"X-Drip: " if step.part == "header" else b"\r\n"))
    handler.close_connection = True
    while not server.stopping.wait(0.05):
        handler.wfile.write(b" ")


def _cut(handler: BaseHTTPRequestHandler, body: bytes, after: int) -> None:
    """Less than was announced, or nothing at all."""
    if after:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[:after])
        handler.wfile.flush()
    handler.close_connection = True


def _good(protocol: str, step: Text) -> bytes:
    """An answer in a provider's form."""
    return json.dumps(_FORMS[protocol](step)).encode()


def _openai(step: Text) -> dict[str, Any]:
    """Chat completions."""
    choice = {"index": 0, "message": {"role": "assistant", "content": step.text}, "finish_reason": step.stopped}
    answer: dict[str, Any] = {"id": "c1", "object": "chat.completion", "created": 1, "model": "test", "choices": [choice]}
    if step.tokens is not None:
        tokens_in, tokens_out = step.tokens
        answer["usage"] = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": 0}
    return answer


def _anthropic(step: Text) -> dict[str, Any]:
    """Messages."""
    stopped = {"stop": "end_turn", "length": "max_tokens"}.get(step.stopped, step.stopped)
    content = [{"type": "text", "text": step.text}]
    answer: dict[str, Any] = {"id": "m1", "type": "message", "role": "assistant", "model": "test", "content": content}
    answer |= {"stop_reason": stopped, "stop_sequence": None}
    if step.tokens is not None:
        answer["usage"] = {"input_tokens": step.tokens[0], "output_tokens": step.tokens[1]}
    return answer


def _google(step: Text) -> dict[str, Any]:
    """Generate content."""
    stopped = {"stop": "STOP", "length": "MAX_TOKENS"}.get(step.stopped, step.stopped)
    content = {"role": "model", "parts": [{"text": step.text}]}
    answer: dict[str, Any] = {"candidates": [{"content": content, "finishReason": stopped, "index": 0}]}
    if step.tokens is not None:
        tokens_in, tokens_out = step.tokens
        answer["usageMetadata"] = {"promptTokenCount": tokens_in, "candidatesTokenCount": tokens_out}
    return answer


_FORMS = {"openai": _openai, "anthropic": _anthropic, "google": _google}


def _error(protocol: str, step: Status, key: str) -> bytes:
    """An error in a provider's form; {key} in the message becomes the key that was sent."""
    message = step.message.replace("{key}", key)
    if protocol == "anthropic":
        error: dict[str, Any] = {"type": "error", "error": {"type": step.code or "api_error", "message": message}}
    elif protocol == "openai":
        error = {"error": {"message": message, "type": "error", "param": None, "code": step.code}}
    else:
        error = {"error": {"code": step.status, "message": message, "status": step.code or "UNAVAILABLE"}}
    if step.retry_delay is not None:
        error["error"]["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": step.retry_delay}]
    return json.dumps(error).encode()

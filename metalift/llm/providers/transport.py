"""The HTTP side that the three clients share: bounds on answers, and what a failure of a call means."""

from __future__ import annotations

import json
import math
import re
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache

import httpx2

from metalift.llm.completion import CallFailed

LARGEST = 2_000_000  # bytes of an answer: 16,000 tokens are some 100,000
LONGEST_MESSAGE = 300  # characters that are shown of a server's own words
_AGAIN = (408, 409, 425, 429)
_TRY_AGAIN_IN = re.compile(r"(?:try again|retry) in (\d+(?:\.\d+)?)\s*(ms|s|m)\b", re.IGNORECASE)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}


class TooLarge(Exception):
    """An answer of more bytes than are read."""


class _Bounded(httpx2.SyncByteStream):
    """A body that ends with an exception where it is too large."""

    def __init__(self, body: httpx2.SyncByteStream) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._body:
            size += len(chunk)
            if size > LARGEST:
                raise TooLarge
            yield chunk

    def close(self) -> None:
        self._body.close()


@cache
def trusted() -> ssl.SSLContext:
    """The certificates of the machine, which take a while to read: once for all clients."""
    return httpx2.create_ssl_context()


def http_client(seconds: float) -> httpx2.Client:
    """A client whose answers are bounded, `seconds` for each part. It follows no redirect, which could carry a key elsewhere."""

    def bound(response: httpx2.Response) -> None:
        """A compressed body could be of any size once it is read: none was asked for."""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise TooLarge
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Bounded(response.stream)

    return httpx2.Client(
        verify=trusted(),
        timeout=seconds,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )


def failure(error: Exception, seconds: float) -> CallFailed:
    """What an exception of a client means. No server's or client's text is repeated but in one short, printable line."""
    chain = tuple(_chain(error))
    for cause in chain:
        response = getattr(cause, "response", None)
        if isinstance(response, httpx2.Response):
            return _status(response)
    if any(isinstance(cause, TooLarge) for cause in chain):
        return CallFailed(f"the answer has more than {LARGEST:,} bytes, or is compressed without being asked to", taken=True)
    if any(isinstance(cause, httpx2.TimeoutException) for cause in chain):
        return CallFailed(f"no answer within {seconds:g} s", again=True, taken=True)
    for cause in chain:
        if isinstance(cause, httpx2.ConnectError):
            return CallFailed("no connection to the server", again=True)
        if isinstance(cause, httpx2.TransportError):
            return CallFailed(f"the connection broke ({type(cause).__name__})", again=True, taken=True)
    return CallFailed(f"the answer is not what the protocol says ({type(error).__name__})", taken=True)


def strange() -> CallFailed:
    """For an answer with status 200 that is none."""
    return CallFailed("the answer is not what the protocol says; is this the address of such a server?", taken=True)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and those that caused it."""
    following: BaseException | None = error
    while following is not None:
        yield following
        following = following.__cause__ or following.__context__


def _status(response: httpx2.Response) -> CallFailed:
    """What an answer with an error's status means."""
    status, body = response.status_code, _body(response)
    words = _message(body)
    says = f": {words}" if words else ""
    if 300 <= status < 400:
        return CallFailed(f"the server sends elsewhere (status {status}), which is not followed: name its new address")
    if status in (401, 403):
        return CallFailed(f"the server refuses the key (status {status}){says}", refused=True)
    again = (status in _AGAIN or status >= 500) and response.headers.get("x-should-retry") != "false"
    if "insufficient_quota" in json.dumps(body):  # status 429, and waiting does not help
        again = False
    wait = _wait(response.headers, body, words) if again else None
    return CallFailed(f"the server answers with status {status}{says}", again=again, wait=wait)


def _body(response: httpx2.Response) -> object:
    """The JSON of an error, or its text."""
    try:
        return response.json()
    except (ValueError, RecursionError, httpx2.StreamError):
        return None


def _message(body: object) -> str:
    """The server's words, short and without control characters."""
    inner = body[0] if isinstance(body, list) and body else body
    inner = inner.get("error", inner) if isinstance(inner, dict) else None
    words = inner.get("message") if isinstance(inner, dict) else inner
    return " ".join(_printable(words).split())[:LONGEST_MESSAGE] if isinstance(words, str) else ""


def _printable(text: str) -> str:
    """Control characters could steer a terminal."""
    return "".join(char if char.isprintable() else " " for char in text[: 4 * LONGEST_MESSAGE])


def _wait(headers: httpx2.Headers, body: object, words: str) -> float | None:
    """The seconds after which the server wants to be asked again: by header, by google.rpc.RetryInfo, or in its words."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    after = headers.get("retry-after", "")
    seconds = _number(after)
    if seconds is not None:
        return seconds
    if after:
        try:
            return max(0.0, (parsedate_to_datetime(after) - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError):
            pass
    delay = re.search(r'"retryDelay": "(\d+(?:\.\d+)?)s"', json.dumps(body))
    if delay is not None:
        return float(delay[1])
    said = _TRY_AGAIN_IN.search(words)
    return float(said[1]) * _UNITS[said[2].lower()] if said is not None else None


def _number(text: str) -> float | None:
    """A number of seconds, at least 0."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None

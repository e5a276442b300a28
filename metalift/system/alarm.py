"""A limit of time for work in this process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 1.0  # seconds after which an alarm that had no effect comes again


class TookTooLong(BaseException):
    """The work took longer than its limit. No Exception: what handles those in general goes on otherwise."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raises TookTooLong in the work inside after so many seconds of wall time; only in the main thread."""
    if seconds is None:
        yield
        return

    def stop(signum: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"took longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

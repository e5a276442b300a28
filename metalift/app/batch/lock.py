"""One batch at a time in an output folder, and none beside workers of another one that are still ending."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metalift.result.errors import UsageError

NAME = "batch.lock"
PATIENCE = 15.0  # seconds for the workers of a batch that was killed to end


@contextmanager
def alone(folder: Path, patience: float = PATIENCE) -> Iterator[int]:
    """Hold the folder; the file descriptor is for workers to inherit, so that it is held as long as one of them lives.

    Raises UsageError where another batch holds it.
    """
    descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _hold(descriptor, folder, time.monotonic() + patience)
        yield descriptor
    finally:
        os.close(descriptor)


def held(folder: Path) -> bool:
    """Whether a batch is running in the folder."""
    try:
        descriptor = os.open(folder / NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _hold(descriptor: int, folder: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise UsageError(f"another batch is running in {folder}; name another folder with --out") from None
            time.sleep(0.1)

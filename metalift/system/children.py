"""Processes that this one started: why they ended, and that none outlives an interrupted command."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def why_ended(status: int, errors: str, what: str = "the process") -> str:
    """Why a process ended, from its exit status (negative: a signal) and what it wrote on standard error."""
    if status < 0:
        return f"{what} crashed ({signal.Signals(-status).name})"
    lines = errors.strip().splitlines()
    return f"{what} ended: {lines[-1] if lines else f'exit status {status}'}"


def end_with(parent: int) -> None:
    """From now on, end this process and what it started when its parent has ended, which may be so by now."""
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    kill_descendants()
    os.kill(os.getpid(), signal.SIGKILL)


def kill_descendants() -> None:
    """Kill every process that this one started, directly or not, and reap it. Linux only; elsewhere it does nothing.

    What a child starts while it is being killed would go to init: it comes to this process instead, for the next round.
    """
    _adopt_orphans()
    while family := descendants(os.getpid()):
        for pid in family:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in family:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def kill_tree(root: int) -> None:
    """Kill a child of this process, and every process that it started, directly or not, as far as /proc tells."""
    for pid in (root, *descendants(root)):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _adopt_orphans() -> None:
    """From now on a descendant whose parent ends becomes a child of this process."""
    import ctypes  # costs milliseconds, and only an interrupted command comes here

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """The process ids below `root`, from /proc; none where there is no /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = entry.read_text(errors="replace").rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found: list[int] = []
    pending = [root]
    while pending:
        below = children.get(pending.pop(), [])
        found += below
        pending += below
    return found

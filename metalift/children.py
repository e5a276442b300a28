"""No process outlives an interrupted command."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path


def kill_descendants() -> None:
    """Kill every process that this one started, directly or not, and reap its own. Linux only; elsewhere it does nothing."""
    family = _descendants(os.getpid())
    for pid in family:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    for pid in family:
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


def _descendants(root: int) -> list[int]:
    """The process ids below `root`, from /proc."""
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

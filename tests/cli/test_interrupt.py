"""Ctrl-C at any moment once the interpreter has started: status 130, no child left, no partial file."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import time
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.commands import command

EXAMPLE = Path(__file__).parents[2] / "examples" / "llama.c"


def marked(mark: str) -> list[int]:
    """The processes with this entry in their environment, which children inherit; those that have ended do not count."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in entry.read_text(errors="replace"):
                found.append(int(entry.parent.name))
    return found


def wait_until_started(process: subprocess.Popen[str]) -> None:
    """Until the process handles signals; before that it is the interpreter that imports modules."""
    bit = 1 << (signal.SIGTERM - 1)
    for _ in range(3000):
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
        if int(caught, 16) & bit:
            return
        time.sleep(0.01)
    raise AssertionError("the process handles no signals")


@pytest.mark.quick("int-0.0", "term-1.0")
@pytest.mark.parametrize("delay", [0.0, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["int", "term"])
def test_interrupt_leaves_nothing_behind(delay: float, number: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = command("lift", EXAMPLE, "--to", "numpy", "--out", out)
    mark = f"METALIFT_TEST_RUN={uuid.uuid4()}"
    environment = {**os.environ, "METALIFT_TEST_RUN": mark.partition("=")[2]}
    process = subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which a shell ignores for what runs in the background
    )
    wait_until_started(process)
    time.sleep(delay)
    assert process.pid in marked(mark)
    process.send_signal(number)
    _, errors = process.communicate(timeout=10)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert marked(mark) == []
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".tmp")]
    for path in out.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"))

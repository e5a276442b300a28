"""Ctrl-C at any moment: status 130, no child left, no partial file."""

from __future__ import annotations

import ast
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.commands import command

EXAMPLE = Path(__file__).parents[2] / "examples" / "llama.c"


def members(session: int) -> list[str]:
    """The processes of a session, from /proc; those that have ended and wait to be reaped do not count."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = entry.read_text(errors="replace").rpartition(")")
        except OSError:
            continue
        state, _, _, its_session = rest.split()[:4]
        if int(its_session) == session and state != "Z":
            found.append(name)
    return found


@pytest.mark.parametrize("delay", [0.3, 1.0, 2.0, 3.5])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["int", "term"])
def test_interrupt_leaves_nothing_behind(delay: float, number: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = command("lift", EXAMPLE, "--to", "numpy", "--out", out)
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(delay)
    process.send_signal(number)
    _, errors = process.communicate(timeout=10)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert members(process.pid) == []
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".tmp")]
    for path in out.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"))

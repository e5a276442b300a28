"""No process outlives an interrupted command, not even one that was started while the others were being killed."""

from __future__ import annotations

import subprocess
import sys
import uuid
from pathlib import Path

BREEDER = """
import os, time
while True:
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    time.sleep(0.0005)
"""
INTERRUPTED = """
import os, subprocess, sys, time
from metalift.system.children import descendants, kill_descendants

subprocess.Popen([sys.executable, "-c", sys.argv[1]], env={**os.environ, "METALIFT_TEST_RUN": sys.argv[2]})
time.sleep(0.2)
kill_descendants()
assert descendants(os.getpid()) == []
"""


def test_a_child_that_goes_on_starting_others_leaves_none() -> None:
    for _ in range(5):
        mark = str(uuid.uuid4())
        subprocess.run([sys.executable, "-c", INTERRUPTED, BREEDER, mark], check=True, timeout=60)
        assert [entry for entry in Path("/proc").glob("[0-9]*/environ") if _holds(entry, mark)] == []


def _holds(entry: Path, mark: str) -> bool:
    try:
        return mark in entry.read_text(errors="replace")
    except OSError:
        return False

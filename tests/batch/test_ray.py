"""The Ray engine, on a Ray of this machine: the same results, also where one of its workers is lost, and stuck tasks end."""

from __future__ import annotations

import csv
import importlib.util
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from metalift.app.batch.cluster import RayEngine, lift_remotely
from metalift.app.batch.content import tools
from metalift.app.batch.engine import Answer, Limits, Task
from metalift.app.batch.suite import Kernel
from metalift.driver import choosing
from metalift.system.children import descendants
from tests.batch.test_batch import suite
from tests.support.commands import command

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed: pip install 'metalift[ray]'")


def table(out: Path) -> list[tuple[str, str, str]]:
    return [(row["kernel"], row["verdict"], row["ok"]) for row in csv.DictReader((out / "report.csv").open())]


def lifting(root: int) -> int | None:
    """The process of Ray's, below `root`, whose worker is lifting."""
    for pid in descendants(root):
        for child in descendants(pid):
            try:
                words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                if b"metalift.app.batch.worker" in words and str(pid).encode() in words:
                    return pid
            except OSError:
                continue
    return None


@pytest.mark.quick()
@needs_ray
def test_a_lost_worker_changes_nothing(tmp_path: Path) -> None:
    folder, out = suite(tmp_path / "adds", 3), tmp_path / "out"
    batch = command("batch", folder, "--out", out, "--jobs", "1", "--engine", "ray")
    process = subprocess.Popen(batch, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 100
    while (worker := lifting(process.pid)) is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert worker is not None
    time.sleep(0.5)
    os.kill(worker, signal.SIGKILL)
    output, _ = process.communicate(timeout=150)
    assert process.returncode == 0, output
    assert sorted(table(out)) == [(f"adds/add{n}", "PROVED", "True") for n in range(3)]
    assert len([line for line in output.splitlines() if line.startswith("[")]) == 3


class Recorder:
    """What an engine tells."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []

    def started(self, worker: str, task: Task) -> None:
        """Nothing to note."""

    def stage(self, worker: str, task: Task, at: float, stage: str, begins: bool) -> None:
        """Nothing to note."""

    def finished(self, worker: str, task: Task, answer: Answer) -> None:
        """Keep the answer."""
        self.answers.append(answer)


@pytest.mark.quick()
@needs_ray
def test_a_stuck_task_is_cancelled(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "nobody_writes.h")
    source = tmp_path / "hangs_clang.c"
    source.write_text('#include "nobody_writes.h"\nint f;\n')
    recorder = Recorder()
    task = Task(Kernel("", "", "", source, ""), {"": ""}, 0.0, {"list": str(source)})
    RayEngine(1, Limits(600.0), None, ("numpy",), patience=6.0).run([task], recorder)
    assert [answer["problem"] for answer in recorder.answers] == ["did not answer within 6 s"]
    assert not [pid for pid in descendants(os.getpid()) if b"hangs_clang" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_a_machine_with_other_tools_says_so(tmp_path: Path) -> None:
    own = tools(choosing.distinct(choosing.select(None, ("numpy",))))
    answer = lift_remotely({}, Limits(), str(tmp_path), None, ("numpy",), own[::-1])
    assert "another metalift, clang, solver or driver" in answer["problem"]

"""What is shown of a batch while it runs, on a terminal, in a pipe, and from another terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from metalift.app.batch import report
from metalift.app.batch.events import Began, Entered, Finished, Left, Measured, Started
from metalift.app.batch.live import Lines, Progress, render
from metalift.app.batch.lock import alone
from metalift.app.batch.store import Row, Store
from tests.support.batches import Made, batch
from tests.support.commands import command, metalift_process

ADD = "void add(int *out, const int *a, int n) {\n    for (int i = 0; i < n; i++) out[i] = a[i] + 1;\n}\n"
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def row(label: str, ok: bool, reason: str = "") -> Row:
    return Row("key", label, "numpy", "PROVED" if ok else "ERROR", ok, 2.0, 0.5, reason, {})


def screen(progress: Progress, now: float) -> list[str]:
    """The lines of the table."""
    console = Console(width=100, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(render(progress, now))
    return captured.get().splitlines()[1:]


def test_the_table_shows_what_is_running_and_how_far_all_is() -> None:
    progress = Progress()
    progress(Began(100.0, 4, 1, 1, 1, 2, 6.0))
    progress(Started(100.0, "1", "s/[bold]one\x1b[2J"))
    progress(Started(100.0, "2", "s/two"))
    progress(Entered(101.0, "1", "s/one", "proof"))
    progress(Entered(102.0, "1", "s/one", "inner"))
    assert progress.left(110.0) is None
    first = screen(progress, 110.0)
    assert "1/4 kernels" in first[0] and "1/1 proved" in first[0] and "left" not in first[0]
    assert re.fullmatch(r"1 +s/\[bold\]one\\x1b\[2J +inner +10 s *", first[1])
    progress(Left(111.0, "1", "s/one", "inner"))
    progress(Finished(112.0, "2", "s/two", (row("s/two", False),), 2.0))
    second = screen(progress, 112.0)
    assert "2/4 kernels" in second[0] and "1/2 proved" in second[0] and "about 24 s left" in second[0]
    assert len(second) == 2 and "proof" in second[1]
    progress(Measured(113.0, "s/one", {"problem": "none"}))
    assert "1 measured" in screen(progress, 114.0)[0]


def test_lines_have_nothing_that_controls_a_terminal() -> None:
    said: list[str] = []
    lines = Lines(said.append)
    lines(Began(0.0, 12, 3, 3, 3, 1, 1.0))
    lines(Finished(1.0, "1", "s/a", (row("s/a", False, "bad \x1b]0;title\x07 \u202e name\nmore"),), 1.0))
    lines(Measured(2.0, "s/a", {"recommended": "jax", "speedup": 12.345}))
    lines(Measured(2.0, "s/b", {"recommended": "source", "speedup": 1.0}))
    assert said == [
        "[ 4/12] s/a: numpy ERROR in 2.0 s; bad \\x1b]0;title\\x07 \\u202e name",
        "measured s/a: jax is 12.3 times as fast as the compiled source",
        "measured s/b: the compiled source is the fastest",
    ]


def test_status_from_another_terminal(tmp_path: Path) -> None:
    batch(tmp_path, [Made("s", "a", "int", {"numpy": "PROVED"}), Made("s", "b", "int", {"numpy": None})])
    store = Store(tmp_path)
    with alone(tmp_path):
        store.start("s/b/int")
        store.enter("s/b/int", "proof")
        told = report.status(tmp_path).splitlines()
    store.close()
    assert told[0] == "1 of 2 results: 1 PROVED" and re.fullmatch(r"  s/b/int +0 s  proof", told[1])
    done = metalift_process("status", tmp_path, "--report")
    assert "no batch is running here" in done.output and (tmp_path / "report.html").is_file()


def run_on_a_terminal(arguments: list[str], until: Callable[[str], None]) -> str:
    """What a command writes to a terminal of its own; `until` is called with what came so far."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    process = subprocess.Popen(arguments, stdout=theirs, stderr=subprocess.STDOUT, env=environment)
    os.close(theirs)
    text = ""
    while True:
        try:
            data = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        text += data.decode(errors="replace")
        until(text)
    os.close(ours)
    assert process.wait() == 0, text
    return text


def test_a_batch_on_a_terminal(tmp_path: Path) -> None:
    source, out = tmp_path / "add.c", tmp_path / "out"
    source.write_text(ADD)
    seen: list[str] = []

    def look(text: str) -> None:
        if not seen and "add/add" in text:
            seen.append(report.status(out))

    log, trace = tmp_path / "log.jsonl", tmp_path / "trace.json"
    arguments = command("batch", source, "--out", out, "--jobs", "1", "--log-json", log, "--trace", trace)
    lines = ESCAPE.sub("", run_on_a_terminal(arguments, look)).replace("\r", "\n").split("\n")
    assert any(re.search(r"1 +add/add +[a-z]+ .* s", line) for line in lines)
    assert any("0/1 kernels" in line for line in lines)
    assert any(line.startswith("[1/1] add/add: numpy PROVED") for line in lines)
    assert [line for line in lines if line][-1].startswith("report: ") and (out / "report.html").is_file()
    assert seen and seen[0].splitlines()[1].startswith("  add/add ")
    events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert events[:3] == ["began", "started", "entered"] and events[-2:] == ["finished", "ended"]
    stages = {event["name"] for event in json.loads(trace.read_text()) if event["ph"] == "B"}
    assert {"add/add", "compile", "fragment", "summary", "proof", "cover numpy", "test numpy", "certificate"} <= stages

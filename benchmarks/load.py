"""How much a batch costs beside the lifting: thousands of kernels through the local engine, each answered at once.

Usage, from the root of the project: python -m benchmarks.load [--kernels N] [--jobs N]

One kernel is really lifted; its answer is what the workers then give for each of N other sources, in other processes and through
everything that a batch does: keys, queue, pipes, stages, store. Prints kernels a second, the time of each, the coordinator's
memory on the way, and how long the same command takes when all is known.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from metalift.app.batch import run
from metalift.app.batch.engine import Limits
from metalift.app.batch.events import Event, Finished
from metalift.app.batch.local import LocalEngine, answered
from metalift.app.batch.workers import Worker

TEXT = "void kernel{n}(int *out, const int *a, int n) {{\n    for (int i = 0; i < n; i++) out[i] = a[i] + {n};\n}}\n"
ENTRY = '[[kernel]]\nname = "kernel{n}"\nfile = "kernel{n}.c"\nfunction = "kernel{n}"\n'
CANNED = "METALIFT_CANNED"


@dataclass(slots=True)
class Watch:
    """Notes the memory of this process on the way."""

    every: int
    done: int = 0
    memory: list[int] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        """Take notice of an event."""
        if isinstance(event, Finished):
            self.done += 1
            if self.done % self.every == 0:
                self.memory.append(resident())


def main() -> None:
    """Make the kernels, run them, run them again."""
    parser = argparse.ArgumentParser(description="What a batch costs beside the lifting.")
    parser.add_argument("--kernels", type=int, default=10_000, help="how many (default: 10000)")
    parser.add_argument("--jobs", type=int, default=2, help="workers (default: 2)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="metalift-load-") as name:
        folder = Path(name)
        suite = made(folder / "suite", options.kernels)
        canned = folder / "answer.json"
        canned.write_text(json.dumps(answer(suite, folder)), encoding="utf-8")
        os.environ[CANNED] = str(canned)
        watch = Watch(max(1, options.kernels // 10))
        given = run.Options(("numpy",), folder / "out", jobs=options.jobs)
        began = time.perf_counter()
        rows = run.run([suite], given, watch, LocalEngine(options.jobs, Limits(), module="benchmarks.canned"))
        spent = time.perf_counter() - began
        print(f"{len(rows)} kernels in {spent:.1f} s: {len(rows) / spent:.0f} a second, {1e3 * spent / len(rows):.1f} ms each")
        print(f"memory of the coordinator, MB, after each tenth: {' '.join(f'{each >> 20}' for each in watch.memory)}")
        print(f"the same command again, with its reports: {again(suite, folder / 'out'):.1f} s")


def made(folder: Path, count: int) -> Path:
    """A suite of so many sources."""
    folder.mkdir()
    for n in range(count):
        (folder / f"kernel{n}.c").write_text(TEXT.format(n=n), encoding="utf-8")
    entries = "".join(ENTRY.format(n=n) for n in range(count))
    (folder / "manifest.toml").write_text(f'suite = "load"\n{entries}', encoding="utf-8")
    return folder


def answer(suite: Path, folder: Path) -> object:
    """What a worker says of the first kernel."""
    job: dict[str, object] = {"path": str(suite / "kernel0.c"), "function": "kernel0", "to": ["numpy"], "driver": None}
    job |= {"assume": [], "clang_args": [], "out": str(folder / "lifted"), "timeout": 10.0}
    worker = Worker()
    try:
        return answered(worker, job, Limits())
    finally:
        worker.close()


def again(suite: Path, out: Path) -> float:
    """Seconds of the command, in a process of its own, when all is known."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "metalift.cli", "batch", str(suite), "--to", "numpy", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "[" not in done.stdout.split("numpy:")[0], "something was computed again"
    return time.perf_counter() - began


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()

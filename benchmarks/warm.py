"""Lifts kernels one after the other in one process that stays: what a kernel takes once everything is loaded.

The process can be killed: a kernel that hangs or crashes it costs its own row only, the next one gets a new process.
"""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.suites import Kernel

LIMIT = 300.0  # seconds for one lift; past that it counts as failed


@dataclass(frozen=True, slots=True)
class Lifted:
    """What a lift found, as its JSON object; empty where it failed, and then `error` says why."""

    function: dict[str, Any] = field(default_factory=dict)
    wall: float = 0.0
    megabytes: float = 0.0
    error: str = ""


class Warm:
    """A process that lifts kernels; a context manager."""

    def __init__(self, first: Kernel, targets: Sequence[str], out: Path) -> None:
        """`first` is lifted once before anything is timed, in each process that is started."""
        self._first = first
        self._targets = list(targets)
        self._out = out
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Warm:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def lift(self, kernel: Kernel) -> Lifted:
        """Lift one kernel to all targets."""
        process = self._process
        if process is None:
            process = self._process = self._started()
            self._asked(process, self._first)
        return self._asked(process, kernel)

    def _started(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "benchmarks.warm"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def _asked(self, process: subprocess.Popen[str], kernel: Kernel) -> Lifted:
        assert process.stdin is not None and process.stdout is not None
        job = {"path": str(kernel.path), "function": kernel.function, "to": self._targets, "out": str(self._out)}
        start = time.perf_counter()
        try:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
        except OSError as problem:
            self._end()
            return Lifted(error=str(problem))
        ready, _, _ = select.select([process.stdout], [], [], LIMIT)
        line = process.stdout.readline() if ready else ""
        wall = time.perf_counter() - start
        if not line:
            self._end()
            return Lifted(wall=wall, error="the process ended" if ready else f"took longer than {LIMIT:g} s")
        answer = json.loads(line)
        return Lifted(answer["function"], wall, answer["megabytes"], answer["error"])

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def main() -> None:
    """Serve jobs, a line of JSON each, until standard input ends."""
    from metalift import lift
    from metalift.result import to_json
    from metalift.result.errors import MetaliftError
    from metalift.system.collecting import collect_rarely

    collect_rarely()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what else is printed must not reach the answers
    for line in sys.stdin:
        job = json.loads(line)
        function, error = {}, ""
        try:
            whole: Any = to_json(lift(Path(job["path"]), functions=[job["function"]], to=job["to"], out=Path(job["out"])))
            function = whole["functions"][0]
        except MetaliftError as problem:
            error = str(problem)
        used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        answers.write(json.dumps({"function": function, "megabytes": used / 1024, "error": error}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

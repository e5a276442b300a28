"""A process that lifts kernels one after the other: a job as JSON on each line of standard input; on standard output a line for
each stage that begins or ends, with `at`, the time, and then one with the result."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO, cast

from metalift import pipeline
from metalift.app.batch.asking import proposer_of
from metalift.frontend import functions_of, open_source
from metalift.pipeline.proposer import SEARCH
from metalift.result import to_json
from metalift.result.errors import MetaliftError
from metalift.system.children import kill_descendants
from metalift.system.collecting import collect_rarely

LARGEST = 1 << 30  # bytes of a file that this process, or one below it, may write


def main() -> None:
    """Serve until the input ends. The argument is the process that started this one, which may have ended by now."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
    collect_rarely()
    threading.Thread(target=end_with, args=(int(sys.argv[1]),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what else is printed must not reach the answers
    for line in sys.stdin:
        began = time.perf_counter()
        job = json.loads(line)
        if "list" in job:
            answer = listed(Path(job["list"]), job["clang_args"])
        elif "measure" in job:
            from metalift.app.batch.speed.measure import measured  # it needs NumPy

            answer = measured(job["measure"])
        else:
            answer = lifted(job, lambda stage, begins: say(answers, at=time.time(), stage=stage, begins=begins))
        say(answers, **answer, seconds=time.perf_counter() - began)


def say(answers: TextIO, **message: object) -> None:
    """One line."""
    answers.write(json.dumps(message, allow_nan=False) + "\n")
    answers.flush()


def listed(path: Path, clang_args: Sequence[str]) -> dict[str, Any]:
    """The functions of a file, or why they are not known."""
    try:
        return {"functions": [name for name, _ in functions_of(open_source(path, clang_args))]}
    except MetaliftError as problem:
        return {"problem": str(problem)}


def lifted(job: dict[str, Any], watch: Callable[[str, bool], None] | None = None) -> dict[str, Any]:
    """The function's JSON object with the folder of its certificate and, for each target, whether all is `ok`; or why there is
    none."""
    try:
        result = pipeline.lift(
            Path(job["path"]),
            functions=(job["function"],),
            to=job["to"],
            driver=job["driver"],
            assume=job["assume"],
            out=Path(job["out"]),
            clang_args=job["clang_args"],
            timeout=job["timeout"],
            watch=watch,
            proposer=proposer_of(job["asking"]) if "asking" in job else SEARCH,
        )
    except MetaliftError as problem:
        return {"problem": str(problem)}
    [found] = result.functions
    [function] = cast(list[dict[str, Any]], to_json(result)["functions"])
    for target, own in found.targets.items():
        function["targets"][target]["ok"] = own.ok
    return {"function": {**function, "certificate": found.certificate}}


def end_with(parent: int) -> None:
    """End this process and what it started when its parent has ended."""
    while os.getppid() == parent:
        time.sleep(0.5)
    kill_descendants()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()

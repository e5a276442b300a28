"""A process that lifts kernels one after the other: a job as JSON on each line of standard input; on standard output a line for
each stage that begins or ends, with `at`, the time, and then one with the result."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO, cast

from metalift import pipeline
from metalift.app.batch.asking import proposer_of
from metalift.frontend import functions_of, open_source
from metalift.frontend.files import Program
from metalift.pipeline.proposer import SEARCH
from metalift.result import to_json
from metalift.result.errors import MetaliftError
from metalift.system.children import end_with
from metalift.system.collecting import collect_rarely

LARGEST = 1 << 30  # bytes of a file that this process, or one below it, may write


def main() -> None:
    """Serve until the input ends. The argument is the process that started this one, which may have ended by now."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
    collect_rarely()
    end_with(int(sys.argv[1]))
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
        line = job.get("line") or None
        result = pipeline.lift(
            Path(job["path"]),
            functions=(job["function"],),
            to=job["to"],
            driver=job["driver"],
            assume=job["assume"],
            out=Path(job["out"]),
            clang_args=job["clang_args"],
            program=Program.from_json(job["program"]) if job.get("program") else None,
            line=line,
            timeout=job["timeout"],
            watch=watch,
            proposer=proposer_of(job["asking"]) if "asking" in job else SEARCH,
        )
    except MetaliftError as problem:
        return {"problem": str(problem)}
    at = next((at for at, one in enumerate(result.functions) if one.name == job["unit"]), 0)
    found = result.functions[at]
    function = cast(list[dict[str, Any]], to_json(result)["functions"])[at]
    for target, own in found.targets.items():
        function["targets"][target]["ok"] = own.ok
    return {"function": {**function, "certificate": found.certificate}}


if __name__ == "__main__":
    main()

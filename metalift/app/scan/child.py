"""The process that examines one file: a job as JSON on standard input, a row as JSON on each line of standard output."""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path

from metalift.app.scan.examine import Lifting, examine
from metalift.app.scan.rows import Row, Status
from metalift.app.scan.sources import program_from
from metalift.frontend.llvm.compile.confined import Reach
from metalift.result.errors import MetaliftError

MEMORY = 8 << 30  # bytes of address space


def main() -> None:
    """Serve one job."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what else is printed must not reach the answers
    job = json.load(sys.stdin)
    path = Path(job["path"])
    reach = Reach(tuple(map(Path, job["reach"])))
    lifting = Lifting(tuple(job["to"]), job["driver"], Path(job["out"]), job["timeout"]) if job["lift"] else None
    try:
        for row in examine(path, program_from(job["program"]), reach, lifting):
            answers.write(json.dumps(row.to_json() if isinstance(row, Row) else {"note": row}) + "\n")
            answers.flush()
    except MetaliftError as problem:
        answers.write(json.dumps(Row(str(path), 0, "(the file)", Status.BROKEN, 0, str(problem)).to_json()) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()

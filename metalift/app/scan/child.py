"""The process that examines one file: a job as JSON on standard input, a row as JSON on each line of standard output. Its
argument is the process that started it."""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path

from metalift.app.scan.examine import examine
from metalift.app.scan.rows import Row, Status
from metalift.frontend.files import Program
from metalift.frontend.llvm.compile.confined import Reach
from metalift.result.errors import MetaliftError
from metalift.system.children import end_with

MEMORY = 8 << 30  # bytes of address space


def main() -> None:
    """Serve one job."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end_with(int(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what else is printed must not reach the answers
    job = json.load(sys.stdin)
    path = Path(job["path"])
    reach = Reach(tuple(map(Path, job["reach"])))
    try:
        for row in examine(path, Program.from_json(job["program"]), reach, job["every"], job["limit"]):
            answers.write(json.dumps(row.to_json() if isinstance(row, Row) else {"note": row}) + "\n")
            answers.flush()
    except MetaliftError as problem:
        answers.write(json.dumps(Row(str(path), 0, "(the file)", Status.BROKEN, 0, str(problem)).to_json()) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()

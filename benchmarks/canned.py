"""A worker that gives every job the answer that the file METALIFT_CANNED holds: see `benchmarks.load`."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def main() -> None:
    """Serve until the input ends, as `metalift.app.batch.worker` does."""
    canned = json.loads(Path(os.environ["METALIFT_CANNED"]).read_text(encoding="utf-8"))
    stages = list(canned["function"]["seconds"])
    for line in sys.stdin:
        began = time.perf_counter()
        job = json.loads(line)
        for stage in stages:
            for begins in (True, False):
                sys.stdout.write(json.dumps({"at": time.time(), "stage": stage, "begins": begins}) + "\n")
        answer = {**canned, "function": {**canned["function"], "name": job["function"]}}
        sys.stdout.write(json.dumps({**answer, "seconds": time.perf_counter() - began}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

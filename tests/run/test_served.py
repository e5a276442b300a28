"""A library that one process keeps for all functions: its code is run there, sources are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift.driver import LISTS, Engine, Target
from metalift.run.workers.process import Worker, WorkerFailed
from metalift.run.workers.servers import server_of

MODULE = "import os\n\ndef f(x):\n    return os.getpid() + 0 * len(x)\n"


def target(setup: str = "") -> Target:
    return replace(LISTS, engine=Engine(served=True, setup=setup, seconds=20))


def job(folder: Path, text: str = MODULE) -> dict[str, object]:
    file = folder / "f.py"
    file.write_text(text, encoding="utf-8")
    params = [{"name": "x", "kind": "vector", "dtype": "i32", "rank": 1}]
    result = {"kind": "one", "items": [{"dtype": "i32", "rank": 0}]}
    cases = [{"args": [[1, 2]], "native": False, "emitted": True}] * 2
    return {
        "source": None, "emitted": str(file), "function": "f", "params": params, "result": result, "written": [], "cases": cases
    }  # fmt: skip


def process_of(worker: Worker, folder: Path) -> set[int]:
    return {answer["emitted"]["results"][0] for answer in worker.run(job(folder), 2)}


def test_functions_run_in_one_process_also_side_by_side(tmp_path: Path) -> None:
    with Worker(target()) as first, Worker(target()) as second:
        second.engine()
        found = process_of(first, tmp_path) | process_of(second, tmp_path)
    with Worker(target()) as third:
        found |= process_of(third, tmp_path)
    assert len(found) == 1


def test_a_process_that_ended_is_started_anew(tmp_path: Path) -> None:
    setup = "import os\nmine = os.getpid()"
    with Worker(target(setup)) as worker:
        (before,) = process_of(worker, tmp_path)
        path = server_of(target(setup))
    with Worker(target(setup)) as worker, pytest.raises(WorkerFailed):
        list(worker.run(job(tmp_path, "import os\n\ndef f(x):\n    os._exit(1)\n"), 2))
    with Worker(target(setup)) as worker:
        (after,) = process_of(worker, tmp_path)
    assert after != before and server_of(target(setup)) != path


def test_a_library_that_cannot_start_is_missing() -> None:
    missing = "cannot be imported: RuntimeError: no Java"
    with Worker(target("raise RuntimeError('no Java')")) as worker, pytest.raises(WorkerFailed, match=missing):
        worker.engine()

"""Workers of one library: each starts from the library as it was imported, whatever the others did, and however they ended."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from metalift.driver import Target
from metalift.driver.files import load
from metalift.run.workers import forks
from metalift.run.workers.process import Worker, WorkerFailed

RUNNER = """
import os, sys, library

class Source:
    def run(self, args):
        library.used += 1
        if args[0]["die"]:
            os.kill(os.getpid(), args[0]["die"])
        return {"results": [library.used, os.getpid(), os.getppid()]}

def load(source, params, result):
    return Source()
"""
LIBRARY = "import {more}\nused = 0\n__version__ = 'here'\n"


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    """A target whose library is the file library.py in a folder of the test's."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "runner.py").write_text(RUNNER, encoding="utf-8")
    write_library(tmp_path, "os")
    numpy = load("tensor").driver.target("numpy")
    engine = replace(numpy.engine, version="library.__version__", setup="", environment={})
    return replace(numpy, imports={"library": "import library"}, layout=None, dtypes={}, engine=engine)


def write_library(folder: Path, more: str) -> None:
    (folder / "library.py").write_text(LIBRARY.format(more=more), encoding="utf-8")


def used(target: Target, folder: Path, *dies: int, seconds: float = 30.0) -> list[list[int]]:
    """How often the worker has used the library, with its process and its parent, call by call."""
    cases = [{"args": [{"die": die}], "native": True, "emitted": False} for die in dies]
    source = {"runner": str(folder / "runner.py")}
    job: dict[str, object] = {"source": source, "params": [], "result": {"items": []}, "emitted": None, "cases": cases}
    with Worker(target, seconds=seconds) as worker:
        return [answer["native"]["results"] for answer in worker.run(job, len(cases))]


def test_a_worker_sees_nothing_of_another(target: Target, tmp_path: Path) -> None:
    (first, one, parent), (second, same, _) = used(target, tmp_path, 0, 0)
    assert (first, second, one) == (1, 2, same)
    ((again, other, its_parent),) = used(target, tmp_path, 0)
    assert again == 1
    assert other != one
    assert its_parent == parent != os.getpid()


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGXCPU])
def test_a_worker_that_dies_takes_no_other_with_it(target: Target, tmp_path: Path, number: signal.Signals) -> None:
    ((_, _, parent),) = used(target, tmp_path, 0)
    with pytest.raises(WorkerFailed) as failed:
        used(target, tmp_path, 0, number)
    assert failed.value.answered == 1
    assert failed.value.crashed == (number is signal.SIGSEGV)
    ((count, _, its_parent),) = used(target, tmp_path, 0)
    assert (count, its_parent) == (1, parent)


def test_a_library_with_threads_is_imported_by_each_worker(target: Target, tmp_path: Path) -> None:
    write_library(tmp_path, "threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()")
    ((first, _, _),) = used(target, tmp_path, 0)
    ((second, _, _),) = used(target, tmp_path, 0)
    assert (first, second) == (1, 1)


def test_a_library_that_crashes_as_it_is_imported_is_told(target: Target, tmp_path: Path) -> None:
    write_library(tmp_path, "os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
    with pytest.raises(WorkerFailed, match="SIGSEGV") as failed:
        used(target, tmp_path, 0)
    assert failed.value.crashed
    write_library(tmp_path, "os")
    assert len(used(target, tmp_path, 0)) == 1


def test_a_library_that_cannot_be_imported_is_told(target: Target, tmp_path: Path) -> None:
    write_library(tmp_path, "is_not_there")
    with pytest.raises(WorkerFailed, match="is_not_there"):
        used(target, tmp_path, 0)
    write_library(tmp_path, "os\nraise ValueError('no such machine')")
    with pytest.raises(WorkerFailed, match="no such machine"):
        used(replace(target, engine=replace(target.engine, version="library.__version__ + ''")), tmp_path, 0)


def test_a_library_that_hangs_as_it_is_imported_ends(target: Target, tmp_path: Path) -> None:
    write_library(tmp_path, "time\ntime.sleep(60)")
    with pytest.raises(WorkerFailed, match=r"no answer within 0\.5 s"):
        used(target, tmp_path, 0, seconds=0.5)
    write_library(tmp_path, "os")
    assert len(used(target, tmp_path, 0)) == 1


def test_only_some_libraries_stay_imported(target: Target, tmp_path: Path) -> None:
    for number in range(forks.KEPT + 3):
        other = replace(target, engine=replace(target.engine, environment={"NUMBER": str(number)}))
        assert len(used(other, tmp_path, 0)) == 1
    assert len(forks._FORKS) == forks.KEPT

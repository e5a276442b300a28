"""All files of a scan, each in a process of its own that can be killed: one that hangs or crashes does not stop the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from metalift.app.batch import run as batch
from metalift.app.batch.events import Event
from metalift.app.scan.lifting import Lifts, lifts
from metalift.app.scan.rows import Row, Scan, Status, order, shown
from metalift.app.scan.sources import find_sources, reach_of
from metalift.frontend.files import Program, program_in, program_of
from metalift.frontend.llvm.compile.clang import Unit
from metalift.system.children import why_ended


@dataclass(frozen=True, slots=True)
class Options:
    """How to scan. `seconds` are those that one file may take, `limit` those of one function or nest in it. `lifting`: how what
    may be lifted is, where that is asked for. `pure`: functions without a body, as for `lift`.
    """

    clang_args: tuple[str, ...] = ()
    jobs: int = 1
    seconds: float = 1800.0
    others: tuple[Path, ...] = ()
    lifting: batch.Options | None = None
    limit: float = 120.0
    pure: tuple[str, ...] = ()


class Watcher:
    """Hears nothing of a scan; whoever wants to hear overrides some of these."""

    def progress(self, done: int, count: int) -> None:
        """So many of so many files are done."""

    def ended(self, file: str, rows: Sequence[Row]) -> None:
        """The rows of a file, in the order of the files, as soon as those before it are done, too."""

    def lifts(self, event: Event) -> None:
        """Something happened in the batch that lifts."""


def scan(root: Path, options: Options, watcher: Watcher | None = None) -> Scan:
    """Examine a folder or a file.

    Raises UsageError where there is nothing to scan, or what `--lift` needs is not there.
    """
    watcher = watcher or Watcher()
    files, notes = find_sources(root, options.clang_args)
    with ExitStack() as stack:
        keeping = None if options.lifting is None else stack.enter_context(lifts(options.lifting))
        shared = program_in(root, files, options.others, options.clang_args) if root.is_dir() else None
        programs = {str(file.path): _program(file, options, shared) for file in files}
        rows, said = _all_files(root, files, options, programs, keeping, watcher)
        if keeping is not None:
            rows = keeping.lifted(root, rows, programs, watcher.lifts)
    return Scan(tuple(sorted(rows, key=order)), len(files), tuple(dict.fromkeys((*notes, *said))))


def _all_files(
    root: Path,
    files: Sequence[Unit],
    options: Options,
    programs: Mapping[str, Program],
    keeping: Lifts | None,
    watcher: Watcher,
) -> tuple[list[Row], list[str]]:
    """The rows and notes of all files, in their order."""
    done = 0
    counting = threading.Lock()

    def one(file: Unit) -> tuple[list[Row], list[str]]:
        nonlocal done
        program = programs[str(file.path)]
        found = None if keeping is None else keeping.found(file, program)
        if found is None:
            rows, said, problem = _examined(root, file, options, program)
            found = rows, said
            if keeping is not None:
                keeping.keep(file, program, rows, said, problem)
        with counting:
            done += 1
            watcher.progress(done, len(files))
        return found

    pool = ThreadPoolExecutor(options.jobs)
    rows: list[Row] = []
    notes: list[str] = []
    try:
        for file, (own, said) in zip(files, pool.map(one, files), strict=True):
            with counting:
                watcher.ended(str(file.path), sorted(shown(own), key=order))
            rows += own
            notes += said
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return rows, notes


def _program(file: Unit, options: Options, shared: Program | None) -> Program:
    """What a file is compiled and linked with: all files of a folder with those that are `shared`."""
    if shared is None:
        return replace(program_of(file.path, options.others, options.clang_args), pure=options.pure)
    return replace(shared, clang_args=file.clang_args, pure=options.pure)


def _examined(root: Path, file: Unit, options: Options, program: Program) -> tuple[list[Row], list[str], str]:
    """The rows of one file, as far as they came, notes, and why it did not come to its end, if so."""
    folders = [path if path.is_dir() else path.parent for path in options.others] + ([program.build] if program.build else [])
    job = {
        "path": str(file.path),
        "program": program.to_json(),
        "reach": [str(folder) for folder in (*reach_of(root, options.clang_args).folders, *folders)],
        "every": options.lifting is not None,
        "limit": options.limit,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "metalift.app.scan.child", str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        found, errors = process.communicate(json.dumps(job), timeout=options.seconds)
        problem = why_ended(process.returncode, errors) if process.returncode else ""
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        found, _ = process.communicate()
        problem = f"took longer than {options.seconds:g} s; the functions without a row were not reached"
    lines = [json.loads(line) for line in found.splitlines(keepends=True) if line.endswith("\n")]
    rows = [Row.from_json(line) for line in lines if "note" not in line]
    if problem:
        rows.append(Row(str(file.path), 0, "(the file)", Status.FAILED, 0, problem))
    return rows, [*program.notes, *(line["note"] for line in lines if "note" in line)], problem

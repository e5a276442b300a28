"""All files of a scan, each in a process of its own that can be killed: one that hangs or crashes does not stop the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from metalift.app.scan.rows import Row, Scan, Status, order
from metalift.app.scan.sources import find_sources, program_data, reach_of
from metalift.driver import choosing
from metalift.frontend.files import Program, program_in, program_of
from metalift.frontend.llvm.compile.clang import Unit
from metalift.system import arguments
from metalift.system.children import why_ended


@dataclass(frozen=True, slots=True)
class Options:
    """How to scan. `seconds` are those that one file may take; `timeout` those of one obligation, where `lift` is asked for."""

    clang_args: tuple[str, ...] = ()
    jobs: int = 1
    seconds: float = 120.0
    lift: bool = False
    to: tuple[str, ...] = ("numpy",)
    driver: str | None = None
    out: Path = arguments.OUT
    timeout: float = 10.0
    others: tuple[Path, ...] = ()


class Watcher:
    """Hears nothing of a scan; whoever wants to hear overrides some of these."""

    def progress(self, done: int, count: int) -> None:
        """So many of so many files are done."""

    def ended(self, file: str, rows: Sequence[Row]) -> None:
        """The rows of a file, in the order of the files, as soon as those before it are done, too."""


def scan(root: Path, options: Options, watcher: Watcher | None = None) -> Scan:
    """Examine a folder or a file.

    Raises UsageError where there is nothing to scan, or what `--lift` needs is not there.
    """
    watcher = watcher or Watcher()
    files, found = find_sources(root, options.clang_args)
    notes = list(found)
    if options.lift:
        choosing.select(options.driver, options.to)
        arguments.writable_folder(options.out)
    shared = program_in(root, files, options.others, options.clang_args) if root.is_dir() else None
    done = 0
    counting = threading.Lock()

    def one(file: Unit) -> list[Row]:
        nonlocal done
        rows, said = _examined(root, file, options, shared)
        with counting:
            notes.extend(note for note in said if note not in notes)
            done += 1
            watcher.progress(done, len(files))
        return rows

    pool = ThreadPoolExecutor(options.jobs)
    try:
        rows = []
        for file, own in zip(files, pool.map(one, files), strict=True):
            with counting:
                watcher.ended(str(file.path), sorted(own, key=order))
            rows += own
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return Scan(tuple(sorted(rows, key=order)), len(files), tuple(notes))


def _examined(root: Path, file: Unit, options: Options, shared: Program | None) -> tuple[list[Row], list[str]]:
    """The rows of one file, as far as they came, and notes. All files of a folder are linked with those that are `shared`."""
    inner = file.path.relative_to(root) if root.is_dir() else Path(file.path.name)
    program = program_of(file.path, options.others, options.clang_args) if shared is None else shared
    program = program if shared is None else replace(program, clang_args=file.clang_args)
    folders = [path if path.is_dir() else path.parent for path in options.others] + ([program.build] if program.build else [])
    job = {
        "path": str(file.path),
        "program": program_data(program),
        "reach": [str(folder) for folder in (*reach_of(root, options.clang_args).folders, *folders)],
        "lift": options.lift,
        "to": options.to,
        "driver": options.driver,
        "out": str(options.out / inner),
        "timeout": options.timeout,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "metalift.app.scan.child"],
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
    return rows, [*program.notes, *(line["note"] for line in lines if "note" in line)]

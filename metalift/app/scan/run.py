"""All files of a scan, each in a process of its own that can be killed: one that hangs or crashes does not stop the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from metalift.app.scan.rows import Row, Scan, Status, order
from metalift.app.scan.sources import find_sources, reach_of
from metalift.driver import choosing
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
    out: Path = Path("metalift_out")
    timeout: float = 10.0


def scan(root: Path, options: Options, progress: Callable[[int, int], None] | None = None) -> Scan:
    """Examine a folder or a file; `progress` is called with the number of files done and that of all.

    Raises UsageError where there is nothing to scan, or what `--lift` needs is not there.
    """
    files, notes = find_sources(root, options.clang_args)
    if options.lift:
        choosing.select(options.driver, options.to)
        arguments.writable_folder(options.out)
    done = 0
    counting = threading.Lock()

    def one(file: Unit) -> list[Row]:
        nonlocal done
        rows = _examined(root, file, options)
        with counting:
            done += 1
            if progress is not None:
                progress(done, len(files))
        return rows

    pool = ThreadPoolExecutor(options.jobs)
    try:
        rows = [row for found in pool.map(one, files) for row in found]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return Scan(tuple(sorted(rows, key=order)), len(files), notes)


def _examined(root: Path, file: SourceFile, options: Options) -> list[Row]:
    """The rows of one file, as far as they came."""
    inner = file.path.relative_to(root) if root.is_dir() else Path(file.path.name)
    job = {
        "path": str(file.path),
        "clang_args": file.clang_args,
        "reach": [str(folder) for folder in reach_of(root, options.clang_args).folders],
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
    rows = [Row.from_json(json.loads(line)) for line in found.splitlines(keepends=True) if line.endswith("\n")]
    return [*rows, Row(str(file.path), 0, "(the file)", Status.FAILED, 0, problem)] if problem else rows

"""The command `scan`: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from metalift.app.terminal import Progress
from metalift.result.errors import UsageError
from metalift.system.argument_types import add_jobs, add_others, add_pure, add_reports, add_targets, count, seconds
from metalift.system.arguments import OUT

if TYPE_CHECKING:
    from metalift.app.batch import run as batch
    from metalift.app.scan.rows import Scan

EXAMINED, LIMIT = 1800.0, 120.0  # seconds for a file, which may have hundreds of functions, and for a function
MEMORY = 4096  # MiB


def add_scan(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The parser."""
    scan = commands.add_parser(
        "scan",
        help="say which functions and loop nests of a code base can be lifted, and why not the others",
        usage="metalift scan PATH [options] [-- CLANG-ARGS]",
        description="Read every C, C++ and Python file below PATH. A compile_commands.json there or in PATH/build is used; "
        "headers that are missing and declarations that do not compile do not stop the rest.",
        epilog="exit status: 0 something can be lifted; 1 nothing can; 2 bad use. What follows -- goes to clang.",
    )
    scan.add_argument("path", metavar="PATH", type=Path, help="a folder, or one file")
    lift_help = "lift what can be, functions and nests that have loops; killed at any moment, the same command goes on"
    scan.add_argument("--lift", action="store_true", help=lift_help)
    add_others(scan, "the other files of the folder, or those of a compile_commands.json above the file")
    add_pure(scan)
    add_targets(scan, "targets of --lift")
    scan.add_argument("--out", metavar="DIR", type=Path, default=OUT, help=f"folder for --lift (default: {OUT})")
    limit_help = f"seconds for each function, to read it and to lift it (default: {LIMIT:g})"
    scan.add_argument("--time-limit", metavar="S", type=seconds, default=LIMIT, help=limit_help)
    memory_help = f"MiB of memory for each function that is lifted (default: {MEMORY})"
    scan.add_argument("--memory", metavar="MIB", type=count, default=MEMORY, help=memory_help)
    scan.add_argument("--retry-failed", action="store_true", help="lift again what was not proved")
    examined_help = f"seconds for each file (default: {EXAMINED:g})"
    scan.add_argument("--seconds", metavar="S", type=seconds, default=EXAMINED, help=examined_help)
    add_jobs(scan, "files and functions at a time")
    add_reports(scan)
    shown = scan.add_mutually_exclusive_group()
    shown.add_argument("-v", "--verbose", action="store_true", help="show each function and loop nest of a folder")
    shown.add_argument("-q", "--quiet", action="store_true", help="print the last line only")
    shown.add_argument("--json", action="store_true", help="print one JSON object")


OF_A_FILE = ("function", "nests", "assume", "dump_dir", "timings", "proposer", "progress")  # options of lift


def run_scan(options: argparse.Namespace) -> bool:
    """metalift scan: whether anything can be lifted."""
    return any(row.status.good for row in _scanned(options).rows)


def run_folder(options: argparse.Namespace) -> bool:
    """metalift lift of a folder, which is a scan that lifts: whether all that has loops is proved.

    Raises UsageError where an option is for a file.
    """
    given = next((name for name in OF_A_FILE if getattr(options, name)), None)
    if given is not None:
        raise UsageError(f"--{given.replace('_', '-')} is for a file, and {options.file} is a folder; name a file in it")
    limits = {"time_limit": options.time_limit or LIMIT, "memory": options.memory or MEMORY}
    more = {"path": options.file, "lift": True, "seconds": EXAMINED, "retry_failed": False, "sarif": None, "junit": None}
    from metalift.app.scan.rows import Status

    found = _scanned(argparse.Namespace(**{**vars(options), **limits, **more}))
    return all(row.status is Status.PROVED for row in found.rows if row.loops)


def _scanned(options: argparse.Namespace) -> Scan:
    """A line for each file, and for each function that is lifted, as it ends, then a table; or one JSON object."""
    from metalift.app import ci
    from metalift.app.batch import live, report
    from metalift.app.scan import run, table
    from metalift.app.scan.watching import Printing

    lifting = _lifting(options) if options.lift else None
    clang_args, others = tuple(options.clang_args), tuple(options.others)
    given = run.Options(clang_args, options.jobs, options.seconds, others, lifting, options.time_limit, tuple(options.pure))
    by_file = options.path.is_dir() and not (options.verbose or options.quiet or options.json)
    with live.shown(_say) if by_file and options.lift else nullcontext(None) as listen:
        found = run.scan(options.path, given, Printing(sys.stdout, Progress(sys.stderr), by_file, listen))
    ci.write(options, "scan", [row.outcome for row in found.rows])
    if options.json:
        import json

        print(json.dumps(found.to_json(), indent=2))
    elif options.quiet:
        print(table.totals(found))
    else:
        print("\n".join([*([] if by_file else table.rows_of(found.rows)), table.ending(found, options.path)]))
        if options.lift:
            print(f"report: {report.write(options.out)}")
    return found


def _lifting(options: argparse.Namespace) -> batch.Options:
    """How what can be lifted is."""
    from metalift.app.batch.run import Options

    return Options(
        tuple(options.to),
        options.out,
        options.driver,
        options.jobs,
        options.timeout,
        options.time_limit,
        options.memory << 20,
        retry=options.retry_failed,
    )


def _say(line: str) -> None:
    print(line, flush=True)

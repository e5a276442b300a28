"""The command `scan`: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from metalift.system.argument_types import add_jobs, add_others, add_targets, seconds

OUT = Path("metalift_out")


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
    scan.add_argument("--lift", action="store_true", help="lift what can be, functions and nests that have loops")
    add_others(scan, "the other files of the folder, or those of a compile_commands.json above the file")
    add_targets(scan, "targets of --lift")
    scan.add_argument("--out", metavar="DIR", type=Path, default=OUT, help=f"folder for --lift (default: {OUT})")
    scan.add_argument("--seconds", metavar="S", type=seconds, default=300.0, help="seconds for each file (default: 300)")
    add_jobs(scan, "files at a time")
    scan.add_argument("--json", action="store_true", help="print one JSON object")


def run_scan(options: argparse.Namespace) -> bool:
    """metalift scan: a table, or one JSON object. Whether anything can be lifted."""
    from metalift.app.scan import run, table

    given = run.Options(
        tuple(options.clang_args),
        options.jobs,
        options.seconds,
        options.lift,
        options.to,
        options.driver,
        options.out,
        options.timeout,
        tuple(options.others),
    )
    found = run.scan(options.path, given, _progress if sys.stderr.isatty() else None)
    if options.json:
        import json

        print(json.dumps(found.to_json(), indent=2))
    else:
        print(table.show(found))
    return any(row.status.good for row in found.rows)


def _progress(done: int, count: int) -> None:
    """How far a scan is, on one line of the terminal, which is cleared in the end."""
    text = f"metalift scan: {done} of {count} files" if done < count else ""
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

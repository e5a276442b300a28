"""The command `scan`: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from metalift.app.terminal import Progress
from metalift.system.argument_types import add_jobs, add_others, add_reports, add_targets, seconds
from metalift.system.arguments import OUT


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
    add_reports(scan)
    shown = scan.add_mutually_exclusive_group()
    shown.add_argument("-v", "--verbose", action="store_true", help="show each function and loop nest of a folder")
    shown.add_argument("-q", "--quiet", action="store_true", help="print the last line only")
    shown.add_argument("--json", action="store_true", help="print one JSON object")


def run_scan(options: argparse.Namespace) -> bool:
    """metalift scan: a line for each file as it ends, a table, or one JSON object. Whether anything can be lifted."""
    from metalift.app import ci
    from metalift.app.scan import run, table
    from metalift.app.scan.watching import Printing

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
    by_file = options.path.is_dir() and not (options.verbose or options.quiet or options.json)
    found = run.scan(options.path, given, Printing(sys.stdout, Progress(sys.stderr), by_file))
    ci.write(options, "scan", [row.outcome for row in found.rows])
    if options.json:
        import json

        print(json.dumps(found.to_json(), indent=2))
    elif options.quiet:
        print(table.totals(found))
    else:
        print("\n".join([*([] if by_file else table.rows_of(found.rows)), table.ending(found)]))
    return any(row.status.good for row in found.rows)

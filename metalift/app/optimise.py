"""`metalift optimise`: a search for faster kernels of a machine with tiles, in a terminal or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metalift.app.equiv import split
from metalift.system.argument_types import count
from metalift.system.arguments import OUT

if TYPE_CHECKING:
    from metalift.pipeline.optimising import Optimised


def add_optimise(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The optimise command."""
    command = commands.add_parser(
        "optimise",
        help="search for a faster kernel of a machine with tiles, each step proved",
        usage="metalift optimise FILE[:FUNCTION]... --to nki [options] [-- CLANG-ARGS]",
        description="Search for faster kernels by moves over kernels on tiles and the model of the machine. The best that is "
        "proved to compute its program is lifted: proved anew, run beside the source in the simulator, with a certificate for "
        "metalift check. What is found is kept in DIR/search/FUNCTION: a search that was stopped goes on when it is asked for "
        "again.",
        epilog="exit status: 0 a kernel of every function is proved and agrees with the source; 1 not of every one; 2 bad use.",
    )
    command.add_argument("files", metavar="FILE[:FUNCTION]", nargs="+", help="a source, or one function of it")
    command.add_argument("--to", metavar="TARGET", required=True, help="a target that has moves, such as nki")
    command.add_argument("--driver", metavar="D", help="the driver of the target (default: the one that has it)")
    command.add_argument("--out", metavar="DIR", type=Path, default=OUT, help=f"(default: {OUT})")
    command.add_argument("--beam", metavar="N", type=count, default=4, help="candidates that a round keeps (default: 4)")
    command.add_argument("--rounds", metavar="N", type=count, default=8, help="rounds of moves (default: 8)")
    command.add_argument("--best", metavar="N", type=count, default=3, help="candidates that are tried to be proved (default: 3)")
    command.add_argument("--seconds", metavar="S", type=float, default=180.0, help="for the search of a function (default: 180)")
    command.add_argument("--timeout", metavar="S", type=float, default=10.0, help="seconds for an obligation (default: 10)")
    command.add_argument("--json", action="store_true", help="print one JSON list")


def run_optimise(options: argparse.Namespace) -> bool:
    """Run it; whether a kernel of every function is proved."""
    from metalift.pipeline.optimising import Limits, optimise

    limits = Limits(beam=options.beam, rounds=options.rounds, seconds=options.seconds, best=options.best, timeout=options.timeout)
    found: list[tuple[Path, Optimised]] = []
    for file, function in map(split, options.files):
        begun = optimise(
            file, function=function, to=options.to, driver=options.driver, out=options.out, limits=limits,
            clang_args=tuple(options.clang_args), watch=told,
        )  # fmt: skip
        for each in begun:
            found.append((file, each))
            if not options.json:
                sys.stdout.write(shown(file, each, options.to) + "\n")
    if options.json:
        sys.stdout.write(json.dumps([as_json(file, each, options.to) for file, each in found], indent=2) + "\n")
    return all(each.proved for _, each in found)


def told(text: str) -> None:
    """Progress, which is no result."""
    if sys.stderr.isatty():
        sys.stderr.write(f"  {text}\n")


def shown(file: Path, found: Optimised, target: str) -> str:
    """One function for people."""
    verdict = found.lifted.verdict.value if found.lifted is not None else "NOT_OPTIMISED"
    lines = [f"{file}:{found.function}  {verdict}"]
    lines += [f"  before   {part} (modelled)" for part in found.before.split("; ") if part]
    lines += [f"  now      {part} (modelled)" for part in found.after.split("; ") if part]
    if found.candidates:
        lines.append(f"  searched {found.candidates} candidates")
    if found.left:
        lines.append(f"  left     {found.left}")
    if found.reason:
        lines.append(f"  {found.reason}")
    if found.lifted is not None:
        result = found.lifted.targets[target]
        lines += [f"  code     {result.file}, run in the simulator on {result.inputs} inputs: {result.checked.value}"]
        lines += [f"  certificate {folder}" for folder in found.lifted.certificates]
    return "\n".join(lines)


def as_json(file: Path, found: Optimised, target: str) -> dict[str, Any]:
    """One function as an object."""
    result = None if found.lifted is None else found.lifted.targets[target]
    return {
        "file": str(file), "function": found.function, "verdict": None if found.lifted is None else found.lifted.verdict.value,
        "modelled_before": found.before, "modelled": found.after, "candidates": found.candidates, "left": found.left,
        "reason": found.reason, "code": None if result is None else result.file,
        "certificates": [] if found.lifted is None else list(found.lifted.certificates),
    }  # fmt: skip

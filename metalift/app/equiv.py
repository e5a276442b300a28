"""`metalift equiv`: whether two functions compute the same, in a terminal or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from metalift.result.errors import UsageError
from metalift.system.argument_types import seconds

if TYPE_CHECKING:
    from metalift.pipeline.equivalence import EquivResult


LIMIT = 300.0  # seconds for a pair of functions


def add_equiv(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The equiv command."""
    equiv = commands.add_parser(
        "equiv",
        help="prove that two functions compute the same, a port in NumPy among them, or find an input on which they differ",
        usage="metalift equiv FILE[:FUNCTION] [PORT[:FUNCTION]] [options] [-- CLANG-ARGS]",
        description="Prove that the second function computes what the first one does, for all sizes. Both are C, C++ or Python; "
        "the second may be a kernel for NKI, as `lift --to nki` writes it, edited by hand. "
        "Parameters match by name; what a port returns is what the first function writes or returns. With one file of Python: "
        "the ports that it declares with @metalift.port_of(SOURCE, FUNCTION).",
        epilog="exit status: 0 EQUAL, or EQUAL WHERE a condition holds that --assume states; 1 anything else; 2 bad use.",
    )
    equiv.add_argument("first", metavar="FILE[:FUNCTION]", help="the function that is right; or else a file that declares ports")
    equiv.add_argument("second", metavar="PORT[:FUNCTION]", nargs="?", help="the one that is compared with it")
    equiv.add_argument("--map", metavar="B=A", action="append", default=[], help="the port's parameter B is the source's A")
    shapes = "lengths of the port's arrays in the source's numbers, such as 'a:n,k x:k -> y:n'; after -> the result"
    equiv.add_argument("--shapes", metavar="SHAPES", default="", help=shapes)
    equiv.add_argument("--assume", metavar="COND", action="append", default=[], help="a condition on the first one's parameters")
    equiv.add_argument("--timeout", metavar="S", type=float, default=10.0, help="seconds for an obligation (default: 10)")
    equiv.add_argument(
        "--time-limit", metavar="S", type=seconds, default=LIMIT, help=f"seconds for a pair of functions (default: {LIMIT:g})"
    )
    certificate = "write what is claimed to this folder, for `metalift check`, where the two are equal"
    equiv.add_argument("--certificate", metavar="DIR", type=Path, help=certificate)
    equiv.add_argument("--json", action="store_true", help="print one JSON object")


def run_equiv(options: argparse.Namespace) -> bool:
    """Run it; whether the two are equal without a condition that nobody stated."""
    from metalift.pipeline.equivalence import EquivVerdict
    from metalift.pipeline.hand_tuned import compared

    first, one = split(options.first)
    if options.second is None:
        return run_ports(options, first, one)
    second, other = split(options.second)
    result = compared(
        first,
        second,
        functions=(one, other),
        names=options.map,
        shapes=options.shapes,
        assume=options.assume,
        clang_args=options.clang_args,
        timeout=options.timeout,
        time_limit=options.time_limit,
    )
    if options.certificate is not None and result.verdict in (EquivVerdict.EQUAL, EquivVerdict.EQUAL_WHERE):
        from metalift.pipeline import equality_certificate

        told = {"names": options.map, "shapes": options.shapes, "assume": options.assume, "timeout": options.timeout}
        equality_certificate.write(options.certificate, (first, second), result, **told)
    sys.stdout.write((json.dumps(to_json(result), indent=2) if options.json else shown(result)) + "\n")
    return result.verdict is EquivVerdict.EQUAL


def run_check(options: argparse.Namespace) -> bool:
    """metalift check of a certificate of equality; whether all that was claimed came out again."""
    from metalift.pipeline import equality_certificate

    if options.solver != "cvc5" or options.smt_only or options.proof is not None or options.driver is not None:
        raise UsageError(f"{options.certificate} is a certificate of equality, derived anew as a whole; leave out options")
    result, problems = equality_certificate.check(options.certificate, options.clang_args)
    if options.json:
        sys.stdout.write(json.dumps({**to_json(result), "problems": problems}, indent=2) + "\n")
    else:
        last = [f"  {each}" for each in problems] or ["all that the certificate claims was derived anew"]
        sys.stdout.write("\n".join([shown(result), *last]) + "\n")
    return not problems


def run_ports(options: argparse.Namespace, path: Path, name: str | None) -> bool:
    """Check the ports that a file declares; whether all are equal."""
    from metalift.pipeline.equivalence import EquivVerdict
    from metalift.pipeline.ports import check_port, find_ports

    if options.map or options.shapes or options.assume or options.certificate is not None:
        raise UsageError(f"{path}: a port's --map, --shapes and --assume stand in its declaration; or name a second file")
    results = []
    for port in find_ports(path, name):
        limits = {"timeout": options.timeout, "time_limit": options.time_limit}
        results.append(check_port(path, port, clang_args=options.clang_args, **limits))
        if not options.json:
            sys.stdout.write(f"{shown(results[-1])}\n\n")
            sys.stdout.flush()
    equal = sum(each.verdict is EquivVerdict.EQUAL for each in results)
    told = f"{equal} of {len(results)} ports EQUAL"
    last = json.dumps({"ports": list(map(to_json, results))}, indent=2) if options.json else told
    sys.stdout.write(f"{last}\n")
    return equal == len(results)


def to_json(result: EquivResult) -> dict[str, object]:
    """The result as JSON has it."""
    return {**asdict(result), "verdict": result.verdict.value}


def split(text: str) -> tuple[Path, str | None]:
    """FILE:FUNCTION in its parts; a file whose own name has a colon is a file."""
    name, colon, function = text.rpartition(":")
    if not colon or "/" in function or Path(text).exists():
        return Path(text), None
    return Path(name), function


def shown(result: EquivResult) -> str:
    """The result for people."""
    lines = [f"{result.first}", f"{result.second}", f"{result.verdict.value}"]
    lines += [f"  where {condition}" for condition in result.where]
    if result.shapes:
        lines.append(f"  with the shapes {result.shapes}")
    if result.reason:
        lines.append(f"  {result.reason}")
    if result.obligations:
        lines.append("  proved: " + "; ".join(name for name, verdict in result.obligations if verdict == "PROVED"))
    if result.inputs:
        lines.append(f"  both were run on {result.inputs} inputs")
    if result.assumptions:
        lines.append("  assumes:")
        lines += [f"    {text} [{origin}]" for text, origin in result.assumptions]
    return "\n".join(lines)

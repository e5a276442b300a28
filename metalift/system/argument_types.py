"""Values on the command line, which raise ArgumentTypeError with what was found, and options that several commands have."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from metalift.system.names import chosen

LARGEST_COUNT = 10**9
DRIVERS, GROUP = "metalift_drivers", "metalift.drivers"  # the package of metalift's own, and the entry points of others


def count(text: str) -> int:
    """A positive number."""
    if not text.isdecimal() or len(text) > len(str(LARGEST_COUNT)) or not 0 < int(text) <= LARGEST_COUNT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def seconds(text: str) -> float:
    """A positive number of seconds."""
    found = _number(text)
    if not 0 < found < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return found


def dollars(text: str) -> float:
    """A sum of money, which may be 0."""
    found = _number(text)
    if not 0 <= found < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a sum of US dollars, such as 0.50")
    return found


def names(text: str) -> tuple[str, ...]:
    """A comma-separated list of names."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of names separated by commas")
    return found


def named_columns(text: str) -> dict[str, str]:
    """A comma-separated list of fields with the columns that they are, as amount=Amount."""
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(field.strip() and column.strip() for field, _, column in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of fields with their columns, as amount=Amount,i=line")
    return {field.strip(): column.strip() for field, _, column in pairs}


def known_targets(asked: Sequence[str]) -> None:
    """Raises UsageError where no installed driver can have a target, as far as that is known without loading any."""
    import importlib
    from importlib.metadata import entry_points

    listed = importlib.import_module(DRIVERS).TARGETS
    known = list(dict.fromkeys(target for its in listed.values() for target in its))
    if not set(asked) <= set(known) and not entry_points(group=GROUP):
        chosen(asked, known, "target", "is installed")


def add_targets(command: argparse.ArgumentParser, to: str = "target languages") -> None:
    """What a lift is to, and how long a proof may take; `to` says what the targets are."""
    command.add_argument("--to", metavar="TARGET,...", type=names, default=("numpy",), help=f"{to} (default: numpy)")
    command.add_argument("--driver", metavar="D", help="a driver by name, or the path of a driver file (default: by target)")
    command.add_argument("--timeout", metavar="S", type=seconds, default=10.0, help="seconds for each obligation (default: 10)")


def add_pure(command: argparse.ArgumentParser) -> None:
    """Which functions without a body have no effects."""
    helped = "a function without a body that has no effects: its result depends on its arguments alone, or it has none"
    command.add_argument("--pure", metavar="NAME", action="append", default=[], help=helped)


def add_others(command: argparse.ArgumentParser, default: str) -> None:
    """Which other files are part of the program; `default` says which are without this option."""
    command.add_argument(
        "--with",
        dest="others",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="a C or C++ file of the same program, or a folder of such files, to link: a call is read wherever its body is; may "
        f"be repeated (default: {default})",
    )


def add_reports(command: argparse.ArgumentParser) -> None:
    """Where to write what CI reads."""
    command.add_argument("--sarif", metavar="FILE", type=Path, help="write what is not lifted as SARIF, for code review")
    command.add_argument("--junit", metavar="FILE", type=Path, help="write all results as JUnit's XML")


def add_jobs(command: argparse.ArgumentParser, what: str) -> None:
    """How many processes there are; `what` says of what."""
    jobs = os.cpu_count() or 1
    command.add_argument("--jobs", metavar="N", type=count, default=jobs, help=f"{what} (default: {jobs}, the processors)")


def _number(text: str) -> float:
    """A number, negative where the text is none."""
    try:
        return float(text)
    except ValueError:
        return -1.0

"""The command `simulate`: its arguments, and what it prints."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from metalift.result.errors import UsageError


def add_simulate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The parser."""
    command = commands.add_parser(
        "simulate",
        help="run an emitted kernel in the simulator of its machine",
        usage="metalift simulate FILE [--set NAME=VALUE ...] [options]",
        description="Run a kernel that `metalift lift` wrote for an accelerator in the simulator of that machine: the shapes of "
        "its results, the first thing that the machine does not do, with its line, and its cost by a model. FILE is Python, and "
        "is run.",
        epilog="exit status: 0 it ran; 1 the machine does not do something that it asks for; 2 bad use.",
    )
    command.add_argument("file", metavar="FILE", type=Path, help="an emitted file")
    values = "a number, or an array's file, which ends in .npy; arrays that are not given are random"
    command.add_argument("--set", metavar="NAME=VALUE", nargs="+", action="extend", default=[], help=values)
    command.add_argument("--inputs", metavar="FILE.npz", type=Path, help="arrays and numbers by the names of parameters")
    command.add_argument("--function", metavar="F", default="", help="the function (default: the file's name)")
    command.add_argument("--to", metavar="TARGET", default="", help="whose simulator (default: the name of the file's folder)")
    command.add_argument("--seed", metavar="N", type=int, default=0, help="of random arrays (default: 0)")
    command.add_argument("--save", metavar="FILE.npz", type=Path, help="write the results there")
    command.add_argument("--json", action="store_true", help="print one JSON object")


def run_simulate(options: argparse.Namespace) -> bool:
    """metalift simulate: a report, or one JSON object. Whether the kernel ran."""
    from metalift.app.simulate.run import simulate

    found = simulate(
        options.file, values_of(options.set), arrays=options.inputs, function=options.function, to=options.to,
        seed=options.seed, save=options.save,
    )  # fmt: skip
    if options.json:
        import json

        print(json.dumps(found.to_json(), indent=2))
    else:
        print(found.show())
    return not found.refused


def values_of(texts: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE in its parts. Raises UsageError."""
    if wrong := [text for text in texts if "=" not in text]:
        raise UsageError(f"{wrong[0]!r} is not NAME=VALUE, such as n=513 or x=x.npy")
    return {name: value for name, _, value in (text.partition("=") for text in texts)}

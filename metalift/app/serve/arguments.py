"""The arguments of `metalift serve`."""

from __future__ import annotations

import argparse

from metalift.system.argument_types import count, known_targets, names, seconds

PORT = 8642


def add_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The serve command."""
    command = commands.add_parser(
        "serve",
        help="open a playground in the browser: a source, its code and its proof side by side",
        description="Serve a page on this machine (127.0.0.1) until Ctrl-C. It needs the address that is printed, which has a "
        "secret of this run in it. Sources are compiled and run within the limits of every lift.",
    )
    command.add_argument("--port", metavar="N", type=port, default=PORT, help=f"0 takes a free one (default: {PORT})")
    command.add_argument("--to", metavar="TARGET,...", type=names, default=("numpy",), help="what to begin with (default: numpy)")
    command.add_argument("--seconds", metavar="S", type=seconds, default=60.0, help="for each lift (default: 60)")
    memory_help = "MiB of memory for each process that reads, searches or proves (default: 4096)"
    command.add_argument("--memory", metavar="MIB", type=count, default=4096, help=memory_help)


def port(text: str) -> int:
    """The number of a port, or 0."""
    if not text.isdecimal() or not text.isascii() or len(text) > 5 or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a port")
    return int(text)


def run_serve(options: argparse.Namespace) -> None:
    """Serve until Ctrl-C. Raises UsageError where the port is taken, or there is no such target."""
    known_targets(options.to)
    from metalift.app.serve.lifter import Lifter
    from metalift.app.serve.server import Playground

    with Lifter(options.to, options.memory << 20) as lifter:
        playground = Playground(options.port, lifter, options.to, options.seconds)
        print(f"metalift serve: {playground.address}\nCtrl-C ends it.", flush=True)
        playground.serve()

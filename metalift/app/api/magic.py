"""The magic `%%metalift` of IPython and Jupyter: lift what a cell holds."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from metalift.app.api.given import SUFFIXES
from metalift.app.api.results import LiftResult
from metalift.result.errors import MetaliftError
from metalift.system.argument_types import names, seconds
from metalift.system.parser import Parser


def load(shell: Any) -> None:  # noqa: ANN401 - IPython, which need not be installed
    """Register the magic with a running IPython."""

    def metalift(line: str, cell: str) -> LiftResult | None:
        try:
            result = _lifted(line, cell)
        except MetaliftError as error:
            shell.showtraceback((type(error), error, None))
            return None
        except SystemExit:  # the parser has said what is wrong, or printed its help
            return None
        loaded = {each.name.rpartition("::")[2]: each.function for each in result if each.ok and each.targets[each.target].entry}
        shell.push(loaded)
        return result

    shell.register_magic_function(metalift, "cell", "metalift")


def _lifted(line: str, cell: str) -> LiftResult:
    """The result of a cell. Raises UsageError."""
    from metalift import lift

    options = _parser().parse_args(shlex.split(line))
    text = cell if cell.endswith("\n") else f"{cell}\n"
    return lift(
        text,
        language=options.language,
        to=options.to,
        functions=options.function,
        assume=options.assume,
        timeout=options.timeout,
    )


def _parser() -> argparse.ArgumentParser:
    """The options of the magic, which are those of `metalift lift`."""
    parser = Parser(prog="%%metalift", description="Lift the functions of the cell; proved ones are defined in the notebook.")
    parser.add_argument("--to", metavar="TARGET,...", type=names, default=("numpy",), help="target languages (default: numpy)")
    parser.add_argument("--language", choices=tuple(SUFFIXES), help="of the cell (default: Python where it is valid, else C++)")
    parser.add_argument("--function", metavar="F", action="append", default=[], help="lift only this function")
    parser.add_argument("--assume", metavar="EXPR", action="append", default=[], help="a condition on the parameters to rely on")
    parser.add_argument("--timeout", metavar="S", type=seconds, default=10.0, help="seconds for each obligation (default: 10)")
    return parser

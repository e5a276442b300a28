"""The parser of the command line, with suggestions for what is mistyped."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import NoReturn

from metalift.system.names import did_you_mean

CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")
UNKNOWN = re.compile(r"unrecognized arguments: (.*)")


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose errors name the nearest command or option."""

    def parse_args(self, args: Sequence[str], namespace: None = None) -> argparse.Namespace:  # type: ignore[override]
        """The options; ends with status 2 and one message where an argument is unknown."""
        options, rest = self.parse_known_args(args)
        if rest:
            command = self.commands().get(str(getattr(options, "command", "")), self)
            command.error(f"unrecognized arguments: {' '.join(rest)}")
        return options

    def error(self, message: str) -> NoReturn:
        """End with status 2; the message says what may have been meant."""
        if found := CHOICE.search(message):
            known = re.findall(r"[\w:-]+", found[2])
            message = f"unknown: {found[1]}{did_you_mean(found[1], known)}; there are: {', '.join(known)}"
        elif found := UNKNOWN.search(message):
            options = [text for action in self._actions for text in action.option_strings]
            unknown = found[1].split()[0].partition("=")[0]
            message += did_you_mean(unknown, options) or _for_several(self, unknown)
        super().error(message)

    def commands(self) -> dict[str, argparse.ArgumentParser]:
        """The parsers of the commands, by name."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}


def _for_several(parser: argparse.ArgumentParser, unknown: str) -> str:
    """What takes several files, where a command that takes one is given another."""
    one = any(action.dest == "file" for action in parser._actions if not action.option_strings)
    return " (it takes one file; several: metalift batch FILE FILE ...)" if one and not unknown.startswith("-") else ""

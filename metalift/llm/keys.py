"""Keys and servers from the environment and from `.env`; nothing here ever shows a value."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from metalift.result.errors import UsageError

OWN_KEY = "METALIFT_API_KEY"  # for a server that is named with the model
HIDDEN = "[key]"
SHORTEST = 6  # characters of a key that is hidden in texts; `none`, which servers without keys are given, is not one
KEY_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    OWN_KEY,
    "OPENAI_API_KEY",
)
_LINE = re.compile(r"""\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|((?!\#).*?))(?:\s+\#.*|\s*)""")


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables that are set, those of the process before those of `.env`."""

    variables: Mapping[str, str] = field(repr=False)

    def get(self, name: str) -> str | None:
        """A variable without the space around it; None where it is not set or empty."""
        return self.variables.get(name, "").strip() or None

    def key(self, name: str) -> str | None:
        """A key. Raises UsageError, without its text, where no key can look like it."""
        value = self.get(name)
        if value is not None and not re.fullmatch(r"[!-~]+", value):
            raise UsageError(f"{name} is not a key: it has spaces, line breaks or letters outside ASCII; set it again")
        return value

    def hide(self, text: str) -> str:
        """The text without any key: servers may send them back."""
        for name in KEY_VARIABLES:
            value = self.get(name)
            if value is not None and len(value) >= SHORTEST:
                text = text.replace(value, HIDDEN)
        return text


def read_environment(folder: Path) -> Environment:
    """The process's environment and the folder's `.env`, a file of lines NAME=VALUE."""
    return Environment({**_dot_env(folder / ".env"), **os.environ})


def _dot_env(path: Path) -> dict[str, str]:
    """The variables of the file, none where there is no such file. Lines of another form, which other programs' may have, count
    for nothing. Raises UsageError, which quotes nothing of it.
    """
    if not path.is_file():
        return {}
    try:
        lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    variables = {}
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is not None:
            name, *values = found.groups()
            variables[name] = next(value for value in values if value is not None)
    return variables

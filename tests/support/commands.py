"""Running the command line as a user does."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT = 120.0


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that ended."""

    status: int
    output: str
    errors: str

    @property
    def functions(self) -> list[dict[str, Any]]:
        """The functions of the printed JSON object."""
        functions = json.loads(self.output)["functions"]
        assert isinstance(functions, list)
        return functions

    @property
    def function(self) -> dict[str, Any]:
        """The only function of the printed JSON object."""
        (function,) = self.functions
        assert isinstance(function, dict)
        return function


def command(*arguments: str | Path) -> list[str]:
    """The command line of `metalift` with these arguments, run by this interpreter."""
    return [sys.executable, "-m", "metalift.cli", *map(str, arguments)]


def metalift(*arguments: str | Path, cwd: Path | None = None) -> Finished:
    """Run `metalift` and wait for it."""
    done = subprocess.run(command(*arguments), cwd=cwd, capture_output=True, text=True, timeout=LIMIT, check=False)
    return Finished(done.returncode, done.stdout, done.stderr)


def lift_text(text: str, folder: Path, *arguments: str | Path, suffix: str = ".c") -> Finished:
    """Lift a source text with --json; the file is kernel.c in `folder`, its output goes to `folder`/out."""
    source = folder / f"kernel{suffix}"
    source.write_text(text, encoding="utf-8")
    return metalift("lift", source, "--out", folder / "out", "--json", *arguments)

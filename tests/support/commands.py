"""Running the command line as a user does."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from metalift import cli

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


def metalift_process(*arguments: str | Path, cwd: Path | None = None, environment: dict[str, str] | None = None) -> Finished:
    """Run `metalift` as a process of its own, with changes to the environment, and wait for it."""
    changed = {**os.environ, **(environment or {})}
    words = command(*arguments)
    done = subprocess.run(words, cwd=cwd, env=changed, capture_output=True, text=True, timeout=LIMIT, check=False)
    return Finished(done.returncode, done.stdout, done.stderr)


def metalift(*arguments: str | Path, cwd: Path | None = None) -> Finished:
    """Run the command in this process, which has imported what it needs, and whose workers are there already.

    The handlers of signals stay those of the tests, and a defect of ours is raised.
    """
    output, errors = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
        patch.object(cli, "_handle_signals"),
    ):
        try:
            status = cli.main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return Finished(status, output.getvalue(), errors.getvalue())


def lift_text(text: str, folder: Path, *arguments: str | Path, suffix: str = ".c") -> Finished:
    """Lift a source text with --json; the file is kernel.c in `folder`, its output goes to `folder`/out."""
    source = folder / f"kernel{suffix}"
    source.write_text(text, encoding="utf-8")
    return metalift("lift", source, "--out", folder / "out", "--json", *arguments)

"""Starting up stays quick: nothing heavy is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys

from tests.support.commands import metalift_process

HEAVY = ("cvc5", "llvmlite", "mpmath", "numpy", "pyparsing", "torch", "z3")
MOST = 300  # modules, those of Python and of the environment too


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, metalift.cli; metalift.cli._parser(); print([m for m in sys.argv[1:] if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_imports_few_modules() -> None:
    """That is what takes its time."""
    code = "import sys, metalift.cli; metalift.cli._parser(); print(len(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < MOST
    shown = metalift_process("--help")
    assert shown.status == 0 and "lift" in shown.output


def test_drivers_lists_targets_and_operators() -> None:
    done = metalift_process("drivers")
    assert done.status == 0
    assert "numpy" in done.output and "pytorch" in done.output


def test_doctor_finds_what_setup_installed() -> None:
    done = metalift_process("doctor")
    assert done.status == 0, done.output
    for tool in ("clang", "cvc5", "numpy"):
        assert tool in done.output

"""Starting up stays quick: nothing heavy is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys
import time

from tests.support.commands import metalift_process

HEAVY = ("cvc5", "llvmlite", "mpmath", "numpy", "pyparsing", "torch", "z3")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, metalift.cli; metalift.cli._parser(); print([m for m in sys.argv[1:] if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_takes_less_than_its_limit() -> None:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        done = metalift_process("--help")
        times.append(time.perf_counter() - start)
        assert done.status == 0 and "lift" in done.output
    assert min(times) < 0.3


def test_drivers_lists_targets_and_operators() -> None:
    done = metalift_process("drivers")
    assert done.status == 0
    assert "numpy" in done.output and "pytorch" in done.output


def test_doctor_finds_what_setup_installed() -> None:
    done = metalift_process("doctor")
    assert done.status == 0, done.output
    for tool in ("clang", "cvc5", "numpy"):
        assert tool in done.output

"""Completion scripts: each shell reads its own, and offers what the parser has."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

import pytest

from metalift.app.shell_completion import script
from metalift.cli import SHELLS, _parser
from tests.support.commands import metalift

COMMANDS = ("lift", "check", "drivers", "doctor", "explain", "completion", "serve")


@pytest.mark.parametrize("shell", SHELLS)
def test_names_every_command_and_option(shell: str) -> None:
    done = metalift("completion", shell)
    assert done.status == 0
    for word in (*COMMANDS, "json", "smt-only", "timeout", "build-pass"):
        assert word in done.output


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_takes_it(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        assert shell != "bash", "bash is there wherever make is"
        pytest.skip(f"{shell} is not installed")
    path = tmp_path / "script"
    path.write_text(script(_parser(), shell), encoding="utf-8")
    done = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def completed(*words: str) -> set[str]:
    """What bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    ask = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _metalift; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    code = f"{script(_parser(), 'bash')}\n{ask}"
    return set(subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=20, check=True).stdout.split())


def test_bash_completes_commands_options_and_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.c").touch()
    (tmp_path / "folder").mkdir()
    assert set(COMMANDS) <= completed("metalift", "")
    assert completed("metalift", "li") == {"lift"}
    assert completed("metalift", "lift", "--to") >= {"--to"}
    assert completed("metalift", "lift", "ker") == {"kernel.c"}
    assert completed("metalift", "lift", "kernel.c", "--out", "") == {"folder"}
    assert completed("metalift", "check", "x", "--solver", "") == {"cvc5", "z3"}
    assert completed("metalift", "completion", "") == set(SHELLS)
    assert completed("metalift", "lift", "kernel.c", "--to", "py") == {"python", "pytorch"}
    assert completed("metalift", "lift", "kernel.c", "--to", "numpy,tri") == {"numpy,triton"}


def test_the_functions_of_a_file_are_offered(tmp_path: Path) -> None:
    c = tmp_path / "kernel.cc"
    body = "{\n  for (int i = 0; i < n; i++) a[i] = f(a[i]);\n}\n"
    c.write_text(f"template <class T>\nvoid scale(T *a, T (*f)(T), int n) {body}int g(int);\n")
    python = tmp_path / "kernel.py"
    python.write_text("def total(x):\n    return sum(x)\n")
    assert metalift("completion", "--functions", c).output == "scale\n"
    assert metalift("completion", "--functions", python).output == "total\n"
    assert metalift("completion", "--functions", tmp_path / "none.c").output == "\n"
    assert all("completion --functions" in script(_parser(), shell) for shell in SHELLS)
    assert metalift("completion").status == 2


def test_a_parser_of_another_name_gets_its_own_functions() -> None:
    parser = argparse.ArgumentParser(prog="other")
    parser.add_subparsers().add_parser("go", help="it's [all]: go").add_argument("--fast", action="store_true", help="100%%")
    for shell in SHELLS:
        assert "other" in script(parser, shell) and "metalift" not in script(parser, shell)

"""Ports that a file declares: the command that checks all of them, and the plugin of pytest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import metalift
from metalift.cli import main

KERNELS = """
int dot(int n, const int *x, const int *y) { int s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
float total(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
"""
PORTS = """
import metalift
import numpy as np
from metalift import port_of

@metalift.port_of("kernels/kernels.c", "dot", map={"a": "x", "b": "y"})
def dot(a, b):
    return (a.astype(np.int64) * b).sum()

@port_of("kernels/kernels.c", assume=["n > 3"])
def total(x):
    assert len(x) > 3
    return x.sum()

def helper(x):
    return x
"""
DRIFTED = PORTS.replace("return x.sum()", "return x[1:].sum()")


@pytest.fixture()
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "kernels.c").write_text(KERNELS)
    (tmp_path / "ports.py").write_text(PORTS)
    return tmp_path


def test_nothing_comes_of_a_declaration_at_run_time() -> None:
    def port() -> int:
        return 1

    assert metalift.port_of("kernel.c", "rmsnorm")(port) is port


def test_all_ports_of_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", str(folder / "ports.py")]) == 0
    assert "2 of 2 ports EQUAL" in capsys.readouterr().out


def test_one_port_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ports.py").write_text(DRIFTED)
    assert main(["equiv", f"{folder / 'ports.py'}:total", "--json"]) == 1
    (only,) = json.loads(capsys.readouterr().out)["ports"]
    assert (only["verdict"], only["second"]) == ("DIFFERENT", f"{folder / 'ports.py'}: total")
    assert "n=4" in only["reason"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("def f(x):\n    return x\n", "declares no port"),
        ('import metalift\n@metalift.port_of("a" + "b.c")\ndef f(x):\n    return x\n', ":2:19: the argument source of port_of"),
        ('import metalift\n@metalift.port_of("a.c", form="")\ndef f(x):\n    return x\n', "they are source, function, shapes"),
        ("import metalift\n@metalift.port_of(1)\ndef f(x):\n    return x\n", "as strings"),
        ('import metalift\n@metalift.port_of("no.c")\ndef f(x):\n    return x\n', "no such file"),
    ],
)
def test_bad_declarations(folder: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ports.py").write_text(text)
    assert main(["equiv", str(folder / "ports.py")]) == 2
    assert message in capsys.readouterr().err


def test_options_of_one_pair_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", str(folder / "ports.py"), "--shapes", "x:n"]) == 2
    assert "stand in its declaration" in capsys.readouterr().err


def run_pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """pytest with the plugin, in a folder of its own."""
    plugins = [word for name in ("no:metalift", "metalift.app.port_tests", "no:cacheprovider") for word in ("-p", name)]
    words = [sys.executable, "-m", "pytest", *plugins, "-q", *options]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)


def test_the_plugin_passes_ports_that_are_right(folder: Path) -> None:
    done = run_pytest(folder, "--metalift")
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_the_plugin_fails_with_the_input_on_which_a_port_drifted(folder: Path) -> None:
    (folder / "ports.py").write_text(DRIFTED)
    done = run_pytest(folder, "--metalift")
    assert done.returncode == 1, done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert "DIFFERENT" in done.stdout and "n=4" in done.stdout
    assert "ports.py::total" in done.stdout


def test_the_plugin_does_nothing_unasked(folder: Path) -> None:
    assert "no tests ran" in run_pytest(folder).stdout

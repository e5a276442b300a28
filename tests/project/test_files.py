"""Output files are whole or not there; arguments are checked before work begins."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metalift.result.errors import UsageError
from metalift.system import arguments
from metalift.system.files import write_text_atomic
from metalift.system.names import chosen


def test_a_file_is_written_whole_with_the_usual_mode(tmp_path: Path) -> None:
    path = tmp_path / "new" / "code.py"
    write_text_atomic(path, "x = 1\n")
    write_text_atomic(path, "x = 'é'\n")
    (tmp_path / "plain").write_text("", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "x = 'é'\n"
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert [entry.name for entry in path.parent.iterdir()] == ["code.py"]


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "code.py"
    write_text_atomic(path, "old\n")

    def interrupt(source: str, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text_atomic(path, "new\n")
    assert path.read_text(encoding="utf-8") == "old\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["code.py"]


def test_chosen_names_are_known_and_unique() -> None:
    assert chosen(["b", "a", "b"], ["a", "b"], "target", "here") == ("b", "a")
    with pytest.raises(UsageError, match=r"no target 'numpi' here \(did you mean numpy\?\); there are: numpy, pytorch"):
        chosen(["numpi"], ["numpy", "pytorch"], "target", "here")


def test_writable_folder(tmp_path: Path) -> None:
    arguments.writable_folder(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="output folder"):
        arguments.writable_folder(tmp_path / "file" / "out")


def test_descendants_are_killed(tmp_path: Path) -> None:
    """A child and its own child end; the process that asks stays."""
    code = "import subprocess, sys; subprocess.Popen(['sleep', '60']); subprocess.run(['sleep', '60'])"
    script = (
        "import subprocess, sys, time, os\nfrom metalift.system.children import descendants, kill_descendants\n"
        f"subprocess.Popen([sys.executable, '-c', {code!r}])\n"
        "deadline = time.monotonic() + 20\n"
        "while len(descendants(os.getpid())) < 3 and time.monotonic() < deadline: time.sleep(0.02)\n"
        "assert len(descendants(os.getpid())) == 3\nkill_descendants()\ntime.sleep(0.1)\nprint(len(descendants(os.getpid())))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "0\n"

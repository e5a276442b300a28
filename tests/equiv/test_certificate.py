"""Certificates of equality: all is derived anew, and what was edited is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metalift.cli import main

KERNEL = "float total(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
PORT = "import numpy as np\n\n\ndef total(a):\n    assert len(a) > 3\n    return np.sum(a)\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("certified")
    (made / "kernel.c").write_text(KERNEL)
    (made / "port.py").write_text(PORT)
    files = [str(made / "kernel.c"), str(made / "port.py")]
    assert main(["equiv", *files, "--map", "a=x", "--assume", "n > 3", "--certificate", str(made / "certificate")]) == 0
    return made


def edited(folder: Path, tmp_path: Path, **changes: object) -> Path:
    """A copy of all of it, with other entries in the certificate."""
    for name in ("kernel.c", "port.py"):
        (tmp_path / name).write_text((folder / name).read_text())
    data = json.loads((folder / "certificate" / "equivalence.json").read_text())
    (tmp_path / "certificate").mkdir()
    (tmp_path / "certificate" / "equivalence.json").write_text(json.dumps({**data, **changes}))
    return tmp_path / "certificate"


def test_is_derived_anew(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder / "certificate")]) == 0
    assert "was derived anew" in capsys.readouterr().out


def test_a_file_that_changed_is_told(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate = edited(folder, tmp_path)
    (tmp_path / "port.py").write_text(PORT.replace("> 3", "> 1"))
    assert main(["check", str(certificate)]) == 1
    assert "port.py is not the file that it was made of" in capsys.readouterr().out


def test_a_claim_that_says_more_is_told(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(edited(folder, tmp_path, assume=[]))]) == 1
    assert "verdict: EQUAL WHERE, where the certificate has EQUAL" in capsys.readouterr().out


@pytest.mark.parametrize(
    "changes", [{"format": 2}, {"timeout": "1"}, {"timeout": 1e9}, {"first": "/kernel.c"}, {"map": [1]}, {"more": 1}]
)
def test_what_is_no_certificate_is_refused(
    folder: Path, tmp_path: Path, changes: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(edited(folder, tmp_path, **changes))]) == 2
    assert "equivalence.json" in capsys.readouterr().err


def test_options_of_other_certificates_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder / "certificate"), "--smt-only"]) == 2
    assert "derived anew as a whole" in capsys.readouterr().err

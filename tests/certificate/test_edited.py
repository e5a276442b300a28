"""Certificates that were edited by hand: every file and every word of the claim is made again, or named."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from metalift import lift
from metalift.check.recheck import UNCONFINED
from metalift.cli import main
from metalift.pipeline import check
from metalift.result.errors import UsageError
from metalift.system import confinement
from tests.certificate.test_forged import UNSAT, Claim, first_proof, forged, honest, rewrite

SHIFTED = """float shifted(int n, const float *x) {
  float s = x[0];
  for (int i = 1; i < n; i++)
    s += x[i] * x[i];
  return s;
}
"""
__all__ = ["forged", "honest"]  # fixtures


def _obligation(data: Claim) -> Claim:
    one = data["obligations"][0]
    assert isinstance(one, dict)
    return one


EDITS: dict[str, Callable[[Claim], object]] = {
    "another verdict": lambda data: data.update(verdict="TESTED"),
    "a verdict that is none": lambda data: data.update(verdict="PROVED, and for all inputs"),
    "a later line": lambda data: _obligation(data).update(line=_obligation(data)["line"] + 1),
    "no line": lambda data: _obligation(data).update(line=0),
    "a line as text": lambda data: _obligation(data).update(line=str(_obligation(data)["line"])),
    "a number for no": lambda data: data.update(nest=0),
    "a key more": lambda data: data.update(audited_by="somebody"),
    "a key of an obligation more": lambda data: _obligation(data).update(comment="fine"),
    "a key of a proof more": lambda data: first_proof(data).update(comment="fine"),
    "another order of keys": lambda data: data.update(verdict=data.pop("verdict")),
    "another name of a proof file": lambda data: first_proof(data).update(file="./obligations/000.smt2"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_claim_is_told(name: str, forged: Path) -> None:
    rewrite(forged, EDITS[name])
    result = check(forged)
    assert not result.ok
    assert result.differences and all(text.startswith("certificate.json: ") for text in result.differences)


def test_a_key_that_stands_twice_is_told(forged: Path) -> None:
    path = forged / "certificate.json"
    path.write_text(path.read_text().replace('"verdict": "PROVED"', '"function": "safe",\n "verdict": "PROVED"'))
    assert any("not the text" in text for text in check(forged).differences)


def test_edited_lemma_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "shifted.c").write_text(SHIFTED)
    (function,) = lift(tmp_path / "shifted.c", to=["numpy"], out=tmp_path / "out").functions
    assert function.certificate is not None
    forged = Path(function.certificate)
    files = sorted(forged.glob("lemmas/*.smt2"))
    assert files
    files[0].write_text(f"; anything follows\n{UNSAT}")
    assert check(forged).differences == (f"lemmas/{files[0].name}",)
    files[0].unlink()
    assert check(forged).differences == (f"lemmas/{files[0].name}",)
    assert check(forged, smt_only=True).ok  # which asks about the obligations' files and this version's own lemmas


def test_what_nothing_refers_to_is_named(forged: Path) -> None:
    (forged / "README.md").write_text("audited\n")
    (forged / "obligations" / "lemma.smt2").write_text(UNSAT)
    (forged / "programs" / ".hidden").write_text("")
    (forged / "empty").mkdir()
    (forged / "link").symlink_to("/etc/hostname")
    os.mkfifo(forged / "pipe")
    (forged / "a\x1b[2Jb").write_text("")
    expected = ["README.md", "a\x1b[2Jb", "empty", "link", "obligations/lemma.smt2", "pipe", "programs/.hidden"]
    differences = check(forged).differences
    assert sorted(differences) == sorted(f"{name!r}: nothing in the certificate refers to it" for name in expected)
    assert all(text.isprintable() for text in differences)


def test_versions_of_tools_are_told_and_not_relied_on(forged: Path) -> None:
    rewrite(forged, lambda data: data.update(metalift="0.0.1", tools={"cvc5": "9.9", "python": "2.7"}))
    result = check(forged)
    assert result.ok
    assert any("made with metalift 0.0.1, cvc5 9.9, python 2.7; checked with metalift" in note for note in result.notes)


@pytest.mark.parametrize("change", [{"format": each} for each in (0, 1, 2, 3, "4", True, None)], ids=repr)
def test_another_format_is_bad_use(change: Claim, forged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewrite(forged, lambda data: data.update(metalift="0.0.7", **change))
    assert main(["check", str(forged)]) == 2
    said = capsys.readouterr().err
    assert "was made by metalift 0.0.7" in said and "lift the source again" in said


def test_a_certificate_from_before_formats_were_numbered_is_bad_use(forged: Path) -> None:
    rewrite(forged, lambda data: data.pop("format"))
    with pytest.raises(UsageError, match="lift the source again"):
        check(forged)


@pytest.mark.parametrize(
    "change",
    [
        {"clang_args": "-Ix"},
        {"clang_args": [["-Ix"]]},
        {"clang_args": {"-Ix": 1}},
        {"assume": "n"},
        {"function": ["dot"]},
        {"function": "dot\x1b[31m"},
        {"source": 7},
        {"source": "kernel.c\n"},
        {"driver": None},
        {"verdict": True},
        {"tools": ["cvc5"]},
        {"tools": {"cvc5": "1.0\x1b[2J"}},
        {"tools": {"cvc5": 1}},
        {"metalift": "\x1b]0;x"},
        {"obligations": {"name": "x"}},
        {"identical": []},
    ],
    ids=repr,
)
def test_unusual_types_are_bad_use(change: Claim, forged: Path) -> None:
    rewrite(forged, lambda data: data.update(change))
    with pytest.raises(UsageError, match="is not a certificate of this version"):
        check(forged)


def test_the_text_is_json(honest: Path) -> None:
    data = json.loads((honest / "certificate.json").read_text())
    assert (data["format"], data["verdict"], data["function"]) == (4, "PROVED", "dot")


def test_a_kernel_that_does_not_limit_files_is_told(honest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "can_limit_files", lambda: False)
    result = check(honest)
    assert result.ok and result.notes == (UNCONFINED,)
    assert check(honest, smt_only=True).notes == ()

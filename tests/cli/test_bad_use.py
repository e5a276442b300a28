"""Exit status 2: one clear message on standard error, nothing on standard output, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import Finished, metalift

GOOD = "int twice(int x) { return x + x; }\nint thrice(int x) { return x + x + x; }\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file with two functions."""
    path = tmp_path / "kernel.c"
    path.write_text(GOOD, encoding="utf-8")
    return path


def assert_bad_use(done: Finished, *fragments: str) -> None:
    """Status 2, and a message with all these parts that is not a traceback."""
    assert done.status == 2, done.errors
    assert done.output == ""
    assert "Traceback" not in done.errors
    for fragment in fragments:
        assert fragment in done.errors


@pytest.mark.parametrize("text", ["", "\n  \n"])
def test_empty_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.c"
    path.write_text(text, encoding="utf-8")
    assert_bad_use(metalift("lift", path), "is empty")


def test_file_that_does_not_compile_shows_clangs_message_and_place(tmp_path: Path) -> None:
    path = tmp_path / "broken.c"
    path.write_text("int f(int x) {\n    return x +;\n}\n", encoding="utf-8")
    assert_bad_use(metalift("lift", path, "--out", tmp_path / "out"), "broken.c:2:15", "expected expression")
    assert not (tmp_path / "out").exists()


def test_missing_header_is_shown_and_an_include_path_helps(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "scale.h").write_text("#define SCALE 3\n", encoding="utf-8")
    path = tmp_path / "kernel.c"
    path.write_text('#include "scale.h"\nint f(int x) { return SCALE * x; }\n', encoding="utf-8")
    assert_bad_use(metalift("lift", path), "scale.h", "file not found")
    found = metalift("lift", path, "--out", tmp_path / "out", "--", "-I", tmp_path / "include")
    assert found.status == 0, found.output + found.errors


def test_file_without_a_function(tmp_path: Path) -> None:
    path = tmp_path / "declarations.c"
    path.write_text("int f(int x);\n", encoding="utf-8")
    assert_bad_use(metalift("lift", path), "no function")


def test_unwritable_output_folder(source: Path) -> None:
    assert_bad_use(metalift("lift", source, "--out", source / "out"), "output folder", str(source / "out"))
    assert source.read_text(encoding="utf-8") == GOOD


def test_assumption_that_cannot_be_read(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert_bad_use(metalift("lift", source, "--function", "twice", "--assume", "x >", "--out", out), "x >")
    assert_bad_use(metalift("lift", source, "--function", "twice", "--assume", "y > 0", "--out", out), "y")


@pytest.mark.parametrize(
    "arguments",
    [(), ("lift",), ("lift", "a.c", "--timeout", "0"), ("lift", "a.c", "--to", ","), ("fly",), ("doctor", "--", "-I")],
)
def test_arguments_that_make_no_sense(arguments: tuple[str, ...]) -> None:
    assert_bad_use(metalift(*arguments), "metalift")


def test_certificate_that_is_not_there(tmp_path: Path) -> None:
    assert_bad_use(metalift("check", tmp_path / "nothing"), "nothing")
    assert_bad_use(metalift("check", tmp_path), str(tmp_path))

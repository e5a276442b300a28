"""Which files of a folder are sources, and which arguments of clang are harmless."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend.files import refused, source_files

ALLOWED = ("-I", "-isystem", "-include", "-D", "-std=")


def test_hidden_and_made_folders_are_left_out(tmp_path: Path) -> None:
    sources = ("b.py", "a.c", ".hidden/a.c", "build/a.c", "env/a.py", "in/c.cc")
    for name in (*sources, "notes.txt", "build/CMakeCache.txt", "env/pyvenv.cfg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.relative_to(tmp_path).as_posix() for path in source_files(tmp_path)] == ["a.c", "b.py", "in/c.cc"]


@pytest.mark.parametrize(
    ("arguments", "separate", "expected"),
    [
        (["-Iinc", "-DN=3", "-std=c99"], False, None),
        (["-I", "inc"], False, "inc"),
        (["-I", "inc", "-D", "N"], True, None),
        (["-fplugin=x.so"], True, "-fplugin=x.so"),
        (["-std=", "x.so"], True, "x.so"),
        (["-include-pch", "x"], True, "-include-pch"),
        (["-I", "-fopenmp", "-D", "-fplugin=x.so"], True, "-fopenmp"),
        (["-D", "N", "-Xclang"], True, "-Xclang"),
    ],
)
def test_arguments_that_are_refused(arguments: list[str], separate: bool, expected: str | None) -> None:
    assert refused(arguments, ALLOWED, separate=separate) == expected

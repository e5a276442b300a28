"""Which files of a folder are sources."""

from __future__ import annotations

from pathlib import Path

from metalift.frontend.files import source_files


def test_hidden_and_made_folders_are_left_out(tmp_path: Path) -> None:
    sources = ("b.py", "a.c", ".hidden/a.c", "build/a.c", "env/a.py", "in/c.cc")
    for name in (*sources, "notes.txt", "build/CMakeCache.txt", "env/pyvenv.cfg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.relative_to(tmp_path).as_posix() for path in source_files(tmp_path)] == ["a.c", "b.py", "in/c.cc"]

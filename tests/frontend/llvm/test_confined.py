"""The compiler opens what a source may include, and nothing else; it has limits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metalift.frontend.llvm.compile.clang import llvm_text
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.result.errors import SourceError
from metalift.system import confinement

FREE = confinement.Limits(("/",), ("/",), 8 << 30, 1 << 30)


def run(limits: confinement.Limits, code: str) -> subprocess.CompletedProcess[str]:
    """Python code in a process with the limits, which are in force a moment after it starts."""
    command = [sys.executable, "-I", "-S", "-c", f"import time\ntime.sleep(0.5)\n{code}"]
    with confinement.start_confined(command, limits, os.environ) as process:
        try:
            said = process.communicate(timeout=60)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, *said)


def has_landlock() -> bool:
    try:
        return run(FREE._replace(read=("/nowhere",), write=()), "pass").returncode != 0
    except PermissionError:
        return True


landlock = pytest.mark.skipif(not has_landlock(), reason="the kernel has no Landlock")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source in a folder beside which there is a header."""
    (tmp_path / "near.h").write_text("enum { NEAR = 7 };\n")
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "own.h").write_text("enum { OWN = 3 };\n")
    return folder / "k.c"


@landlock
@pytest.mark.parametrize("name", ["../near.h", "/etc/passwd", "/proc/self/environ"])
def test_files_elsewhere_are_not_opened(name: str, source: Path) -> None:
    source.write_text(f'#include "{name}"\nint f(void) {{ return 0; }}\n')
    with pytest.raises(SourceError, match="does not compile") as raised:
        llvm_text(find_clang(), source)
    assert "-- -I FOLDER" in str(raised.value)
    assert "root:" not in str(raised.value)


@landlock
def test_a_link_in_the_folder_leads_nowhere_else(source: Path) -> None:
    (source.parent / "link.h").symlink_to(source.parent.parent / "near.h")
    source.write_text('#include "link.h"\nint f(void) { return NEAR; }\n')
    with pytest.raises(SourceError, match="link.h"):
        llvm_text(find_clang(), source)


def test_what_may_be_included_is_opened(source: Path) -> None:
    source.write_text('#include <stdint.h>\n#include "own.h"\nint f(void) { return OWN; }\n')
    assert "ret i32 3" in llvm_text(find_clang(), source)
    source.write_text('#include "../near.h"\nint f(void) { return NEAR; }\n')
    for given in (("-I", str(source.parent.parent)), (f"-I{source.parent.parent}",), ("-isystem", str(source.parent.parent))):
        assert "ret i32 7" in llvm_text(find_clang(), source, given)
    (source.parent.parent / ".git").mkdir()  # then both are of one repository
    assert "ret i32 7" in llvm_text(find_clang(), source)


def test_a_source_behind_a_link_includes_what_lies_beside_it(source: Path, tmp_path: Path) -> None:
    source.write_text('#include "own.h"\nint f(void) { return OWN; }\n')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "k.c").symlink_to(source)
    (elsewhere / "own.h").symlink_to(source.with_name("own.h"))
    assert "ret i32 3" in llvm_text(find_clang(), elsewhere / "k.c")


@landlock
def test_nothing_is_written_elsewhere(tmp_path: Path) -> None:
    write = f"open({str(tmp_path / 'made')!r}, 'w')"
    assert run(FREE._replace(write=(str(tmp_path),)), write).returncode == 0
    assert "PermissionError" in run(FREE._replace(write=()), write).stderr


def test_memory_and_files_have_limits(tmp_path: Path) -> None:
    assert "MemoryError" in run(FREE._replace(memory=1 << 29), "bytearray(1 << 30)").stderr
    run(FREE._replace(largest=1000), f"open({str(tmp_path / 'made')!r}, 'wb').write(bytes(2000))")
    assert (tmp_path / "made").stat().st_size <= 1000


@landlock
def test_only_what_is_started_has_limits(tmp_path: Path) -> None:
    run(FREE._replace(write=()), "pass")
    (tmp_path / "made").write_text("by this process")
    done = subprocess.run([sys.executable, "-c", f"open({str(tmp_path / 'too')!r}, 'w')"], check=False)
    assert done.returncode == 0


def test_a_program_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        confinement.start_confined([str(tmp_path / "clang")], FREE, os.environ)

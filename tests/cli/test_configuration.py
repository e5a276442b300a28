"""[tool.metalift] of a project: what it may set, what it may not, and that the command line goes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.app.configuration import configuration_of
from metalift.result.errors import UsageError
from tests.support.commands import metalift, metalift_process

SOURCE = """\
#include "size.h"
namespace image {
void scale(float *a, int n) {
    for (int i = 0; i < n; i++)
        a[i] *= FACTOR;
}
void shift(float *a, int n) {
    for (int i = 0; i < n; i++)
        a[i] += 1;
}
}
"""
SETTINGS = """\
[tool.metalift]
targets = ["numpy", "mlx"]
clang-args = ["-Iinclude", "-D", "FACTOR=3"]
out = "build/lifted"

[tool.metalift.assume]
scale = ["n > 3"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a source in a folder of it."""
    for folder in ("include", "src"):
        (tmp_path / folder).mkdir()
    (tmp_path / "include" / "size.h").write_text("", encoding="utf-8")
    (tmp_path / "src" / "kernel.cc").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    return tmp_path


def test_a_lift_in_a_project_needs_no_flags(project: Path) -> None:
    done = metalift("lift", project / "src" / "kernel.cc", "--json")
    assert done.status == 0, done.output + done.errors
    assert [list(function["targets"]) for function in done.functions] == [["numpy", "mlx"]] * 2
    assert (project / "build" / "lifted" / "mlx" / "image__scale.py").is_file()
    asked = [[each["text"] for each in one["assumptions"] if "assume" in each["origin"]] for one in done.functions]
    assert len(asked[0]) == 1 and asked[1] == [], "an assumption is of one function"
    folder = project / "build" / "lifted" / "certificates" / "image__scale"
    checked = metalift("check", folder, "--", "-I", project / "include")
    assert checked.status == 0, checked.output + checked.errors


def test_a_batch_in_a_project_needs_no_flags(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (project / "src" / "twice.py").write_text("def twice(x: int) -> int:\n    return 2 * x\n", encoding="utf-8")
    settings = SETTINGS.replace('"numpy", "mlx"', '"numpy"').replace('out = "build/lifted"', "jobs = 1\ntime-limit = 100")
    (project / "pyproject.toml").write_text(settings, encoding="utf-8")
    out = tmp_path_factory.mktemp("batch")
    done = metalift_process("batch", project / "src", "--out", out)
    assert done.status == 0 and done.output.count("PROVED") == 3, done.output + done.errors
    checked = [file.stem for file in out.rglob("numpy/*.py") if "n >= 4" in file.read_text(encoding="utf-8")]
    assert checked == ["image__scale"], "an assumption is of one function"
    done = metalift("batch", project / "src", tmp_path_factory.mktemp("elsewhere"))
    assert done.status == 2 and "several projects" in done.errors


def test_the_command_line_goes_first(project: Path) -> None:
    given = ("--to", "numpy", "--out", project / "out", "--json", "--function", "shift")
    done = metalift("lift", project / "src" / "kernel.cc", *given)
    assert list(done.function["targets"]) == ["numpy"] and (project / "out" / "numpy").is_dir()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("target = ['numpy']", "did you mean targets?"),
        ("targets = 3", "a list of texts"),
        ("timeout = -1", "a positive number"),
        ("jobs = 1.5", "a positive whole number"),
        ("nests = 'yes'", "true or false"),
        ("out = '../elsewhere'", "not a folder in the project"),
        ("clang-args = ['-fplugin=evil.so']", "only be given on the command line"),
        ("clang-args = ['-I', 'include', '-Xclang']", "only be given on the command line"),
        ("models = ['openai:gpt@https://example.org']", "names a server"),
        ("driver = './mine.py'", "no such setting"),
        ("targets = [", "cannot be read"),
    ],
)
def test_what_a_project_may_not_set_is_named(line: str, words: str, project: Path) -> None:
    (project / "pyproject.toml").write_text(f"[tool.metalift]\n{line}\n", encoding="utf-8")
    done = metalift("lift", project / "src" / "kernel.cc")
    assert (done.status, done.output) == (2, "") and words in done.errors and "pyproject.toml" in done.errors
    assert len(done.errors.splitlines()) == 1


def test_the_nearest_file_with_settings_counts(project: Path) -> None:
    (project / "src" / "pyproject.toml").write_text("[project]\nname = 'inner'\n", encoding="utf-8")
    found = configuration_of(project / "src" / "kernel.cc")
    assert found.file == project / "pyproject.toml"
    assert found.clang_args == (f"-I{project / 'include'}", "-D", "FACTOR=3")
    (project / "src" / "pyproject.toml").write_text("[tool.metalift]\ntimeout = 20\n", encoding="utf-8")
    assert configuration_of(project / "src").options == {"timeout": 20}
    (project / "pyproject.toml").write_bytes(b"\xff")
    (project / "src" / "pyproject.toml").unlink()
    with pytest.raises(UsageError, match="cannot be read"):
        configuration_of(project / "src" / "kernel.cc")

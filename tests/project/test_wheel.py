"""The wheel: what is in it, and that it lifts, in a fresh environment and an empty folder, without the source tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KERNEL = "void axpy(float *y, const float *x, float a, int n) {\n    for (int i = 0; i < n; i++) y[i] += a * x[i];\n}\n"


def run(*command: str | Path, cwd: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """A finished command."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**env, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sdist; METALIFT_DIST names a folder that has both."""
    given = os.environ.get("METALIFT_DIST")
    if given is None:
        folder = tmp_path_factory.mktemp("dist")
        code = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
        assert (built := run(sys.executable, "-c", code, folder, cwd=ROOT)).returncode == 0, built.stderr
        (sdist,) = folder.glob("*.tar.gz")
        pip: list[str | Path] = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
        assert (built := run(*pip, "--wheel-dir", folder, sdist, cwd=folder)).returncode == 0, built.stderr
        given = str(folder)
    (found,) = Path(given).glob("*.whl")
    return found


@pytest.fixture(scope="module")
def metalift(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a fresh environment that has the wheel, and what it depends on from the environment of this test."""
    folder = tmp_path_factory.mktemp("environment")
    assert run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder).returncode == 0
    python = folder / "bin" / "python"
    options = ["install", "-q", "--no-deps", "--disable-pip-version-check"]
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python, *options]
    assert (installed := run(*pip, wheel, cwd=folder)).returncode == 0, installed.stderr
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    where = run(python, "-c", "import metalift, metalift_drivers as d; print(metalift.__file__, d.__file__)", cwd=folder)
    assert where.stdout.count(str(site)) == 2, where.stdout + where.stderr
    return folder / "bin" / "metalift"


def test_has_what_is_needed_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"metalift", "metalift_drivers"}
    own: tuple[str, ...] = ("metalift/py.typed", "metalift/llvm_pass/Plugin.cpp", "/licenses/LICENSE", "metalift/llm/models.toml")
    own += ("metalift/app/batch/templates/report.html", "metalift/app/explanations.toml")
    own += ("metalift/result/reasons.toml", "metalift/result/schema.json")
    for part in (*own, "metalift_drivers/tensor/targets.py"):
        assert any(name.endswith(part) for name in names), part
    assert not [name for name in names if name.endswith((".so", ".pyc", ".o")) or "test_" in name]


def test_has_the_modules_of_the_source(wheel: Path) -> None:
    if "METALIFT_DIST" in os.environ:
        assert not (ROOT / "metalift").exists()
        return
    source = {str(path.relative_to(ROOT)) for path in (ROOT / "metalift").rglob("*.py")}
    source |= {f"metalift_drivers/{path.relative_to(ROOT / 'drivers')}" for path in (ROOT / "drivers").rglob("*.py")}
    assert source <= set(zipfile.ZipFile(wheel).namelist())
    passes = {f"metalift/llvm_pass/{path.name}" for path in (ROOT / "llvm-pass").glob("*.[ch]*") if path.suffix in (".cpp", ".h")}
    assert passes <= set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.quick()
def test_lifts_in_an_empty_folder(metalift: Path, tmp_path: Path) -> None:
    (tmp_path / "axpy.c").write_text(KERNEL, encoding="utf-8")
    done = run(metalift, "lift", "axpy.c", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (function,) = json.loads(done.stdout)["functions"]
    assert (function["name"], function["verdict"]) == ("axpy", "PROVED")
    assert {path.name for path in tmp_path.iterdir()} == {"axpy.c", "metalift_out"}
    checked = run(metalift, "check", "metalift_out/certificates/axpy", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.quick()
def test_builds_the_pass_from_the_sources_inside(metalift: Path, tmp_path: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path), "METALIFT_PLUGIN": ""}
    before = run(metalift, "doctor", cwd=tmp_path, environment=environment)
    assert before.returncode == 0 and "no LLVM pass" in before.stdout
    done = run(metalift, "doctor", "--build-pass", cwd=tmp_path, environment=environment)
    assert done.returncode == 0, done.stderr
    assert "no LLVM pass" not in done.stdout and str(tmp_path) in done.stdout

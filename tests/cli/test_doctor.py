"""`metalift doctor`: what is there, what is not, how to get it; the LLVM pass is built for an installed wheel."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from metalift.frontend.llvm.compile.plugin import Plugin, built_plugins, find_plugin, run_plugin
from metalift.frontend.llvm.compile.plugin_build import PluginNotBuilt, build_plugin
from tests.support.commands import Finished, metalift


def doctor(environment: dict[str, str], *arguments: str) -> Finished:
    """Run it with changes to the environment."""
    with patch.dict(os.environ, environment):
        return metalift("doctor", *arguments)


def test_all_that_a_lift_needs_is_here() -> None:
    done = metalift("doctor", "--json")
    assert done.status == 0, done.output
    found = json.loads(done.output)
    assert found["ready"] is True
    names = [capability["name"] for capability in found["capabilities"]]
    for name in ("read C", "read C++", "compile the source for comparison", "prove", "run generated numpy code"):
        assert name in names
    for capability in found["capabilities"]:
        assert set(capability) == {"name", "ready", "needed", "found", "problem", "remedy"}
        assert capability["ready"] or capability["remedy"]


def test_libraries_are_those_that_the_targets_of_the_drivers_import(monkeypatch: pytest.MonkeyPatch) -> None:
    from metalift.app import doctor

    def find_spec(module: str) -> object:
        return None if module == "jax" else module

    monkeypatch.setattr("importlib.util.find_spec", find_spec)
    found = {one.name: one for one in doctor._targets()}
    assert {f"run generated {target} code" for target in ("numpy", "pytorch", "jax", "tensorflow", "mlx")} <= set(found)
    assert found["run generated numpy code"].needed and not found["run generated mlx code"].needed
    missing = found["run generated jax code"]
    assert not missing.ready and missing.problem == "jax is not installed" and "jax" in missing.remedy
    assert {f"run generated {target} code" for target in ("nki", "triton", "cuda", "gemmini", "gaudi", "switch")} <= set(found)
    assert not {f"run generated {target} code" for target in ("python", "conv1d", "systolic")} & set(found)


def test_models_are_listed_by_providers_and_never_by_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from metalift.app import doctor as examined

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(examined, "client_is_installed", lambda name: True)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert not examined._models().ready and "docs/llm.md" in examined._models().remedy
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-for-show")
    assert examined._models().found == "keys of anthropic"


def test_clang_that_cannot_be_run_is_named_with_a_remedy() -> None:
    done = doctor({"METALIFT_CLANG": "/no/clang"})
    assert done.status == 1
    assert "missing: METALIFT_CLANG names /no/clang, which cannot be run" in done.output
    assert "to read C (needed by every lift): " in done.output
    assert done.output.endswith("not ready to lift\n")
    assert "Traceback" not in done.errors


def test_clang_that_fails_is_named_with_what_it_says(tmp_path: Path) -> None:
    broken = tmp_path / "clang"
    broken.write_text("#!/bin/sh\necho 'error: no headers' >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    done = doctor({"METALIFT_CLANG": str(broken)})
    assert done.status == 1 and "error: no headers" in done.output


def test_missing_pass_is_optional() -> None:
    done = doctor({"METALIFT_PLUGIN": "none"})
    assert done.status == 0
    assert "loop nest" in done.output and "--build-pass" in done.output
    assert done.output.endswith("ready to lift\n")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder of the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("METALIFT_PLUGIN", raising=False)
    return tmp_path / "cache"


@pytest.mark.quick()
@pytest.mark.skipif(sys.platform != "linux", reason="the cache is elsewhere")
def test_pass_is_built_into_the_cache_and_found_there(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metalift.frontend.llvm.compile.plugin.FOLDER", tmp_path / "none")
    assert isinstance(find_plugin(), str)
    try:
        library = build_plugin()
    except PluginNotBuilt as missing:
        assert os.environ.get("METALIFT_CLANG") == "zig", missing
        pytest.skip(str(missing))
    assert library.is_relative_to(cache) and built_plugins() == [library]
    plugin = find_plugin()
    assert isinstance(plugin, Plugin) and plugin.library == library
    text = "define i32 @f(i32 %x) {\n  %y = alloca i32\n  store i32 %x, ptr %y\n  %z = load i32, ptr %y\n  ret i32 %z\n}\n"
    after, problem = run_plugin(plugin, text)
    assert problem == "" and "alloca" not in after
    assert [path.name for path in library.parent.iterdir()] == [library.name]


def test_pass_says_what_is_missing(cache: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    done = doctor({"PATH": str(tools), "XDG_CACHE_HOME": str(cache), "CXX": "/no/c++"}, "--build-pass")
    assert done.status == 2 and done.output == ""
    assert "apt install" in done.errors and "Traceback" not in done.errors
    assert not cache.exists()

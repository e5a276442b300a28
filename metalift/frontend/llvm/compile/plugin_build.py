"""Builds the LLVM plugin from the sources that metalift carries, into the user's cache: for an installed wheel.

One call of a C++ compiler and `llvm-config` are all it takes. The folder is named after the LLVM version and the sources, so
that another version of metalift never loads a plugin that was built from other sources.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from metalift.frontend.llvm.compile.plugin import source_folder, sources_digest
from metalift.result.errors import UsageError
from metalift.system.files import user_cache

VERSIONS = (22,)
TIMEOUT = 600.0  # seconds
FLAGS = ("-shared", "-fPIC", "-O2", "-std=c++17", "-fno-exceptions", "-fno-rtti")


class PluginNotBuilt(UsageError):
    """The plugin cannot be built; the message says what is missing, or what the compiler says."""


def build_plugin() -> Path:
    """Build the plugin and return the library. Raises PluginNotBuilt."""
    sources = source_folder()
    texts = sorted(sources.glob("*.cpp"))
    if not texts:
        raise PluginNotBuilt(f"the sources of the LLVM pass are not in {sources}; install metalift anew")
    config, version = _llvm_config()
    compiler = _cplusplus(version)
    folder = user_cache() / "plugin" / f"llvm-{version}-{sources_digest(sources)}"
    library = folder / f"libmetalift-{version.partition('.')[0]}.{'dylib' if sys.platform == 'darwin' else 'so'}"
    late = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            output = Path(scratch) / library.name
            include = ["-isystem", _output([config, "--includedir"])]
            _run([compiler, *FLAGS, *late, *include, *map(str, texts), "-o", str(output)])
            os.replace(output, library)
    except OSError as error:
        raise PluginNotBuilt(f"cannot write to {folder}: {os.strerror(error.errno or 0)}") from error
    return library


def _llvm_config() -> tuple[str, str]:
    """The program that tells where LLVM's headers are, and its version."""
    for major in VERSIONS:
        for name in (f"llvm-config-{major}", f"/usr/lib/llvm-{major}/bin/llvm-config", "llvm-config"):
            if shutil.which(name):
                version = _output([name, "--version"])
                if version.startswith(f"{major}.") and (Path(_output([name, "--includedir"])) / "llvm").is_dir():
                    return name, version
    wanted = f"llvm-{VERSIONS[0]}-dev"
    raise PluginNotBuilt(f"the development files of LLVM {VERSIONS[0]} were not found; install them with `apt install {wanted}`")


def _cplusplus(version: str) -> str:
    """A C++ compiler whose standard library is the one that LLVM was built with."""
    chosen = os.environ.get("CXX")
    for name in (chosen,) if chosen else ("g++", f"clang++-{version.partition('.')[0]}", "clang++", "c++"):
        if shutil.which(name):
            return name
    raise PluginNotBuilt(f"no C++ compiler was found ({chosen or 'g++, clang++'}); install one with `apt install g++`")


def _output(command: list[str]) -> str:
    """What a program prints."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        raise PluginNotBuilt(f"{command[0]} cannot be run: {error}") from error


def _run(command: list[str]) -> None:
    """Run the compiler; its first error is the message where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired as error:
        raise PluginNotBuilt(f"{command[0]} took longer than {TIMEOUT:.0f} s") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise PluginNotBuilt(f"{command[0]} fails: {next((line for line in lines if 'error' in line), lines[-1])}")

"""Runs clang: source file to the text of its LLVM IR."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from metalift.errors import UsageError
from metalift.frontend.llvm_text import LlvmModule
from metalift.frontend.plugin import find_plugin, run_plugin

VERSIONS = range(22, 13, -1)
C_SUFFIXES = (".c", ".h")
FLAGS = (
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-g",
    "-fno-discard-value-names",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    "-S",
    "-emit-llvm",
    "-o",
    "-",
)
TYPED_POINTER = re.compile(r"^define [^\n]*[\w}\])]\*|^  %\S+ = alloca [^\n]*\*,", re.MULTILINE)
TIMEOUT = 120.0  # seconds


class SourceError(UsageError):
    """The source file cannot be read or compiled, or lacks the function that was asked for."""


@dataclass(frozen=True, slots=True)
class Module:
    """A compiled source file. `without_plugin` says why the LLVM plugin was not used, empty if it was."""

    path: Path
    source: str
    llvm: LlvmModule
    without_plugin: str = ""


def find_clang() -> str:
    """The clang to use: METALIFT_CLANG, else the newest of clang-22 to clang-14, else clang."""
    chosen = os.environ.get("METALIFT_CLANG")
    if chosen:
        if shutil.which(chosen) is None:
            raise SourceError(f"METALIFT_CLANG names {chosen}, which cannot be run")
        return chosen
    for name in (*(f"clang-{version}" for version in VERSIONS), "clang"):
        if shutil.which(name):
            return name
    raise SourceError(
        "clang was not found; any version from 14 to 22 works: install it with `apt install clang`, "
        "or name one in the environment variable METALIFT_CLANG"
    )


def read_source(path: Path) -> str:
    """The text of a source file."""
    if path.is_dir():
        raise SourceError(f"{path} is a directory; a C or C++ source file is needed")
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
    if not text.strip():
        raise SourceError(f"{path} is empty; a C or C++ source file is needed")
    return text


def compile_source(path: Path | str, clang_args: tuple[str, ...] = ()) -> Module:
    """Compile a C or C++ file; raises SourceError with clang's message where that fails."""
    path = Path(path)
    source = read_source(path)
    arguments = [*_keep_unused(path, source), *clang_args, str(path)]
    compiled = _run(find_clang(), arguments, path)
    if TYPED_POINTER.search(compiled):  # clang 14
        compiled = _run(find_clang(), ["-mllvm", "-opaque-pointers", *arguments], path)
    text, without_plugin = _prepared(compiled)
    return Module(path, source, LlvmModule(text, Path.cwd()), without_plugin)


def _run(clang: str, arguments: list[str], path: Path) -> str:
    """The text of the module that clang makes."""
    command = [clang, *FLAGS, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"{clang} took longer than {TIMEOUT:.0f} s on {path}") from error
    except OSError as error:
        raise SourceError(f"{clang} cannot be run: {error.strerror}") from error
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise SourceError(f"{path} does not compile:\n{message}")
    return done.stdout.decode(errors="replace")


def _prepared(text: str) -> tuple[str, str]:
    """The module after the plugin's passes, and why they were not run, if they were not."""
    plugin = find_plugin()
    return (text, plugin) if isinstance(plugin, str) else run_plugin(plugin, text)


def _keep_unused(path: Path, source: str) -> tuple[str, ...]:
    """In C++ this costs time with every standard header, so it is asked for only where something could be left out."""
    if path.suffix in C_SUFFIXES or re.search(r"\b(static|inline|constexpr|class|struct|namespace)\b", source):
        return ("-Xclang", "-femit-all-decls")
    return ()

"""Which tools were found, which capability is missing, and how to get it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata

from metalift.errors import UsageError
from metalift.frontend.compilers import find_clang
from metalift.frontend.plugin import find_plugin


@dataclass(frozen=True, slots=True)
class Finding:
    """One tool: what it is for, whether every lift needs it, where or in which version it was found, how to get it."""

    tool: str
    purpose: str
    needed: bool
    found: str | None
    remedy: str


@dataclass(frozen=True, slots=True)
class _Package:
    """A Python distribution."""

    name: str
    purpose: str
    needed: bool
    remedy: str = "pip install metalift"


PACKAGES = (
    _Package("cvc5", "proves the obligations", True),
    _Package("numpy", "runs the generated NumPy code", True),
    _Package("mpmath", "evaluates real functions to high precision", True),
    _Package("torch", "runs the generated PyTorch code", False, "pip install 'metalift[pytorch]'"),
    _Package("z3-solver", "proves a certificate a second time", False, "pip install 'metalift[z3]'"),
)


def examine() -> tuple[Finding, ...]:
    """Look for every tool."""
    python = Finding("Python", "3.11 or newer", True, sys.version.split()[0], "")
    return python, _clang(), _plugin(), *map(_package, PACKAGES)


def show(findings: Sequence[Finding]) -> str:
    """One line for each tool, then how to get those that are missing."""
    lines = [f"{finding.tool:<12} {finding.found or 'missing':<44} {finding.purpose}" for finding in findings]
    missing = [finding for finding in findings if finding.found is None]
    for finding in missing:
        lost = "needed by every lift" if finding.needed else "optional"
        lines.append(f"missing: {finding.tool} ({lost}); to get it: {finding.remedy}")
    lines.append(
        "all there" if not missing else "ready to lift" if not any(finding.needed for finding in missing) else "not ready to lift"
    )
    return "\n".join(lines)


def _clang() -> Finding:
    """The clang that the front end runs."""
    try:
        path = shutil.which(find_clang().program)
    except UsageError:
        path = None
    found = f"{_version(path)} at {path}" if path else None
    return Finding("clang", "reads C and C++, compiles the source for comparison", True, found, "apt-get install clang-22")


def _version(path: str) -> str:
    """The version that a compiler prints."""
    try:
        text = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return "of unknown version"
    number = re.search(r"\d+(\.\d+)+", text)
    return number[0] if number else "of unknown version"


def _plugin() -> Finding:
    """The project's LLVM pass."""
    plugin = find_plugin()
    found = None if isinstance(plugin, str) else f"{plugin.library.name}, run by {plugin.opt}"
    remedy = "make setup (it needs llvm-22-dev, g++ and cmake)"
    return Finding(
        "LLVM pass", "marks uninitialised variables and inlines inside LLVM; without it the importer does", False, found, remedy
    )


def _package(package: _Package) -> Finding:
    """A Python distribution's installed version."""
    try:
        found: str | None = metadata.version(package.name)
    except metadata.PackageNotFoundError:
        found = None
    return Finding(package.name, package.purpose, package.needed, found, package.remedy)

"""What this machine can do: which tools were found, which capability is missing, and how to get it."""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from metalift.driver import Target
from metalift.driver.files import examples, load, own
from metalift.frontend.llvm.compile.clang import llvm_text
from metalift.frontend.llvm.compile.compilers import WAYS, Compiler, find_clang
from metalift.frontend.llvm.compile.plugin import find_plugin
from metalift.frontend.llvm.compile.plugin_build import build_plugin
from metalift.llm.endpoints import client_is_installed, providers_with_key
from metalift.llm.keys import read_environment
from metalift.result.errors import SourceError, UsageError
from metalift.version import __version__

__all__ = ["Capability", "build_plugin", "examine", "ready", "show", "to_json"]

C_PROBE = "#include <math.h>\n#include <stdlib.h>\ndouble probe(double x) { return sqrt(x); }\n"
CPLUSPLUS_PROBE = "#include <vector>\n#include <algorithm>\n#include <numeric>\nint probe(std::vector<int> &v) { return v[0]; }\n"
LINK_TIMEOUT = 400.0  # seconds; zig compiles what a library starts with when it first links one


@dataclass(frozen=True, slots=True)
class Capability:
    """Something metalift does with the help of a tool, and whether every lift needs it.

    `found` names the tool and its version where it is there; otherwise `problem` says why not, and `remedy` how to get it.
    """

    name: str
    needed: bool
    found: str = ""
    problem: str = ""
    remedy: str = ""

    @property
    def ready(self) -> bool:
        """Whether it is there."""
        return bool(self.found)


@dataclass(frozen=True, slots=True)
class _Package:
    """A Python distribution and what it is for."""

    name: str
    capability: str
    needed: bool
    remedy: str = "pip install metalift"


PACKAGES = (
    _Package("cvc5", "prove", True),
    _Package("mpmath", "evaluate real functions to high precision", True),
    _Package("llvmlite", "link the files of a program", False, "pip install llvmlite"),
    _Package("z3-solver", "prove a certificate with a second solver", False, "pip install 'metalift[z3]'"),
)


def examine() -> tuple[Capability, ...]:
    """Try everything out."""
    python = Capability("read Python", True, f"Python {sys.version.split()[0]}")
    return python, *_clang(), _plugin(), *map(_package, PACKAGES), *_targets(), _models()


def ready(found: Sequence[Capability]) -> bool:
    """Whether all that every lift needs is there."""
    return all(capability.ready or not capability.needed for capability in found)


def show(found: Sequence[Capability]) -> str:
    """One line for each capability, then how to get those that are missing."""
    width = max(len(capability.name) for capability in found)
    lines = [f"metalift {__version__}"]
    lines += [f"{capability.name:<{width}}  {capability.found or f'missing: {capability.problem}'}" for capability in found]
    for capability in found:
        if not capability.ready:
            lost = "needed by every lift" if capability.needed else "optional"
            lines.append(f"to {capability.name} ({lost}): {capability.remedy}")
    everything = all(capability.ready for capability in found)
    lines.append("all there" if everything else "ready to lift" if ready(found) else "not ready to lift")
    return "\n".join(lines)


def to_json(found: Sequence[Capability]) -> Mapping[str, object]:
    """The same as an object with stable keys."""
    listed = [{"name": capability.name, "ready": capability.ready, **asdict(capability)} for capability in found]
    return {"metalift": __version__, "ready": ready(found), "capabilities": listed}


def _clang() -> tuple[Capability, ...]:
    """What clang is there for: each is tried with a few lines of source."""
    wanted: tuple[tuple[str, Callable[[Compiler], None], bool, str], ...] = (
        ("read C", _read_c, True, "apt install libc6-dev"),
        ("read C++", _read_cplusplus, False, "apt install g++, or set METALIFT_CLANG=zig after pip install 'metalift[clang]'"),
        ("compile the source for comparison", _link, True, "apt install gcc"),
    )
    try:
        clang = find_clang()
    except UsageError as error:
        problem = str(error).partition(";")[0]
        return tuple(Capability(name, needed, problem=problem, remedy=WAYS) for name, _, needed, _ in wanted)
    named = f"clang {_version(clang)} ({shutil.which(clang.program)})"
    found = []
    for name, probe, needed, remedy in wanted:
        try:
            probe(clang)
            found.append(Capability(name, needed, named))
        except UsageError as error:
            lines = str(error).splitlines()
            problem = next((line for line in lines if "error" in line), lines[-1])
            found.append(Capability(name, needed, problem=f"{named}: {problem}", remedy=remedy))
    return tuple(found)


def _read_c(clang: Compiler) -> None:
    """Compile C with standard headers; raises SourceError."""
    _read(clang, "probe.c", C_PROBE)


def _read_cplusplus(clang: Compiler) -> None:
    """Compile C++ with standard headers; raises SourceError."""
    _read(clang, "probe.cc", CPLUSPLUS_PROBE)


def _read(clang: Compiler, name: str, text: str) -> None:
    with tempfile.TemporaryDirectory(prefix="metalift-doctor-") as folder:
        source = Path(folder) / name
        source.write_text(text, encoding="utf-8")
        llvm_text(clang, source)


def _link(clang: Compiler) -> None:
    """Make a library; raises SourceError."""
    with tempfile.TemporaryDirectory(prefix="metalift-doctor-") as folder:
        source = Path(folder) / "probe.c"
        source.write_text(C_PROBE, encoding="utf-8")
        command = [*clang.command(cplusplus=False), "-shared", "-fPIC", str(source), "-lm", "-o", str(source.with_suffix(".so"))]
        done = _run(command, LINK_TIMEOUT, clang.environment(Path(folder)))
    if done is None or done.returncode != 0:
        raise SourceError(done.stderr.strip() if done and done.stderr.strip() else "it makes no library")


def _version(clang: Compiler) -> str:
    """The version that a compiler prints."""
    done = _run([*clang.command(cplusplus=False), "--version"], 30.0)
    number = re.search(r"\d+(\.\d+)+", done.stdout) if done else None
    return f"{number[0] if number else 'of unknown version'}{' of zig' if clang.zig else ''}"


def _run(
    command: list[str], timeout: float, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str] | None:
    """A finished program, None where it could not be run to its end."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=timeout, check=False, env=environment
        )
    except (OSError, subprocess.SubprocessError):
        return None


def _plugin() -> Capability:
    """The project's LLVM pass. The importer replaces it for all but loop nests."""
    plugin = find_plugin()
    remedy = "apt install llvm-22-dev g++, then metalift doctor --build-pass"
    name = "lift a loop nest inside a function"
    if isinstance(plugin, str):
        return Capability(name, False, problem=f"no LLVM pass: {plugin}", remedy=remedy)
    return Capability(name, False, f"{plugin.library}, run by {plugin.opt}")


def _package(package: _Package) -> Capability:
    """A Python distribution's installed version."""
    try:
        return Capability(package.capability, package.needed, f"{package.name} {metadata.version(package.name)}")
    except metadata.PackageNotFoundError:
        problem = f"{package.name} is not installed"
        return Capability(package.capability, package.needed, problem=problem, remedy=package.remedy)


def _targets() -> Iterator[Capability]:
    """For each target of metalift's own drivers, but those of examples, what its code is run with."""
    found: dict[str, Target] = {}
    for name in (name for name in own() if name not in examples()):
        for target in load(name).driver.targets:
            found.setdefault(target.name, target)
    yield from map(_target, found.values())


def _target(target: Target) -> Capability:
    """The libraries that a target's code imports, or the model of its machine."""
    capability = f"run generated {target.name} code"
    imported = {alias.partition(".")[0] for statement in target.imports.values() for alias in _imported(statement)}
    wanted = sorted(imported - sys.stdlib_module_names)
    if not target.executable:
        return Capability(capability, False, f"its {target.language} is text that is not run here")
    needed = target.language == "python" and set(wanted) <= _required()
    if target.language != "python" and set(wanted) <= _required():
        return Capability(capability, False, f"a model of its machine in metalift ({target.language})")
    missing = [module for module in wanted if importlib.util.find_spec(module) is None]
    if missing:
        return Capability(capability, needed, problem=f"{missing[0]} is not installed", remedy=_remedy(target.name, missing[0]))
    distributions = metadata.packages_distributions()
    versions = (f"{name} {metadata.version(name)}" for module in wanted for name in distributions.get(module, ())[:1])
    return Capability(capability, needed, ", ".join(sorted(versions)) or ", ".join(wanted))


def _models() -> Capability:
    """Which providers of models have a key; no key is ever shown."""
    found = [name for name in providers_with_key(read_environment(Path.cwd())) if client_is_installed(name)]
    if found:
        return Capability("ask a language model", False, f"keys of {', '.join(found)}")
    remedy = "set a provider's key and install its client, such as metalift[llm-anthropic]: docs/llm.md"
    return Capability("ask a language model", False, problem="no provider has both a key and its client", remedy=remedy)


def _imported(statement: str) -> list[str]:
    """The modules that an import statement names."""
    found: list[str] = []
    for node in ast.parse(statement).body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return found


def _required() -> frozenset[str]:
    """What metalift itself requires."""
    listed = metadata.requires("metalift") or []
    return frozenset(re.split(r"[^\w.-]", line)[0] for line in listed if "extra ==" not in line)


def _remedy(target: str, module: str) -> str:
    extras = metadata.metadata("metalift").get_all("Provides-Extra") or []
    return f"pip install 'metalift[{target}]'" if target in extras else f"pip install {module}"

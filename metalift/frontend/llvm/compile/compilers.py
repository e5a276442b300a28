"""Which clang is run, and how: a system clang of any version from 14 to 22, or the one inside the `ziglang` wheel.

`zig cc` is a clang that adds flags of its own: NDEBUG, the machine's own instruction set, a stack protector, and without -O
checks for undefined behaviour. All of them change what a source means or computes, so they are switched off again, for every
clang, since a distribution may configure its clang in the same way. Its C++ library is libc++; it is compiled when first linked,
which takes about a minute, and kept in the user's cache.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metalift.frontend.llvm.compile.options import language, own_options
from metalift.result.errors import SourceError
from metalift.system.files import user_cache

VERSIONS = range(22, 13, -1)
ZIG = "zig"
UNWATCHED = "-fno-sanitize=all"
NEUTRAL = ("-fno-stack-protector", "-UNDEBUG", "-U_FORTIFY_SOURCE")
ZIG_NEUTRAL = ("-mcpu=baseline",)
DIALECT = "-std=gnu++17"  # the default since clang 16
CPLUSPLUS_SUFFIXES = frozenset(".cc .cp .cxx .cpp .c++ .C .CPP .hh .hpp .hxx .h++ .ipp .tpp .inl".split())
# What a compiler sees of the environment. Clang reads further options, programs, configurations and files to write from others.
SEEN = (
    *("PATH", "HOME", "LANG", "LC_ALL", "XDG_CACHE_HOME", "LD_LIBRARY_PATH", "LIBRARY_PATH"),
    *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SDKROOT", "DEVELOPER_DIR", "MACOSX_DEPLOYMENT_TARGET"),
    *("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR", "ZIG_LIB_DIR"),
)
UNCONFIGURED = {"CLANG_NO_DEFAULT_CONFIG": "1"}  # as --no-default-config, which older versions refuse
WAYS = "install it with `apt install clang`, or with `pip install 'metalift[clang]'`, or name one in METALIFT_CLANG"


@dataclass(frozen=True, slots=True)
class Compiler:
    """A clang: its program, and whether that is zig, of which clang is one command."""

    program: str
    zig: bool = False

    def command(self, *, cplusplus: bool, watched: bool = False) -> list[str]:
        """The beginning of a command line, for C or C++; the flags that neutralise what is added by default come first.

        `watched`: a sanitizer is asked for by what follows; zig does not take that after being told to use none.
        """
        flags = [*([] if watched else [UNWATCHED]), *NEUTRAL, *([DIALECT] if cplusplus else [])]
        if self.zig:
            return [self.program, "c++" if cplusplus else "cc", *flags, *ZIG_NEUTRAL]
        return [self.program, f"--driver-mode={'g++' if cplusplus else 'gcc'}", *flags]

    def environment(self, scratch: Path) -> dict[str, str]:
        """The environment to run it in: what is needed of the user's, and no configuration files of clang's.

        What zig keeps of one compilation goes to `scratch`, which the caller removes.
        """
        added = {"ZIG_LOCAL_CACHE_DIR": str(scratch / "zig")} if self.zig else {}
        kept = {"ZIG_GLOBAL_CACHE_DIR": str(user_cache() / "zig")} if self.zig else {}
        seen = {name: os.environ[name] for name in SEEN if name in os.environ}
        return {**kept, **seen, **UNCONFIGURED, **added}

    @property
    def patience(self) -> float:
        """Seconds that compiling may take beyond what is usual: zig compiles its C++ library the first time."""
        return 400.0 if self.zig else 0.0

    def __str__(self) -> str:
        return f"{self.program} cc" if self.zig else self.program


def find_clang() -> Compiler:
    """The clang to use: METALIFT_CLANG (a program, or `zig`), else the newest of clang-22 to clang-14, else clang, else zig's."""
    chosen = os.environ.get("METALIFT_CLANG")
    if chosen == ZIG:
        found = _zig() or shutil.which(ZIG)
        if found is None:
            raise SourceError("METALIFT_CLANG is zig, which was not found; install it with `pip install 'metalift[clang]'`")
        return Compiler(found, zig=True)
    if chosen:
        if shutil.which(chosen) is None:
            raise SourceError(f"METALIFT_CLANG names {chosen}, which cannot be run")
        return Compiler(chosen, zig=Path(chosen).stem == ZIG)
    for name in (*(f"clang-{version}" for version in VERSIONS), "clang"):
        if shutil.which(name):
            return Compiler(name)
    found = _zig() or shutil.which(ZIG)
    if found is None:
        raise SourceError(f"clang was not found; any version from 14 to 22 works: {WAYS}")
    return Compiler(found, zig=True)


def _zig() -> str | None:
    """The program inside the `ziglang` wheel of this Python; run directly, so that it ends when it is killed."""
    spec = importlib.util.find_spec("ziglang")
    for folder in spec.submodule_search_locations or () if spec else ():
        program = shutil.which(ZIG, path=folder)
        if program:
            return program
    return None


def is_cplusplus(source: Path, clang_args: Sequence[str]) -> bool:
    """Whether clang takes the file as C++: by `-x`, else by its suffix."""
    said = language(own_options(clang_args))
    return said.startswith("c++") if said else source.suffix in CPLUSPLUS_SUFFIXES

"""Which files a compiler may open: of the source's project, what its arguments name, and the system's headers and libraries.

A stranger's source has a `Reach`: folders that it may read, and no others but those of the compiler's own headers. The kernel
keeps to it where it can; everywhere the files that clang says it has opened, or looked for, are compared with it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from metalift.system import confinement

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/etc/ld.so.cache", "/etc/alternatives")
NAMED_BY = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "LD_LIBRARY_PATH")
CACHES = ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")
PROJECT = ".git"
MEMORY = 8 << 30  # bytes of address space
LARGEST = 1 << 30  # bytes of a file
REFUSED = "Permission denied"
HINT = (
    "a source may include what lies in its folder, its repository, and the folders that are given: "
    "end the command with `-- -I FOLDER` for others"
)


HEADERS = "include"  # what a folder of the compiler's own headers, or one above it, is called
WORD = re.compile(r"(?:\\[\s#\\]|\$\$|\S)+")


@dataclass(frozen=True, slots=True)
class Reach:
    """The folders from which a stranger's source may include files, beside the compiler's own headers."""

    folders: tuple[Path, ...]

    def holds(self, file: str | Path) -> bool:
        """Whether it is a file of these folders, where links lead to in the end."""
        found = Path(file).resolve()
        return any(found.is_relative_to(folder.resolve()) for folder in self.folders)

    def outside(self, compiler: str, opened: Iterable[str]) -> Iterator[str]:
        """Those of the files that lie elsewhere."""
        roots = [Path(root).resolve() for root in (*SYSTEM, *installation(compiler))]
        for file in opened:
            found = Path(file).resolve()
            own = HEADERS in found.parts and any(found.is_relative_to(root) for root in roots)
            if not own and not self.holds(file):
                yield file


def start_compiler(
    command: Sequence[str], source: Path, scratch: Path, environment: Mapping[str, str], reach: Reach | None = None
) -> subprocess.Popen[str]:
    """Start a compiler that has limits of memory and can open nothing else where the kernel has Landlock.

    It can write to `scratch` and to the caches that the environment names; with a `reach`, what the source lies in and what the
    arguments name may be read only as far as that goes. Raises OSError.
    """
    given = (part for name in NAMED_BY for part in environment.get(name, "").split(os.pathsep) if part)
    own = (*project(source), *named(command[1:])) if reach is None else map(str, reach.folders)
    read = [*SYSTEM, *installation(command[0]), *own, *given]
    write = [str(scratch), *(environment[name] for name in CACHES if name in environment)]
    for folder in write:
        Path(folder).mkdir(parents=True, exist_ok=True)
    limits = confinement.Limits(tuple(dict.fromkeys(read)), tuple(write), MEMORY, LARGEST)
    program = os.path.abspath(shutil.which(command[0]) or command[0])
    return confinement.start_confined([program, *command[1:]], limits, {**environment, "TMPDIR": str(scratch)})


def installation(program: str) -> Iterator[str]:
    """The folders that a compiler was installed in."""
    found = Path(shutil.which(program) or program)
    for path in (found, found.resolve()):
        yield str(path.parent.parent if path.parent.name == "bin" else path.parent)


def project(source: Path) -> Iterator[str]:
    """The source's folder, or the repository that it is part of; through a link, those of both ends."""
    private = (Path.home(), *Path.home().parents)
    for folder in dict.fromkeys((Path(os.path.abspath(source)).parent, source.resolve().parent)):
        above = (each for each in (folder, *folder.parents) if (each / PROJECT).exists() and each not in private)
        yield str(next(above, folder))


def named(arguments: Iterable[str]) -> Iterator[str]:
    """The files and folders that arguments name: by themselves, after a `=`, or after an option such as -I or -isystem.

    Beside an overlay lie the files that it puts in the places of others.
    """
    for before, argument in pairwise(("", *arguments)):
        if before == "-ivfsoverlay":
            yield os.path.dirname(os.path.abspath(argument))
        options = ("-I", "-L", "-F", "-B", "-isystem", "-iquote", "-idirafter", "-iprefix", "-isysroot", "-include", "@")
        joined = (argument.removeprefix(option) for option in options if argument.startswith(option))
        for each in (argument, argument.partition("=")[2], *joined):
            if each and not each.startswith("-") and os.path.exists(each):
                yield os.path.abspath(each)


def opened_files(rules: str) -> Iterator[str]:
    """The files in the rule for `make` that clang writes: all that it opened, and all that a condition found to exist."""
    _, _, files = rules.replace("\\\n", " ").partition(": ")
    for word in WORD.findall(files):
        yield re.sub(r"\\([\s#\\])", r"\1", word).replace("$$", "$")


def explained(message: str) -> str:
    """A compiler's message, with what to do where it could not open a file."""
    return f"{message}\n{HINT}" if REFUSED in message else message

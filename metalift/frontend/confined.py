"""Which files a compiler may open: of the source's project, what its arguments name, and the system's headers and libraries."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from metalift import confinement

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


def start_compiler(command: Sequence[str], source: Path, scratch: Path, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a compiler that has limits of memory and can open nothing else where the kernel has Landlock.

    It can write to `scratch` and to the caches that the environment names. Raises OSError.
    """
    given = (part for name in NAMED_BY for part in environment.get(name, "").split(os.pathsep) if part)
    read = [*SYSTEM, *installation(command[0]), *project(source), *named(command[1:]), *given]
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


def explained(message: str) -> str:
    """A compiler's message, with what to do where it could not open a file."""
    return f"{message}\n{HINT}" if REFUSED in message else message

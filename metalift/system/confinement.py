"""What processes that deal with a source may not do, as far as the kernel allows (it imports nothing of metalift).

Compiled code runs as the user: a source can have a constructor that runs before anything is called. So, on Linux, the process
in which it runs gives up for good: sockets but local ones, other processes' memory, and writing files outside of a folder of its
own. Where the kernel has not got one of these, it is left out; what is in force is told.

Compilers have limits as well, and can read only what is named. What a thread gives up its children have not got either, and
other threads keep: so a compiler is started by a thread that gives all of it up and ends.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import stat
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2  # of prctl
_CALLS = {  # architecture; socket, then what is refused: ptrace, process_vm_readv and _writev, io_uring_setup
    "x86_64": (0xC000003E, 41, (101, 310, 311, 425)),
    "aarch64": (0xC00000B7, 198, (117, 270, 271, 425)),
}
_LOCAL = 1  # AF_UNIX
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 13  # EACCES
_FOREIGN = 0x40000000  # numbers of another calling convention
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_WRITES = 1 << 1 | sum(1 << bit for bit in range(4, 13))  # write a file; remove and make files, folders, links, devices
_READS = 1 | 1 << 2 | 1 << 3  # execute a file, read a file, list a folder
_MOVES = 1 << 13  # between folders; kernels that do not know it refuse it always, and compilers need it
_OF_FILES = 1 | 1 << 1 | 1 << 2
_BENEATH = 1


def confine(scratch: str) -> list[str]:
    """Give up what is not needed; files may be written below `scratch` and in /dev only. What is in force."""
    if sys.platform != "linux":
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return []
    writes = _WRITES | _MOVES if _knows_moves(libc) else _WRITES
    found = ["files"] if _files(libc, writes, [(scratch, writes), ("/dev", writes)]) else []
    return [*found, *(["network"] if _network(libc) else [])]


class Limits(NamedTuple):
    """Folders and files that may be read, and those that may be written too; bytes of memory, and of a file that is written."""

    read: tuple[str, ...]
    write: tuple[str, ...]
    memory: int
    largest: int


def start_confined(command: Sequence[str], limits: Limits, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a program that can do nothing else, as far as the kernel allows, and has a pipe for its messages only.

    It is in a session of its own. Raises OSError.
    """
    if sys.platform != "linux":
        return _started(command, environment)
    with ThreadPoolExecutor(1) as thread:  # of its own: what it gives up it has given up for good
        process = thread.submit(_started_confined, command, limits, environment).result()
    for kind, limit in ((resource.RLIMIT_AS, limits.memory), (resource.RLIMIT_FSIZE, limits.largest), (resource.RLIMIT_CORE, 0)):
        with suppress(ProcessLookupError):  # it has ended already
            hard = resource.prlimit(process.pid, kind)[1]
            least = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.prlimit(process.pid, kind, (least, least))
    return process


def _started_confined(command: Sequence[str], limits: Limits, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
        whole = _READS | _WRITES | _MOVES
        if can_limit_files():
            _files(libc, whole, [*((path, _READS) for path in limits.read), *((path, whole) for path in (*limits.write, "/dev"))])
        _network(libc)
    return _started(command, environment)


def _started(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        env=environment,
    )


def _network(libc: ctypes.CDLL) -> bool:
    """Refuse the system calls."""
    if platform.machine() not in _CALLS:
        return False
    architecture, socket, refused = _CALLS[platform.machine()]
    refuse = 7 + len(refused)  # where the program refuses; the next instruction allows
    program = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 0, refuse - 2, architecture),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, refuse - 4, 0, _FOREIGN),
        *((_EQUAL, refuse - 5 - place, 0, number) for place, number in enumerate(refused)),
        (_EQUAL, 0, 3, socket),
        (_LOAD, 0, 0, 16),
        (_EQUAL, 1, 0, _LOCAL),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    return bool(libc.prctl(_SECCOMP, _FILTER, header, 0, 0) == 0)


def can_limit_files() -> bool:
    """Whether the kernel keeps a compiler to the files that are named."""
    return sys.platform == "linux" and _knows_moves(ctypes.CDLL(None, use_errno=True))


def _knows_moves(libc: ctypes.CDLL) -> bool:
    """Whether the kernel's Landlock can allow files to be moved between folders."""
    return bool(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1) >= 2)


def _files(libc: ctypes.CDLL, handled: int, rules: Sequence[tuple[str, int]]) -> bool:
    """Of what is handled, allow below each folder, or of each file, only what is said; what does not exist is left out."""
    rights = ctypes.create_string_buffer(struct.pack("Q", handled), 8)
    ruleset = libc.syscall(_CREATE_RULESET, rights, ctypes.c_size_t(8), 0)
    if ruleset < 0:
        return False
    try:
        for path, allowed in rules:
            try:
                place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            kept = allowed if stat.S_ISDIR(os.fstat(place).st_mode) else allowed & _OF_FILES
            rule = ctypes.create_string_buffer(struct.pack("=Qi", kept, place), 12)
            added = libc.syscall(_ADD_RULE, ruleset, _BENEATH, rule, 0)
            os.close(place)
            if added != 0:
                return False
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)

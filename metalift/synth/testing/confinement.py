"""What the process in which sources run may not do, as far as the kernel allows (it imports nothing of metalift).

Compiled code runs as the user: a source can have a constructor that runs before anything is called. So, on Linux, the process
gives up for good: sockets but local ones, other processes' memory, and writing files outside of a folder of its own. Where the
kernel has not got one of these, it is left out; what is in force is told.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

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
_BENEATH = 1


def confine(scratch: str) -> list[str]:
    """Give up what is not needed; files may be written below `scratch` and in /dev only. What is in force."""
    if sys.platform != "linux":
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return []
    found = ["files"] if _files(libc, (scratch, "/dev")) else []
    return [*found, *(["network"] if _network(libc) else [])]


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


def _files(libc: ctypes.CDLL, folders: tuple[str, ...]) -> bool:
    """Allow writing below the folders only."""
    handled = ctypes.create_string_buffer(struct.pack("Q", _WRITES), 8)
    rules = libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(8), 0)
    if rules < 0:
        return False
    try:
        for folder in folders:
            place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            rule = ctypes.create_string_buffer(struct.pack("=Qi", _WRITES, place), 12)
            added = libc.syscall(_ADD_RULE, rules, _BENEATH, rule, 0)
            os.close(place)
            if added != 0:
                return False
        return bool(libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)

"""Writing output files so that a reader, or an interrupted run, never leaves half of one."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_text_atomic(path: Path, text: str) -> None:
    """Write a UTF-8 file whole or not at all: into a temporary file beside it, which is then renamed. Makes missing folders.

    What was read with surrogateescape is written as the bytes it was.
    Raises OSError where the folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:  # also on Ctrl-C the temporary file must go
        Path(temporary).unlink(missing_ok=True)
        raise


def read_text_of(root: Path, name: str, limit: int) -> str:
    """The text of a plain file below a folder that comes from a stranger; bytes that are no UTF-8 are kept as surrogates.

    Raises OSError where there is none, where a link leads out of the folder, or where it has more than `limit` bytes.
    """
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()):
        raise OSError(0, "it lies outside of its folder")
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe would block, a device never end
        raise OSError(0, "it is not a plain file")
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(0, f"it has more than {limit} bytes")
    return data.decode("utf-8", errors="surrogateescape").replace("\r\n", "\n")


def _umask() -> int:
    """The process's file mode mask; it can be read only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def digest(root: Path, files: Iterable[Path]) -> str:
    """A name for the contents of files below a folder, and for where they lie in it; raises OSError where one cannot be read."""
    found = hashlib.sha256()
    for path in sorted(files):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def user_cache() -> Path:
    """The folder for what can be made again, where the user's platform wants it. It need not exist."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "metalift"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "metalift"

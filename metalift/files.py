"""Writing output files so that a reader, or an interrupted run, never leaves half of one."""

from __future__ import annotations

import os
import sys
import tempfile
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


def _umask() -> int:
    """The process's file mode mask; it can be read only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def user_cache() -> Path:
    """The folder for what can be made again, where the user's platform wants it. It need not exist."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "metalift"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "metalift"

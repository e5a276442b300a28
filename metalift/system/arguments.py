"""The user's arguments checked before work begins; each function raises UsageError with a message that says what to do."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from metalift.result.errors import UsageError
from metalift.system.names import did_you_mean

LARGEST = 10_000_000  # characters of a source file
OUT, BATCH_OUT = Path("metalift_out"), Path("metalift_batch")  # folders for what is made, where no other is asked for


def source_text(path: Path) -> str:
    """The text of the source file."""
    if path.is_dir():
        raise UsageError(f"{path} is a directory; name one C, C++ or Python file in it")
    if not path.exists():
        raise UsageError(f"{path}: no such file{did_you_mean(path.name, _siblings(path))}")
    if not path.is_file():
        raise UsageError(f"{path} is not a regular file")
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if len(text) > LARGEST:
        raise UsageError(f"{path} has {len(text):,} characters, more than {LARGEST:,}; lift the part of it that you need")
    if "\0" in text:
        raise UsageError(f"{path} is not a text file in UTF-8 or another encoding that extends ASCII: it has a zero byte")
    if not text.strip():
        raise UsageError(f"{path} is empty")
    return text


def writable_folder(path: Path) -> None:
    """Make the output folder with its parents, and make sure that files can be written there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path, prefix=".metalift"):
            pass
    except OSError as error:
        raise UsageError(f"cannot write to the output folder {path}: {os.strerror(error.errno or 0)}") from error


def _siblings(path: Path) -> tuple[str, ...]:
    """The names of the files beside a file that is not there."""
    try:
        return tuple(entry.name for entry in path.parent.iterdir() if entry.is_file())
    except OSError:
        return ()

"""`metalift cache`: what is kept in the user's cache, and to empty it, but for answers that were paid for."""

from __future__ import annotations

import shutil
from pathlib import Path

from metalift.result.errors import UsageError
from metalift.system.files import user_cache

PAID = "llm.sqlite"  # what models answered: `--all` removes that too


def show() -> str:
    """A line for each thing that is kept, with its size."""
    folder = user_cache()
    lines = [f"{_size(path) / (1 << 20):>9.1f} MiB  {path.name}" for path in _kept(folder)]
    return "\n".join([f"{folder}:", *lines]) if lines else f"{folder}: nothing is kept"


def clear(everything: bool) -> str:
    """Remove what can be made again; with `everything`, answers of models as well. What was removed."""
    folder = user_cache()
    gone = [path for path in _kept(folder) if everything or not path.name.startswith(PAID)]
    size = sum(map(_size, gone))
    for path in gone:
        try:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except OSError as problem:
            raise UsageError(f"{path} cannot be removed: {problem.strerror}") from problem
    left = [path.name for path in _kept(folder)]
    stays = f"; {', '.join(left)} stays: answers that were paid for, which --all removes" if left else ""
    return f"{folder}: removed {size / (1 << 20):.1f} MiB{stays}"


def _kept(folder: Path) -> list[Path]:
    """What lies in the cache."""
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _size(path: Path) -> int:
    """The bytes of a file or of all files in a folder."""
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file() and not each.is_symlink()]
    return sum(each.stat().st_size for each in files)

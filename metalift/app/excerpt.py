"""A line of a source with a mark below what is meant, as compilers show it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from metalift.app.terminal import Paint

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\S")
WIDEST = 160  # characters of a line that are shown


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`head` is the place as editors take it; `lines` show the text, and are empty where it cannot be read."""

    head: str
    lines: tuple[str, ...]


def excerpt(file: Path, source: str, line: int, column: int, paint: Paint) -> Excerpt:
    """The line of a file, called as the user did where it is the `source`; columns count from 1, 0 is the whole line."""
    name = source if _same(file, Path(source)) else str(file)
    head = ":".join(str(part) for part in (name, line, column) if part)
    text = _line(file, line)
    if not text.strip():
        return Excerpt(head, ())
    shown = text.expandtabs(1)[:WIDEST].rstrip()
    start, length = _span(shown, column)
    number = f"{line:>5}"
    mark = " " * start + "^" + "~" * (length - 1)
    return Excerpt(head, (f"{number} | {shown}", f"{'':>5} | {paint.word(mark, 'green')}"))


def _span(text: str, column: int) -> tuple[int, int]:
    """Where the mark begins and how long it is: the word at the column, or the line without blanks and comments at its end."""
    if 0 < column <= len(text):
        found = TOKEN.match(text, column - 1)
        return column - 1, len(found[0]) if found else 1
    start = len(text) - len(text.lstrip())
    code = re.split(r"\s*(?://|/\*|#(?!\w))", text)[0].rstrip()
    return start, max(1, len(code) - start)


def _line(file: Path, number: int) -> str:
    """A line of a file, empty where there is none."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _same(file: Path, source: Path) -> bool:
    try:
        return file.samefile(source)
    except OSError:
        return file == source

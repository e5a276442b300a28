"""A scan as text for people: a line for each row, then totals and the most frequent reasons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from metalift.app.scan.rows import Row, Scan, Status

REASONS = 8
WIDEST = 44


def show(scan: Scan) -> str:
    """The table, with the reason on the row's own line."""
    return "\n".join([*_rows(scan), "", *scan.notes, *_reasons(scan), _totals(scan)])


def _rows(scan: Scan) -> Iterator[str]:
    places = [f"{row.file}:{row.line}" if row.line else row.file for row in scan.rows]
    names = [_short(row.name) for row in scan.rows]
    wide = max((len(place) for place in places), default=0)
    long = max((len(name) for name in names), default=0)
    for row, place, name in zip(scan.rows, places, names, strict=True):
        where = f"line {row.reason_line}: " if row.reason_line and row.reason_line != row.line else ""
        first = next(iter(row.reason.splitlines()), "")
        yield f"{row.status.value:<16} {name:<{long}}  {place:<{wide}}  {row.loops:>2} loops  {where}{first}".rstrip()


def _short(name: str) -> str:
    return name if len(name) <= WIDEST else name[: WIDEST - 3] + "..."


def _reasons(scan: Scan) -> Iterator[str]:
    """What most rows stay out for."""
    kinds = Counter(_kind(row) for row in scan.rows if not row.status.good and row.reason)
    several = [(kind, count) for kind, count in kinds.most_common(REASONS) if count > 1]
    if several:
        yield "most often:"
        yield from (f"  {count:>4}  {kind}" for kind, count in several)


def _kind(row: Row) -> str:
    """The reason without what only this row has: names and numbers."""
    first = next(iter(row.reason.splitlines()), "")
    return re.sub(r"'[^']*'|\b\d+\b", "...", first.split(";")[0].split(": ")[0])


def _totals(scan: Scan) -> str:
    """How many rows have each status."""
    counts = scan.counts()
    parts = [f"{counts[status]} {status.value}" for status in Status if counts[status]]
    files = f"{scan.files} file{'s' if scan.files != 1 else ''}"
    return f"{len(scan.rows)} functions and loop nests in {files}: {', '.join(parts) or 'nothing found'}"

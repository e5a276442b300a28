"""A scan as text for people: a line for each file as it ends, or for each row; then the most frequent reasons, and the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from metalift.app.scan.rows import Row, Scan, Status, around
from metalift.result.reasons import pages

REASONS = 8
WIDEST = 44


def rows_of(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each row, with the reason."""
    places = [f"{row.file}:{row.line}" if row.line else row.file for row in rows]
    names = [_short(row.name) for row in rows]
    wide = max((len(place) for place in places), default=0)
    long = max((len(name) for name in names), default=0)
    for row, place, name in zip(rows, places, names, strict=True):
        where = f"line {row.reason_line}: " if row.reason_line and row.reason_line != row.line else ""
        first = next(iter(row.reason.splitlines()), "")
        code = f"{row.code} " if row.code else ""
        loops = "loop " if row.loops == 1 else "loops"
        yield f"{row.status.value:<16} {name:<{long}}  {place:<{wide}}  {row.loops:>2} {loops}  {code}{where}{first}".rstrip()


def file_line(file: str, rows: Sequence[Row]) -> str:
    """What was found in one file: how many rows of each status, and the codes of what stays out."""
    codes = sorted({row.code for row in rows if row.code})
    stays = f" ({', '.join(codes)})" if codes else ""
    return f"{file}: {_counted(Counter(row.status for row in rows)) or 'no function'}{stays}"


def ending(scan: Scan, root: Path) -> str:
    """What follows the rows: notes, the functions with loops by folder, what most of the rest stays out for, and the totals."""
    return "\n".join(["", *scan.notes, *_folders(scan, root), *_reasons(scan), totals(scan)])


def totals(scan: Scan) -> str:
    """How many rows have each status."""
    files = f"{scan.files} file{'s' if scan.files != 1 else ''}"
    return f"{len(scan.rows)} functions and loop nests in {files}: {_counted(scan.counts()) or 'nothing found'}"


def _counted(counts: Counter[Status]) -> str:
    return ", ".join(f"{counts[status]} {status.value}" for status in Status if counts[status])


def _short(name: str) -> str:
    return name if len(name) <= WIDEST else name[: WIDEST - 3] + "..."


def _folders(scan: Scan, root: Path) -> Iterator[str]:
    """How many functions with loops each folder has, and how many are, or may be, lifted, as wholes or by their nests."""
    places = around(scan.rows)
    in_part = {places[row][-1] for row in scan.rows if row.nest and row.status.good}
    left = {(row.file, row.outer) for row in scan.rows if row.nest and not row.status.good}
    counts: dict[str, Counter[str]] = {}
    for row in scan.rows:
        if row.loops and not row.nest:
            own = counts.setdefault(_folder(row.file, root), Counter())
            own["all"] += 1
            own["whole"] += row.status.good
            place = (row.file, row.name)
            if not row.status.good and place in in_part:
                own["some" if place in left else "nests"] += 1
    if counts:
        yield "functions with loops, by folder:"
    for folder, own in sorted(counts.items()):
        nests = f"{own['nests']} by all of their loop nests, {own['some']} by some"
        yield f"  {own['all']:>4}  {folder}: {own['whole']} as wholes, {nests}"


def _folder(file: str, root: Path) -> str:
    parent = Path(file).parent
    return str(parent.relative_to(root)) if root.is_dir() and parent.is_relative_to(root) else str(parent)


def _reasons(scan: Scan) -> Iterator[str]:
    """What most functions stay out for."""
    titles = {page.code: page.title for page in pages()}
    places = around(scan.rows)
    stopped = {(row.code, places[row][-1]) for row in scan.rows if row.code}
    counts = Counter(code for code, _ in stopped)
    if counts:
        yield "most often, with the number of functions (metalift explain CODE says what helps):"
        yield from (f"  {count:>4}  {code} {titles[code]}" for code, count in sorted(counts.items(), key=_often)[:REASONS])


def _often(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]

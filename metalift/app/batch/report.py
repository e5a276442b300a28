"""The results of a batch for people: report.html, the same as Markdown and as CSV, and the totals on a terminal."""

from __future__ import annotations

import csv
import io
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from metalift.app.batch import page
from metalift.app.batch.details import Found
from metalift.app.batch.live import duration, printable
from metalift.app.batch.lock import held
from metalift.app.batch.speed.shown import ratios
from metalift.app.batch.store import Row, Running, Store
from metalift.system.files import write_text_atomic

HEAD = ("kernel", "suite", "name", "style", "target", "verdict", "ok", "wall_seconds", "prover_seconds", "reason")
SPEED = ("kind", "recommended", "speedup")
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet evaluates begins so


def write(out: Path) -> Path:
    """report.html, report.md and report.csv in the output folder, of what the last run there asked for; the first of them."""
    with closing(Store(out, create=False)) as store:
        found = list(store.each(results=False))
        write_text_atomic(out / "report.md", markdown(found))
        write_text_atomic(out / "report.csv", comma_separated(found))
        write_text_atomic(out / "report.html", page.page(out, store.each(results=True)))
    return out / "report.html"


def totals(rows: Sequence[Row]) -> str:
    """How many rows are proved with code that agrees, and the times, on a line for each target."""
    lines = []
    for target in dict.fromkeys(row.target for row in rows):
        own = [row for row in rows if row.target == target]
        seconds, prover = [row.seconds for row in own], [row.prover for row in own]
        good = sum(row.ok for row in own)
        times = f"wall median {statistics.median(seconds):.2f} s, maximum {max(seconds):.2f} s"
        proving = f"prover median {statistics.median(prover):.3f} s, maximum {max(prover):.2f} s"
        lines.append(f"{target}: {good} of {len(own)} proved, with code that agrees; {times}; {proving}")
    return "\n".join(lines)


def markdown(found: Sequence[Found]) -> str:
    """The totals, by target, suite and style, and a table of all results."""
    rows = [row for _, row in found if row is not None]
    return "\n".join(
        [
            "# Batch",
            "",
            *(f"- {line}" for line in totals(rows).splitlines()),
            "",
            *_totals_by("suite", found),
            *_totals_by("style", found),
            "| kernel | target | verdict | wall s | prover s | recommended, times as fast as the source | why not |",
            "| --- | --- | --- | ---: | ---: | --- | --- |",
            *map(_line, found),
            "",
        ]
    )


def _totals_by(what: str, found: Iterable[Found]) -> Iterator[str]:
    """A table with a row for each suite or style, and a column for each target."""
    wanted: Counter[tuple[str, str]] = Counter()
    good: Counter[tuple[str, str]] = Counter()
    for one, row in found:
        cell = (getattr(one, what), one.target)
        wanted[cell] += 1
        good[cell] += row is not None and row.ok
    targets = list(dict.fromkeys(target for _, target in wanted))
    yield f"| {what} | {' | '.join(targets)} |"
    yield f"| --- |{' ---: |' * len(targets)}"
    for name in dict.fromkeys(name for name, _ in wanted):
        cells = (f"{good[name, target]} of {wanted[name, target]}" for target in targets)
        yield f"| {_cell(name) or '(none)'} | {' | '.join(cells)} |"
    yield ""


def _line(found: Found) -> str:
    """The row of one result."""
    wanted, row = found
    if row is None:
        return f"| {_cell(wanted.label)} | {wanted.target} | | | | | no result yet |"
    measured = ratios([row])
    speed = f"{_cell(measured.recommended)} {measured.forms.get(measured.recommended, 1.0):.2f}" if measured else ""
    times = f"{row.seconds:.2f} | {row.prover:.3f} | {speed}"
    return f"| {_cell(wanted.label)} | {wanted.target} | {row.verdict} | {times} | {_cell(row.reason)} |"


def comma_separated(found: Iterable[Found]) -> str:
    """All results with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*HEAD, *SPEED])
    for one, row in found:
        names = *map(_plain, (one.label, one.suite, one.name, one.style)), one.target
        if row is None:
            writer.writerow([*names, "", False, *[""] * 6])
        else:
            values = row.verdict, row.ok, f"{row.seconds:.3f}", f"{row.prover:.4f}", _plain(row.reason)
            writer.writerow([*names, *values, *_speed(row)])
    return text.getvalue()


def _plain(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def _speed(row: Row) -> tuple[str, str, str]:
    measured = ratios([row])
    if measured is None:
        return "", "", ""
    return measured.kind, measured.recommended, f"{measured.forms.get(measured.recommended, 1.0):.4f}"


def status(folder: Path) -> str:
    """What a batch has done, from its output folder; the batch may be running."""
    with closing(Store(folder, create=False)) as store:
        found = [row for _, row in store.each(results=False)]
        rows = [row for row in found if row is not None]
        return "\n".join(_status(rows, len(found), store.running() if held(folder) else None))


def _status(rows: Sequence[Row], wanted: int, running: Sequence[Running] | None) -> Iterator[str]:
    """Lines; `running` is None where no batch runs."""
    verdicts = Counter(row.verdict for row in rows)
    yield f"{len(rows)} of {wanted} results: {', '.join(f'{count} {verdict}' for verdict, count in verdicts.items()) or 'none'}"
    if running is None and len(rows) < wanted:
        yield "no batch is running here: the same command goes on where it stopped"
    if running is not None and len(rows) == wanted and not running:
        yield "all kernels are finished; speeds are being measured, or the report is being written"
    width = max((len(one.label) for one in running or ()), default=0)
    for one in running or ():
        yield f"  {printable(one.label):<{width}}  {duration(one.seconds):>6}  {one.stage}".rstrip()
    if rows:
        yield totals(rows)


def _cell(text: str) -> str:
    """One line of text inside a table; nothing in it is taken for Markdown or HTML."""
    line = " ".join(text.split())
    for mark, escaped in (("\\", "\\\\"), ("&", "&amp;"), ("<", "&lt;"), ("|", "\\|"), ("`", "\\`"), ("*", "\\*"), ("_", "\\_")):
        line = line.replace(mark, escaped)
    return line

"""A scan on a terminal or in a pipe while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from metalift.app.batch.events import Event, Listen
from metalift.app.scan.rows import Row
from metalift.app.scan.run import Watcher
from metalift.app.scan.table import file_line
from metalift.app.terminal import Progress


@dataclass(frozen=True, slots=True)
class Printing(Watcher):
    """How far a scan is, on a terminal, and with `by_file` a line for each file. `lifting` hears of the batch that lifts."""

    out: TextIO
    line: Progress
    by_file: bool
    lifting: Listen | None = None

    def progress(self, done: int, count: int) -> None:
        """On one line, which is empty in the end."""
        if done < count:
            self.line.show(f"{done} of {count} files")
        else:
            self.line.clear()

    def ended(self, file: str, rows: Sequence[Row]) -> None:
        """Print it at once."""
        if self.by_file:
            self.line.clear()
            print(file_line(file, rows), file=self.out, flush=True)

    def lifts(self, event: Event) -> None:
        """As a batch is shown."""
        if self.lifting is not None:
            self.lifting(event)

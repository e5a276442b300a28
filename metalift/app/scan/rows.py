"""What a scan finds: one row for each function, and for each loop nest of those that are not lifted as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from metalift.app.ci import Outcome
from metalift.result import SCHEMA_VERSION
from metalift.result.reasons import Kind, page_of
from metalift.result.verdict import FunctionVerdict, Word
from metalift.version import __version__


class Status(Word):
    """What is known of a function or a loop nest; in the order of the table."""

    PROVED = "PROVED", FunctionVerdict.PROVED.sentence
    TESTED = "TESTED", FunctionVerdict.TESTED.sentence
    VACUOUS = "VACUOUS", FunctionVerdict.VACUOUS.sentence
    CANDIDATE = "candidate", "It can be read, and what it computes has been derived; `--lift` tries the rest."
    NOT_LIFTED = "not lifted", "It can be read, but what it computes was not found, or not in the target's operators."
    UNSUPPORTED = "unsupported", "It uses something that is not modelled."
    BROKEN = "does not compile", "It was left out, so that the rest of its file compiles."
    FAILED = "failed", "Something went wrong, or took too long; nothing is claimed."

    @property
    def good(self) -> bool:
        """Whether it is, or may be, lifted."""
        return self in (Status.PROVED, Status.TESTED, Status.CANDIDATE)


Place: TypeAlias = tuple[str, str]  # a file, and the name of a function or a nest in it
KINDS = {Status.NOT_LIFTED: Kind.SUMMARY, Status.VACUOUS: Kind.RUN, Status.FAILED: Kind.LIMIT}  # of reasons


@dataclass(frozen=True, slots=True)
class Row:
    """One function, loop nest, or file of which no function could be named.

    `loops` counts the loops in its text. `reason` says why it is not lifted, `reason_line` is where, 0 if nowhere; `nest` tells
    a loop nest of a function from the function, `outer` is the function, or the nest, that it is in.
    """

    file: str
    line: int
    name: str
    status: Status
    loops: int = 0
    reason: str = ""
    reason_line: int = 0
    nest: bool = False
    outer: str = ""

    @property
    def code(self) -> str:
        """The code of the reason, which `metalift explain` has a page for; empty where there is none."""
        if self.status.good or not self.reason:
            return ""
        return page_of(KINDS.get(self.status, Kind.SOURCE), self.reason)[0].code

    @property
    def outcome(self) -> Outcome:
        """The row as CI is told of it."""
        line = self.reason_line or self.line
        wrong = self.status is Status.FAILED
        return Outcome(self.name, self.file, line, self.status.good, wrong, self.status.value, self.code, self.reason)

    def to_json(self) -> dict[str, Any]:
        """The row as JSON's object."""
        return {**asdict(self), "status": self.status.value, "code": self.code}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Row:
        """The row of an object."""
        known = {name: value for name, value in data.items() if name != "code"}
        return cls(**{**known, "status": next(status for status in Status if status.value == data["status"])})


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows, the best first, and how many files they are from."""

    rows: tuple[Row, ...]
    files: int
    notes: tuple[str, ...] = ()

    def counts(self) -> Counter[Status]:
        """How many rows have each status."""
        return Counter(row.status for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        totals = {status.value: count for status, count in self.counts().items()}
        rows = [row.to_json() for row in self.rows]
        head = {"schema_version": SCHEMA_VERSION, "metalift": __version__}
        return {**head, "files": self.files, "totals": totals, "notes": list(self.notes), "rows": rows}


def around(rows: Sequence[Row]) -> dict[Row, list[Place]]:
    """For each row its own place, those of the nests that it is in, and that of its function."""
    outer = {(row.file, row.name): (row.file, row.outer) for row in rows if row.nest}
    found: dict[Row, list[Place]] = {}
    for row in rows:
        found[row] = [(row.file, row.name)]
        while found[row][-1] in outer:
            found[row].append(outer[found[row][-1]])
    return found


def shown(rows: Sequence[Row]) -> list[Row]:
    """The rows without those of nests in what is, or may be, lifted."""
    good = {(row.file, row.name) for row in rows if row.status.good}
    return [row for row, places in around(rows).items() if good.isdisjoint(places[1:])]


def order(row: Row) -> tuple[object, ...]:
    """Where a row stands: by status, those with loops first, then by place."""
    return list(Status).index(row.status), row.loops == 0, row.file, row.line, row.name

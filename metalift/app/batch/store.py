"""The results of a batch in one SQLite file: a finished one is never computed again, and never lost."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from metalift.result.errors import UsageError

NAME = "batch.sqlite"
AT_ONCE = 100  # results
COLUMNS = "key, label, target, verdict, ok, seconds, prover, reason"
_SELECT = f"select {COLUMNS}, %s, finished, speed from results left join speeds using (key)"
SCHEMA = """
create table if not exists results (
    key text primary key,      -- of all that the result depends on
    label text not null,
    target text not null,
    verdict text not null,
    ok integer not null,
    seconds real not null,     -- wall time of the lift, all targets of one run together
    prover real not null,
    reason text not null,
    result text not null,      -- the function's JSON, with this target only
    finished real not null
);
create table if not exists speeds (
    key text primary key,      -- of a result
    together text not null,    -- what it was measured with
    speed text not null        -- JSON
);
create table if not exists listed (
    key text primary key,      -- of a source file
    names text not null,       -- of its functions, a JSON list
    problem text not null      -- why they are not known
);
"""
RUNNING = """
create table if not exists running (  -- made anew by each run
    label text primary key,
    started real not null,
    stage text not null
)
"""
WANTED = """
create table if not exists wanted (  -- what the last run asked for, in its order; made anew by each
    position integer primary key,
    key text not null,
    label text not null,
    target text not null,
    suite text not null,
    name text not null,
    style text not null,
    path text not null,
    function text not null
)
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel for one target. `result` is the function's JSON object, empty where the lift did not come to one.

    `finished` is the time of the clock. `speed` is what `--measure` found of the kernel, as docs/benchmarks.md describes it.
    """

    key: str
    label: str
    target: str
    verdict: str
    ok: bool
    seconds: float
    prover: float
    reason: str
    result: Mapping[str, Any]
    finished: float = 0.0
    speed: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Running:
    """A kernel that is being lifted: for how many seconds, and in which stage."""

    label: str
    seconds: float
    stage: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run asks for: a kernel, where it lies, and the target."""

    key: str
    label: str
    target: str
    suite: str = ""
    name: str = ""
    style: str = ""
    path: str = ""
    function: str = ""


class Store:
    """An open store; methods may be called from several threads."""

    def __init__(self, folder: Path, *, create: bool = True) -> None:
        """Open the store of an output folder. Raises UsageError where it is not one."""
        path = folder / NAME
        if not create and not path.is_file():
            raise UsageError(f"{folder} is not the output folder of a batch: it has no {NAME}")
        try:
            self._connection = sqlite3.connect(path, timeout=30.0, check_same_thread=False, isolation_level=None)
            self._connection.execute("pragma journal_mode = wal")
            self._connection.execute("pragma synchronous = full")
            self._connection.executescript(f"{SCHEMA}{WANTED};{RUNNING}")
        except sqlite3.Error as problem:
            raise UsageError(f"{path} cannot be opened: {problem}; another folder can be named with --out") from problem
        self._lock = threading.Lock()

    def want(self, wanted: Iterable[Wanted]) -> None:
        """Note what a run asks for."""
        with self._lock:
            self._connection.execute("begin immediate")
            self._connection.execute("drop table if exists wanted")
            self._connection.execute(WANTED)
            self._connection.execute("drop table if exists running")
            self._connection.execute(RUNNING)
            values = [(position, *map(_utf8, astuple(one))) for position, one in enumerate(wanted)]
            self._connection.executemany("insert into wanted values (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            self._connection.execute("commit")

    def start(self, label: str) -> None:
        """Note that a kernel is being lifted."""
        with self._lock:
            self._connection.execute("insert or replace into running values (?, ?, '')", (label, time.time()))

    def enter(self, label: str, stage: str) -> None:
        """Note the stage that a kernel is in. It is worth nothing after a crash of the machine, so it is not waited for."""
        with self._lock:
            self._connection.execute("pragma synchronous = off")
            try:
                self._connection.execute("update running set stage = ? where label = ?", (stage, label))
            finally:
                self._connection.execute("pragma synchronous = full")

    def finish(self, label: str, rows: Iterable[Row]) -> None:
        """Keep what came of a kernel, all of it or nothing."""
        with self._lock:
            self._connection.execute("begin immediate")
            for row in rows:
                values = (*_columns(row), json.dumps(row.result, allow_nan=False), time.time())
                self._connection.execute("insert or replace into results values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            self._connection.execute("delete from running where label = ?", (label,))
            self._connection.execute("commit")

    def keep_listed(self, key: str, names: Sequence[str], problem: str) -> None:
        """Keep the functions of a source file, or why they are not known."""
        with self._lock:
            self._connection.execute("insert or replace into listed values (?, ?, ?)", (key, json.dumps(names), _utf8(problem)))

    def listed(self) -> dict[str, tuple[tuple[str, ...], str]]:
        """The functions of source files, and why they are not known, by their keys."""
        with self._lock, closing(self._connection.execute("select key, names, problem from listed")) as cursor:
            return {key: (tuple(json.loads(names)), problem) for key, names, problem in cursor}

    def measure(self, keys: Iterable[str], together: str, speed: Mapping[str, Any]) -> None:
        """Keep how fast the code of some results is; `together` says what it was measured with."""
        with self._lock:
            self._connection.execute("begin immediate")
            values = [(key, together, json.dumps(speed, allow_nan=False)) for key in keys]
            self._connection.executemany("insert or replace into speeds values (?, ?, ?)", values)
            self._connection.execute("commit")

    def measured(self, *, problems: bool) -> dict[str, str]:
        """What each result was measured with, by its key; also those of which that failed, if `problems`."""
        having = "" if problems else " where json_extract(speed, '$.problem') is null"
        with self._lock, closing(self._connection.execute(f"select key, together from speeds{having}")) as cursor:
            return dict(cursor)

    def some(self, keys: Sequence[str]) -> dict[str, Row]:
        """The finished results with these keys."""
        return self._some(keys, True)

    def known(self) -> dict[str, Row]:
        """The finished results, by their keys, without what the lifts found."""
        with self._lock, closing(self._connection.execute(_SELECT % "'{}'")) as cursor:
            return {values[0]: _row(values) for values in cursor}

    def wanted(self) -> list[Wanted]:
        """What the last run asked for."""
        with self._lock, closing(self._connection.execute("select * from wanted order by position")) as cursor:
            return [Wanted(*values) for _, *values in cursor]

    def each(self, *, results: bool) -> Iterator[tuple[Wanted, Row | None]]:
        """What the last run asked for, in its order, and what came of it; with empty results where those are not asked for.

        A few at a time, so all results of a large batch are never held at once.
        """
        wanted = self.wanted()
        for begin in range(0, len(wanted), AT_ONCE):
            part = wanted[begin : begin + AT_ONCE]
            found = self._some([one.key for one in part], results)
            yield from ((one, found.get(one.key)) for one in part)

    def _some(self, keys: Sequence[str], results: bool) -> dict[str, Row]:
        column = "result" if results else "'{}'"
        query = f"{_SELECT % column} where key in ({', '.join('?' * len(keys))})"
        with self._lock, closing(self._connection.execute(query, keys)) as cursor:
            return {values[0]: _row(values) for values in cursor}

    def running(self) -> list[Running]:
        """What is being lifted; where no batch runs, what was when one was killed."""
        query = "select label, started, stage from running order by started"
        with self._lock, closing(self._connection.execute(query)) as cursor:
            return [Running(label, time.time() - started, stage) for label, started, stage in cursor]

    def seconds(self) -> dict[str, float]:
        """How long each kernel took last."""
        with self._lock, closing(self._connection.execute("select label, seconds from results order by finished")) as cursor:
            return dict(cursor)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def _columns(row: Row) -> tuple[object, ...]:
    return row.key, row.label, row.target, row.verdict, int(row.ok), row.seconds, row.prover, _utf8(row.reason)


def _utf8(text: str) -> str:
    """A text as it can be kept: bytes of file names that are no UTF-8 are spelled out."""
    return text.encode(errors="backslashreplace").decode()


def _row(values: tuple[Any, ...]) -> Row:
    key, label, target, verdict, ok, seconds, prover, reason, result, finished, speed = values
    found, measured = json.loads(result), json.loads(speed) if speed else None
    return Row(key, label, target, verdict, bool(ok), seconds, prover, reason, found, finished, measured)

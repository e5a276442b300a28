"""Every call and what came back, in a SQLite file: what was answered once is not asked again."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

from metalift.llm.ask import Question
from metalift.llm.budget import Usage
from metalift.result.errors import UsageError
from metalift.system.files import user_cache

VERSION = 1  # of the table
PATIENCE = 30.0  # seconds for other processes to end their writing
_TABLE = """
create table calls (
    id integer primary key,
    time text not null,
    function text not null,
    attempt integer not null,
    model text not null,
    answer_tokens integer not null,
    sample integer not null,
    digest text not null,
    prompt text not null,
    answer text,
    failure text,
    tokens_in integer not null,
    tokens_out integer not null,
    cost real,
    seconds real not null
)"""

_VERDICTS = """
create table if not exists verdicts (
    function text not null,
    attempt integer not null,
    model text not null,
    digest text not null,
    accepted integer not null,
    primary key (digest, model, accepted)
)"""


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of an answer to the `attempt`-th question about a function."""

    function: str
    attempt: int
    model: str
    accepted: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for besides the prompt: the `sample`-th answer (from 0) of a model, of at most `answer_tokens`."""

    model: str
    answer_tokens: int
    sample: int


@dataclass(frozen=True, slots=True)
class Call:
    """One call as it is stored: either `answer` or `failure` is None. `cost` in US dollars, None where no price is known."""

    id: int
    time: str
    function: str
    attempt: int
    model: str
    answer_tokens: int
    sample: int
    prompt: str
    answer: str | None
    failure: str | None
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float


_COLUMNS = ", ".join(field.name for field in fields(Call))


def default_store() -> Path:
    """The store in the user's cache."""
    return user_cache() / "llm.sqlite"


def stored_calls(path: Path | None, number: int | None) -> tuple[Call, ...]:
    """The calls in a store, or the one with this number. Raises UsageError where there is no such file or call."""
    store = path or default_store()
    if not store.is_file():
        if path is not None:
            raise UsageError(f"{path}: no such file; calls are stored by --proposer llm")
        return ()
    calls = Store(store).log()
    chosen = tuple(call for call in calls if number in (None, call.id))
    if number is not None and not chosen:
        raise UsageError(f"no call {number} in {store}, which has {len(calls)}; metalift llm log lists them")
    return chosen


def stored_verdicts(path: Path | None) -> tuple[Judged, ...]:
    """What became of the answers in a store; nothing where there is none."""
    store = path or default_store()
    return Store(store).verdicts() if store.is_file() else ()


class Store:
    """The calls in one file, which several processes may use at once. All methods raise UsageError where it cannot be used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():  # prompts are the user's source: nobody else's to read
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            self._connection.execute("pragma journal_mode = wal")
            self._create()

    def close(self) -> None:
        """Finish; the file then is one file."""
        self._connection.close()

    def answered(self, question: Question, asked: Asked) -> Call | None:
        """The first stored answer to just this; None where there is none."""
        condition = "digest = ? and model = ? and answer_tokens = ? and sample = ? and answer is not null"
        values = (_digest(question.text), asked.model, asked.answer_tokens, asked.sample)
        return next(self._calls(f"where {condition} order by id limit 1", values), None)

    def answers(self, question: Question) -> tuple[Call, ...]:
        """All stored answers to a prompt, whatever model gave them, each text once, in the order they came."""
        calls = self._calls("where digest = ? and answer is not null order by id", (_digest(question.text),))
        return tuple({call.answer: call for call in reversed(tuple(calls))}.values())[::-1]

    def add_answer(self, question: Question, asked: Asked, answer: str, usage: Usage, seconds: float) -> None:
        """Store an answer."""
        self._add(question, asked, answer, None, usage, seconds)

    def add_failure(self, question: Question, asked: Asked, failure: str, usage: Usage, seconds: float) -> None:
        """Store that a call failed, for the log only."""
        self._add(question, asked, None, failure, usage, seconds)

    def add_verdict(self, question: Question, model: str, accepted: bool) -> None:
        """Store whether an answer was accepted: it is proved. The same is stored once."""
        row = (question.function, question.attempt, model, _digest(question.text), accepted)
        with self._explained():
            self._connection.execute("insert or ignore into verdicts values (?, ?, ?, ?, ?)", row)

    def verdicts(self) -> tuple[Judged, ...]:
        """What became of all answers."""
        with self._explained():
            rows = self._connection.execute("select function, attempt, model, accepted from verdicts order by rowid").fetchall()
        return tuple(Judged(function, attempt, model, bool(accepted)) for function, attempt, model, accepted in rows)

    def log(self) -> tuple[Call, ...]:
        """All calls, the oldest first."""
        return tuple(self._calls("order by id", ()))

    def _calls(self, condition: str, values: tuple[str | int, ...]) -> Iterator[Call]:
        """The calls that match."""
        with self._explained():
            rows = self._connection.execute(f"select {_COLUMNS} from calls {condition}", values).fetchall()
        return (Call(*row) for row in rows)

    def _add(
        self, question: Question, asked: Asked, answer: str | None, failure: str | None, usage: Usage, seconds: float
    ) -> None:
        """Store one call."""
        row = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "function": question.function,
            "attempt": question.attempt,
            "model": asked.model,
            "answer_tokens": asked.answer_tokens,
            "sample": asked.sample,
            "digest": _digest(question.text),
            "prompt": question.text,
            "answer": answer,
            "failure": failure,
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "cost": usage.cost,
            "seconds": round(seconds, 3),
        }
        marks = ", ".join(f":{name}" for name in row)
        with self._explained():
            self._connection.execute(f"insert into calls ({', '.join(row)}) values ({marks})", row)

    def _create(self) -> None:
        """Make the table, unless this or another process did."""
        self._connection.execute("begin immediate")
        (version,) = self._connection.execute("pragma user_version").fetchone()
        if version == 0:
            self._connection.execute(_TABLE)
            self._connection.execute("create index by_digest on calls (digest)")
            self._connection.execute(f"pragma user_version = {VERSION}")
        self._connection.execute(_VERDICTS)
        self._connection.execute("commit")
        if version not in (0, VERSION):
            raise UsageError(f"{self._path} was made by another version of metalift; name another file with --llm-store")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of files and of SQLite as messages for people."""
        try:
            yield
        except OSError as error:
            raise UsageError(f"{self._path} cannot be written: {error.strerror}; name another file with --llm-store") from error
        except sqlite3.Error as error:
            raise UsageError(f"{self._path} is not a usable store of calls ({error}); name another with --llm-store") from error


def _digest(prompt: str) -> str:
    """A prompt's content, as a name."""
    return hashlib.sha256(prompt.encode()).hexdigest()

"""The cache of facts: asked twice, proved once; an entry that is not exactly of the statement counts as none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from metalift.check import fact_store
from metalift.check.fact_store import Known, known_facts
from metalift.check.facts import Fact, facts_of
from metalift.driver import Driver, Elem, Vec
from metalift.prove.solver import Answer, SolverPool
from metalift.system.files import user_cache

dsl = Driver("kept")


@dsl.define
def squares(x: Vec[Elem]) -> Elem:
    return 0 if not x else x[0] * x[0] + squares(x[1:])


@dsl.define
def scaled(x: Vec[Elem], s: Elem) -> Vec[Elem]:
    return [] if not x else [x[0] * s, *scaled(x[1:], s)]


class Silent(SolverPool):
    """A pool that answers nothing and counts how often it is asked."""

    asked = 0

    def ask(self, smt: str, timeout: float, solver: str = "cvc5") -> Answer:
        self.asked += 1
        return Answer("unknown", "silent", 0.0)


WANTED: list[Fact] = [fact for operator in dsl.operators.values() for fact in facts_of(operator)]


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The entries of a cache in which all is proved."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("metalift.system.files.sys.platform", "linux")
    with SolverPool() as pool:
        assert all(one.proved and not one.cached for one in known_facts(WANTED, pool, 10.0))
    entries = sorted((user_cache() / "facts").iterdir())
    assert len(entries) == len(WANTED)
    return entries


def silently() -> tuple[list[Known], int]:
    pool = Silent(1)
    return known_facts(WANTED, pool, 10.0), pool.asked


def test_what_was_proved_is_not_asked_again(filled: list[Path]) -> None:
    known, asked = silently()
    assert asked == 0
    assert all(one.proved and one.cached for one in known)
    entry = json.loads(filled[0].read_text(encoding="utf-8"))
    assert entry["scripts"] and all("(check-sat)" in script for script in entry["scripts"])


SPOILED: dict[str, Callable[[Path, Path], object]] = {
    "empty": lambda entry, other: entry.write_text("", encoding="utf-8"),
    "half": lambda entry, other: entry.write_text(entry.read_text(encoding="utf-8")[:200], encoding="utf-8"),
    "another's": lambda entry, other: shutil.copy(other, entry),
    "no script": lambda entry, other: changed(entry, scripts=[]),
    "no verdict": lambda entry, other: changed(entry, verdict="PROVED"),
    "no object": lambda entry, other: entry.write_text("[1, 2]", encoding="utf-8"),
    "no text": lambda entry, other: entry.write_bytes(b"\xff\xfe\x00"),
    "nested": lambda entry, other: entry.write_text("[" * 100_000, encoding="utf-8"),
    "a folder": lambda entry, other: made_folder(entry),
}


def made_folder(entry: Path) -> None:
    entry.unlink()
    entry.mkdir()


def changed(entry: Path, **parts: object) -> None:
    data = json.loads(entry.read_text(encoding="utf-8"))
    entry.write_text(json.dumps({**data, **parts}), encoding="utf-8")


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_an_entry_that_is_not_of_the_statement_proves_nothing(spoil: Callable[[Path, Path], object], filled: list[Path]) -> None:
    for entry, other in zip(filled, [*filled[1:], filled[0]], strict=True):
        if not entry.is_dir():
            spoil(entry, other)
    known, asked = silently()
    assert asked
    assert sum(one.proved for one in known) <= (1 if spoil is SPOILED["another's"] else 0)  # the last copy is of a spoiled one


def test_another_version_proves_anew(filled: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_store, "_makers", lambda: ("metalift 0", "", "cvc5 0"))
    known, asked = silently()
    assert asked and not any(one.proved for one in known)


def test_what_was_not_proved_is_tried_again_with_more_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("metalift.system.files.sys.platform", "linux")
    pool = Silent(1)
    known_facts(WANTED, pool, 1.0)
    asked = pool.asked
    known_facts(WANTED, pool, 1.0)
    assert pool.asked == asked
    known_facts(WANTED, pool, 2.0)
    assert pool.asked > asked


def test_a_cache_that_cannot_be_written_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "metalift").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("metalift.system.files.sys.platform", "linux")
    with SolverPool() as pool:
        assert all(one.proved and not one.cached for one in known_facts(WANTED, pool, 10.0))

"""Prompts and answers as files."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metalift.llm import exchange
from metalift.llm.ask import NoAnswer, Question, Spent
from metalift.llm.exchange import ExchangeAsker, file_name
from metalift.llm.opening import LlmOptions, open_asker
from metalift.result.errors import UsageError
from tests.support.asking import outcome

FIRST, SECOND = Question("sum", 1, "first prompt"), Question("dot", 1, "second prompt")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short waits."""
    monkeypatch.setattr(exchange, "POLL", 0.02)
    monkeypatch.setattr(exchange, "SETTLED", 0.1)


def answer(folder: Path, name: str, text: str) -> Path:
    """An answer that was written a while ago."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.answer.md"
    path.write_text(text, encoding="utf-8")
    os.utime(path, (time.time() - 60, time.time() - 60))
    return path


def test_waits_for_the_whole_answer(tmp_path: Path) -> None:
    who = open_asker(f"exchange:{tmp_path / 'x'}", LlmOptions(exchange_seconds=20), tmp_path)

    def person() -> None:
        while not (prompt := tmp_path / "x" / "sum-1.prompt.md").exists():
            time.sleep(0.02)
        with (tmp_path / "x" / "sum-1.answer.md").open("w", encoding="utf-8") as file:
            for part in ("answer", " to ", prompt.read_text(encoding="utf-8")):
                file.write(part)
                file.flush()
                time.sleep(0.06)

    thread = threading.Thread(target=person)
    thread.start()
    (reply,) = who.ask(FIRST)
    thread.join()
    assert (reply.text, reply.model, reply.cost) == ("answer to first prompt", "exchange", 0.0)
    assert who.spent == Spent()


def test_an_answer_that_does_not_come_can_be_given_later(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    who = ExchangeAsker(tmp_path, 0.1, batch=False)
    found = outcome(who, FIRST)
    assert isinstance(found, NoAnswer) and "sum-1.answer.md, then run the same command again" in str(found)
    assert caplog.messages == [f"waiting for {tmp_path / 'sum-1.answer.md'}, the answer to sum-1.prompt.md"]
    answer(tmp_path, "sum-1", "late")
    assert who.ask(FIRST)[0].text == "late"
    assert ExchangeAsker(tmp_path, 0.1, batch=False).ask(FIRST)[0].text == "late"


def test_an_answer_to_another_prompt_is_kept_and_not_taken(tmp_path: Path) -> None:
    who = ExchangeAsker(tmp_path, 0.1, batch=False)
    outcome(who, FIRST)
    answer(tmp_path, "sum-1", "to the first")
    later = ExchangeAsker(tmp_path, 0.1, batch=False)
    assert isinstance(outcome(later, Question("sum", 1, "changed")), NoAnswer)
    assert (tmp_path / "sum-1.prompt.md").read_text(encoding="utf-8") == "changed"
    (kept,) = tmp_path.glob("sum-1.answer.to-*.md")
    assert kept.read_text(encoding="utf-8") == "to the first"


def test_a_batch_writes_all_prompts_first_and_takes_what_comes(tmp_path: Path) -> None:
    who = ExchangeAsker(tmp_path, 20, batch=True)
    assert isinstance(outcome(who, FIRST), NoAnswer) and isinstance(outcome(who, SECOND), NoAnswer)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dot-1.prompt.md", "sum-1.prompt.md"]
    thread = threading.Timer(0.2, answer, (tmp_path, "dot-1", "dot answered"))
    thread.start()
    assert who.more()
    assert isinstance(outcome(who, FIRST), NoAnswer) and who.ask(SECOND)[0].text == "dot answered"
    assert isinstance(outcome(who, Question("dot", 2, "again")), NoAnswer)
    answer(tmp_path, "sum-1", "sum answered")
    assert who.more() and who.ask(FIRST)[0].text == "sum answered"


def test_a_batch_ends_where_no_answer_comes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    who = ExchangeAsker(tmp_path, 0.1, batch=True)
    assert not who.more()
    outcome(who, FIRST)
    assert not who.more()
    assert caplog.messages == [f"waiting for an answer to one of 1 prompts in {tmp_path}"]
    answer(tmp_path, "sum-1", "late")
    assert ExchangeAsker(tmp_path, 0.1, batch=True).ask(FIRST)[0].text == "late"


def test_two_prompts_of_one_name_in_a_run_have_two_files(tmp_path: Path) -> None:
    answer(tmp_path, "sum-1", "for numpy")
    answer(tmp_path, "sum-1.2", "for pytorch")
    for who in (ExchangeAsker(tmp_path, 0.1, batch=False), ExchangeAsker(tmp_path, 0.1, batch=False)):
        for text, expected in (("numpy", "for numpy"), ("pytorch", "for pytorch"), ("numpy", "for numpy")):
            assert who.ask(Question("sum", 1, text))[0].text == expected


def test_answers_that_cannot_be_used(tmp_path: Path) -> None:
    who = ExchangeAsker(tmp_path, 0.3, batch=False)
    answer(tmp_path, "sum-1", "x" * 1_000_001)
    assert "more than 1,000,000 bytes" in str(outcome(who, FIRST))
    path = answer(tmp_path, "sum-1", "")
    assert "no answer to" in str(outcome(who, FIRST))
    path.write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in str(outcome(who, FIRST))
    path.unlink()
    os.mkfifo(path)
    assert "no answer to" in str(outcome(who, FIRST))


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        ExchangeAsker(tmp_path / "file", 1, batch=False).ask(FIRST)
    with pytest.raises(UsageError, match="cannot be written"):
        ExchangeAsker(tmp_path / "file" / "below", 1, batch=True).ask(FIRST)


def test_names_of_kernels_as_names_of_files() -> None:
    assert file_name("dot_product2") == "dot_product2"
    for name in ("../../etc/passwd", "operator()", "a::b", "f<int>", "", "ö", "\0", "x" * 300, "\udcff"):
        found = file_name(name)
        assert found.isascii() and "/" not in found and not found.startswith(".") and len(found) < 100
    assert len({file_name(name) for name in ("a b", "a_b", "a.b", "a/b")}) == 4


@settings(max_examples=40)
@given(st.lists(st.text(max_size=20), unique=True, max_size=4))
def test_different_kernels_have_different_files(names: list[str]) -> None:
    assert len({file_name(name) for name in names}) == len(names)

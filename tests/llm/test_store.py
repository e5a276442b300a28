"""The store of calls: nothing is asked twice, replay asks nobody, the log tells it all, processes share it."""

from __future__ import annotations

import json
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from metalift.cli import main
from metalift.llm.ask import NoAnswer, Question, Spent
from metalift.llm.budget import Limits
from metalift.llm.opening import LlmOptions, open_asker
from metalift.llm.store import Store
from metalift.result.errors import UsageError
from tests.support.asking import PROTOCOLS, QUESTION, asker, outcome
from tests.support.commands import metalift
from tests.support.llm_server import Status, llm_server


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_run_after_asks_nothing(protocol: str, tmp_path: Path) -> None:
    with llm_server("one", "two", "three") as server:
        options = LlmOptions(samples=2)
        first = asker(tmp_path, server.model(protocol), options=options).ask(QUESTION)
        who = asker(tmp_path, server.model(protocol), options=options)
        again = who.ask(Question("another name", 7, QUESTION.text))
        assert len(server.received) == 2
        assert [reply.text for reply in again] == [reply.text for reply in first]
        assert all(reply.cached and reply.cost == 0.0 and reply.tokens_in == 100 for reply in again)
        assert who.spent == Spent()
        more = asker(tmp_path, server.model(protocol), options=LlmOptions(samples=3)).ask(QUESTION)
        assert len(server.received) == 3 and [reply.cached for reply in more] == [True, True, False]


def test_another_question_model_server_or_length_is_asked(tmp_path: Path) -> None:
    with llm_server("yes") as server, llm_server("no") as other:
        asker(tmp_path, server.model("openai")).ask(QUESTION)
        for who, question in (
            (asker(tmp_path, server.model("openai")), Question("kernel", 1, QUESTION.text + " ")),
            (asker(tmp_path, server.model("openai", "larger")), QUESTION),
            (asker(tmp_path, other.model("openai")), QUESTION),
            (asker(tmp_path, server.model("openai"), options=LlmOptions(answer_tokens=15_999)), QUESTION),
        ):
            assert not who.ask(question)[0].cached
    assert len(server.received) == 4 and len(other.received) == 1


def test_a_failed_call_is_asked_again(tmp_path: Path) -> None:
    with llm_server(Status(400), "", "x" * 3_000_000, "right") as server:
        for _ in range(3):
            assert isinstance(outcome(asker(tmp_path, server.model("anthropic"))), NoAnswer)
        assert asker(tmp_path, server.model("anthropic")).ask(QUESTION)[0].text == "right"
    assert len(server.received) == 4


def test_stored_answers_need_no_budget(tmp_path: Path) -> None:
    with llm_server("yes") as server:
        asker(tmp_path, server.model("google")).ask(QUESTION)
        none = LlmOptions(limits=Limits(calls=0, tokens=0))
        assert asker(tmp_path, server.model("google"), options=none).ask(QUESTION)[0].text == "yes"


def test_replay_answers_without_key_or_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with llm_server("one", "two", "one") as server, llm_server("other") as second:
        models = (server.model("openai"), second.model("google"))
        for model in models:
            asker(tmp_path, model, options=LlmOptions(samples=3)).ask(QUESTION)
    monkeypatch.delenv("METALIFT_API_KEY")
    store = tmp_path / "llm.sqlite"
    who = open_asker("replay", LlmOptions(store=store), tmp_path)
    assert {reply.text for reply in who.ask(QUESTION)} == {"one", "two", "other"} and len(who.ask(QUESTION)) == 3
    only = open_asker("replay", LlmOptions(store=store, models=(models[1],)), tmp_path)
    assert [reply.text for reply in only.ask(QUESTION)] == ["other"]
    found = outcome(who, Question("kernel", 2, "What else?"))
    assert isinstance(found, NoAnswer) and "--proposer llm asks a model" in str(found)
    assert who.spent == Spent()


def test_replay_makes_no_store(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no answers were recorded there"):
        open_asker("replay", LlmOptions(store=tmp_path / "no.sqlite"), tmp_path)
    assert not (tmp_path / "no.sqlite").exists()


def test_the_store_is_its_owners_alone(tmp_path: Path) -> None:
    Store(tmp_path / "new" / "llm.sqlite").close()
    assert stat.S_IMODE((tmp_path / "new" / "llm.sqlite").stat().st_mode) == 0o600


def test_what_is_no_store_is_told_and_left_alone(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.sqlite"
    text.write_text("not a database, but a text that is long enough to be seen as none" * 20, encoding="utf-8")
    with sqlite3.connect(other) as database:
        database.execute("pragma user_version = 99")
    for path, words in ((text, "not a usable store"), (other, "another version"), (tmp_path, "not a usable store")):
        with pytest.raises(UsageError, match=words):
            Store(path)
    assert text.read_text(encoding="utf-8").startswith("not a database")


PROCESS = """
import sys
from pathlib import Path
from metalift.llm.ask import Question
from metalift.llm.budget import Usage
from metalift.llm.store import Asked, Store
store, name = Store(Path(sys.argv[1])), sys.argv[2]
for number in range(50):
    question, asked = Question(name, number, f"{name} {number % 10}"), Asked("openai:m", 10, 0)
    store.add_answer(question, asked, f"answer to {question.text}", Usage(1, 2, 0.5), 0.1)
    assert store.answered(question, asked).answer == f"answer to {question.text}"
"""


def test_processes_share_a_store(tmp_path: Path) -> None:
    store = tmp_path / "llm.sqlite"
    running = [[sys.executable, "-c", PROCESS, str(store), name] for name in "abcd"]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda one: subprocess.run(one, capture_output=True, text=True, timeout=60, check=False), running))
    assert [one.returncode for one in done] == [0] * 4, done
    calls = Store(store).log()
    assert len(calls) == 200 and {call.function for call in calls} == set("abcd")


def test_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with llm_server(Status(400, "bad \x1b[2J request"), "an \x1b[2J answer") as server:
        model = server.model("anthropic")
        outcome(asker(tmp_path, model))
        asker(tmp_path, model).ask(QUESTION)
    store = str(tmp_path / "llm.sqlite")
    assert main(["llm", "log", "--llm-store", store]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["call", "time", "function", "attempt", "model", "in", "out", "cost", "seconds", "result"]
    assert lines[1].endswith("the server answers with status 400: bad [2J request") and lines[2].endswith("answered")
    assert lines[-1] == f"{model}: 2 calls, 1 failed; 100 tokens in, 20 out; ?"
    assert main(["llm", "log", "--llm-store", store, "--json"]) == 0
    failed, answered = json.loads(capsys.readouterr().out)
    assert (answered["prompt"], answered["answer"], answered["failure"]) == (QUESTION.text, "an \x1b[2J answer", None)
    assert (answered["model"], answered["tokens_in"], answered["cost"]) == (model, 100, None)
    assert failed["answer"] is None and "status 400" in failed["failure"]
    assert main(["llm", "log", "2", "--llm-store", store]) == 0
    shown = capsys.readouterr().out
    assert QUESTION.text in shown and "an \ufffd[2J answer" in shown and "\x1b" not in shown
    assert main(["llm", "log", "3", "--llm-store", store]) == 2
    assert "no call 3" in capsys.readouterr().err


def test_log_on_the_command_line(tmp_path: Path) -> None:
    assert metalift("llm", "log").output == "no model was asked yet\n"
    missing = metalift("llm", "log", "--llm-store", tmp_path / "none")
    assert missing.status == 2 and "no such file" in missing.errors
    nothing = metalift("llm")
    assert nothing.status == 2 and "ACTION" in nothing.errors

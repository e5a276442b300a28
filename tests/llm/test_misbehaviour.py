"""The three clients and a server that misbehaves: an answer or a clear message, within the budget, and nothing is executed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from metalift.llm import remote
from metalift.llm.ask import NoAnswer, OutOfBudget, Question
from metalift.llm.budget import Limits
from metalift.llm.opening import LlmOptions
from metalift.llm.remote import TRIES
from tests.support.asking import PROTOCOLS, QUESTION, asker, outcome
from tests.support.llm_server import KEY, Cut, Drip, Echo, EchoKey, Raw, Slow, Status, Step, Text, llm_server

GOOD = "the sum of x"
OWN_BODIES = (
    b'{"choices": [null], "content": [null], "candidates": [null]}',
    b'{"choices": 7, "content": 7, "candidates": 7}',
    b'{"choices": [{"message": {"content": 7}}], "content": [{"type": "text", "text": 7}],'
    b' "candidates": [{"content": {"parts": [{"text": 7}]}}]}',
)


@dataclass(frozen=True, slots=True)
class Recovers:
    """A misbehaviour after which the same question is asked again, `calls` times in all, and answered. `hint`: it says when."""

    name: str
    script: tuple[Step, ...]
    calls: int = 2
    hint: bool = False


@dataclass(frozen=True, slots=True)
class Fails:
    """A misbehaviour that ends the question after `calls` calls, with a message that has these words."""

    name: str
    step: Step
    words: str
    calls: int = 1


RECOVERS = (
    Recovers("429", (Status(429), GOOD)),
    Recovers("429 with a header in seconds", (Status(429, headers=(("Retry-After", "0.1"),)), GOOD), hint=True),
    Recovers("429 with a header in milliseconds", (Status(429, headers=(("Retry-After-Ms", "100"),)), GOOD), hint=True),
    Recovers("429 with a date", (Status(429, headers=(("Retry-After", "Mon, 01 Jan 2024 00:00:00 GMT"),)), GOOD), hint=True),
    Recovers("429 with a hint in the body", (Status(429, retry_delay="0.1s"), GOOD), hint=True),
    Recovers("429 with a hint in words", (Status(429, "Please try again in 100ms."), GOOD), hint=True),
    Recovers("429 with a hint that is none", (Status(429, headers=(("Retry-After", "soon"),)), GOOD)),
    Recovers("500, then overloaded", (Status(500), Status(529), GOOD), calls=3),
    Recovers("nothing in time", (Slow(5), GOOD)),
    Recovers("a byte at a time", (Drip("body"), GOOD)),
    Recovers("a byte of the header at a time", (Drip("header"), GOOD)),
    Recovers("cut before the answer", (Cut(), GOOD)),
    Recovers("cut in the answer", (Cut(after=60), GOOD)),
)
WAITS = ("nothing in time", "a byte at a time", "a byte of the header at a time")  # which take as long as a call may
FAILS = (
    Fails("500 for ever", Status(500, "out of order"), f"status 500: out of order, {TRIES} times", calls=TRIES),
    Fails("429 until tomorrow", Status(429, headers=(("Retry-After", "86400"),)), "asked again in 86,400 s"),
    Fails("no money", Status(429, "You exceeded your quota", code="insufficient_quota"), "status 429: You exceeded your quota"),
    Fails("the server says not to", Status(500, headers=(("X-Should-Retry", "false"),)), "status 500"),
    Fails("wrong key", Status(401, "wrong key {key}"), "refuses the key (status 401): wrong key [key]"),
    Fails("unknown model", Status(404, "no \x1b[31mmodel\n of that name"), "status 404: no [31mmodel of that name"),
    Fails("a long message", Status(400, "very " * 5000 + "long"), "status 400: very very"),
    Fails("redirect", Status(302, headers=(("Location", "http://127.0.0.1:1/"),)), "sends elsewhere"),
    Fails("empty", "", "the answer is empty (ended by"),
    Fails("only space", " \n ", "the answer is empty"),
    Fails("only reasoning", Text("", stopped="length"), "spent on reasoning; --answer-tokens gives more"),
    Fails("10 MB", "x" * 10_000_000, "more than 2,000,000 bytes"),
    Fails("10 MB that are no JSON", Raw(b"x" * 10_000_000), "more than 2,000,000 bytes"),
    Fails("compressed", Raw(b"x" * 10, headers=(("Content-Encoding", "gzip"),)), "compressed"),
    Fails("a web page", Raw(b"<html>hello</html>", "text/html"), "not what the protocol says"),
    Fails("not JSON", Raw(b"{'choices':"), "not what the protocol says"),
    Fails("deep JSON", Raw(b"[" * 100_000), "not what the protocol says"),
    *(
        Fails(f"JSON of another form: {body.decode()}", Raw(body), "not what the protocol says")
        for body in (b"{}", b"[]", b"null")
    ),
)


@pytest.fixture
def options(request: pytest.FixtureRequest) -> LlmOptions:
    """Calls that no load makes time out; those that wait for it are given up soon."""
    case = request.node.callspec.params.get("case")
    waits = isinstance(case, Recovers) and case.name in WAITS
    return LlmOptions(call_seconds=2 if waits else 60, limits=Limits(calls=TRIES))


@pytest.mark.quick(
    *(f"{case.name}-{protocol}" for case in RECOVERS for protocol in PROTOCOLS if case.name not in WAITS),
    *(f"{name}-openai" for name in WAITS),
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("case", RECOVERS, ids=lambda case: case.name)
def test_asks_again_where_that_helps(
    case: Recovers, protocol: str, options: LlmOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if case.hint:  # else it would never end
        monkeypatch.setattr(remote, "FIRST_WAIT", 1e6)
    with llm_server(*case.script) as server:
        who = asker(tmp_path, server.model(protocol), options=options)
        (reply,) = who.ask(QUESTION)
    assert (reply.text, reply.tokens_in, reply.tokens_out, reply.cached) == (GOOD, 100, 20, False)
    assert server.prompts == [QUESTION.text] * case.calls
    assert who.spent.calls == case.calls


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("case", FAILS, ids=lambda case: case.name)
def test_says_why_there_is_no_answer(case: Fails, protocol: str, options: LlmOptions, tmp_path: Path) -> None:
    with llm_server(case.step) as server:
        found = outcome(asker(tmp_path, server.model(protocol), options=options))
    assert isinstance(found, NoAnswer) and case.words in str(found), found
    assert server.model(protocol) in str(found) and KEY not in str(found) and str(found).isprintable() and len(str(found)) < 600
    assert len(server.received) == case.calls


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("body", OWN_BODIES)
def test_parts_of_the_wrong_type_are_no_answer(body: bytes, protocol: str, options: LlmOptions, tmp_path: Path) -> None:
    with llm_server(Raw(body)) as server:
        assert isinstance(outcome(asker(tmp_path, server.model(protocol), options=options)), NoAnswer)
    assert len(server.received) == 1


TEXTS = (
    "I'm sorry, but I can't help with that.",
    "```python\nimport os\nos.system('touch executed')\n__import__('pathlib').Path('executed').touch()\n```",
    "half a pair: \ud800, a zero \0, and \x1b[2J",
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_an_answer_and_nothing_is_executed(text: str, protocol: str, options: LlmOptions, tmp_path: Path) -> None:
    with llm_server(text) as server:
        (reply,) = asker(tmp_path, server.model(protocol), options=options).ask(QUESTION)
    assert reply.text == text.replace("\ud800", "?")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_prompt_echoed_is_an_answer(protocol: str, options: LlmOptions, tmp_path: Path) -> None:
    with llm_server(Echo()) as server:
        (reply,) = asker(tmp_path, server.model(protocol), options=options).ask(QUESTION)
    assert reply.text == QUESTION.text


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_key_that_comes_back_is_hidden(protocol: str, options: LlmOptions, tmp_path: Path) -> None:
    with llm_server(EchoKey()) as server:
        (reply,) = asker(tmp_path, server.model(protocol), options=options).ask(QUESTION)
    assert reply.text == "your key is [key]"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_source_that_is_not_utf_8_is_asked_about(protocol: str, options: LlmOptions, tmp_path: Path) -> None:
    with llm_server(Echo()) as server:
        (reply,) = asker(tmp_path, server.model(protocol), options=options).ask(Question("f", 1, "a byte: \udcff"))
    assert reply.text == "a byte: ?"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nobody_listens(protocol: str, options: LlmOptions, tmp_path: Path) -> None:
    with llm_server("nothing") as server:
        model = server.model(protocol)
    found = outcome(asker(tmp_path, model, options=options))
    assert isinstance(found, NoAnswer) and f"no connection to the server, {TRIES} times" in str(found)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("step", [Status(429), Status(500), Slow(5), Cut(), Cut(after=60)], ids=str)
def test_asking_again_ends_with_the_budget(step: Step, protocol: str, tmp_path: Path) -> None:
    options = LlmOptions(call_seconds=1.0 if isinstance(step, Slow) else 30.0, limits=Limits(calls=2))
    with llm_server(step) as server:
        found = outcome(asker(tmp_path, server.model(protocol), options=options))
    assert isinstance(found, OutOfBudget)
    assert "the budget of 2 calls is spent; --max-calls gives more; before that, " in str(found)
    assert len(server.received) == 2

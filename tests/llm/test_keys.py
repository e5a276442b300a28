"""Keys: where they come from, to whom they go, and that they are nowhere else."""

from __future__ import annotations

import logging
import sys
import traceback
from pathlib import Path

import pytest

from metalift.llm import endpoints
from metalift.llm.ask import NoAnswer
from metalift.llm.keys import read_environment
from metalift.llm.opening import LlmOptions, can_ask, open_asker
from metalift.result.errors import MetaliftError, UsageError
from tests.support.asking import PROTOCOLS, QUESTION, asker, outcome
from tests.support.commands import metalift, metalift_process
from tests.support.llm_server import KEY, Cut, EchoKey, LlmServer, Raw, Slow, Status, llm_server

OFFICIAL = "sk-official-9876543210fedcba"
SERVERS = {"anthropic": "ANTHROPIC_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL", "openai": "OPENAI_BASE_URL"}
KEYS = (
    ("anthropic", "ANTHROPIC_API_KEY", "authorization", f"Bearer {OFFICIAL}"),  # what its client makes of an API key
    ("anthropic", "ANTHROPIC_AUTH_TOKEN", "authorization", f"Bearer {OFFICIAL}"),
    ("google", "GEMINI_API_KEY", "x-goog-api-key", OFFICIAL),
    ("google", "GOOGLE_API_KEY", "x-goog-api-key", OFFICIAL),
    ("openai", "OPENAI_API_KEY", "authorization", f"Bearer {OFFICIAL}"),
)
HEADERS = ("x-api-key", "authorization", "x-goog-api-key")


def sent(server: LlmServer) -> dict[str, str]:
    """The headers with keys of the last request."""
    return {name: server.received[-1].headers[name] for name in HEADERS if name in server.received[-1].headers}


def base(server: LlmServer, protocol: str) -> str:
    """The address as a provider's own variable has it."""
    return server.model(protocol).partition("@")[2]


@pytest.mark.parametrize("dot_env", [False, True], ids=["environment", ".env"])
@pytest.mark.parametrize(("protocol", "variable", "header", "value"), KEYS)
def test_a_providers_key_goes_to_its_server(
    protocol: str, variable: str, header: str, value: str, dot_env: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with llm_server("yes") as server:
        variables = {variable: OFFICIAL, SERVERS[protocol]: base(server, protocol)}
        if dot_env:
            lines = (f"export {name}='{text}'  # of mine" for name, text in variables.items())
            (tmp_path / ".env").write_text("# keys\n\n" + "\n".join(lines), encoding="utf-8")
        else:
            for name, text in variables.items():
                monkeypatch.setenv(name, text)
        assert can_ask(tmp_path)
        assert asker(tmp_path, f"{protocol}:test").ask(QUESTION)[0].model == server.model(protocol)
    assert sent(server) == {header: value}


def test_the_client_of_anthropic_can_send_either_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers between may want the one that the client does not send by itself."""
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", f"X-Api-Key: {KEY}")
    with llm_server("yes") as server:
        assert asker(tmp_path, server.model("anthropic")).ask(QUESTION)[0].text == "yes"
    assert sent(server) == {"x-api-key": KEY, "authorization": f"Bearer {KEY}"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_that_is_named_gets_no_providers_key(protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _, variable, _, _ in KEYS:
        monkeypatch.setenv(variable, OFFICIAL)
    for own, expected in ((KEY, KEY), (None, "none")):
        if own is None:
            monkeypatch.delenv("METALIFT_API_KEY")
        with llm_server("yes") as server:
            asker(tmp_path, server.model(protocol)).ask(QUESTION)
        assert [value.removeprefix("Bearer ") for value in sent(server).values()] == [expected]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_key_is_carried_by_a_redirect(protocol: str, tmp_path: Path) -> None:
    with llm_server("yes") as other, llm_server(Status(307, headers=(("Location", other.url),))) as server:
        assert isinstance(outcome(asker(tmp_path, server.model(protocol))), NoAnswer)
    assert not other.received


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "step",
    ["yes", EchoKey(), Status(401, "wrong key: {key}"), Status(500, "{key}"), Raw(b"{}"), Cut(), Slow(1), "x" * 3_000_000],
    ids=lambda step: type(step).__name__,
)
def test_keys_are_nowhere(
    step: str | EchoKey | Status | Raw | Cut | Slow,
    protocol: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Not in what is logged at any level, printed, raised, shown by repr, or written."""
    shown = []
    with caplog.at_level(logging.DEBUG), llm_server(step) as server:
        who = asker(tmp_path, server.model(protocol), options=LlmOptions(call_seconds=0.2))
        try:
            shown.append(repr(who.ask(QUESTION)))
        except NoAnswer:
            shown.append(traceback.format_exc())
        shown += [repr(who), repr(read_environment(tmp_path))]
    assert server.received[0].key == KEY
    captured = capfd.readouterr()
    shown += [captured.out, captured.err, caplog.text]
    assert all(KEY not in text for text in shown)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written and all(KEY.encode() not in path.read_bytes() for path in written)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_key(protocol: str, tmp_path: Path) -> None:
    variables = " or ".join(variable for name, variable, _, _ in KEYS if name == protocol)
    with pytest.raises(UsageError, match=f"no key for {protocol}:m: set {variables} in the environment or in a file .env"):
        asker(tmp_path, f"{protocol}:m")
    assert not can_ask(tmp_path)
    with pytest.raises(UsageError, match="no model to ask: set a provider's key"):
        open_asker("llm", LlmOptions(), tmp_path)


@pytest.mark.parametrize("value", ["sk one two", "sk-ä0123456", "sk-\x1b[2J", "sk-1\nX-Header: 2"])
def test_a_key_that_can_be_none_is_not_sent_and_not_shown(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(UsageError) as caught:
        asker(tmp_path, "openai:m")
    assert "OPENAI_API_KEY is not a key" in str(caught.value) and value not in str(caught.value)


def test_the_environment_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text('A="1"\nB = two # comment\nC=a#b\nexport D=\nE="x # y"\n', encoding="utf-8")
    monkeypatch.setenv("A", "3")
    found = read_environment(tmp_path)
    assert [found.get(name) for name in "ABCDE"] == ["3", "two", "a#b", None, "x # y"]


def test_what_else_is_in_the_file_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"-----BEGIN\nOPENAI_API_KEY=sk-0123456\n\xff \0\n= 3\n$(touch executed)")
    assert read_environment(tmp_path).get("OPENAI_API_KEY") == "sk-0123456"
    assert can_ask(tmp_path) and not (tmp_path / "executed").exists()


@pytest.mark.parametrize(("protocol", "client"), [("anthropic", "anthropic"), ("google", "google.genai"), ("openai", "openai")])
def test_a_client_that_is_not_installed(protocol: str, client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, client, None)
    monkeypatch.delitem(sys.modules, f"metalift.llm.providers.{protocol}", raising=False)
    with pytest.raises(MetaliftError, match=rf"pip install 'metalift\[llm-{protocol}\]'"):
        asker(tmp_path, f"{protocol}:m@http://127.0.0.1:1")


def test_a_key_without_its_client_asks_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OFFICIAL)
    assert can_ask(tmp_path)
    monkeypatch.setattr(endpoints, "find_spec", lambda name: None)
    assert not can_ask(tmp_path)


def test_a_lift_shows_and_writes_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a key in .env, the clients' own logging switched on, and a server that sends the key back to all three."""
    monkeypatch.delenv("METALIFT_API_KEY")
    for name in ("OPENAI_LOG", "ANTHROPIC_LOG"):
        monkeypatch.setenv(name, "debug")
    (tmp_path / ".env").write_text(f"METALIFT_API_KEY={OFFICIAL}\n", encoding="utf-8")
    (tmp_path / "kernel.c").write_text("void f(int *y, int n) { for (int i = 0; i < n; i++) y[i] = 0; }\n", encoding="utf-8")
    with llm_server(EchoKey(), EchoKey(), EchoKey(), Status(401, "wrong: {key}")) as server:
        models = [word for protocol in PROTOCOLS for word in ("--model", server.model(protocol))]
        options = ("--proposer", "llm", *models, "--llm-store", "calls", "--dump-dir", "dump")
        done = metalift_process("lift", "kernel.c", *options, cwd=tmp_path)
        log = metalift("llm", "log", "--llm-store", "calls", "--json", cwd=tmp_path)
    assert len(server.received) == 6 and {request.key for request in server.received} == {OFFICIAL}
    assert done.status == 1
    assert all(f"{server.model(one)}: the server refuses the key (status 401): wrong: [key]" in done.output for one in PROTOCOLS)
    assert "your key is [key]" in log.output
    assert all(OFFICIAL not in text for text in (done.output, done.errors, log.output))
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != ".env"]
    assert len(written) > 3 and all(OFFICIAL.encode() not in path.read_bytes() for path in written)

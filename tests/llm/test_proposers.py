"""Who proposes, from what is said and what is set."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.app.proposers import open_proposer
from metalift.llm.exchange import ExchangeAsker
from metalift.llm.opening import LlmOptions
from metalift.llm.remote import RemoteAsker
from metalift.result.errors import UsageError

NAMED = LlmOptions(models=("openai:m@http://127.0.0.1:1/v1",))
KEY = "sk-0123456789"


@pytest.mark.parametrize(
    ("wanted", "options", "key", "search", "asker"),
    [
        (None, LlmOptions(), None, True, None),
        (None, LlmOptions(), KEY, True, RemoteAsker),
        (None, NAMED, None, True, RemoteAsker),
        ("search", LlmOptions(), KEY, True, None),
        ("search", NAMED, KEY, True, None),
        ("llm", NAMED, None, False, RemoteAsker),
        ("search, llm", LlmOptions(), KEY, True, RemoteAsker),
        ("search,exchange:x", LlmOptions(), None, True, ExchangeAsker),
        ("exchange:x", LlmOptions(), KEY, False, ExchangeAsker),
    ],
)
def test_who_proposes(
    wanted: str | None,
    options: LlmOptions,
    key: str | None,
    search: bool,
    asker: type | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if key is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    found = open_proposer(wanted, options, tmp_path)
    assert found.search is search
    assert found.asker is None if asker is None else isinstance(found.asker, asker)


@pytest.mark.parametrize("wanted", ["", "llm,search", "search,search", "llm,replay", "search,", "model"])
def test_what_is_no_proposer(wanted: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="search, one of llm, replay and exchange:DIR|answers no prompts"):
        open_proposer(wanted, LlmOptions(), tmp_path)


@pytest.mark.parametrize(
    ("variable", "value"), [("OPENAI_API_KEY", "not a key"), ("OPENAI_BASE_URL", "nowhere"), ("XDG_CACHE_HOME", "")]
)
def test_what_is_set_wrongly_keeps_nobody_from_searching(
    variable: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A key that is none, an address that is none, a cache that cannot be written: an error only where a model was asked for."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv(variable, value or str(tmp_path / "file"))
    found = open_proposer(None, LlmOptions(), tmp_path)
    assert (found.search, found.asker) == (True, None)
    assert caplog.messages[0].startswith("no model is asked: ") and len(caplog.messages) == 1
    with pytest.raises(UsageError):
        open_proposer("search,llm", LlmOptions(), tmp_path)

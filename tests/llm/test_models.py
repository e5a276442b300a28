"""Names of models, their prices, and whoever answers for a proposer."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.llm.budget import Limits
from metalift.llm.models import ModelName, parse_model, read_catalogue
from metalift.llm.opening import LlmOptions, open_asker
from metalift.result.errors import UsageError
from tests.support.asking import QUESTION, asker
from tests.support.llm_server import llm_server


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("openai:gpt-5", ModelName("openai", "gpt-5")),
        ("openai:qwen3:8b@http://localhost:11434/v1/", ModelName("openai", "qwen3:8b", "http://localhost:11434/v1")),
        ("openai:org/model@https://host/v1", ModelName("openai", "org/model", "https://host/v1")),
        ("anthropic:claude-x@http://[::1]:80", ModelName("anthropic", "claude-x", "http://[::1]:80")),
    ],
)
def test_names(text: str, model: ModelName) -> None:
    assert parse_model(text) == model == parse_model(str(model))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gpt-5", "names no model"),
        ("", "names no model"),
        ("openai:", "names no model"),
        ("openai:two words", "names no model"),
        ("mistral:large", "'mistral' is not a provider of models"),
        ("openai:m@ftp://host", "names no model"),
        ("openai:m@http://", "names no model"),
        ("openai:m@http://host:99999/v1", "not the address of a server"),
        ("openai:m@http://me:secret@host/v1", "more than host, port and path; a key goes into METALIFT_API_KEY"),
        ("openai:m@http://host/v1?key=secret", "more than host, port and path"),
        ("m@http://me:secret@host/v1", "names no model"),
    ],
)
def test_what_names_no_model(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        parse_model(text)
    assert "secret" not in str(caught.value)


def test_prices() -> None:
    catalogue = read_catalogue(None)
    sonnet = catalogue.price(parse_model("anthropic:claude-sonnet-4-5"))
    assert sonnet is not None and sonnet.cost(1_000_000, 100_000) == sonnet.input + sonnet.output / 10
    assert catalogue.price(parse_model("anthropic:claude-sonnet-4-5-20250929")) == sonnet
    assert catalogue.price(parse_model("openai:gpt-5-pro")) is None
    assert catalogue.price(parse_model("openai:gpt-5@http://localhost:1/v1")) is None
    for provider, name in catalogue.default.items():
        assert catalogue.price(ModelName(provider, name)) is not None


def test_a_users_prices_go_first(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('[price]\n"openai:gpt-5" = { input = 1, output = 2.5 }\n[default]\nopenai = "mine"\n', encoding="utf-8")
    catalogue = read_catalogue(path)
    price = catalogue.price(parse_model("openai:gpt-5"))
    assert price is not None and (price.input, price.output) == (1, 2.5)
    assert catalogue.price(parse_model("openai:gpt-5-mini")) is not None
    assert catalogue.default["openai"] == "mine" and "anthropic" in catalogue.default


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("price = 3", "are tables"),
        ("[prices]", "'prices' is not known"),
        ("[price", "is not a TOML file"),
        ('[price]\n"gpt" = { input = 1, output = 1 }', "names no model"),
        ('[price]\n"openai:m" = { input = 1 }', "`input` and `output`"),
        ('[price]\n"openai:m" = { input = -1, output = 1 }', "`input` and `output`"),
        ('[price]\n"openai:m" = { input = nan, output = 1 }', "`input` and `output`"),
        ('[price]\n"openai:m" = { input = true, output = 1 }', "`input` and `output`"),
        ("[default]\nmistral = 'x'", "found 'mistral'"),
    ],
)
def test_prices_of_the_wrong_form(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=words):
        read_catalogue(path)
    with pytest.raises(UsageError, match="no.toml cannot be read"):
        read_catalogue(tmp_path / "no.toml")


def test_a_limit_on_money_needs_a_price(tmp_path: Path) -> None:
    with llm_server("yes") as server:
        model = server.model("openai")
        with pytest.raises(UsageError, match=f'--max-cost needs the price of {model}.*--prices.*"{model}"'):
            asker(tmp_path, model, options=LlmOptions(limits=Limits(cost=1.0)))
    assert not server.received


@pytest.mark.parametrize("proposer", ["", "gpt", "exchange", "exchange:", "search"])
def test_who_answers_no_prompts(proposer: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="answers no prompts; there are: llm, replay, exchange:DIR"):
        open_asker(proposer, LlmOptions(), tmp_path)


def test_the_first_provider_with_a_key_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with llm_server("yes") as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        (reply,) = asker(tmp_path).ask(QUESTION)
    assert server.received[0].body["model"] == read_catalogue(None).default["openai"]
    assert reply.model == server.model("openai", read_catalogue(None).default["openai"])

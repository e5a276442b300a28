"""Whoever is to be asked, made from options. Most lifts ask nobody, so the ways of asking are imported where one is opened."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metalift.llm.ask import Asker
from metalift.llm.budget import Budget, Limits, SharedBudget
from metalift.llm.completion import CallFailed, Completion, Model
from metalift.llm.endpoints import client_is_installed, connect, endpoint, providers_with_key
from metalift.llm.keys import Environment, read_environment
from metalift.llm.models import FORM, Catalogue, ModelName, parse_model, read_catalogue
from metalift.result.errors import UsageError

if TYPE_CHECKING:
    from metalift.llm.remote import RemoteAsker

EXCHANGE = "exchange:"
FORMS = ("llm", "replay", EXCHANGE + "DIR")


@dataclass(frozen=True, slots=True)
class LlmOptions:
    """How models are asked. Times in seconds; `answer_tokens` bounds each answer, its reasoning included.

    `budget` is a file with what is spent, where several processes share the limits.
    """

    models: tuple[str, ...] = ()
    samples: int = 1
    answer_tokens: int = 16_000
    limits: Limits = field(default_factory=Limits)
    call_seconds: float = 300.0
    prices: Path | None = None
    store: Path | None = None
    exchange_batch: bool = False
    exchange_seconds: float = 3600.0
    budget: Path | None = None


def can_ask(folder: Path) -> bool:
    """Whether a model can be asked without naming one: a key, in the environment or in the folder's `.env`, and its client."""
    try:
        environment = read_environment(folder)
    except UsageError:
        return False
    return default_model(read_catalogue(None), environment) is not None


def open_asker(proposer: str, options: LlmOptions, folder: Path) -> Asker:
    """Whoever answers for a proposer: `llm`, `replay` or `exchange:DIR`. The folder is the one whose `.env` is read.

    Raises UsageError where it cannot be: no such proposer, model, key, extra or price, or files that cannot be used.
    """
    from metalift.llm.exchange import ExchangeAsker
    from metalift.llm.replay import ReplayAsker
    from metalift.llm.store import Store, default_store

    if proposer.startswith(EXCHANGE) and proposer != EXCHANGE:
        return ExchangeAsker(Path(proposer.removeprefix(EXCHANGE)), options.exchange_seconds, options.exchange_batch)
    if proposer == "replay":
        path = options.store or default_store()
        if not path.is_file():
            raise UsageError(f"{path}: no answers were recorded there; name another file with --llm-store")
        return ReplayAsker(Store(path), tuple(str(parse_model(name)) for name in options.models))
    if proposer == "llm":
        return _remote(options, read_environment(folder))
    raise UsageError(f"{proposer!r} answers no prompts; there are: {', '.join(FORMS)}")


def _remote(options: LlmOptions, environment: Environment) -> RemoteAsker:
    """The models that are named, or the default of the first provider with a key."""
    from metalift.llm.remote import Member, RemoteAsker
    from metalift.llm.store import Store, default_store

    catalogue = read_catalogue(options.prices)
    names = [parse_model(name) for name in options.models]
    if not names:
        default = default_model(catalogue, environment)
        if default is None:
            raise UsageError(f"no model to ask: set a provider's key in the environment or in .env, or use --model; {FORM}")
        names = [default]
    members = []
    for name in dict.fromkeys(names):
        to = endpoint(name, environment)
        price = catalogue.price(to.model)
        if price is None and options.limits.cost is not None:
            raise UsageError(
                f"--max-cost needs the price of {to.model}, which is not known: give it with --prices in a TOML file with "
                f'[price."{to.model}"], input and output, in US dollars for a million tokens'
            )
        members.append(Member(str(to.model), _Cleaned(connect(to, options.call_seconds), environment), price))
    store = Store(options.store or default_store())
    budget = Budget(options.limits) if options.budget is None else SharedBudget(options.limits, options.budget)
    return RemoteAsker(members, options.samples, options.answer_tokens, options.call_seconds, budget, store)


def default_model(catalogue: Catalogue, environment: Environment) -> ModelName | None:
    """The model to ask where none is named: that of the first provider whose key is set and whose client is installed."""
    for provider in providers_with_key(environment):
        if provider in catalogue.default and client_is_installed(provider):
            return ModelName(provider, catalogue.default[provider])
    return None


class _Cleaned:
    """A model from which no key comes back, and no text that cannot be written, whatever its server sends."""

    def __init__(self, model: Model, environment: Environment) -> None:
        self._model = model
        self._environment = environment

    def complete(self, prompt: str, answer_tokens: int) -> Completion:
        """One call."""
        try:
            answer = self._model.complete(prompt, answer_tokens)
        except CallFailed as failure:
            failure.message = self._clean(failure.message)
            raise
        return replace(answer, text=self._clean(answer.text), stopped=self._clean(answer.stopped))

    def _clean(self, text: str) -> str:
        """JSON may hold half of a surrogate pair, which no file can."""
        return self._environment.hide(text.encode("utf-8", "replace").decode("utf-8"))

"""Where a model is reached and with which key."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.util import find_spec

from metalift.llm.completion import Model
from metalift.llm.keys import OWN_KEY, Environment
from metalift.llm.models import PROVIDERS, ModelName, checked_server
from metalift.result.errors import UsageError

BEARER = "ANTHROPIC_AUTH_TOKEN"  # sent as `Authorization: Bearer`
_KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY", BEARER),
    "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openai": ("OPENAI_API_KEY",),
}
_SERVERS = {"anthropic": "ANTHROPIC_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL", "openai": "OPENAI_BASE_URL"}
_CLIENTS = {"anthropic": ("anthropic",), "google": ("google", "google.genai"), "openai": ("openai",)}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model with its server, where that is not the provider's own. No key: for servers that want none."""

    model: ModelName
    key: str | None = field(repr=False)
    bearer: bool = False


def providers_with_key(environment: Environment) -> tuple[str, ...]:
    """Those that could be asked without naming a server."""
    return tuple(provider for provider in PROVIDERS if any(environment.get(key) for key in _KEYS[provider]))


def client_is_installed(provider: str) -> bool:
    """Whether the provider's client can be imported, found without importing it."""
    return all(find_spec(name) is not None for name in _CLIENTS[provider])


def endpoint(model: ModelName, environment: Environment) -> Endpoint:
    """A server that is named with the model gets the key for such servers only, never a provider's.

    Raises UsageError where a provider's own server would be asked without a key.
    """
    if model.server is not None:
        return Endpoint(model, environment.key(OWN_KEY))
    server = environment.get(_SERVERS[model.provider])
    if server is not None:
        model = replace(model, server=checked_server(server))
    keys = _KEYS[model.provider]
    for variable in keys:
        key = environment.key(variable)
        if key is not None:
            return Endpoint(model, key, variable == BEARER)
    if server is None:
        raise UsageError(f"no key for {model}: set {' or '.join(keys)} in the environment or in a file .env in this folder")
    return Endpoint(model, None)


def connect(to: Endpoint, seconds: float) -> Model:
    """The model by its protocol's client. Raises UsageError where that is not installed."""
    name, server = to.model.name, to.model.server
    try:
        match to.model.provider:
            case "anthropic":
                from metalift.llm.providers.anthropic import Anthropic

                return Anthropic(name, server, to.key, to.bearer, seconds)
            case "google":
                from metalift.llm.providers.google import Google

                return Google(name, server, to.key, seconds)
            case _:
                from metalift.llm.providers.openai import OpenAI

                return OpenAI(name, server, to.key, seconds)
    except ImportError as error:
        extra = f"pip install 'metalift[llm-{to.model.provider}]'"
        raise UsageError(f"{to.model} needs the client of its provider ({error.name} cannot be imported): {extra}") from error

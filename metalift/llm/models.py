"""Names of models and what they cost."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from metalift.result.errors import UsageError

PROVIDERS = ("anthropic", "google", "openai")
FORM = "a model is named PROVIDER:NAME, or PROVIDER:NAME@URL for a server of one's own; the providers are " + ", ".join(PROVIDERS)
_NAME = re.compile(r"(\w+):([^\s@][^\s]*?)(?:@(https?://[^\s]+))?")
_DATED = re.compile(r"-(\d{8}|\d{4}-\d\d-\d\d|\d{3,4}|latest)$")  # as in -20250929, -2025-04-14, -001
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model: `server` is the base URL where it is not the provider's own."""

    provider: str
    name: str
    server: str | None = None

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}" + (f"@{self.server}" if self.server else "")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """US dollars."""
        return (tokens_in * self.input + tokens_out * self.output) / _MILLION


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Prices by model, and the model of each provider that is asked where none is named."""

    prices: Mapping[str, Price]
    default: Mapping[str, str]

    def price(self, model: ModelName) -> Price | None:
        """The price of a model, or of the model of which its name is a dated version; None where it is not known."""
        full = str(model)
        undated = str(ModelName(model.provider, _DATED.sub("", model.name), model.server))
        return self.prices.get(full) or self.prices.get(undated)


def parse_model(text: str) -> ModelName:
    """Raises UsageError for what names no model; a server's address holds no password, which would be written down."""
    found = _NAME.fullmatch(text)
    if found is None or "://" in found[2]:
        raise UsageError(f"{_without_password(text)!r} names no model: {FORM}")
    provider, name, server = found.groups()
    if provider not in PROVIDERS:
        raise UsageError(f"{provider!r} is not a provider of models: {FORM}")
    return ModelName(provider, name, checked_server(server) if server else None)


def checked_server(server: str) -> str:
    """A base URL as it is kept. Raises UsageError where it is none, or has a password in it."""
    try:
        parts = urlsplit(server)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(f"{_without_password(server)!r} is not the address of a server, such as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        what = f"the address of the server {parts.hostname} has more than host, port and path"
        raise UsageError(f"{what}; a key goes into METALIFT_API_KEY")
    return server.rstrip("/")


def _without_password(text: str) -> str:
    """An address as it may be shown."""
    return re.sub(r"//[^/@\s]*@", "//...@", text.split("?")[0])


def read_catalogue(own: Path | None) -> Catalogue:
    """What metalift knows, with a user's file of the same form before it."""
    shipped = _read(Path(__file__).with_name("models.toml"))
    if own is None:
        return shipped
    user = _read(own)
    return Catalogue({**shipped.prices, **user.prices}, {**shipped.default, **user.default})


def _read(path: Path) -> Catalogue:
    """One file. Raises UsageError where it is not of this form."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a TOML file: {error}") from error
    prices, default = data.pop("price", {}), data.pop("default", {})
    if data:
        raise UsageError(f'{path}: {next(iter(data))!r} is not known; there are tables [price."PROVIDER:NAME"] and [default]')
    if not isinstance(prices, dict) or not isinstance(default, dict):
        raise UsageError(f"{path}: [price] and [default] are tables")
    for provider, name in default.items():
        if provider not in PROVIDERS or not isinstance(name, str):
            raise UsageError(f"{path}: [default] gives the name of a model for {', '.join(PROVIDERS)}; found {provider!r}")
    return Catalogue({str(parse_model(name)): _price(path, name, entry) for name, entry in prices.items()}, default)


def _price(path: Path, name: str, entry: object) -> Price:
    """One model's price."""
    if isinstance(entry, dict) and entry.keys() == {"input", "output"}:
        numbers = [value for value in entry.values() if isinstance(value, int | float) and not isinstance(value, bool)]
        if len(numbers) == 2 and all(math.isfinite(value) and value >= 0 for value in numbers):
            return Price(float(entry["input"]), float(entry["output"]))
    raise UsageError(f"{path}: the price of {name} is `input` and `output`, each a number of US dollars for a million tokens")

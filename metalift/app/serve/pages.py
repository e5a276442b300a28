"""The page of the playground and its files, all of them from the package: nothing comes from a network."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import Any

from metalift.app.api.given import SUFFIXES
from metalift.app.batch.page import inert
from metalift.app.shell_completion import targets
from metalift.app.style import SIGNATURES, STYLES
from metalift.version import __version__


def policy(nonce: str = "") -> str:
    """The Content-Security-Policy: the page's own files, styles that its editor makes, and requests to this server."""
    style = f"'self' 'nonce-{nonce}'" if nonce else "'none'"
    own = f"script-src 'self'; style-src {style}; connect-src 'self'; img-src data:" if nonce else "sandbox"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def page(nonce: str, first: Sequence[str]) -> str:
    """The page, with the targets that are chosen at `first`."""
    options = {
        "version": __version__,
        "languages": list(SUFFIXES),
        "targets": list(targets()),
        "first": list(first),
        "styles": STYLES,
        "signatures": SIGNATURES,
        "examples": examples(),
    }
    return Template(_file("page.html")).substitute(nonce=nonce, options=inert(options))


@cache
def examples() -> list[dict[str, Any]]:
    """Sources to begin with: title, language, target, source."""
    text = resources.files("metalift.app.serve").joinpath("examples.toml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)["example"]
    return found


def _file(name: str) -> str:
    return (resources.files("metalift.app.serve") / "templates" / name).read_text(encoding="utf-8")


FILES = {
    "/page.css": ("text/css; charset=utf-8", _file("page.css")),
    "/page.js": ("text/javascript; charset=utf-8", _file("page.js")),
    "/editor.js": ("text/javascript; charset=utf-8", _file("editor.js")),
    "/licences.txt": ("text/plain; charset=utf-8", _file("editor-licences.md")),
}

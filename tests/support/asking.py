"""Asking models on the loopback server as a run does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift.llm import remote
from metalift.llm.ask import Asker, NoAnswer, Question, Reply
from metalift.llm.opening import LlmOptions, open_asker
from tests.support.llm_server import KEY

PROTOCOLS = ("anthropic", "google", "openai")
VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "METALIFT_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)
QUESTION = Question("kernel", 1, "What does this loop compute?")


def only_loopback(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """No key but that of the loopback server, an empty working folder, short waits."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("METALIFT_API_KEY", KEY)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(remote, "FIRST_WAIT", 0.02)
    monkeypatch.setattr(remote, "GRACE", 0.3)


def asker(folder: Path, *models: str, options: LlmOptions | None = None) -> Asker:
    """Whoever asks these models, with a store in the folder."""
    given = options or LlmOptions()
    return open_asker("llm", replace(given, models=models, store=given.store or folder / "llm.sqlite"), folder)


def outcome(who: Asker, question: Question = QUESTION) -> tuple[Reply, ...] | NoAnswer:
    """The replies, or why there are none."""
    try:
        return who.ask(question)
    except NoAnswer as problem:
        return problem

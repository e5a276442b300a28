"""Who proposes programs, from what the user asks for: `search`, `llm`, `replay`, `exchange:DIR`, or search and one of these."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from metalift.llm.opening import LlmOptions, can_ask, open_asker
from metalift.pipeline.proposer import Proposer
from metalift.result.errors import UsageError

if TYPE_CHECKING:
    from metalift.synth.propose.conversation import Progress


def open_proposer(
    wanted: str | None, options: LlmOptions, folder: Path, show: Callable[[Progress], None] | None = None
) -> Proposer:
    """The proposer of that name; without one, the search, and then a model where one is named or can be asked.

    `folder`: whose `.env` is read. Raises UsageError where there is no such proposer, or no model can be asked.
    """
    if wanted is None and not options.models:
        return _usual(options, folder, show)
    text = "search,llm" if wanted is None else wanted
    names = [name.strip() for name in text.split(",")]
    asked = [name for name in names if name != "search"]
    if names not in (["search"], asked, ["search", *asked]) or len(asked) > 1:
        raise UsageError(f"--proposer {text}: name search, one of llm, replay and exchange:DIR, or search and one of these")
    asker = open_asker(asked[0], options, folder) if asked else None
    return Proposer("search" in names, asker, show)


def _usual(options: LlmOptions, folder: Path, show: Callable[[Progress], None] | None) -> Proposer:
    """Where nothing is said about models, one that cannot be asked does not keep a lift from what the search can do."""
    try:
        return Proposer(asker=open_asker("llm", options, folder) if can_ask(folder) else None, show=show)
    except UsageError as problem:
        logging.warning("no model is asked: %s", problem)
        return Proposer()

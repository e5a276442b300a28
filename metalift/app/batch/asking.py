"""Who proposes in a batch: the same for all its workers, within one budget."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from metalift.app.proposers import open_proposer
from metalift.llm.budget import Limits, SharedBudget
from metalift.llm.endpoints import endpoint
from metalift.llm.keys import read_environment
from metalift.llm.models import parse_model, read_catalogue
from metalift.llm.opening import LlmOptions, can_ask, default_model
from metalift.pipeline.proposer import SEARCH, Proposer
from metalift.result.errors import UsageError

BUDGET = "budget.json"


@dataclass(frozen=True, slots=True)
class Asking:
    """The proposer that is asked for, as on the command line, and how models are asked."""

    proposer: str | None = "search"
    llm: LlmOptions = field(default_factory=LlmOptions)

    def settled(self, folder: Path) -> Asking:
        """With nothing left open that could be something else in another process. The folder is the one whose `.env` is read."""
        if self.proposer is not None or self.llm.models:
            wanted = replace(self, proposer=self.proposer or "search,llm")
            return wanted._named(folder) if "llm" in str(wanted.proposer).split(",") else wanted
        if not can_ask(folder):
            return replace(self, proposer="search")
        usual = replace(self, proposer="search,llm")._named(folder)
        try:
            open_proposer(usual.proposer, usual.llm, folder)
        except UsageError as problem:  # which does not keep a batch from what the search can do
            logging.warning("no model is asked: %s", problem)
            return replace(self, proposer="search")
        return usual

    def _named(self, folder: Path) -> Asking:
        """With the model named that is asked where none is."""
        name = None if self.llm.models else default_model(read_catalogue(self.llm.prices), read_environment(folder))
        return self if name is None else replace(self, llm=replace(self.llm, models=(str(name),)))

    @property
    def searches(self) -> bool:
        """Whether nobody is asked."""
        return self.proposer == "search"

    def begun(self, out: Path, folder: Path) -> Asking:
        """With a budget that the workers share. Raises UsageError where nobody can be asked.

        Nobody waits for files one kernel after the other: an answer that is not there yet is one for the next run.
        """
        if self.searches:
            return self
        SharedBudget.start(out / BUDGET)
        seconds = 0.0 if self.llm.exchange_batch else self.llm.exchange_seconds
        begun = replace(self, llm=replace(self.llm, budget=(out / BUDGET).resolve(), exchange_seconds=seconds))
        open_proposer(begun.proposer, begun.llm, folder)
        return begun

    def key(self, folder: Path) -> tuple[str, ...]:
        """What results depend on."""
        if self.searches:
            return ()
        environment = read_environment(folder)
        models = [str(endpoint(parse_model(name), environment).model) for name in self.llm.models]
        return f"proposer {self.proposer}", *models, f"samples {self.llm.samples}", f"tokens {self.llm.answer_tokens}"

    def plain(self, folder: Path) -> dict[str, Any]:
        """As JSON's object, for `proposer_of`."""
        options = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(self.llm).items()}
        return {"proposer": self.proposer, "llm": options, "folder": str(folder)}


def proposer_of(plain: Mapping[str, Any]) -> Proposer:
    """The proposer of an object that `plain` made; opened once in a process."""
    if plain["proposer"] == "search":
        return SEARCH
    options = dict(plain["llm"])
    options |= {"models": tuple(options["models"]), "limits": Limits(**options["limits"])}
    options |= {name: Path(options[name]) for name in ("prices", "store", "budget") if options[name] is not None}
    return _opened(plain["proposer"], LlmOptions(**options), Path(plain["folder"]))


@lru_cache(maxsize=1)
def _opened(proposer: str, options: LlmOptions, folder: Path) -> Proposer:
    return open_proposer(proposer, options, folder)

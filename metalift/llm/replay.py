"""Answers recorded before, and no call ever."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.llm.ask import NoAnswer, Question, Reply, Spent
from metalift.llm.store import Call, Store


class WithoutCalls:
    """What answers that are there already have in common: nothing is spent, waited for or kept."""

    @property
    def spent(self) -> Spent:
        """Nothing."""
        return Spent()

    def more(self) -> bool:
        """No: nothing new is recorded."""
        return False

    def judged(self, question: Question, reply: Reply, accepted: bool) -> None:
        """Nothing is kept."""


class ReplayAsker(WithoutCalls):
    """Answers from the store: those of the models that are named, or of all where none is."""

    def __init__(self, store: Store, models: Sequence[str]) -> None:
        self._store = store
        self._models = tuple(models)

    def ask(self, question: Question) -> tuple[Reply, ...]:
        """All answers that were recorded to just this prompt, each once, in the order they came."""
        found = self._store.answers(question.encodable())
        replies = tuple(stored_reply(call) for call in found if not self._models or call.model in self._models)
        if not replies:
            raise NoAnswer("no answer to this prompt was recorded; --proposer llm asks a model")
        return replies


def stored_reply(call: Call) -> Reply:
    """A stored call as a reply."""
    assert call.answer is not None
    return Reply(call.answer, call.model, call.tokens_in, call.tokens_out, 0.0, call.seconds, True)

"""What is asked of a model and what comes back; who answers is an `Asker`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from metalift.result.errors import MetaliftError


class NoAnswer(MetaliftError):
    """No model answered; the message says why and what to do, and never holds a key."""


class OutOfBudget(NoAnswer):
    """One more call could exceed a budget; it was not made."""


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt, as sent: the attempt (from 1) at the function."""

    function: str
    attempt: int
    text: str

    def encodable(self) -> Question:
        """The same without bytes that are not UTF-8, which a source may have: they become question marks."""
        function, text = (part.encode("utf-8", "replace").decode("utf-8") for part in (self.function, self.text))
        return Question(function, self.attempt, text)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, as it came: `model` is provider:name, `cost` in US dollars, `seconds` of the call.

    Each sample is a call of its own. A reply from the store (`cached`) keeps the tokens and seconds of the call that was made,
    and costs 0; a model without a known price costs 0 too.
    """

    text: str
    model: str
    tokens_in: int
    tokens_out: int
    cost: float
    seconds: float
    cached: bool


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has spent so far, failed calls included; `cost` in US dollars, None where a model has no known price."""

    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0


class Asker(Protocol):
    """Whoever answers questions."""

    @property
    def spent(self) -> Spent:
        """So far; nothing for people and stored answers."""

    def ask(self, question: Question) -> tuple[Reply, ...]:
        """All answers to a question, at least one; raises NoAnswer, or OutOfBudget before a call that could exceed one."""

    def judged(self, question: Question, reply: Reply, accepted: bool) -> None:
        """Be told what became of an answer."""

    def more(self) -> bool:
        """Wait for answers that were not there when they were asked for; whether some are now: asking again has a point."""

"""Whoever answers prompts in tests: answers that are written down beforehand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from metalift.llm.ask import NoAnswer, Question, Reply, Spent


@dataclass
class Scripted:
    """Gives the answers in order and keeps the questions; an answer may be made from its question."""

    answers: Sequence[str | Callable[[Question], str]]
    questions: list[Question] = field(default_factory=list)

    @property
    def spent(self) -> Spent:
        """A call for each question."""
        return Spent(calls=len(self.questions))

    def more(self) -> bool:
        """Nothing is missing."""
        return False

    def judged(self, question: Question, reply: Reply, accepted: bool) -> None:
        """Nothing is kept."""

    def ask(self, question: Question) -> tuple[Reply, ...]:
        """The next answer."""
        if len(self.questions) == len(self.answers):
            raise NoAnswer("the script is at its end")
        answer = self.answers[len(self.questions)]
        self.questions.append(question)
        text = answer if isinstance(answer, str) else answer(question)
        return (Reply(text, "scripted:test", 0, 0, 0.0, 0.0, False),)

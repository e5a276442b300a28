"""Asking, judging and asking again: each failed answer goes back with what is wrong about it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from metalift.llm.ask import Asker, NoAnswer, Question, Reply, Spent
from metalift.result.errors import MetaliftError
from metalift.synth.propose.answer import Declined
from metalift.synth.propose.prompt import Failed, rejected_prompt

ATTEMPTS = 8  # questions about one thing; a budget may end them sooner

Accepted = TypeVar("Accepted")


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a conversation stands: the attempt that begins, what failed last, what the run has spent so far."""

    function: str
    attempt: int
    failed: str
    spent: Spent

    def text(self) -> str:
        """One line for a terminal."""
        cost = "" if self.spent.cost is None else f", ${self.spent.cost:.4f}"
        last = f"; last: {self.failed}" if self.failed else ""
        return f"{self.function}: attempt {self.attempt} ({self.spent.calls} calls, {self.spent.tokens} tokens{cost}){last}"


@dataclass
class Conversation(Generic[Accepted]):
    """Questions about one function until an answer is accepted.

    `judge` gives what an answer is accepted as, or why it is not. `ended` says why no further question was asked.
    """

    asker: Asker
    function: str
    prompt: str
    judge: Callable[[str], Accepted | Failed]
    show: Callable[[Progress], None] | None = None
    limit: int = ATTEMPTS
    failures: list[Failed] = field(default_factory=list)
    judged: int = 0
    ended: str = ""

    def run(self) -> Accepted | None:
        """The first accepted answer; None where attempts or the budget ended."""
        answers: list[str] = []
        for attempt in range(1, self.limit + 1):
            text = self.prompt if not answers else rejected_prompt(self.prompt, attempt, self.failures, answers[-1])
            self._tell(attempt)
            try:
                question = Question(self.function, attempt, text)
                replies = self.asker.ask(question)
            except NoAnswer as problem:
                self.ended = str(problem)
                return None
            for reply in self._new(replies, answers):
                try:
                    verdict = self.judge(reply.text)
                except Declined as problem:
                    self.asker.judged(question, reply, False)
                    self.ended = f"the model says that it cannot be written: {problem}"
                    return None
                except MetaliftError:
                    raise
                except Exception:  # a defect of ours in one answer: others are judged all the same
                    logging.exception("internal error while an answer about %s was judged", self.function)
                    verdict = Failed("it led to an internal error", "It led to an internal error. Write it in another way.")
                self.judged += 1
                answers.append(reply.text)
                self.asker.judged(question, reply, not isinstance(verdict, Failed))
                if not isinstance(verdict, Failed):
                    return verdict
                self.failures.append(verdict)
        self.ended = f"no answer was accepted in {self.limit} attempts"
        return None

    def _new(self, replies: tuple[Reply, ...], answers: list[str]) -> Iterator[Reply]:
        """The replies that are worth judging; one that was given before has failed before."""
        for reply in replies:
            known = next((at for at, answer in enumerate(answers) if answer.strip() == reply.text.strip()), None)
            if known is None:
                yield reply
                continue
            before = self.failures[known]
            again = f"This is the answer that has failed before: {before.detail}"
            self.failures.append(Failed(f"the same answer again: {before.short}", again))
            answers.append(reply.text)

    def _tell(self, attempt: int) -> None:
        if self.show is not None:
            failed = self.failures[-1].short if self.failures else ""
            self.show(Progress(self.function, attempt, failed, self.asker.spent))

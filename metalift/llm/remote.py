"""Asking models: from the store, or by calls within the budget, several at once, again where that may help."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from metalift.llm.ask import NoAnswer, OutOfBudget, Question, Reply, Spent
from metalift.llm.budget import Budget, Usage, usage, worst_case
from metalift.llm.completion import CallFailed, Completion, Model
from metalift.llm.models import Price
from metalift.llm.replay import stored_reply
from metalift.llm.store import Asked, Store

CONCURRENT = 8  # calls under way
TRIES = 5  # calls for one answer
FIRST_WAIT = 1.0  # seconds before the second, doubled for each further one
LONGEST_WAIT = 60.0  # seconds; a server that asks for more is not asked again
GRACE = 2.0  # seconds beyond a call's own time limit until it is given up


@dataclass(frozen=True, slots=True)
class Member:
    """One model of an ensemble."""

    name: str
    model: Model
    price: Price | None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One answer that is not in the store, to be asked for at `at` (monotonic time), for the `tries`-th time."""

    place: int
    member: Member
    asked: Asked
    at: float
    tries: int = 1


@dataclass(frozen=True, slots=True)
class _Running:
    """A call under way."""

    wanted: _Wanted
    worst: Usage
    since: float


class RemoteAsker:
    """Asks each model `samples` times. `seconds` bounds a call."""

    def __init__(
        self, members: Sequence[Member], samples: int, answer_tokens: int, seconds: float, budget: Budget, store: Store
    ) -> None:
        self._members = tuple(members)
        self._samples = samples
        self._answer_tokens = answer_tokens
        self._seconds = seconds
        self._budget = budget
        self._store = store
        self._refused: dict[str, str] = {}  # why a model is not asked any more

    @property
    def spent(self) -> Spent:
        """So far."""
        return self._budget.spent

    def more(self) -> bool:
        """No: what is asked is answered, or fails."""
        return False

    def judged(self, question: Question, reply: Reply, accepted: bool) -> None:
        """Keep what became of an answer."""
        self._store.add_verdict(question.encodable(), reply.model, accepted)

    def ask(self, question: Question) -> tuple[Reply, ...]:
        """The answers in the order of the models. Where some calls fail and others do not, those that came, and a warning."""
        question = question.encodable()
        replies: dict[int, Reply] = {}
        missing = []
        now = time.monotonic()
        for place, (member, sample) in enumerate((member, sample) for member in self._members for sample in range(self._samples)):
            asked = Asked(member.name, self._answer_tokens, sample)
            stored = self._store.answered(question, asked)
            if stored is not None:
                replies[place] = stored_reply(stored)
            else:
                missing.append(_Wanted(place, member, asked, now))
        round_ = _Round(question, missing, self._seconds, self._budget, self._store, self._refused)
        replies |= round_.finish()
        if not replies:
            raise round_.reason()
        round_.warn()
        return tuple(replies[place] for place in sorted(replies))


class _Round:
    """The calls for one question. Threads only call; budget, store and decisions are this thread's."""

    def __init__(
        self,
        question: Question,
        wanted: Sequence[_Wanted],
        seconds: float,
        budget: Budget,
        store: Store,
        refused: dict[str, str],
    ) -> None:
        self._question = question
        self._waiting = [each for each in wanted if each.member.name not in refused]
        self._refused = refused
        self._seconds = seconds
        self._budget = budget
        self._store = store
        self._running: dict[_Wanted, _Running] = {}
        self._results: SimpleQueue[tuple[_Wanted, Completion | CallFailed]] = SimpleQueue()
        self._replies: dict[int, Reply] = {}
        self._failures = [refused[each.member.name] for each in wanted if each.member.name in refused]
        self._out_of_budget: OutOfBudget | None = None

    def finish(self) -> dict[int, Reply]:
        """Make the calls; the replies by the place of their model and sample."""
        while self._waiting or self._running:
            now = time.monotonic()
            self._start(now)
            if self._waiting or self._running:
                self._await_one(now)
        return self._replies

    def warn(self) -> None:
        """Tell which models failed while others answered."""
        for failure in dict.fromkeys(self._failures):
            logging.warning("%s", failure)

    def reason(self) -> NoAnswer:
        """Why there is no reply."""
        if self._out_of_budget is not None:
            before = "".join(f"; before that, {failure}" for failure in dict.fromkeys(self._failures))
            return OutOfBudget(f"{self._out_of_budget}{before}")
        return NoAnswer("; ".join(dict.fromkeys(self._failures)))

    def _start(self, now: float) -> None:
        """Start what is due and fits the budget; what does not waits for calls under way, which may take less than set aside."""
        for wanted in tuple(self._waiting):
            if len(self._running) >= CONCURRENT:
                return
            if wanted.at > now:
                continue
            worst = worst_case(self._question.text, wanted.asked.answer_tokens, wanted.member.price)
            try:
                self._budget.reserve(wanted.member.name, worst)
            except OutOfBudget as problem:
                if self._running:
                    return
                self._out_of_budget = problem
                self._waiting.remove(wanted)
                continue
            self._waiting.remove(wanted)
            self._running[wanted] = _Running(wanted, worst, time.monotonic())
            # A daemon: a thread whose server never ends its answer cannot be stopped, and must not keep the process.
            threading.Thread(target=self._call, args=(wanted,), daemon=True).start()

    def _call(self, wanted: _Wanted) -> None:
        """In a thread: one call."""
        try:
            self._results.put((wanted, wanted.member.model.complete(self._question.text, wanted.asked.answer_tokens)))
        except CallFailed as failure:
            self._results.put((wanted, failure))
        except Exception as error:  # noqa: BLE001  # a server may send what no client expects; a thread must not end in silence
            self._results.put((wanted, CallFailed(f"the answer cannot be read ({type(error).__name__})", taken=True)))

    def _await_one(self, now: float) -> None:
        """Wait until a call ends or must be given up, or the next is due; what was due at `now` was started, or cannot be yet."""
        limit = self._seconds + GRACE
        times = [running.since + limit for running in self._running.values()]
        if len(self._running) < CONCURRENT:
            times += [wanted.at for wanted in self._waiting if wanted.at > now]
        try:
            wanted, result = self._results.get(timeout=max(0.0, min(times) - time.monotonic()))
        except Empty:
            for running in tuple(self._running.values()):
                if time.monotonic() >= running.since + limit:
                    self._end(running.wanted, CallFailed(f"no answer within {self._seconds:g} s", again=True, taken=True))
            return
        if wanted in self._running:  # else it was given up before
            self._end(wanted, result)

    def _end(self, wanted: _Wanted, result: Completion | CallFailed) -> None:
        """Account for a call and keep what it brought."""
        running = self._running.pop(wanted)
        seconds = time.monotonic() - running.since
        if isinstance(result, Completion):
            taken = _taken(result, running.worst, wanted.member.price)
        else:
            taken = running.worst if result.taken else usage(0, 0, wanted.member.price)
        self._budget.settle(running.worst, taken)
        if isinstance(result, Completion) and not result.text.strip():
            result = CallFailed(_empty(result), taken=True)
        if isinstance(result, CallFailed):
            self._failed(wanted, result, taken, seconds)
            return
        self._store.add_answer(self._question, wanted.asked, result.text, taken, seconds)
        self._replies[wanted.place] = Reply(
            result.text, wanted.member.name, taken.tokens_in, taken.tokens_out, taken.cost or 0.0, seconds, False
        )

    def _failed(self, wanted: _Wanted, failure: CallFailed, taken: Usage, seconds: float) -> None:
        """Note a failure; ask again later where that may help."""
        message = f"{wanted.member.name}: {failure.message}"
        self._store.add_failure(self._question, wanted.asked, failure.message, taken, seconds)
        if failure.again and failure.wait is not None and failure.wait > LONGEST_WAIT:
            message += f"; it wants to be asked again in {failure.wait:,.0f} s only"
        elif failure.again and wanted.tries < TRIES:
            backoff = FIRST_WAIT * 2 ** (wanted.tries - 1) * random.uniform(0.75, 1.25)
            wait = backoff if failure.wait is None else failure.wait
            later = _Wanted(wanted.place, wanted.member, wanted.asked, time.monotonic() + wait, wanted.tries + 1)
            self._waiting.append(later)
        elif failure.again:
            message += f", {TRIES} times"
        if failure.refused:
            self._refused[wanted.member.name] = message
            self._waiting = [each for each in self._waiting if each.member.name != wanted.member.name]
        self._failures.append(message)


def _taken(answer: Completion, worst: Usage, price: Price | None) -> Usage:
    """What an answered call took: the worst case where the server does not say."""
    tokens_in = worst.tokens_in if answer.tokens_in is None else answer.tokens_in
    tokens_out = worst.tokens_out if answer.tokens_out is None else answer.tokens_out
    return usage(tokens_in, tokens_out, price)


def _empty(answer: Completion) -> str:
    """Why an answer may be empty."""
    if answer.stopped.lower() in ("length", "max_tokens"):
        return "the answer is empty: its tokens were spent on reasoning; --answer-tokens gives more"
    return f"the answer is empty (ended by {answer.stopped[:40]!r})"

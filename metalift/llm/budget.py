"""Budgets of a run in calls, tokens and money: the worst case of a call is set aside before it is made."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from metalift.llm.ask import OutOfBudget, Spent
from metalift.llm.models import Price

PROMPT_EXTRA = 256  # tokens of roles and instructions that a provider may add to a prompt


@dataclass(frozen=True, slots=True)
class Limits:
    """At most this much in one run; `cost` in US dollars, None for no limit."""

    calls: int = 100
    tokens: int = 1_000_000
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call takes: tokens, and US dollars where the price is known."""

    tokens_in: int
    tokens_out: int
    cost: float | None

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.tokens_in + self.tokens_out


def usage(tokens_in: int, tokens_out: int, price: Price | None) -> Usage:
    """The usage with its cost."""
    return Usage(tokens_in, tokens_out, None if price is None else price.cost(tokens_in, tokens_out))


def worst_case(prompt: str, answer_tokens: int, price: Price | None) -> Usage:
    """The most that a call can take: no tokenizer makes more tokens than the text has bytes."""
    return usage(len(prompt.encode()) + PROMPT_EXTRA, answer_tokens, price)


class Budget:
    """What is spent and set aside, of what may be spent."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._calls = 0
        self._tokens = 0
        self._cost = 0.0
        self._priced = True

    @property
    def spent(self) -> Spent:
        """So far, what is set aside included."""
        return Spent(self._calls, self._tokens, self._cost if self._priced else None)

    def reserve(self, model: str, worst: Usage) -> None:
        """Set the worst case of a call aside. Raises OutOfBudget where it does not fit; the call must not be made then."""
        limits = self._limits
        if self._calls + 1 > limits.calls:
            raise OutOfBudget(f"the budget of {limits.calls} calls is spent; --max-calls gives more")
        if self._tokens + worst.tokens > limits.tokens:
            raise OutOfBudget(
                f"a call to {model} may take {worst.tokens:,} tokens (prompt {worst.tokens_in:,}, answer {worst.tokens_out:,}), "
                f"and {max(0, limits.tokens - self._tokens):,} of {limits.tokens:,} are left; "
                "--max-tokens gives more, --answer-tokens makes answers shorter"
            )
        if limits.cost is not None and self._cost + (worst.cost or 0.0) > limits.cost:
            raise OutOfBudget(
                f"a call to {model} may cost ${worst.cost or 0.0:.4f}, and ${max(0.0, limits.cost - self._cost):.4f} of "
                f"${limits.cost:.2f} are left; --max-cost gives more, --answer-tokens makes answers shorter"
            )
        self._calls += 1
        self._add(worst, 1)

    def settle(self, worst: Usage, actual: Usage) -> None:
        """Replace what was set aside for a call that was made by what it took."""
        self._add(worst, -1)
        self._add(actual, 1)

    def _add(self, amount: Usage, sign: int) -> None:
        """Add or take away tokens and money."""
        self._tokens += sign * amount.tokens
        self._priced = self._priced and amount.cost is not None
        self._cost += sign * (amount.cost or 0.0)


class SharedBudget(Budget):
    """A budget that several processes spend together: what is spent and set aside is in a file, which `start` makes anew.

    What a process had set aside when it was killed stays so.
    """

    def __init__(self, limits: Limits, path: Path) -> None:
        super().__init__(limits)
        self._path = path

    @staticmethod
    def start(path: Path) -> None:
        """Nothing is spent yet."""
        path.write_text(json.dumps([0, 0, 0.0, True]), encoding="utf-8")

    @property
    def spent(self) -> Spent:
        """So far, by all processes."""
        with self._held():
            return super().spent

    def reserve(self, model: str, worst: Usage) -> None:
        """As of any budget."""
        with self._held():
            super().reserve(model, worst)

    def settle(self, worst: Usage, actual: Usage) -> None:
        """As of any budget."""
        with self._held():
            super().settle(worst, actual)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """The state of the file, which no other process sees or changes meanwhile. Raises OutOfBudget where it is damaged."""
        try:
            with self._path.open("r+", encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                self._calls, self._tokens, self._cost, self._priced = json.load(file)
                yield
                file.seek(0)
                file.write(json.dumps([self._calls, self._tokens, self._cost, self._priced]))
                file.truncate()
        except (OSError, ValueError, TypeError) as problem:
            raise OutOfBudget(f"what was spent is not known: {self._path} cannot be used: {problem}") from problem

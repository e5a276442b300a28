"""One call of a model: what comes back, or why nothing did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer; `stopped` is the provider's word for why it ended. Tokens are None where the server tells none."""

    text: str
    tokens_in: int | None
    tokens_out: int | None
    stopped: str


class CallFailed(Exception):
    """A call without an answer.

    `again`: whether asking once more may help, `wait` seconds from now where the server said when. `taken`: whether the provider
    may have worked on it, and bill it. `refused`: whether every other call with this key will fail, too.
    """

    def __init__(
        self, message: str, *, again: bool = False, wait: float | None = None, taken: bool = False, refused: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.again = again
        self.wait = wait
        self.taken = taken
        self.refused = refused


class Model(Protocol):
    """A model that can be called, from several threads at once."""

    def complete(self, prompt: str, answer_tokens: int) -> Completion:
        """One call, not repeated. Raises CallFailed."""


def counted(value: object) -> int | None:
    """A server's count of tokens, None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None

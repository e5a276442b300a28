"""Who is told how a lift goes on, so that people see what is finished while the rest runs."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.result import FunctionResult


class Listener:
    """Hears nothing of it; whoever wants to hear overrides some of these."""

    wants_drafts = False  # whether code is made before the proofs, too

    def begins(self, source: str, functions: Sequence[str], targets: Sequence[str]) -> None:
        """What is going to be lifted, in the order in which it ends."""

    def ended(self, results: Sequence[FunctionResult]) -> None:
        """A function with its loop nests, in the order of the source, as soon as those before it have ended, too."""

    def runs(self, functions: Sequence[tuple[str, float]]) -> None:
        """Which functions are being lifted, each with the seconds that it has taken so far; told several times a second."""

    def drafted(self, function: str, target: str, code: str) -> None:
        """The code of a function as it is before anything is proved: what is proved may differ, and there may be none."""

"""Goals that are proved, by their formulas: candidates of a search have most goals in common, and each is proved once.

A goal is known by its premises and its formula, both as they are; nothing else decides whether it holds.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from metalift.ir.expr.build import conj
from metalift.ir.expr.nodes import Expr
from metalift.prove.batch import Claim, settle
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict

Key = tuple[tuple[Expr, ...], Expr]


@dataclass(frozen=True, slots=True)
class Proved:
    """Whether all goals are proved, or which is not; how many there were, and how many of them were known."""

    failing: str
    goals: int
    known: int
    seconds: float

    @property
    def all(self) -> bool:
        """Whether none is left."""
        return not self.failing


@dataclass
class GoalCache:
    """The goals that were proved so far, and claims that were not within the time that they were given."""

    proved: set[Key] = field(default_factory=set)
    open: set[Claim] = field(default_factory=set)

    def settle(self, claims: Sequence[Claim], pool: SolverPool, timeout: float) -> Proved:
        """Prove the goals that are not known, until a claim does not prove; `timeout` in seconds is for each claim."""
        began = time.perf_counter()
        wanted = {(claim.premises, goal) for claim in claims for _, goal in claim.goals}
        known = len(wanted & self.proved)
        failing = next((claim.name for claim in claims if claim in self.open), "")

        def one(claim: Claim) -> None:
            nonlocal failing
            new = tuple(each for each in claim.goals if (claim.premises, each[1]) not in self.proved)
            if failing or not new:
                return
            rest = replace(claim, goals=new, together=conj(*(goal for _, goal in new)))
            found = settle(rest, pool, timeout)
            if found.verdict is not ObligationVerdict.PROVED and rest != claim:  # some goals help others
                found = settle(claim, pool, timeout)
            if found.verdict is ObligationVerdict.PROVED:
                self.proved.update((claim.premises, goal) for _, goal in claim.goals)
            else:
                self.open.add(claim)
                failing = failing or f"{claim.name}: {found.reason}"

        if not failing:
            with ThreadPoolExecutor(len(pool.workers)) as threads:
                list(threads.map(one, claims))
        return Proved(failing, len(wanted), known, time.perf_counter() - began)

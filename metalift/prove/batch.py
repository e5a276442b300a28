"""Proving the obligations of a function: several at once, goal by goal where all goals of one together are too much."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from metalift.ir.expr.nodes import Expr
from metalift.prove.efforts import EFFORTS, Effort
from metalift.prove.prover import REFUTED, Proof, prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.system.collecting import computed

TOGETHER = 0.3  # the part of the time that all goals together get
MOST = 3.0  # seconds for them: what takes longer is long to check again, too, and goals one by one are easier


@dataclass(frozen=True, slots=True)
class Claim:
    """What is to be proved: goals with what they are about, from hypotheses and assumptions. `hopeless` says whether a run shows
    that they do not all hold; it may say no where one does.
    """

    name: str
    hypotheses: tuple[Expr, ...]
    assumed: tuple[Expr, ...]
    goals: tuple[tuple[str, Expr], ...]
    together: Expr
    hopeless: Callable[[], bool] | None = field(default=None, compare=False)

    @property
    def premises(self) -> tuple[Expr, ...]:
        """Hypotheses and assumptions."""
        return (*self.hypotheses, *self.assumed)


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a claim: a verdict, and the proofs it rests on (one, or one for each goal)."""

    claim: Claim
    verdict: ObligationVerdict
    reason: str
    seconds: float
    proofs: tuple[Proof, ...] = ()


def settle(claim: Claim, pool: SolverPool, timeout: float, efforts: Sequence[Effort] = EFFORTS, split: bool = True) -> Settled:
    """Prove the goals together, and if `split` one by one where that fails; `timeout` bounds all, in seconds of computing."""
    several = split and len(claim.goals) > 1
    limit = min(MOST, timeout * TOGETHER) if several else timeout
    whole = prove(claim.premises, claim.together, pool, limit, efforts, claim.hopeless)
    if whole.verdict is ObligationVerdict.PROVED or not several or whole.reason == REFUTED:
        return Settled(claim, whole.verdict, whole.reason, whole.seconds, (whole,))
    seconds, proofs = whole.seconds, list[Proof]()
    began, left = computed(), timeout - limit
    for subject, goal in claim.goals:
        spent = computed() - began + seconds - whole.seconds
        proof = prove(claim.premises, goal, pool, left - spent, efforts)
        seconds += proof.seconds
        proofs.append(proof)
        if proof.verdict is not ObligationVerdict.PROVED:
            return Settled(claim, proof.verdict, f"{subject}: {proof.reason}", seconds, tuple(proofs))
    return Settled(claim, ObligationVerdict.PROVED, "", seconds, tuple(proofs))


def settle_all(
    claims: Sequence[Claim],
    pool: SolverPool,
    timeout: float,
    efforts: Sequence[Effort] = EFFORTS,
    all_or_none: bool = False,
    after_failure: float = 1.0,
    split: bool = True,
) -> list[Settled]:
    """All claims, as many at a time as there are workers; those that are not proved together goal by goal if `split`.

    Claims of which all are needed get a part of the time, `after_failure`, once one is not proved; with `all_or_none`, none.
    """
    failed = threading.Event()

    def one(claim: Claim) -> Settled:
        if failed.is_set() and all_or_none:
            return Settled(claim, ObligationVerdict.UNKNOWN, "not tried: another obligation was not proved", 0.0)
        limit = timeout * after_failure if failed.is_set() else timeout
        made = settle(claim, pool, limit, efforts, split)
        if made.verdict is not ObligationVerdict.PROVED:
            failed.set()
        return made

    with ThreadPoolExecutor(len(pool.workers)) as threads:
        return list(threads.map(one, claims))

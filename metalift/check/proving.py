"""From obligations to verdicts: each needs an `unsat` and a witness, a run that shows that it speaks of something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from threading import Lock

from metalift.check.witnessing import why_not_taken, witnesses_among
from metalift.ir.interp.execute import Argument
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.prove.batch import Claim, Settled, settle_all
from metalift.prove.efforts import EFFORTS
from metalift.prove.solver import SolverPool
from metalift.result.checked import ObligationResult
from metalift.result.verdict import ObligationVerdict
from metalift.run.inputs.inputs import Run
from metalift.vcgen.obligation import Obligation
from metalift.vcgen.witness import Witnesses

QUICK = 1  # efforts
BRISK = len(EFFORTS) - 2  # efforts: all but those that make most instances
QUICKLY = 0.25  # the part of the time for them, which is what the first effort of several gets
VACUOUS = "vacuous: no run of the source was found that satisfies its hypotheses"
AFTER_FAILURE = 0.3  # the part of the time that an obligation gets where another one is not proved


@dataclass(frozen=True, slots=True)
class Evidence:
    """An obligation with its verdict and the input that witnesses it (None for a path that no run takes)."""

    obligation: Obligation
    settled: Settled
    witness: Mapping[str, Argument] | None

    @property
    def proved(self) -> bool:
        """Whether it counts as proved."""
        return self.settled.verdict is ObligationVerdict.PROVED

    @property
    def vacuous(self) -> bool:
        """Whether it is not proved because no run shows that it speaks of something."""
        return not self.proved and self.settled.reason == VACUOUS

    @property
    def not_kept(self) -> str | None:
        """The header of the loop of which it is not proved that its body keeps its summary."""
        trail = self.obligation.trail
        return trail[-1] if not self.proved and trail and trail[-1] in self.obligation.opened else None

    @property
    def result(self) -> ObligationResult:
        """As it is reported."""
        return ObligationResult(
            self.obligation.name,
            self.obligation.location.line,
            self.settled.verdict,
            self.settled.reason,
            round(self.settled.seconds, 4),
        )


def claim(obligation: Obligation, hopeless: Callable[[], bool] | None = None) -> Claim:
    """What the solver is asked."""
    goals = tuple((goal.subject, goal.formula) for goal in obligation.goals)
    return Claim(obligation.name, obligation.premises, obligation.assumed, goals, obligation.goal, hopeless)


def prove_all(
    obligations: Iterable[Obligation],
    fragment: Fragment,
    summary: Summary,
    runs: Sequence[Run] | Callable[[], Sequence[Run]],
    pool: SolverPool,
    timeout: float,
    quick: int = 0,
    all_or_none: bool = False,
) -> list[Evidence]:
    """Prove the obligations and look for witnesses among the runs; if `all_or_none`, only until one fails; if `quick`, that with
    so many efforts, and part of the time. Runs that have to be found first are asked for when they are needed.
    """
    wanted = list(obligations)
    one_at_a_time = Lock()

    @cache
    def witnesses() -> Witnesses:
        return witnesses_among(runs() if callable(runs) else runs, fragment, summary)

    def refuted(obligation: Obligation) -> bool:
        with one_at_a_time:
            return witnesses().refutes(obligation)

    claims = [claim(obligation, partial(refuted, obligation)) for obligation in wanted]
    if quick:
        settled = settle_all(claims, pool, timeout * QUICKLY, EFFORTS[:quick], all_or_none=True, split=False)
    else:
        settled = settle_all(claims, pool, timeout, all_or_none=all_or_none, after_failure=AFTER_FAILURE)
    if (quick or all_or_none) and not all(made.verdict is ObligationVerdict.PROVED for made in settled):
        return [Evidence(one, made, None) for one, made in zip(wanted, settled, strict=True)]
    found = [witnesses().find(obligation) for obligation in wanted]
    seen = frozenset(obligation.name for obligation, run in zip(wanted, found, strict=True) if run is not None)
    ends = witnesses().has_end()
    return [
        Evidence(one, made, run.args) if run is not None else unwitnessed(one, made, seen if ends else None, pool, timeout)
        for one, made, run in zip(wanted, settled, found, strict=True)
    ]


def unwitnessed(obligation: Obligation, made: Settled, seen: frozenset[str] | None, pool: SolverPool, timeout: float) -> Evidence:
    """What a proof counts for which no run shows that it speaks of something."""
    if made.verdict is not ObligationVerdict.PROVED:
        return Evidence(obligation, made, None)
    reason = why_not_taken(obligation, seen, pool, timeout)
    if reason is not None:
        return Evidence(obligation, replace(made, reason=reason), None)
    return Evidence(obligation, replace(made, verdict=ObligationVerdict.UNKNOWN, reason=VACUOUS), None)

"""What counts as time for a proof: not what the process does besides in its thread."""

from __future__ import annotations

import gc
import time

import pytest

from metalift.ir.expr.nodes import FALSE
from metalift.ir.expr.types import INT
from metalift.ir.text import parse
from metalift.prove import batch, instances, prover
from metalift.prove.batch import Claim, settle
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.system.collecting import computed


def test_looks_for_cycles_are_no_time_of_a_proof() -> None:
    own, all_of_it = computed(), time.thread_time()
    gc.collect()
    gc.collect()
    assert computed() - own < time.thread_time() - all_of_it


def test_goals_one_by_one_have_their_time_whatever_runs_of_the_source_take(
    pool: SolverPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that only the runs move."""
    seconds = 0.0

    def no_run_refutes_it() -> bool:
        nonlocal seconds
        seconds += 1000
        return False

    for module in (prover, batch, instances):
        monkeypatch.setattr(module, "computed", lambda: seconds)
    goals = (("n", parse("n < n + 1", {"n": INT})), ("one", parse("0 < 1", {})))
    claimed = Claim("what is not proved together", (), (), goals, FALSE, no_run_refutes_it)
    assert settle(claimed, pool, 10).verdict is ObligationVerdict.PROVED
    assert seconds

"""Random functions that recur on lists: facts are found for nearly all, and what does not end is refused."""

from __future__ import annotations

from pathlib import Path

from benchmarks.recursions import KINDS, accepted, endless, loaded, proved, recursions
from metalift.prove.solver import SolverPool


def test_nearly_all_have_their_facts(tmp_path: Path) -> None:
    count = 2 * len(KINDS)
    with SolverPool() as pool:
        found = proved(loaded(recursions(count, seed=7), tmp_path), pool)
    assert len(found) == count and all({"append"} <= set(facts) for facts in found.values())
    missing = [name for name, facts in found.items() if not all(facts.values())]
    assert len(missing) <= count // 10, missing


def test_what_does_not_end_is_refused(tmp_path: Path) -> None:
    texts = endless(50, seed=7)
    assert not set(texts) & set(recursions(50, seed=7))
    assert accepted(loaded(texts, tmp_path)) == []
    assert len(accepted(loaded(recursions(50, seed=7), tmp_path))) == 50

"""A share of the mutants of all drivers' meanings: each is refused, told from the original, or proved to mean the same."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.meanings import drawn, fate, mutants
from metalift.driver.files import load, own
from metalift.prove.solver import SolverPool


@pytest.mark.quick("12")
@pytest.mark.parametrize("count", [12, 60])
def test_every_mutant_is_told_from_the_original(count: int) -> None:
    found: Counter[str] = Counter()
    with SolverPool() as pool:
        for driver, mutant in drawn(own(), count, seed=5):
            kind = fate(driver, mutant, pool)
            assert kind != "survives", f"{driver}: {mutant.before} became {mutant.after}"
            found[kind] += 1
    assert found["differs"] >= count / 3 and found["differs"] + found["refused"] >= count * 0.8


def test_there_are_many_mutants() -> None:
    assert sum(len(mutants(load(name).driver)) for name in own()) >= 500

"""A share of the mutants of drivers' meanings: each is refused, told from the original, or proved to mean the same.

Of drivers that have a target in Python; texts of others take longer: `python -m benchmarks.meanings packet`.
"""

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
        python = [name for name in own() if any(target.language == "python" for target in load(name).driver.targets)]
        for driver, mutant in drawn(python, count, seed=5):
            kind = fate(driver, mutant, pool)
            assert kind != "survives", f"{driver}: {mutant.before} became {mutant.after}"
            found[kind] += 1
    assert found["differs"] >= count / 3 and found["differs"] + found["refused"] >= count * 0.8


def test_there_are_many_mutants() -> None:
    assert sum(len(mutants(load(name).driver)) for name in own()) >= 500

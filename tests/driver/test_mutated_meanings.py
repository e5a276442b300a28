"""A share of the mutants of all drivers' meanings: each is refused, told from the original, or proved to mean the same."""

from __future__ import annotations

from collections import Counter

from benchmarks.meanings import drawn, fate, mutants
from metalift.driver_files import load, own
from metalift.prove.solver import SolverPool


def test_every_mutant_is_told_from_the_original() -> None:
    found: Counter[str] = Counter()
    with SolverPool() as pool:
        for driver, mutant in drawn(own(), 60, seed=5):
            kind = fate(driver, mutant, pool)
            assert kind != "survives", f"{driver}: {mutant.before} became {mutant.after}"
            found[kind] += 1
    assert found["differs"] >= 30 and found["differs"] + found["refused"] >= 50


def test_there_are_many_mutants() -> None:
    assert sum(len(mutants(load(name).driver)) for name in own()) >= 500

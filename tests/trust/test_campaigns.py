"""A fixed share of the campaigns whose whole takes hours: what they would print as wrong fails here."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import framework, invariants, recheck
from benchmarks.suites import Kernel, read_suite
from metalift.frontend import import_function, open_source
from metalift.prove.solver import SolverPool
from metalift.synth.derive import derive

KERNELS = ("sliding_sum", "linear_burn")
QUICK = "a row ends before the same row"  # noticed by the first of the tests that are run


def tutorial(name: str) -> Kernel:
    """The first of the tutorial's sources of that name."""
    return next(kernel for kernel in read_suite("tutorial") if kernel.name == name)


@pytest.mark.quick("sliding_sum")
@pytest.mark.parametrize("name", KERNELS)
def test_no_invariant_that_is_false_is_proved(name: str, pool: SolverPool) -> None:
    kernel = tutorial(name)
    fragment = import_function(open_source(kernel.path), kernel.function)
    tally = invariants.attack(fragment, derive(fragment), 8, 3, pool)
    assert tally.wrong == ()
    assert tally.made == 8 and tally.false > 0


@pytest.mark.quick("sliding_sum")
@pytest.mark.parametrize("name", KERNELS)
def test_certificates_are_proved_again_by_both_solvers(name: str, pool: SolverPool, tmp_path: Path) -> None:
    record = recheck.rechecked(tutorial(name), tmp_path, pool, 10.0)
    assert "wrong" not in record
    assert record["z3"].get("unsat", 0) > 0 and "sat" not in record["z3"]


def test_every_mutant_of_the_framework_applies() -> None:
    assert [f"{one.what}: {why}" for one in framework.read_mutants() if (why := framework.applies(one))] == []


def test_a_mutant_of_the_framework_is_caught() -> None:
    (number,) = (at for at, one in enumerate(framework.read_mutants()) if one.what == QUICK)
    status, failed = framework.fate(number)
    assert status == 1
    assert framework.INSTANCES in failed

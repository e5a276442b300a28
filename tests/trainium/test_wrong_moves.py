"""Wrong moves are left unproved: a few of those of `benchmarks/wrong_moves.py`, which draws them with a seed."""

from __future__ import annotations

import pytest

from benchmarks.wrong_moves import KINDS, SOURCES, Subject, drawn
from metalift.prove.solver import SolverPool
from tests.support.lazily import Each


@pytest.fixture(scope="module")
def subjects() -> dict[str, Subject]:
    return Each(Subject.of)


@pytest.mark.quick("rmsnorm-weakened guard", "sum_of_squares-overlapping stores")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SOURCES)
def test_no_wrong_move_is_proved(name: str, kind: str, subjects: dict[str, Subject], pool: SolverPool) -> None:
    ((kernel, why),) = drawn(subjects[name], kind, 1, seed=2)
    assert why
    assert not subjects[name].proved(kernel, pool)


def test_what_is_right_is_proved_and_no_wrong_move(subjects: dict[str, Subject], pool: SolverPool) -> None:
    subject = subjects["sum_of_squares"]
    right = subject.results(subject.kernel)
    assert isinstance(right, list)
    assert subject.wrong(subject.kernel, right) == ""
    assert subject.proved(subject.kernel, pool)

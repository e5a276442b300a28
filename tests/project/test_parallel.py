"""Work in several processes: all results, errors of metalift's raised here, other ends told in the place of a result."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from metalift.result.errors import UsageError
from metalift.system.children import descendants
from metalift.system.parallel import Limits, Pool

NONE = Limits()


def pool(work: Callable[[int], object], jobs: int = 2, limits: Limits = NONE) -> Pool[object]:
    """A pool that does this work."""

    @contextmanager
    def opened(say: Callable[[str], None]) -> Iterator[Callable[[int], object]]:
        yield work

    return Pool(opened, jobs, limits)


def test_every_piece_of_work_has_its_result_and_no_process_is_left() -> None:
    assert sorted(pool(lambda at: at * at).results(7)) == [(at, at * at) for at in range(7)]
    assert [pid for pid in descendants(os.getpid()) if "test_parallel" in Path(f"/proc/{pid}/cmdline").read_text()] == []


def test_an_error_of_metalifts_is_raised() -> None:
    def fails(at: int) -> int:
        raise UsageError(f"{at} is bad use")

    with pytest.raises(UsageError, match="0 is bad use"):
        list(pool(fails).results(1))


def test_a_process_that_ends_or_takes_too_long_costs_its_own_result_only() -> None:
    def work(at: int) -> int:
        if at == 0:
            os._exit(3)
        if at == 1:
            time.sleep(60)
        return at

    found = dict(pool(work, limits=Limits(seconds=1.0)).results(4))
    assert found[2] == 2 and found[3] == 3
    assert "exit status 3" in str(found[0]) and "time limit" in str(found[1])


def test_memory_has_a_limit() -> None:
    found = dict(pool(lambda at: len(bytes(1 << 33)) if at else at, limits=Limits(memory=4 << 30)).results(2))
    assert found == {0: 0, 1: "it took more memory than its limit"}


def test_what_took_too_long_says_what_it_was_doing() -> None:
    @contextmanager
    def opened(say: Callable[[str], None]) -> Iterator[Callable[[int], int]]:
        def work(at: int) -> int:
            say(f"counting to {at}")
            time.sleep(60)
            return at

        yield work

    ((_, found),) = Pool(opened, 1, Limits(seconds=1.0)).results(1)
    assert found == "it took longer than the 1 s of its time limit, while counting to 0"

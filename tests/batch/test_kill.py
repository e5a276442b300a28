"""A batch whose coordinator is killed at random moments and resumed; `python -m benchmarks.kill` does it more often."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks.kill import disturbed
from tests.batch.test_batch import suite
from tests.support.commands import command


def test_nothing_is_lost_or_computed_again_and_no_process_is_left(tmp_path: Path) -> None:
    batch = command("batch", suite(tmp_path / "adds", 2), "--jobs", "2")
    tally = disturbed(batch, tmp_path, kills=3, part=0.8, rng=random.Random(5))
    assert tally.kills == 3
    assert tally.wrong == []

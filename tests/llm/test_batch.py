"""A batch that asks models: all workers together within one budget, and answers from files."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from metalift.app.batch import run
from metalift.app.batch.asking import BUDGET, Asking
from metalift.llm.ask import OutOfBudget
from metalift.llm.budget import Limits, SharedBudget, Usage
from metalift.llm.opening import LlmOptions
from metalift.result.errors import UsageError
from tests.llm.test_lifting_by_models import right, source
from tests.support.llm_server import llm_server


def test_a_shared_budget_is_spent_by_all(tmp_path: Path) -> None:
    path = tmp_path / "budget.json"
    SharedBudget.start(path)
    first, second = (SharedBudget(Limits(calls=3, tokens=1000), path) for _ in range(2))
    first.reserve("m", Usage(100, 200, 0.5))
    second.reserve("m", Usage(100, 200, None))
    first.settle(Usage(100, 200, 0.5), Usage(10, 20, 0.25))
    assert (second.spent.calls, second.spent.tokens, second.spent.cost) == (2, 330, None)
    with pytest.raises(OutOfBudget, match="670 of 1,000 are left"):
        second.reserve("m", Usage(600, 100, 0.0))
    first.reserve("m", Usage(1, 1, 0.0))
    with pytest.raises(OutOfBudget, match="budget of 3 calls"):
        second.reserve("m", Usage(1, 1, 0.0))
    path.write_text("[1, 2")
    with pytest.raises(OutOfBudget, match="cannot be used"):
        first.reserve("m", Usage(1, 1, 0.0))


def batch(folder: Path, asking: Asking, *, retry: bool = False) -> dict[str, tuple[bool, str]]:
    """What becomes of each function of a file."""
    options = run.Options(("numpy",), folder / "out", jobs=2, retry=retry, asking=asking)
    return {row.label: (row.ok, row.reason) for row in run.run([folder / "kernels.c"], options, lambda event: None)}


def test_workers_share_the_budget_of_the_run(tmp_path: Path) -> None:
    source(tmp_path, "first", "second")
    with llm_server("nothing of use") as server:
        options = LlmOptions(models=(server.model("openai"),), store=tmp_path / "s", limits=Limits(calls=4))
        found = batch(tmp_path, Asking("llm", options))
    assert len(server.received) == 4
    assert not any(ok for ok, _ in found.values())
    assert any("the budget of 4 calls is spent" in reason for _, reason in found.values())
    assert json.loads((tmp_path / "out" / BUDGET).read_text())[0] == 4


def test_answers_from_files_are_taken_by_the_next_run(tmp_path: Path) -> None:
    source(tmp_path, "recorded")
    asking = Asking(f"exchange:{tmp_path / 'x'}", LlmOptions(exchange_batch=True))
    [(ok, reason)] = batch(tmp_path, asking).values()
    assert not ok and "run the same command again" in reason
    [prompt] = (tmp_path / "x").glob("*.prompt.md")
    answer = prompt.with_name(prompt.name.replace(".prompt.", ".answer."))
    answer.write_text(right("recorded"))
    os.utime(answer, (time.time() - 60, time.time() - 60))
    assert [ok for ok, _ in batch(tmp_path, asking, retry=True).values()] == [True]


def test_nobody_to_ask_is_told_before_anything_runs(tmp_path: Path) -> None:
    source(tmp_path, "first")
    with pytest.raises(UsageError, match="--proposer nobody"):
        batch(tmp_path, Asking("nobody,else"))

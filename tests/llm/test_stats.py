"""What came of the answers, by model and function; and a key that is refused is not tried again."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.app.proposers import open_proposer
from metalift.cli import main
from metalift.llm.opening import LlmOptions
from metalift.llm.stats import table
from metalift.llm.store import Store
from metalift.result.verdict import FunctionVerdict
from tests.llm.test_lifting_by_models import right, source
from tests.support.llm_server import Status, llm_server


def test_functions_that_are_proved_count_with_their_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "s"
    with llm_server(right("one"), "nothing", right("two"), "nothing", Status(400, "no more")) as server:
        model = server.model("openai")
        proposer = open_proposer("llm", LlmOptions(models=(model,), store=store), tmp_path)
        pipeline.lift(source(tmp_path, "one", "two", "three"), proposer=proposer)
    all_, *each = table(Store(store).log(), Store(store).verdicts())
    assert (all_.asked, all_.proved, all_.first, all_.second) == (3, 2, 1, 2)
    assert [(one.function, one.first, one.second) for one in each] == [("one", 1, 1), ("two", 0, 1), ("three", 0, 0)]
    assert main(["llm", "stats", "--llm-store", str(store)]) == 0
    assert "1 call" in capsys.readouterr().out


def test_a_refused_key_is_tried_once(tmp_path: Path) -> None:
    with llm_server(Status(401, "wrong key"), right("two")) as server:
        options = LlmOptions(models=(server.model("openai"),), store=tmp_path / "s")
        proposer = open_proposer("llm", options, tmp_path)
        result = pipeline.lift(source(tmp_path, "one", "two"), proposer=proposer)
    assert [one.verdict for one in result.functions] == [FunctionVerdict.NOT_LIFTED] * 2
    assert all("refuses the key" in repr(one) for one in result.functions)
    assert len(server.received) == 1

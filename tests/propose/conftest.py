"""What generated code does on many inputs, and how many refute an answer that is right, is not what is tested here."""

from __future__ import annotations

import pytest

from metalift.pipeline import function as lifting
from metalift.pipeline import proposing, summarising, tools  # noqa: F401 (which take the numbers as they are, before they are fewer)
from metalift.run.compare import cases, falsify
from metalift.synth.propose import trials


@pytest.fixture(autouse=True)
def few_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is compared, and answers that are not proved are tried, on few inputs."""
    monkeypatch.setattr(tools, "COMPARED", 12)
    monkeypatch.setattr(lifting, "TRIED_AFTER_FAILURE", 12)
    monkeypatch.setattr(trials, "MANY", 20)
    monkeypatch.setattr(trials, "MANY_STEPS", 500)
    monkeypatch.setattr(falsify, "_LIMIT", 20_000)  # steps of an answer on one input; longer ones are left out
    for name, number in (("_SHARED", 2), ("_LONGER", 4), ("_REFUSED", 1)):
        monkeypatch.setattr(cases, name, number)

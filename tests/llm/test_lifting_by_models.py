"""Functions lifted by each client from a server that misbehaves in each way, and by exchange and replay."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from metalift import pipeline
from metalift.app.proposers import open_proposer
from metalift.llm import exchange
from metalift.llm.budget import Limits
from metalift.llm.opening import LlmOptions
from metalift.pipeline import tools
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from metalift.run.compare import cases
from tests.support.asking import PROTOCOLS
from tests.support.llm_server import KEY, Cut, Echo, Raw, Slow, Status, Step, llm_server

PROVED, NOT_LIFTED = FunctionVerdict.PROVED, FunctionVerdict.NOT_LIFTED
RIGHT = "right"  # stands for the right answer to the function at hand
ATTACK = "```python\nimport os\nos.system('touch executed')\ndef {0}(y, x, n):\n    open('executed', 'w')\n    y[0:n] = x[0:n]```"


@dataclass(frozen=True, slots=True)
class Case:
    """What the server does for a function, what becomes of it, and words of the reason where it is not lifted."""

    name: str
    script: tuple[Step, ...]
    verdict: FunctionVerdict = PROVED
    words: str = ""


CASES = (
    Case("failing", (Status(429), Status(429, headers=(("Retry-After", "0.1"),)), Status(500), Cut(after=60), RIGHT)),
    Case("useless", (Slow(5), "I'm sorry, I can't help with that.", ATTACK, Echo(), RIGHT)),
    Case("empty", ("",), NOT_LIFTED, "the answer is empty"),
    Case("large", ("x" * 10_000_000,), NOT_LIFTED, "more than 2,000,000 bytes"),
    Case("not_json", (Raw(b"<html>"),), NOT_LIFTED, "not what the protocol says"),
    Case("refused_key", (Status(401, "wrong key {key}"),), NOT_LIFTED, "refuses the key"),
)


@pytest.fixture(autouse=True)
def few_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generated code is compared on few inputs: what it does is not what is tested here."""
    monkeypatch.setattr(tools, "COMPARED", 12)
    for name, number in (("_SHARED", 2), ("_LONGER", 4), ("_REFUSED", 1)):
        monkeypatch.setattr(cases, name, number)


def right(name: str) -> str:
    """The right answer."""
    return f"Here it is.\n```python\ndef {name}(y, x, n):\n    y[0:n] = x[0:n]\n```\n"


def source(folder: Path, *names: str) -> Path:
    """A file with a copy under each of these names: what is quickly tested."""
    path = folder / "kernels.c"
    body = "(short *restrict y, const short *restrict x, int n) {\n    for (int i = 0; i < n; i++) y[i] = x[i];\n}\n"
    path.write_text("\n".join(f"void {name}{body}" for name in names), encoding="utf-8")
    return path


def reasons(result: FunctionResult) -> str:
    """Everything that is said about why there is no code."""
    return repr(result)


@pytest.mark.quick("openai")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_that_misbehaves(protocol: str, tmp_path: Path) -> None:
    script = [
        {RIGHT: right(case.name), ATTACK: ATTACK.format(case.name)}.get(step, step) if isinstance(step, str) else step
        for case in CASES
        for step in case.script
    ]
    with llm_server(*script, Status(400, "the script has ended")) as server:
        options = LlmOptions(
            models=(server.model(protocol),), store=tmp_path / "s", call_seconds=1.0, limits=Limits(calls=len(script))
        )
        proposer = open_proposer("llm", options, tmp_path)
        result = pipeline.lift(source(tmp_path, *(case.name for case in CASES)), proposer=proposer, out=tmp_path / "out")
    assert [(one.name, one.verdict) for one in result.functions] == [(case.name, case.verdict) for case in CASES]
    for case, one in zip(CASES, result.functions, strict=True):
        assert case.words in reasons(one) and KEY not in reasons(one)
    assert len(server.received) == len(script)
    assert not list(tmp_path.rglob("executed")) and not Path("executed").exists()
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_budget_ends_the_questions_and_not_the_run(tmp_path: Path) -> None:
    with llm_server(right("first"), "nothing of use") as server:
        options = LlmOptions(models=(server.model("openai"),), store=tmp_path / "s", limits=Limits(calls=3))
        proposer = open_proposer("llm", options, tmp_path)
        result = pipeline.lift(source(tmp_path, "first", "second", "third"), proposer=proposer)
    assert [one.verdict for one in result.functions] == [PROVED, NOT_LIFTED, NOT_LIFTED]
    assert all("the budget of 3 calls is spent" in reasons(one) for one in result.functions[1:])
    assert len(server.received) == 3


def test_replay_lifts_what_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels, options = source(tmp_path, "recorded"), LlmOptions(store=tmp_path / "s")
    with llm_server("nothing of use", right("recorded")) as server:
        models = LlmOptions(models=(server.model("google"),), store=tmp_path / "s")
        assert pipeline.lift(kernels, proposer=open_proposer("llm", models, tmp_path)).functions[0].verdict is PROVED
    monkeypatch.delenv("METALIFT_API_KEY")
    assert pipeline.lift(kernels, proposer=open_proposer("replay", options, tmp_path)).functions[0].verdict is PROVED
    assert len(server.received) == 2


def test_a_batch_of_an_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All prompts are there before the first answer; one kernel needs two attempts, one is never answered."""
    monkeypatch.setattr(exchange, "POLL", 0.02)
    monkeypatch.setattr(exchange, "SETTLED", 0.1)
    folder, names = tmp_path / "x", ("one", "two", "three")
    prompts = [folder / f"{name}-1.prompt.md" for name in names]

    def wait_for(*paths: Path) -> None:
        until = time.monotonic() + 60
        while not all(path.exists() for path in paths):
            assert time.monotonic() < until
            time.sleep(0.05)

    def people() -> None:
        wait_for(*prompts)
        (folder / "three-1.answer.md").write_text(right("three"), encoding="utf-8")
        (folder / "two-1.answer.md").write_text("Let me think.", encoding="utf-8")
        wait_for(folder / "two-2.prompt.md")
        (folder / "two-2.answer.md").write_text(right("two"), encoding="utf-8")

    thread = threading.Thread(target=people)
    thread.start()
    proposer = open_proposer(f"exchange:{folder}", LlmOptions(exchange_batch=True, exchange_seconds=2.0), tmp_path)
    result = pipeline.lift(source(tmp_path, *names), proposer=proposer)
    thread.join()
    assert [one.verdict for one in result.functions] == [NOT_LIFTED, PROVED, PROVED]
    assert "one-1.answer.md, then run the same command again" in reasons(result.functions[0])

"""The command `metalift lift` with a model that answers over HTTP: from the arguments to PROVED, code, certificate and log."""

from __future__ import annotations

from pathlib import Path

from tests.propose.test_loops import GCD
from tests.support.commands import lift_text, metalift, metalift_process
from tests.support.llm_server import KEY, llm_server

PROPOSE = Path(__file__).parents[1] / "propose"
COPY = "void copy(short *restrict y, const short *restrict x, int n) {\n    for (int i = 0; i < n; i++) y[i] = x[i];\n}\n"
WRONG, RIGHT = (f"```python\ndef copy(y, x, n):\n    y[0:n] = {value}\n```\n" for value in ("x[0:n] + 1", "x[0:n]"))


def test_a_model_alone(tmp_path: Path) -> None:
    """The first answer is wrong and goes back with the reason, the second is proved; the log shows both, and no key."""
    with llm_server(WRONG, RIGHT) as server:
        model = server.model("openai")
        assert model.startswith("openai:") and "@http://127.0.0.1:" in model and model.endswith("/v1")
        done = lift_text(COPY, tmp_path, "--proposer", "llm", "--model", model)
    assert done.status == 0, done.errors
    function = done.function
    assert (function["verdict"], function["proposer"], function["candidates"]) == ("PROVED", "llm", 2)
    assert len(server.prompts) == 2 and "It computes something else than the function. On the input" in server.prompts[1]
    assert (tmp_path / "out" / "numpy" / "copy.py").is_file() and (tmp_path / "out" / "certificates" / "copy").is_dir()
    log = metalift("llm", "log", cwd=tmp_path)
    assert log.output.count("answered") == 2 and KEY not in log.output + done.output + done.errors


def test_a_model_where_the_search_fails(tmp_path: Path) -> None:
    """The search derives no summary of a loop that does not count; the model gives one with its invariant."""
    with llm_server(f"```python\n{GCD}```") as server:
        asked = ("--proposer", "search,llm", "--model", server.model("openai"))
        loops = ("lift", PROPOSE / "loops.c", "--function", "gcd", "--driver", PROPOSE / "numbers_driver.py", "--json")
        done = metalift_process(*loops, *asked, cwd=tmp_path)
    assert done.status == 0, done.errors
    assert (done.function["verdict"], done.function["proposer"]) == ("PROVED", "llm") and len(server.prompts) == 1

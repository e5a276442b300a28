"""The tools of coding agents, by the protocol's own client: what they give, and what they refuse."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from benchmarks.agents import KERNELS, SLICES
from metalift.app.agents.workspace import Workspace
from metalift.result.errors import UsageError

KERNEL = """\
float dot(int n, const float *x, const float *y) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}
"""
PORT = """\
import numpy as np

def dot(x, y):
    return (x * y).sum()

def square(x):
    return (x * x).sum()
"""
Session = Callable[[Client], Awaitable[None]]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a kernel, a port of it, a link that leads out, and a file that has the name of a module."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "kernel.c").write_text(KERNEL, encoding="utf-8")
    (folder / "port.py").write_text(PORT, encoding="utf-8")
    (folder / "argparse.py").write_text("raise SystemExit('a module of the workspace ran')\n", encoding="utf-8")
    (tmp_path / "outside.c").write_text(KERNEL, encoding="utf-8")
    (folder / "link.c").symlink_to(tmp_path / "outside.c")
    return folder


def during(workspace: Path, session: Session, *arguments: str) -> None:
    """A session with a server of its own."""

    async def whole() -> None:
        serve = ["-P", "-m", "metalift.cli", "mcp", "--workspace", str(workspace), *arguments]
        async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=serve))) as client:
            await session(client)

    anyio.run(whole)


async def called(client: Client, tool: str, **arguments: str) -> dict[str, Any]:
    """What a tool gives."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content or {}
    return found


async def refused(client: Client, tool: str, **arguments: str) -> str:
    """Why a tool does not do it."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return " ".join(part.text for part in result.content if part.type == "text")


def test_an_agent_lifts_checks_and_compares(workspace: Path) -> None:
    async def session(client: Client) -> None:
        (function,) = (await called(client, "lift", file="kernel.c"))["functions"]
        assert (function["name"], function["verdict"], function["reasons"]) == ("dot", "PROVED", [])
        code = function["targets"]["numpy"]
        assert code["file"] == "metalift_out/numpy/dot.py" and "np.dot(x, y)" in code["code"]
        assert any("real numbers" in each for each in function["assumptions"])
        checked = await called(client, "check", certificate="metalift_out/certificates/dot")
        assert checked["rederived"] and {each["verdict"] for each in checked["obligations"]} == {"PROVED"}
        assert (await called(client, "equiv", source="kernel.c:dot", port="port.py:dot"))["verdict"] == "EQUAL"
        assert "operator" in (await called(client, "explain", word="T01"))["result"]

    during(workspace, session)


def test_an_agent_answers_a_prompt(workspace: Path) -> None:
    async def session(client: Client) -> None:
        asked = await called(client, "propose", file="kernel.c", function="dot")
        assert "def dot(n, x, y)" in asked["prompt"]
        wrong, right = "def dot(n, x, y):\n    return n", "def dot(n, x, y):\n    return x[:n] @ y[:n]"
        answered = await called(client, "propose", file="kernel.c", function="dot", answer=wrong)
        assert "Attempt 2" in answered["prompt"] and answered["functions"][0]["verdict"] != "PROVED"
        done = await called(client, "propose", file="kernel.c", function="dot", answer=right)
        assert done["prompt"] == "" and done["functions"][0]["verdict"] == "PROVED"
        assert "nothing is asked" in await refused(client, "propose", file="kernel.c", function="dot", answer="def dot(): pass")

    during(workspace, session)


def test_an_agent_says_what_loops_keep(workspace: Path) -> None:
    (workspace / "kernels.c").write_text(KERNELS.read_text(encoding="utf-8"), encoding="utf-8")

    async def session(client: Client) -> None:
        of = {"file": "kernels.c", "function": "clear_blocks"}
        asked = await called(client, "propose", **of)
        assert "`invariant_72`, `decreases_72`: `low, high, x_old, steps`" in asked["prompt"]
        done = await called(client, "propose", **of, answer=SLICES)
        (function,) = done["functions"]
        assert function["verdict"] == "PROVED" and "x[low:high] = 0.0" in function["targets"]["numpy"]["code"]
        checked = await called(client, "check", certificate="metalift_out/certificates/clear_blocks")
        assert {each["verdict"] for each in checked["obligations"]} == {"PROVED"}

    during(workspace, session)


def test_what_an_agent_may_not(workspace: Path) -> None:
    async def session(client: Client) -> None:
        for path in ("../outside.c", "/etc/passwd", "link.c"):
            assert "not in the workspace" in await refused(client, "lift", file=path)
        assert "not in the workspace" in await refused(client, "equiv", source="kernel.c:dot", port="../outside.c:dot")
        assert "no such" in (await refused(client, "lift", file="--help")).lower()
        assert "no target" in await refused(client, "lift", file="kernel.c", to="./port.py")

    during(workspace, session)


def test_a_call_has_a_limit(workspace: Path) -> None:
    async def session(client: Client) -> None:
        assert "took longer than" in await refused(client, "scan")

    during(workspace, session, "--seconds", "0.01")  # less than Python takes to start


def test_results_stay_in_the_workspace(workspace: Path) -> None:
    with pytest.raises(UsageError, match="not in the workspace"):
        Workspace(workspace, "../elsewhere").results()
    assert Workspace(workspace, "out").named("a/../kernel.c:dot") == "./kernel.c:dot"

"""The server behind `metalift mcp`.

Each tool runs a command in a process of its own, in the workspace, and gives what the command prints as JSON, cut down to what an
agent needs. So a tool can do nothing that the command line cannot, and an agent has less of it: its files lie in the workspace,
what is written lies in one folder of that, and no driver file, option of clang or language model is its to name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from metalift.app.agents.workspace import Exchange, Ran, Workspace, run_command
from metalift.result.errors import UsageError
from metalift.version import __version__

REASON = ("code", "target", "line", "what", "help")
LONGEST_CODE = 20_000  # characters of a generated file in a result; the file has the rest
INSTRUCTIONS = """\
metalift finds what loop code in C, C++ and Python computes in the operators of a target library, proves it for all sizes, and \
writes the code. scan says what of a file or folder can be lifted; lift gives code for targets such as numpy, pytorch, jax, nki, \
triton or dataframe; equiv proves that a port computes what its source does, or gives an input on which they differ; check \
proves a certificate again; explain says what a verdict or a code such as S01 means. Where lift says NOT_LIFTED, propose gives a \
short prompt about the function: answer it with an ordinary Python function. Only PROVED is proved, under the assumptions that \
are listed: tell them to the user. Paths are relative to the workspace."""


def serve(root: Path, out: str, seconds: float) -> None:
    """Serve over standard input and output until the client leaves. Raises UsageError where `out` is not in the workspace."""
    workspace = Workspace(root.resolve(), out)
    workspace.results()
    serving = MCPServer("metalift", version=__version__, instructions=INSTRUCTIONS, log_level="ERROR")
    tools = Tools(workspace, seconds)
    for tool in (tools.lift, tools.scan, tools.equiv, tools.check, tools.explain, tools.propose):
        serving.tool()(tool)
    serving.run("stdio")


@contextmanager
def told() -> Iterator[None]:
    """What is refused here is told to the agent."""
    try:
        yield
    except UsageError as problem:
        raise ToolError(str(problem)) from problem


class Tools:
    """The tools: what their docstrings say is what an agent reads of them. `seconds`: the limit of each call."""

    def __init__(self, workspace: Workspace, seconds: float) -> None:
        self._workspace = workspace
        self._seconds = seconds

    async def lift(
        self,
        context: Context,
        file: str,
        to: str = "numpy",
        functions: tuple[str, ...] = (),
        assume: tuple[str, ...] = (),
        nests: bool = False,
    ) -> dict[str, Any]:
        """Lift functions of a C, C++ or Python file to targets, and prove the code.

        file: a path in the workspace, or path:line for a loop nest. to: targets, separated by commas. functions: their names; all
        of the file without them. assume: conditions on the parameters, such as "n >= 1". nests: where a function cannot be
        lifted, lift its loop nests. Gives verdict, code, assumptions and reasons of each function; code and certificates lie in
        the folder for results.
        """
        more = (*(f"--assume={each}" for each in assume), *(["--nests"] if nests else []))
        return await self._lifted(context, file, functions, to, "--proposer=search", *more)

    async def propose(self, context: Context, file: str, function: str, to: str = "numpy", answer: str = "") -> dict[str, Any]:
        """Be the language model for a function that lift does not lift.

        Without an answer: gives the prompt. With one (Python code, as the prompt asks for it): it is read, tested and proved, and
        never run; gives verdict and code, or the next prompt, which says what was wrong.
        """
        with told():
            exchange = Exchange.about(self._workspace, self._workspace.named(file), to)
            if answer:
                exchange.answer(function, answer)
        found = await self._lifted(context, file, (function,), to, *exchange.arguments)
        prompt = exchange.asked(function)
        return {**found, "prompt": "" if prompt is None else prompt.read_text(encoding="utf-8")}

    async def scan(self, context: Context, path: str = ".") -> dict[str, Any]:
        """Say which functions and loop nests of a file or folder can be lifted, and what stops the others."""
        return await self._json(context, "scan", self._named(path))

    async def equiv(
        self,
        context: Context,
        source: str,
        port: str,
        names: tuple[str, ...] = (),
        shapes: str = "",
        assume: tuple[str, ...] = (),
    ) -> dict[str, Any]:
        """Prove that a port computes what its source does, for all sizes, or find an input on which they differ.

        source, port: file:function. names: "b=a" where the port's parameter b is the source's a. shapes: lengths of the port's
        arrays in the source's numbers, such as "a:n,k x:k -> y:n". assume: conditions on the source's parameters.
        """
        more = (*(f"--map={each}" for each in names), *(f"--assume={each}" for each in assume))
        return await self._json(context, "equiv", self._named(source), self._named(port), f"--shapes={shapes}", *more)

    async def check(self, context: Context, certificate: str) -> dict[str, Any]:
        """Derive a certificate that a lift wrote anew, prove it again, and say what differs. certificate: its folder."""
        return await self._json(context, "check", self._named(certificate))

    async def explain(self, context: Context, word: str) -> str:
        """Say what a verdict, the origin of an assumption, or the code of a reason (such as S01) means, and what helps."""
        done = await self._ran(context, "explain", word)
        if done.status:
            raise ToolError(done.errors)
        return done.output

    def _named(self, path: str) -> str:
        """A path of the workspace as an argument."""
        with told():
            return self._workspace.named(path)

    async def _ran(self, context: Context, command: str, *arguments: str) -> Ran:
        """Run a command, with its progress told to the client."""

        async def beat(passed: float) -> None:
            await context.report_progress(passed, self._seconds, f"{command}: {passed:.0f} s")

        with told():
            return await run_command(self._workspace.root, (command, *arguments), self._seconds, beat)

    async def _json(self, context: Context, command: str, *arguments: str) -> dict[str, Any]:
        """What a command prints as JSON; what it says on standard error is the failure where it prints none."""
        done = await self._ran(context, command, "--json", *arguments)
        try:
            found: dict[str, Any] = json.loads(done.output)
        except ValueError:
            raise ToolError(done.errors.strip() or f"metalift {command} ended with status {done.status}") from None
        return found

    async def _lifted(self, context: Context, file: str, functions: Sequence[str], to: str, *more: str) -> dict[str, Any]:
        """A lift, in brief."""
        with told():
            out = self._workspace.results()
        given = (self._named(file), f"--to={to}", f"--out={out}", *(f"--function={name}" for name in functions))
        return brief(await self._json(context, "lift", *given, *more), self._workspace.root)


def brief(result: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """What an agent needs of the JSON of a lift that ran in `root`: verdicts, code, assumptions, reasons."""
    functions = [
        {
            **{name: function[name] for name in ("name", "line", "verdict")},
            "assumptions": [assumed["text"] for assumed in function["assumptions"]],
            "targets": {name: _target(target, root) for name, target in function["targets"].items()},
            "reasons": [{name: reason[name] for name in REASON} for reason in function["reasons"]],
        }
        for function in result["functions"]
    ]
    return {"functions": functions, "left_out": result["left_out"]}


def _target(target: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """What came out for one target, with its code."""
    file = root / target["file"] if target["file"] else None
    code = file.read_text(encoding="utf-8") if file is not None and file.is_file() else ""
    return {
        **{name: target[name] for name in ("verdict", "checked")},
        "file": "" if file is None else os.path.relpath(file, root),
        "code": code[:LONGEST_CODE],
        "assumptions": [assumed["text"] for assumed in target["assumptions"]],
    }

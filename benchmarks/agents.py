"""A coding agent lifts a file of ten kernels by `metalift mcp`: prints the session, which docs/agent-session.md holds.

Usage, from the root of the project, with the extra `mcp` installed: python -m benchmarks.agents

The agent is scripted; client, server and all that they do are real. Exit status 1 where not nine of the kernels are proved.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters, stdio_client

KERNELS = Path(__file__).resolve().parent / "agent" / "kernels.c"
SLICES = """\
def clear_blocks(x, moves, n):
    low, high = 0, 3
    while high <= n:
        x[low:high] = 0
        move = max(int(moves[low]), 1)
        low += move
        high += move

def invariant_72(low, high):
    return high == low + 3 and low < 100
"""
WRONG = """\
def sift_down(a, n, i):
    while 2 * i + 1 < n:
        left, right = 2 * i + 1, 2 * i + 2
        most = left if a[left] > a[i] else i
        if right < n and a[right] > a[left]:
            most = right
        if most == i:
            break
        a[i], a[most] = a[most], a[i]
        i = most
"""
CANNOT = 'cannot = "it reads a[i] only where i has children, which the slices of NumPy cannot say"'
FIRST, RULES = "clear_blocks", "Answer with one code block"  # the rules are the same for all functions
STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("lift", {"file": "kernels.c"}),
    ("propose", {"file": "kernels.c", "function": "clear_blocks"}),
    ("propose", {"file": "kernels.c", "function": "clear_blocks", "answer": SLICES}),
    ("propose", {"file": "kernels.c", "function": "sift_down"}),
    ("propose", {"file": "kernels.c", "function": "sift_down", "answer": WRONG}),
    ("propose", {"file": "kernels.c", "function": "sift_down", "answer": CANNOT}),
    ("check", {"certificate": "metalift_out/certificates/clear_blocks"}),
)


async def session(workspace: Path) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each call with what it gave."""
    serve = ["-P", "-m", "metalift.cli", "mcp", "--workspace", str(workspace), "--seconds", "600"]
    found = []
    server = StdioServerParameters(command=sys.executable, args=serve, env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        for tool, arguments in STEPS:
            made = await client.call_tool(tool, arguments, read_timeout_seconds=900)
            assert not made.is_error, made.content
            found.append((tool, arguments, made.structured_content or {}))
    return found


def shown(tool: str, arguments: dict[str, Any], made: dict[str, Any]) -> Iterator[str]:
    """A call and its result as Markdown, the result cut down to what an agent acts upon."""
    answer = arguments.get("answer", "")
    plain = {name: value for name, value in arguments.items() if name != "answer"}
    yield f"## {tool} `{json.dumps(plain)}`\n"
    if answer:
        yield f"with the answer\n\n```python\n{answer.strip()}\n```\n"
    for function in made.get("functions", ()):
        yield f"- `{function['name']}`: {function['verdict']}{''.join(map(reason, function.get('reasons', ())))}"
    if tool == "propose" and made["functions"][0]["verdict"] == "PROVED":
        code = made["functions"][0]["targets"]["numpy"]["code"]
        yield f"\n```python\n{code[code.rindex('    low = 0') :].rstrip()}\n```"
    if made.get("prompt"):
        text = made["prompt"]
        again = not answer and arguments["function"] != FIRST
        text = text[text.rfind("## Attempt") :] if answer else text[: text.find(RULES)] + "..." if again else text
        yield f"\nand the prompt\n\n~~~markdown\n{text.strip()}\n~~~"
    if "obligations" in made and tool == "check":
        verdicts = [each["verdict"] for each in made["obligations"]]
        yield f"- derived anew: {made['rederived']}; {verdicts.count('PROVED')} of {len(verdicts)} obligations PROVED"
    yield ""


def reason(one: dict[str, Any]) -> str:
    """Why a function is not lifted."""
    return f" ({one['code']}: {one['what']})"


def main() -> int:
    """Print the session."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(KERNELS, Path(folder) / "kernels.c")
        found = anyio.run(session, Path(folder))
    print("# An agent lifts a file of ten kernels\n\nMade by `python -m benchmarks.agents` with benchmarks/agent/kernels.c.\n")
    print("\n".join(line for step in found for line in shown(*step)).rstrip())
    proved = {one["name"] for _, _, made in found[:-1] for one in made["functions"] if one["verdict"] == "PROVED"}
    return 0 if len(proved) == 9 else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""The arguments of `metalift mcp`. The server is imported when it runs: its package is an extra, and heavy."""

from __future__ import annotations

import argparse
from pathlib import Path

from metalift.result.errors import UsageError


def add_mcp(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The mcp command."""
    command = commands.add_parser(
        "mcp",
        help="serve the commands as tools to coding agents (Model Context Protocol; extra mcp)",
        description="Serve lift, scan, equiv, check, explain and propose over standard input and output by the Model Context "
        "Protocol. Files are read in the workspace only, and written below its folder OUT only.",
    )
    command.add_argument("--workspace", metavar="DIR", type=Path, default=Path(), help="the folder to work in (default: .)")
    command.add_argument("--out", metavar="OUT", default="metalift_out", help="folder in it for results (default: metalift_out)")
    command.add_argument("--seconds", metavar="S", type=float, default=600.0, help="for each call of a tool (default: 600)")


def run_mcp(options: argparse.Namespace) -> None:
    """Serve until the client leaves. Raises UsageError where the extra is missing, or there is no such workspace."""
    if not options.workspace.is_dir():
        raise UsageError(f"{options.workspace} is not a folder")
    try:
        from metalift.app.agents.server import serve
    except ImportError as missing:
        if missing.name is None or missing.name.startswith("metalift"):
            raise
        raise UsageError(f"the package {missing.name} is not installed: pip install 'metalift[mcp]'") from missing
    serve(options.workspace, options.out, options.seconds)

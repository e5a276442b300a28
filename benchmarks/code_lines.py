"""How long the files are that a lift of the suites writes, and how much of each is guards.

Usage, from the root of the project:
python -m benchmarks.code_lines [--to TARGET] [--style S] [--signature S] [--out DIR] [SUITE ...]

For each function: the lines of its file, those that say what it computes (without imports, helpers, docstring and guards), and
whether its code agrees with the source. Then the medians.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from benchmarks.suites import read_suite
from metalift import lift
from metalift.app.style import SIGNATURES, STYLES
from metalift.result import TargetResult

SUITES = ("llama", "blend", "everyday")


def computing(code: str, entry: str) -> int:
    """The lines of the function that compute: not its head, its docstring, or its checks."""
    tree = next(node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef) and node.name == entry)
    return sum((node.end_lineno or 0) - node.lineno + 1 for node in tree.body if not _is_guard(node))


def _is_guard(node: ast.stmt) -> bool:
    """Whether it is a docstring, raises, or calls a check."""
    match node:
        case ast.Expr(ast.Constant()) | ast.If(body=[ast.Raise()], orelse=[]):
            return True
        case ast.For(body=[ast.If(body=[ast.Raise()], orelse=[])]):
            return True
        case ast.Expr(ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called))):
            return called.startswith(("_check", "check"))
        case _:
            return False


def emitted(
    suites: Sequence[str], target: str, out: Path | None, style: str, signature: str
) -> Iterator[tuple[str, TargetResult]]:
    """Each function of the suites with its code."""
    for kernel in (kernel for suite in suites for kernel in read_suite(suite)):
        folder = None if out is None else out / kernel.suite / kernel.path.name
        result = lift(kernel.path, functions=[kernel.function], to=target, out=folder, style=style, signature=signature)
        for function in result.functions:
            found = function.targets.get(target)
            if found is not None and found.code:
                yield f"{kernel.suite}/{kernel.path.name}:{function.name}", found


def main() -> None:
    """Print a line for each function and the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", metavar="SUITE", nargs="*", default=SUITES)
    parser.add_argument("--to", metavar="TARGET", default="pytorch")
    parser.add_argument("--out", metavar="DIR", type=Path, help="write the files there, too")
    parser.add_argument("--style", choices=STYLES, default=STYLES[0])
    parser.add_argument("--signature", choices=SIGNATURES, default=SIGNATURES[0])
    options = parser.parse_args()
    lines: list[int] = []
    bodies: list[int] = []
    for label, found in emitted(options.suites, options.to, options.out, options.style, options.signature):
        lines.append(len(found.code.splitlines()))
        bodies.append(computing(found.code, found.entry))
        print(f"{lines[-1]:5} {bodies[-1]:5}  {found.verdict.value} {found.checked.value}  {label}", flush=True)
    print(f"{median(lines):5g} {median(bodies):5g}  median of {len(lines)} files")


if __name__ == "__main__":
    main()

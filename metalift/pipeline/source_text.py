"""What a prompt shows of a source: the function with the numbers of its lines, and what it uses of its own file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from metalift.frontend import PythonModule, Source, functions_of
from metalift.frontend.llvm.source import function_text
from metalift.ir.program.fragment import Fragment


def numbered(module: Source, fragment: Fragment) -> str:
    """The function's lines with their numbers in the file, before them those of functions of the file that it calls, and the
    constants and macros that these name.
    """
    text = fragment.source.strip("\n")
    at = module.source.find(text)
    first = module.source.count("\n", 0, at) + 1 if at >= 0 else fragment.location.line
    pieces = {first: text, **dict(helpers(module, text, first))}
    named = set(re.findall(r"\w+", " ".join(pieces.values())))
    pieces.update((line, shown) for line, name, shown in constants(module) if name in named)
    others = sorted(line for line in pieces if line != first)
    lines = [f"{line + at:4} {shown}" for line in (*others, first) for at, shown in enumerate(pieces[line].splitlines())]
    return "\n".join(lines)


def helpers(module: Source, text: str, own: int) -> Iterator[tuple[int, str]]:
    """Line and text of each function of the file that the text calls, and of those that these call."""
    texts = {name.rpartition("::")[2]: function_source(module, name, line) for name, line in functions_of(module) if line != own}
    wanted, seen = [text], set[str]()
    while wanted:
        for called in set(re.findall(r"\b(\w+)\s*\(", wanted.pop())) - seen:
            seen.add(called)
            if called in texts:
                yield texts[called]
                wanted.append(texts[called][1])


def function_source(module: Source, name: str, line: int) -> tuple[int, str]:
    """Where a function begins, and its text."""
    if isinstance(module, PythonModule):
        return line, ast.get_source_segment(module.source, module.functions[name]) or ""
    return line, function_text(module.source, line)


def constants(module: Source) -> Iterator[tuple[int, str, str]]:
    """Line, name and text of each macro or constant that one line of the file defines."""
    form = r"(\w+) *= *[^=]" if isinstance(module, PythonModule) else r" *# *define +(\w+).*[^\\]$"
    for line, shown in enumerate(module.source.splitlines(), 1):
        found = re.match(form, shown)
        if found is not None:
            yield line, found[1], shown.rstrip()

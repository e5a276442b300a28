"""Names of functions in a source, as fast as a shell's completion needs them: guessed from the text, for that alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

DEFINED = re.compile(r"^[\w:<>,&*~\s]*?\b([A-Za-z_]\w*)\s*\([^;{}()]*(?:\([^()]*\)[^;{}()]*)*\)[\w\s]*\{", re.MULTILINE)
WORDS = {"if", "for", "while", "switch", "catch", "return", "sizeof"}
LARGEST = 4 << 20  # bytes


def function_names(path: Path) -> list[str]:
    """The names, once each; none where the file cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace") if path.stat().st_size <= LARGEST else ""
        if path.suffix == ".py":
            return [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    except (OSError, SyntaxError, ValueError):
        return []
    return list(dict.fromkeys(name for name in DEFINED.findall(text) if name not in WORDS))

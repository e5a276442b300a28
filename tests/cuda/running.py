"""Texts in CUDA C, in the model of threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from metalift import lift
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.support.blocks import SOURCE as BLOCKS
from tests.support.generated import load_function
from tests.support.lazily import Each

TARGET = "cuda"
RUNNER = Path(__file__).parents[2] / "drivers" / "cuda" / "runner.py"
SOURCE = f"""{BLOCKS}
int whole(const int *x, int n) {{
    int s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}}
"""
FUNCTIONS = ("scale", "shifted", "total", "greatest", "row_means", "products", "whole")


def lifted(folder: Path) -> dict[str, str]:
    """The texts of the functions above, which are proved and agree."""
    source = folder / "source.c"
    source.write_text(SOURCE, encoding="utf-8")

    def text(name: str) -> str:
        (one,) = lift(source, functions=[name], to=[TARGET], out=folder).functions
        assert one.verdict is FunctionVerdict.PROVED, [each for each in one.obligations if each.reason] or one.diagnostics
        target = one.targets[TARGET]
        assert target.checked is Agreement.AGREES and target.file is not None
        return Path(target.file).read_text(encoding="utf-8")

    return Each(text)


def model(path: Path, function: str) -> Callable[..., Any]:
    """A function of a file, as the runner makes it."""
    return load_function(RUNNER, "load")(str(path), function)  # type: ignore[no-any-return]

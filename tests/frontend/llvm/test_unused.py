"""A pointer that a function makes no use of is no parameter of the fragment; the compiled source gets a null pointer there."""

from __future__ import annotations

from pathlib import Path

import pytest

import metalift
from metalift.frontend.llvm.source import load
from metalift.ir.program.fragment import Unsupported

HEAD = "struct hidden;\nstruct known { int a; float *b; };\n"
SUMS = "float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"


@pytest.mark.parametrize("suffix", [".c", ".cc"])
def test_code_agrees_without_it(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"sums{suffix}"
    taken = "struct hidden *of, const float *x, float (*by)(float), int n, const struct known *"
    path.write_text(f"{HEAD}float sums({taken}) {{ {SUMS}\n")
    (function,) = metalift.lift(path, to="numpy").functions
    assert function.ok, function.report()
    fragment = load(path, "sums")
    assert [param.var.name for param in fragment.params] == ["x", "n"] and fragment.unused == (0, 2, 4)


@pytest.mark.parametrize("use", ["if (!of) return 1;", "x = of ? x : x + 1;", "keep = of;", "take(of);"])
def test_what_is_used_is_refused(tmp_path: Path, use: str) -> None:
    path = tmp_path / "sums.c"
    head = f"{HEAD}struct hidden *keep; void take(struct hidden *);\n"
    path.write_text(f"{head}float sums(struct hidden *of, const float *x, int n) {{ {use} {SUMS}\n")
    with pytest.raises(Unsupported):
        load(path, "sums")

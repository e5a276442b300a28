"""How many elements local arrays have: what declarations and allocations say, never fewer than the source gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.frontend import import_function, open_source
from metalift.ir.text import show
from metalift.result.verdict import FunctionVerdict

USED = "for (int i = 0; i < n; i++) { w[i] = x[i]; x[i] = w[x[i]]; }"
ROOMS = {
    "int w[64];": "64",
    "int w[8][4];": "32",
    "int w[n];": "int(n)",
    "int w[n * m + 1];": "int(m) * int(n) + 1",
    "int *w = malloc(n * sizeof(int));": "max(0, int(n))",
    "int *w = malloc(sizeof(int) * (n + 1));": "max(0, int(n) + 1)",
    "int *w = calloc(n, sizeof *w);": "max(0, int(n))",
    "int *w = malloc(u * sizeof(int));": "int(u)",
    "int *w = malloc((u + 3) * sizeof(int));": "",  # it wraps where u is great
    "int *w = malloc((u - 1) * sizeof(int));": "",
    "int *w = malloc((z + 1) * sizeof(int));": "int(z) + 1",
    "int *w = malloc((z - 1) * sizeof(int));": "max(0, int(z) - 1)",
    "int *w = malloc((z - m * z) * sizeof(int));": "",  # far below 0 it wraps to a small number
    "int *w = malloc((z - 16 * z) * sizeof(int));": "",
    "int *w = malloc(l * sizeof(int));": "",  # so does the product of a negative number
    "int *w = malloc(n * 6);": "",  # no whole number of elements
    "int *w = malloc(x[0] * sizeof(int));": "",
    "int w[x[0]];": "",
}


@pytest.mark.parametrize("made", ROOMS)
def test_sizes_are_read(made: str, tmp_path: Path) -> None:
    source = tmp_path / "local.c"
    used = USED.replace("w[", "w[0][") if "[8]" in made else USED
    parameters = "int *x, int n, int m, unsigned u, unsigned long z, long l"
    source.write_text(f"#include <stdlib.h>\nvoid f({parameters}) {{ {made} {used} }}\n")
    fragment = import_function(open_source(source), "f")
    assert [show(room) for _, room in fragment.rooms] == ([ROOMS[made]] if ROOMS[made] else [])


def test_an_array_with_holes_is_as_long_as_the_source_makes_it(tmp_path: Path) -> None:
    source = tmp_path / "pack.c"
    source.write_text(
        "int knapsack(int room, const int *weight, const int *value, int n) {\n"
        "    int best[room + 1];\n"
        "    for (int w = 0; w <= room; w++) best[w] = 0;\n"
        "    for (int i = 0; i < n; i++)\n"
        "        for (int w = room; w >= weight[i]; w--) {\n"
        "            int with = best[w - weight[i]] + value[i];\n"
        "            if (with > best[w]) best[w] = with;\n"
        "        }\n"
        "    return best[room];\n"
        "}\n"
    )
    (function,) = lift(source, to=("numpy",), out=tmp_path / "out").functions
    assert function.verdict is FunctionVerdict.PROVED, function.diagnostics
    assert "best = np.full((room + 1,), 0, dtype=np.int32)" in (tmp_path / "out" / "numpy" / "knapsack.py").read_text()

"""What is returned is read before the arrays are written, also where a choice reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.generated import load_function, proved_code

SOURCE = """
int rare(int *a, int n, int k, int v) {
    if (k < 0 || k >= n) return 0;
    int old = (v & 65535) == 12345 ? a[k] : 0;
    a[k] = 1;
    return old;
}
int put(int *a, int n, int k, int v) { if (k < 0 || k >= n) return 0; int old = a[k]; a[k] = v; return old; }
int first(int *a, int c) { int old = c > 5 ? a[0] : 5; a[0] = 1; return old; }
int counted(int *a, int n, int c) {
    int old = 0;
    if (n > 3 && c > 7) old = a[3];
    for (int i = 0; i < n; i++) a[i] = i;
    return old;
}
"""
CASES: dict[str, tuple[tuple[Any, ...], int, list[int]]] = {
    "rare": (([10, 20, 30], 3, 1, 12345), 20, [10, 1, 30]),
    "put": (([10, 20, 30], 3, 1, 7), 20, [10, 7, 30]),
    "first": (([10], 6), 10, [1]),
    "counted": (([9, 9, 9, 5], 4, 8), 5, [0, 1, 2, 3]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of all of them."""
    made = tmp_path_factory.mktemp("results")
    for style, signature in (("guarded", "source"), ("plain", "tensor")):
        proved_code(SOURCE, made, style=style, signature=signature)
    return made


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("signature", ["source", "tensor"])
def test_an_element_that_is_returned_and_written(name: str, signature: str, folder: Path) -> None:
    function = load_function(folder / signature / "numpy" / f"{name}.py", name)
    (array, *numbers), wanted, after = CASES[name]
    taken = function.__code__.co_varnames[: function.__code__.co_argcount]
    given = {"a": np.array(array, dtype=np.int32)} | dict(zip(("n", "k", "v"), numbers, strict=False))
    given |= {"c": numbers[-1]} if name in ("first", "counted") else {}
    found, left = function(**{each: given[each] for each in taken})
    assert (int(found), left.tolist()) == (wanted, after)

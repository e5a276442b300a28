"""Cells that a condition on sizes changes: where it does not hold, nothing has to be there, and nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.generated import load_function, proved_code

SOURCE = """
void mark(float *a, int n, int k) { if (k >= 0 && k < n) a[k] = 1; }
void last(float *a, int n) { for (int i = 0; i < n - 1; i++) a[i] = a[i + 1]; if (n > 0) a[n - 1] = 0; }
void odd(float *a, int n) {
    for (int i = 0; i + 1 < n; i += 2) { float t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }
    if (n % 2) a[n - 1] = 0;
}
void first(const float *a, float *out, int n) {
    if (n > 0) out[0] = a[0];
    for (int i = 1; i < n; i++) out[i] = (a[i] + a[i - 1]) / 2;
}
void moved(float *a, float *b, int n, int k) { if (k < n && k >= 0) { a[k] = b[k]; b[k] = 0; } }
void unless(int *c, int n, int i) { if (i < 0 || i >= n) return; c[i] += 2; }
"""
INPUTS: dict[str, list[tuple[Any, ...]]] = {
    "mark": [([3.0, 4.0], 2, 1), ([3.0], 1, -1), ([3.0], 1, 7), ([], 0, 0)],
    "last": [([3.0, 4.0], 2), ([3.0], 1), ([], 0)],
    "odd": [([3.0, 4.0], 2), ([3.0, 4.0, 5.0], 3), ([], 0)],
    "first": [([3.0, 5.0], [0.0, 0.0], 2), ([3.0], [0.0], 1), ([], [], 0)],
    "moved": [([1.0, 2.0], [3.0, 4.0], 2, 0), ([1.0], [3.0], 1, -1), ([], [], 0, 3)],
    "unless": [([1, 2], 2, 1), ([1], 1, 1), ([1], 1, -2), ([], 0, 0)],
}


def expected(name: str, args: tuple[Any, ...]) -> list[list[float]]:
    """What the source leaves in its arrays."""
    arrays = [list(each) for each in args if isinstance(each, list)]
    *_, n = [each for each in args if isinstance(each, int)][:1]
    last = args[-1]
    match name:
        case "mark" if 0 <= last < n:
            arrays[0][last] = 1.0
        case "last" if n > 0:
            arrays[0] = [*arrays[0][1:], 0.0]
        case "odd":
            for at in range(0, n - 1, 2):
                arrays[0][at : at + 2] = reversed(arrays[0][at : at + 2])
            arrays[0][n - n % 2 :] = [0.0] * (n % 2)
        case "first":
            a = arrays[0]
            arrays[1] = [a[0] if at == 0 else (a[at] + a[at - 1]) / 2 for at in range(n)]
        case "moved" if 0 <= last < n:
            arrays[0][last], arrays[1][last] = arrays[1][last], 0.0
        case "unless" if 0 <= last < n:
            arrays[0][last] += 2
    return arrays


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of all of them."""
    return proved_code(SOURCE, tmp_path_factory.mktemp("conditional"))


@pytest.mark.parametrize("name", INPUTS)
def test_a_cell_is_needed_where_it_is_changed_only(name: str, folder: Path) -> None:
    function = load_function(folder / f"{name}.py", name)
    for args in INPUTS[name]:
        dtype = np.int32 if name == "unless" else np.float32
        given = [np.array(each, dtype=dtype) if isinstance(each, list) else each for each in args]
        function(*given)
        left = [each.tolist() for each in given if isinstance(each, np.ndarray)]
        assert left == expected(name, args), args

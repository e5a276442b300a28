"""What the source asks first is asked first: elements and functions are only computed where it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.generated import load_function, proved_code

SOURCE = """
#include <math.h>
void nested(const int *x, int *y, int n, int k) {
    if (k < n) { if (x[k] < k) { for (int i = 0; i < n; i++) y[i] = 2 * y[i]; } }
}
void root(double *x, double *y, int n, int m, int ld) {
    double s = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += y[i * ld + j] * y[i * ld + j];
    double r = sqrt(s);
    if (n > 1) x[0] = r;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * ld + j] = 0;
}
void placed(const int *idx, int *cnt, int *out, int n) { cnt[0] = n; if (n > 0) out[idx[n - 1]] = 5; }
"""


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


CASES: dict[str, list[tuple[tuple[Any, ...], list[list[float]]]]] = {
    "nested": [((ints(), ints(), 0, 0), [[], []]), ((ints(7, 0), ints(1, 2), 2, 1), [[7, 0], [2, 4]])],
    "root": [((np.ones(1), np.full(2, 3.0), 1, 2, 2), [[1], [0, 0]]), ((np.ones(1), np.array([3.0, 4]), 2, 1, 1), [[5], [0, 0]])],
    "placed": [((ints(), ints(9), ints(), 0), [[], [0], []]), ((ints(1), ints(9), ints(0, 0), 1), [[1], [1], [0, 5]])],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of all of them."""
    return proved_code(SOURCE, tmp_path_factory.mktemp("order"))


@pytest.mark.parametrize("name", CASES)
def test_where_the_source_computes_nothing(name: str, folder: Path) -> None:
    function = load_function(folder / f"{name}.py", name)
    for args, wanted in CASES[name]:
        function(*args)
        assert [each.tolist() for each in args if isinstance(each, np.ndarray)] == wanted

"""Guards of memory decide for views with any strides: what they take is computed as the source does it, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from metalift import lift
from tests.support.generated import load_function
from tests.support.lazily import module

torch = module("torch")

SOURCE = """#include <stdint.h>
void doubled(int n, float *o, const float *x) { for (int i = 0; i < n; i++) o[i] = x[i] * 2.0f; }
void mirrored(int n, float *o, const float *x) { for (int i = 0; i < n; i++) o[i] = x[i] + x[n - 1 - i]; }
void both(int n, float *o, float *p, const float *x) {
  for (int i = 0; i < n; i++) { o[i] = x[i] * 2.0f; p[i] = x[i] + 1.0f; } }
void summed(int n, float *o, const float *x, const float *y) { for (int i = 0; i < n; i++) o[i] += x[i] + y[n - 1 - i]; }
void filled(int n, float *o) { for (int i = 0; i < n; i++) o[i] = i + 1; }
void totals(int n, float *o, const float *x) { float s = 0; for (int i = 0; i < n; i++) { s += x[i]; o[i] = s; } }
void shifted(int n, float *o, const float *x) { for (int i = 0; i < n; i++) o[i] = x[i + 1]; }
void counted(int n, float *o, const int32_t *x) { for (int i = 0; i < n; i++) o[i] = (float)(x[i] & 255); }
"""
PLAIN = """import numpy as np
from numpy.typing import NDArray


def grid(o: NDArray[np.float32], x: NDArray[np.float32]) -> None:
    for i in range(o.shape[0]):
        for j in range(o.shape[1]):
            o[i, j] = x[i, j] * 2
"""
TARGETS = ("numpy", "pytorch")
REAL = np.float32
Cells = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Callable[..., Any]]:
    folder = tmp_path_factory.mktemp("overlaps")
    (folder / "k.c").write_text(SOURCE)
    (folder / "p.py").write_text(PLAIN)
    found = {}
    made = [one for file in ("k.c", "p.py") for one in lift(folder / file, to=TARGETS, out=folder / "out").functions]
    for one in made:
        for target in TARGETS:
            path = one.targets[target].file
            assert path is not None, one.name
            found[one.name, target] = load_function(Path(path), one.name)
    return found


def _doubled(n: int, o: Cells, x: Cells) -> None:
    for i in range(n):
        o[i] = x[i] * 2


def _mirrored(n: int, o: Cells, x: Cells) -> None:
    for i in range(n):
        o[i] = x[i] + x[n - 1 - i]


def _both(n: int, o: Cells, p: Cells, x: Cells) -> None:
    for i in range(n):
        o[i] = x[i] * 2
        p[i] = x[i] + 1


def _summed(n: int, o: Cells, x: Cells, y: Cells) -> None:
    for i in range(n):
        o[i] += x[i] + y[n - 1 - i]


def _filled(n: int, o: Cells) -> None:
    for i in range(n):
        o[i] = i + 1


def _totals(n: int, o: Cells, x: Cells) -> None:
    total = REAL(0)
    for i in range(n):
        total += x[i]
        o[i] = total


def _shifted(n: int, o: Cells, x: Cells) -> None:
    for i in range(n):
        o[i] = x[i + 1]


def _counted(n: int, o: Cells, x: Cells) -> None:
    for i in range(n):
        o[i] = x[i] & 255


MEANT: dict[str, tuple[Callable[..., None], int, int]] = {  # what the source does, its arrays, how many elements more than n
    "doubled": (_doubled, 2, 0),
    "mirrored": (_mirrored, 2, 0),
    "both": (_both, 3, 0),
    "summed": (_summed, 3, 0),
    "filled": (_filled, 1, 0),
    "totals": (_totals, 2, 0),
    "shifted": (_shifted, 2, 1),
    "counted": (_counted, 2, 0),
}
CELLS = 24
View = tuple[int, int, int]  # the first cell, the step from element to element, the number of elements


def views(steps: Sequence[int]) -> st.SearchStrategy[View]:
    """Views of a buffer of that many cells."""

    def fits(view: View) -> bool:
        start, step, size = view
        return size == 0 or 0 <= start + step * (size - 1) < CELLS

    return st.tuples(st.integers(0, CELLS - 1), st.sampled_from(list(steps)), st.integers(0, 6)).filter(fits)


def as_numpy(buffer: Cells, view: View) -> Cells:
    start, step, size = view
    return as_strided(buffer[start:], (size,), (step * buffer.itemsize,))


def as_torch(buffer: Any, view: View) -> Any:  # noqa: ANN401 - tensors
    start, step, size = view
    return buffer.as_strided((size,), (step,), start)


STEPS = {"numpy": (1, 1, 2, 3, 0, -1, -2), "pytorch": (1, 1, 2, 3, 0)}


@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_a_guard_takes_is_computed_as_the_source_does_it(
    target: str, data: st.DataObject, generated: dict[tuple[str, str], Callable[..., Any]]
) -> None:
    name = data.draw(st.sampled_from(sorted(MEANT)))
    meant, count, more = MEANT[name]
    chosen = data.draw(st.lists(views(STEPS[target]), min_size=count, max_size=count))
    if data.draw(st.booleans()):
        chosen = [chosen[0]] * count
    n = max(0, min(view[2] for view in chosen) - more)
    expected = np.arange(1, CELLS + 1, dtype=REAL)
    kinds = [REAL, np.int32 if name == "counted" else REAL, REAL][:count]
    buffer = expected.copy()
    try:
        if target == "numpy":
            generated[name, target](n, *(as_numpy(buffer.view(kind), view) for kind, view in zip(kinds, chosen, strict=True)))
        else:
            shared = torch.from_numpy(buffer)
            types = {REAL: torch.float32, np.int32: torch.int32}
            generated[name, target](n, *(as_torch(shared.view(types[k]), v) for k, v in zip(kinds, chosen, strict=True)))
    except ValueError as refused:
        assert "must" in str(refused)
        assert (buffer == expected).all()
        return
    meant(n, *(as_numpy(expected.view(kind), view) for kind, view in zip(kinds, chosen, strict=True)))
    assert buffer.tolist() == expected.tolist()


BUFFER = np.arange(12, dtype=REAL)


@lru_cache
def tensor(*shape: int) -> Any:  # noqa: ANN401 - a tensor
    """The one of that shape, of which all views share the elements."""
    return torch.arange(prod(shape), dtype=torch.float32).reshape(shape)


SAME = "must be the same array or not overlap"
APART = "must be arrays that do not overlap"
ONE = "elements must not overlap each other"
REFUSED: list[tuple[str, str, Callable[[], tuple[Any, ...]], str]] = [
    ("doubled", "numpy", lambda: (BUFFER, BUFFER[::-1]), SAME),
    ("doubled", "numpy", lambda: (BUFFER[::-1], BUFFER), SAME),
    ("doubled", "numpy", lambda: (BUFFER[:3], BUFFER[4::-2]), SAME),
    ("doubled", "pytorch", lambda: (tensor(12), tensor(12)[2].expand(4)), SAME),
    ("mirrored", "pytorch", lambda: (tensor(12)[:4], tensor(12)[1].expand(4)), APART),
    ("mirrored", "numpy", lambda: (BUFFER[:4], as_strided(BUFFER[3:], (4,), (0,))), APART),
    ("filled", "numpy", lambda: (as_strided(BUFFER, (4,), (0,)),), ONE),
    ("filled", "numpy", lambda: (as_strided(BUFFER, (4,), (2,)),), ONE),
    ("filled", "pytorch", lambda: (tensor(12)[:1].expand(4),), ONE),
]
TAKEN: list[tuple[str, str, Callable[[], tuple[Any, ...]]]] = [
    ("doubled", "numpy", lambda: (BUFFER[::-1], BUFFER[::-1])),
    ("doubled", "numpy", lambda: (BUFFER[:4], np.broadcast_to(REAL(3), (4,)))),
    ("mirrored", "numpy", lambda: (BUFFER[5::-1], BUFFER[6:])),
    ("mirrored", "numpy", lambda: (BUFFER, BUFFER[5:5])),
    ("doubled", "pytorch", lambda: (tensor(12)[:4], tensor(12)[4].expand(4))),
    ("mirrored", "pytorch", lambda: (tensor(12)[::2], tensor(12)[0:0].expand(0))),
    ("filled", "pytorch", lambda: (tensor(12)[:1].expand(1),)),
]


GRID = np.arange(36, dtype=REAL).reshape(6, 6)
REFUSED += [
    ("grid", "numpy", lambda: (GRID, GRID.T), APART),
    ("grid", "numpy", lambda: (GRID[:3], GRID[2::-1]), APART),
    ("grid", "numpy", lambda: (GRID[:, ::-1], GRID), APART),
    ("grid", "numpy", lambda: (as_strided(GRID, (3, 3), (4, 4)), GRID[3:]), ONE),
    ("grid", "pytorch", lambda: (tensor(6, 6)[:2, :2], tensor(6, 6)[0, 1].expand(2, 2)), APART),
    ("grid", "pytorch", lambda: (tensor(6, 6).as_strided((3, 3), (1, 2)), tensor(6, 6)[3:]), ONE),
    ("grid", "pytorch", lambda: (tensor(6, 6)[0].expand(6, 6), tensor(6, 6)[3:]), ONE),
]
TAKEN += [
    ("grid", "numpy", lambda: (GRID[:3].T, GRID[3:].T)),
    ("grid", "numpy", lambda: (GRID[5:2:-1], GRID[2::-1])),
    ("grid", "numpy", lambda: (GRID[:3], GRID[:2:-1])),
    ("grid", "pytorch", lambda: (tensor(6, 6)[:3, ::2], tensor(6, 6)[3].expand(3, 6))),
    ("grid", "pytorch", lambda: (tensor(6, 6)[0:3, 0:0], tensor(6, 6)[:3].T)),
]


def _arguments(name: str, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    return arrays if name == "grid" else (min(map(len, arrays)), *arrays)


@pytest.mark.parametrize(("name", "target", "arrays", "message"), REFUSED)
def test_views_that_share_elements_are_refused(
    name: str,
    target: str,
    arrays: Callable[[], tuple[Any, ...]],
    message: str,
    generated: dict[tuple[str, str], Callable[..., Any]],
) -> None:
    with pytest.raises(ValueError, match=message):
        generated[name, target](*_arguments(name, arrays()))


@pytest.mark.parametrize(("name", "target", "arrays"), TAKEN)
def test_views_that_share_none_or_all_are_taken(
    name: str, target: str, arrays: Callable[[], tuple[Any, ...]], generated: dict[tuple[str, str], Callable[..., Any]]
) -> None:
    generated[name, target](*_arguments(name, arrays()))

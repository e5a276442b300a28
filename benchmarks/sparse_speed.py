"""How fast the code for a matrix-vector product in CSR is beside its source, compiled by gcc and clang with -O3.

Usage, from the root of the project: python -m benchmarks.sparse_speed [--rows N] [--cells N]

The best of several runs each, in milliseconds: the source; the statement, evaluated by tensora on tensors made before; the
whole generated function, which checks its arguments, makes tensors of them and copies the result; SciPy.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import metalift
from benchmarks.suites import ROOT

SOURCE = ROOT / "sparse" / "csr_matrix_vector.c"
FUNCTION = "csr_matvec"
REPEATED = 15


def best(run: Callable[[], object]) -> float:
    """Milliseconds of the fastest run."""
    seconds = []
    for _ in range(REPEATED):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    return 1000 * min(seconds)


def matrix(rows: int, per_row: int) -> tuple[Any, Any, Any, Any]:
    """A random matrix in CSR, and a vector."""
    rng = np.random.default_rng(1)
    crd = np.sort(rng.integers(0, rows - per_row + 1, (rows, per_row)), axis=1) + np.arange(per_row)  # in order, none twice
    pos = np.arange(0, rows * per_row + 1, per_row, dtype=np.int32)
    return pos, np.ascontiguousarray(crd.reshape(-1), np.int32), rng.random(rows * per_row), rng.random(rows)


def compiled(compiler: str, folder: Path) -> Callable[..., object]:
    """The source as a library."""
    library = folder / f"{compiler}.so"
    subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", str(SOURCE), "-o", str(library)], check=True)
    function: Callable[..., object] = getattr(ctypes.CDLL(str(library)), FUNCTION)
    return function


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="A sparse matrix-vector product: the generated code beside its source.")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--cells", type=int, default=10, help="in each row (default: 10)")
    options = parser.parse_args(argv)
    pos, crd, vals, x = matrix(options.rows, options.cells)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = metalift.lift(SOURCE, functions=[FUNCTION], to=["tensora"], out=folder, timeout=60)
        space: dict[str, Any] = {}
        exec((folder / "tensora" / f"{FUNCTION}.py").read_text(encoding="utf-8"), space)
        sys.stdout.write(f"{FUNCTION}: {result.functions[0].verdict.value}; {options.rows} rows, {len(vals)} cells\n")
        y = np.zeros(options.rows)
        wanted = np.array([vals[a:b] @ x[crd[a:b]] for a, b in zip(pos, pos[1:], strict=False)])
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (pos, crd, vals, x, y)]
        for compiler in [each for each in ("gcc", "clang", "clang-22") if shutil.which(each)]:
            function = compiled(compiler, folder)
            report(f"source, {compiler} -O3 -march=native", best(partial(function, options.rows, *pointers)), y, wanted)
        shape = (options.rows, options.rows)
        tensors = {"A": space["_tensor"]("ds", shape, (0, 1), {1: (pos, crd)}, vals), "x": space["_dense"](x)}
        evaluate = space["tensor_method"]("y(i) = A(i,k) * x(k)", {"y": "d", "A": "ds", "x": "d"})
        report("tensora, the statement", best(lambda: evaluate(**tensors)))
        y[:] = 0
        report("the generated function", best(lambda: space[FUNCTION](options.rows, pos, crd, vals, x, y)), y, wanted)
        try:
            from scipy.sparse import csr_array  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            return 0
        stored = csr_array((vals, crd, pos), shape=shape)
        report("SciPy", best(lambda: stored @ x), stored @ x, wanted)
    return 0


def report(what: str, milliseconds: float, result: Any = None, wanted: Any = None) -> None:  # noqa: ANN401
    """One line; raises where the result is wrong."""
    if result is not None and not np.allclose(result, wanted):
        raise AssertionError(f"{what} gives something else")
    sys.stdout.write(f"{what:<36}{milliseconds:>9.3f} ms\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())

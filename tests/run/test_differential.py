"""Generated code beside the compiled source: what is right agrees, what is subtly wrong differs, what cannot run is not run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from metalift.driver.files import load
from metalift.ir.expr.nodes import Cast, Expr, Operator
from metalift.ir.expr.types import INT
from metalift.ir.program.fragment import Fragment
from metalift.result.verdict import Agreement
from metalift.run.compare.cases import Refusals, references
from metalift.run.compare.differential import Comparison, Emitted, compare
from metalift.run.workers.native import NativeBuild
from metalift.run.workers.process import Worker
from tests.run.fragments import (
    BURN_C,
    GATHER_C,
    RMSNORM_C,
    SHIFT_C,
    SUM_C,
    N,
    burn,
    gather,
    num,
    op,
    rmsnorm,
    shift,
    strided_sum,
)

SIZE = Cast(N, INT)
MORE = op(Operator.ADD, SIZE, num(1, INT))
SIZE_IS_NO_LESS_THAN_0 = op(Operator.LE, num(0, INT), SIZE)
POSITIVE = op(Operator.LE, num(1, INT), SIZE)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A source, its fragment, and what is known of it."""

    source: str
    fragment: Fragment
    written: tuple[str, ...]
    extents: tuple[tuple[str, Expr], ...] = ()
    assumptions: tuple[Expr, ...] = (SIZE_IS_NO_LESS_THAN_0,)
    shared: tuple[tuple[str, str], ...] = ()
    refusals: Refusals = field(default_factory=Refusals)


RMSNORM = Kernel(
    RMSNORM_C,
    rmsnorm(),
    ("o",),
    (("o", SIZE), ("x", SIZE), ("weight", SIZE)),
    shared=(("o", "x"),),
    refusals=Refusals((SIZE_IS_NO_LESS_THAN_0,), (("o", 0, SIZE), ("x", 0, SIZE)), same_or_disjoint=(("o", "x"),)),
)
BURN = Kernel(BURN_C, burn(), ("o",), (("o", SIZE), ("a", SIZE), ("b", SIZE)))
SUM = Kernel(SUM_C, strided_sum(), (), assumptions=(SIZE_IS_NO_LESS_THAN_0,))
SHIFT = Kernel(SHIFT_C, shift(), ("o",), (("o", SIZE), ("x", MORE)), (POSITIVE,), refusals=Refusals(disjoint=(("o", "x"),)))
GATHER = Kernel(GATHER_C, gather(), ("o",))


def run(tmp_path: Path, kernel: Kernel, code: str, library: str = "numpy", seconds: float = 40.0, cpu: int = 20) -> Comparison:
    """Compares a generated file with the source."""
    source = tmp_path / "kernel.c"
    source.write_text(kernel.source)
    file = tmp_path / "generated.py"
    file.write_text(f"import numpy as np\n\n\n{code}\n")
    emitted = Emitted(file, kernel.fragment.name, kernel.written, kernel.refusals)
    target = load("tensor").driver.target(library)
    with NativeBuild(kernel.fragment, source) as build, Worker(target, cpu_seconds=cpu, seconds=seconds) as worker:
        shapes = {name: (extent,) for name, extent in kernel.extents}
        found = references(kernel.fragment, kernel.assumptions, extents=shapes, shared=kernel.shared)
        return compare(kernel.fragment, found, emitted, build, worker)


RMSNORM_NUMPY = """
def rmsnorm(o, x, weight, n):
    if not n >= 0:
        raise ValueError("n >= 0 is required")
    if len(o) < n or len(x) < n or len(weight) < n:
        raise ValueError("too short")
    if np.shares_memory(o, x) and o.ctypes.data != x.ctypes.data:
        raise ValueError("o and x overlap")
    x, weight = x[:n], weight[:n]
    if n:
        scale = np.float32(1.0) / np.sqrt(np.dot(x, x) / np.float32(n) + np.float32(1e-05))
        o[:n] = weight * (scale * x)
    return o
"""
BURN_NUMPY = """
def burn(o, a, b, n):
    wide = a[:n].astype(np.int32)
    o[:n] = np.where(wide == 0, 255, 255 - (255 - b[:n].astype(np.int32)) // np.maximum(wide, 1))
    return o
"""
SUM_NUMPY = """
def sum(p, n, stride):
    return int(p[np.arange(n) * stride].sum())
"""
SHIFT_NUMPY = """
def shift(o, x, n):
    if np.shares_memory(o, x):
        raise ValueError("o and x overlap")
    o[:n] = x[:n] + x[1 : n + 1]
    return o
"""
GATHER_NUMPY = """
def gather(o, x, at, n):
    o[:n] = x[at[:n]]
    return o
"""


@pytest.mark.parametrize(
    ("kernel", "code"),
    [(RMSNORM, RMSNORM_NUMPY), (BURN, BURN_NUMPY), (SUM, SUM_NUMPY), (SHIFT, SHIFT_NUMPY), (GATHER, GATHER_NUMPY)],
)
def test_right_code_agrees(tmp_path: Path, kernel: Kernel, code: str) -> None:
    found = run(tmp_path, kernel, code)
    assert (found.status, found.difference, found.reason) == (Agreement.AGREES, None, "")
    assert found.inputs >= 180
    assert found.engine.startswith("numpy 2.")
    assert found.figures is not None and found.figures.difference < 1e-5
    assert found.refused >= 2 * bool(kernel.refusals.extents or kernel.refusals.disjoint)


@pytest.mark.quick(every=2)
@pytest.mark.parametrize(
    ("kernel", "code", "old", "new"),
    [
        (RMSNORM, RMSNORM_NUMPY, "1e-05", "1e-06"),
        (RMSNORM, RMSNORM_NUMPY, "np.dot(x, x)", "np.dot(x[:-1], x[:-1])"),
        (RMSNORM, RMSNORM_NUMPY, "o[:n] = weight * (scale * x)", "o[:] = np.resize(weight * (scale * x), len(o))"),
        (RMSNORM, RMSNORM_NUMPY, "o[:n] = weight", "o[:n] = 0\n        o[:n] = weight"),
        (RMSNORM, RMSNORM_NUMPY, "return o", "return o.copy()"),
        (RMSNORM, RMSNORM_NUMPY, "len(o) < n or len(x) < n or", ""),
        (RMSNORM, RMSNORM_NUMPY, "if not n >= 0", "if False"),
        (RMSNORM, RMSNORM_NUMPY, "np.shares_memory(o, x) and", "False and"),
        (RMSNORM, RMSNORM_NUMPY, "o.ctypes.data != x.ctypes.data", "True"),
        (BURN, BURN_NUMPY, ".astype(np.int32)", ".astype(np.int8)"),
        (BURN, BURN_NUMPY, "== 0, 255", "== 0, 254"),
        (BURN, BURN_NUMPY, "255 - (255 -", "255 - (254 -"),
        (BURN, BURN_NUMPY, "o[:n] =", "o[: n - 1] ="),
        (SUM, SUM_NUMPY, "* stride", ""),
        (SUM, SUM_NUMPY, ".sum()", ".sum(dtype=np.int16)"),
        (SHIFT, SHIFT_NUMPY, "x[1 : n + 1]", "np.roll(x[:n], -1)"),
        (SHIFT, SHIFT_NUMPY, "if np.shares_memory(o, x)", "if False"),
        (GATHER, GATHER_NUMPY, "x[at[:n]]", "np.sort(x[at[:n]])"),
        (GATHER, GATHER_NUMPY, "return o", "return o, x"),
    ],
)
def test_wrong_code_differs(tmp_path: Path, kernel: Kernel, code: str, old: str, new: str) -> None:
    assert old in code
    wrong = code.replace(old, new)
    if "np.resize" in new:
        wrong = wrong.replace("    if n:", "    if n and len(weight):")
    found = run(tmp_path, kernel, wrong)
    assert found.status is Agreement.DIFFERS
    assert found.difference


def test_the_first_difference_is_told(tmp_path: Path) -> None:
    found = run(tmp_path, BURN, BURN_NUMPY.replace("== 0, 255", "== 0, 254"))
    assert found.difference is not None
    assert found.difference.startswith("o=[") and "n=1: source o[0] = 255, generated code o[0] = 254" in found.difference


def test_an_error_of_the_importer_is_told_apart(tmp_path: Path) -> None:
    kernel = Kernel(RMSNORM_C, rmsnorm("1e-4"), ("o",), RMSNORM.extents)
    found = run(tmp_path, kernel, RMSNORM_NUMPY)
    assert found.status is Agreement.DIFFERS
    assert found.difference is not None and "the source gives" in found.difference


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("    while True:\n        pass", "no answer within"),
        ("    import os\n    os._exit(3)", "the worker process ended: exit status 3"),
        ("    import ctypes\n    ctypes.string_at(0)", "crashed (SIGSEGV)"),
        ("    import os\n    os.kill(os.getpid(), 9)", "was killed"),
    ],
)
def test_a_worker_that_fails_is_never_a_success(tmp_path: Path, body: str, reason: str) -> None:
    found = run(tmp_path, BURN, f"def burn(o, a, b, n):\n{body}", seconds=3.0)
    assert found.status is Agreement.NOT_RUN
    assert reason in found.reason and "on the input o=[" in found.reason


def test_limits_of_cpu_time_and_memory(tmp_path: Path) -> None:
    found = run(tmp_path, BURN, "def burn(o, a, b, n):\n    while True:\n        pass", cpu=1)
    assert found.status is Agreement.NOT_RUN and "CPU time" in found.reason
    found = run(tmp_path, BURN, "def burn(o, a, b, n):\n    return np.ones(1 << 33)")
    assert found.status is Agreement.DIFFERS and found.difference is not None and "MemoryError" in found.difference


def test_no_memory_for_an_array_of_a_huge_size_is_no_difference(tmp_path: Path) -> None:
    code = "def sum(p, n, stride):\n    np.empty({}, np.int64)\n    return int(p[np.arange(n) * stride].sum())"
    found = run(tmp_path, SUM, code.format("abs(int(stride))"))
    assert found.status is Agreement.AGREES and found.discarded > 0
    found = run(tmp_path, SUM, code.format("1 << 33 if stride == 2 else 0"))
    assert found.status is Agreement.DIFFERS and found.difference is not None and "MemoryError" in found.difference


def test_code_that_cannot_be_loaded_is_not_run(tmp_path: Path) -> None:
    found = run(tmp_path, BURN, "def other():\n    return 0")
    assert found.status is Agreement.NOT_RUN and "has no attribute 'burn'" in found.reason
    found = run(tmp_path, BURN, "def burn(:")
    assert found.status is Agreement.NOT_RUN and "SyntaxError" in found.reason


def test_a_source_that_does_not_compile_is_not_run(tmp_path: Path) -> None:
    found = run(tmp_path, Kernel("int nothing;", burn(), ("o",), BURN.extents), BURN_NUMPY)
    assert found.status is Agreement.NOT_RUN and "does not compile" in found.reason

"""Kernels in Gemmini's instructions: proved, right in the model at awkward sizes, and faults refuted by proof or by the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metalift import lift
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.ir.expr.build import minus
from metalift.ir.expr.nodes import FALSE, TRUE, Const, Expr, integer
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.program.kernel import COLUMN, ROW, Allocate, Load, Loop, Map, Product, Statement, Store
from metalift.prove.solver import SolverPool
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.support.generated import load_function
from tests.support.lazily import Each
from tests.support.tiles import Edit, Made, edited, made, moved, rounded_down, with_counter

SECONDS = 4.0
ROOT = Path(__file__).parents[2]
SUITE = ROOT / "benchmarks" / "int8"
RUNNER = ROOT / "drivers" / "gemmini" / "runner.py"
KERNELS = ("matmul_full", "matmul", "gemm", "matvec", "residual_relu")
SIZES = ((1, 1, 1), (15, 16, 17), (16, 16, 16), (33, 1, 129), (1, 127, 16), (17, 33, 513))
native = pytest.mark.skipif(find_clang().zig, reason="zig does not compile within the limits of generated code")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    folder = tmp_path_factory.mktemp("sources")
    return Each(lambda name: made((SUITE / f"{name}.c").read_text(encoding="utf-8"), folder, "gemmini", "gemmini_isa"))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of a product with a bias that is scaled: PROVED, and it agrees."""
    folder = tmp_path_factory.mktemp("lifted")
    source = folder / "layer.c"
    source.write_text(LAYER)
    function = lift(source, functions=["layer"], driver="gemmini", to=("gemmini_isa",), out=folder).functions[0]
    assert function.verdict is FunctionVerdict.PROVED, function
    assert function.targets["gemmini_isa"].checked is Agreement.AGREES
    return (folder / "gemmini_isa" / "layer.c").read_text(encoding="utf-8")


LAYER = """#include <stdint.h>
static int8_t leave(int32_t acc) {
    int32_t down = acc >> 3, rest = acc & 7;
    down += rest > 4 || (rest == 4 && (down & 1));
    return down > 127 ? 127 : down < 0 ? 0 : (int8_t)down;
}
void layer(int8_t *y, const int8_t *x, const int8_t *w, const int32_t *bias, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int32_t acc = bias[j];
            for (int l = 0; l < k; l++)
                acc += x[i * k + l] * w[l * n + j];
            y[i * n + j] = leave(acc);
        }
}
"""


def differences(path: Path) -> int:
    """At how many of the sizes the text does not compute the layer."""
    layer, wrong = load_function(RUNNER, "load")(str(path), "layer"), 0
    for m, n, k in SIZES:
        random = np.random.default_rng(m + n + k)
        x, w = random.integers(-128, 128, m * k).astype(np.int8), random.integers(-128, 128, k * n).astype(np.int8)
        bias = random.integers(-9000, 9000, n).astype(np.int32)
        acc = x.reshape(m, k).astype(np.int64) @ w.reshape(k, n) + bias
        wanted = np.clip(np.rint(acc / 8), 0, 127).astype(np.int8)
        try:
            found = layer(np.zeros(m * n, np.int8), x, w, bias, m, n, k)
        except ValueError as refused:
            assert "the model" in str(refused)
            wrong += 1
            continue
        wrong += not (found.reshape(m, n) == wanted).all()
    return wrong


@native
def test_the_text_at_awkward_sizes(text: str, tmp_path: Path) -> None:
    assert "gemmini_extended_preload(" in text and "never run on the chip" in " ".join(text.replace("*", "").split())
    (tmp_path / "layer.c").write_text(text)
    assert differences(tmp_path / "layer.c") == 0


TEXTS = {
    "no fence": ("    gemmini_fence();\n", ""),
    "products overwrite": (" | ADDED", ""),
    "no relu": ("RELU", "NO_ACTIVATION"),
    "no scale": ("1.0f / 8.0f", "ACC_SCALE_IDENTITY"),
    "read in full": (", ACCUMULATORS, in_u_2, in_t_1);\n        }", ", ACCUMULATORS | FULL, in_u_2, in_t_1);\n        }"),
    "weights on top of the rows": ("gemmini_extended_preload(16,", "gemmini_extended_preload(0,"),
    "a tile too deep": ("least(16, (int64_t)k - ((int64_t)16 * k_4))", "16"),
    "a tile too wide": ("least(16, (int64_t)n - ((int64_t)16 * u_2))", "16"),
    "last block dropped": ("k_4 < ((int64_t)k + 15) / 16", "k_4 < k / 16"),
    "a bias of every row": ("gemmini_extended3_config_ld(0,", "gemmini_extended3_config_ld(n * sizeof(acc_t),"),
}  # fmt: skip


@native
@pytest.mark.parametrize("fault", TEXTS)
def test_faults_in_the_text_are_seen(fault: str, text: str, tmp_path: Path) -> None:
    old, new = TEXTS[fault]
    assert old in text
    (tmp_path / "layer.c").write_text(text.replace(old, new))
    assert differences(tmp_path / "layer.c") > 0


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_without_a_fault_are_proved(name: str, kernels: dict[str, Made], pool: SolverPool) -> None:
    assert kernels[name].proved(kernels[name].kernel, pool, 20.0)


def flag(value: Expr) -> Edit:
    """Products are always added, or never."""
    return lambda each: (replace(each, added=value),) if isinstance(each, Product) else None


def dropped(kind: type[Statement]) -> Edit:
    return lambda each: () if isinstance(each, kind) else None


def turned(each: Statement) -> tuple[Statement, ...] | None:
    """Blocks are loaded along their columns."""
    if isinstance(each, Load):
        return (replace(each, index=tuple(substitute(at, {ROW: COLUMN, COLUMN: ROW}) for at in each.index)),)
    return None


def whole_tiles(each: Statement) -> tuple[Statement, ...] | None:
    """All blocks are taken for full ones."""
    full = integer(16)
    return (Allocate(replace(each.tile, rows=full, columns=full)),) if isinstance(each, Allocate) else None


def first_block(each: Statement) -> tuple[Statement, ...] | None:
    """Every iteration along the shared axis loads the first block."""
    if not (isinstance(each, Loop) and each.invariants):
        return None
    return (with_counter(each, Load, integer(0)),)


def order_swapped(each: Statement) -> tuple[Statement, ...] | None:
    """Blocks are stored in the opposite order to that in which they are computed."""
    if isinstance(each, Loop) and any(isinstance(part, Store) and each.var in free_vars(part.index[-1]) for part in each.body):
        return (with_counter(each, Store, minus(minus(each.count, integer(1)), each.var)),)
    return None


def number(position: int, value: int) -> Edit:
    """Another number on the way in or out."""

    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if isinstance(each, Map) and len(each.operands) > position and isinstance(each.operands[position], Const):
            return (replace(each, operands=(*each.operands[:position], integer(value), *each.operands[position + 1 :])),)
        return None

    return edit


def factors_swapped(each: Statement) -> tuple[Statement, ...] | None:
    return (replace(each, stationary=each.moving, moving=each.stationary),) if isinstance(each, Product) else None


def unbounded(each: Statement) -> tuple[Statement, ...] | None:
    """Nothing is said of how large sums become."""
    if isinstance(each, Loop) and each.invariants:
        return (replace(each, invariants=tuple(replace(one, magnitudes=None) for one in each.invariants)),)
    return None


def below_zero(each: Statement) -> tuple[Statement, ...] | None:
    """Sums are said to be smaller than their terms."""
    if isinstance(each, Loop) and each.invariants:
        lower: Callable[[Expr], Expr] = lambda bound: minus(bound, integer(1 << 30))  # noqa: E731
        (one,) = each.invariants
        assert one.magnitudes is not None
        return (replace(each, invariants=(replace(one, magnitudes=(lower(one.magnitudes[0]), lower(one.magnitudes[1]))),)),)
    return None


FAULTS: list[tuple[str, str, Edit]] = [
    ("matmul_full", "products always added", flag(TRUE)),
    ("matmul_full", "products overwrite", flag(FALSE)),
    ("matmul_full", "last block dropped", rounded_down),
    ("matmul_full", "stores off by one", moved(Store, 1)),
    ("matmul_full", "loads off by one", moved(Load, 1)),
    ("matmul_full", "not along rows", turned),
    ("matmul_full", "all blocks full", whole_tiles),
    ("matmul_full", "first block again", first_block),
    ("matmul_full", "block order swapped", order_swapped),
    ("matmul_full", "factors swapped", factors_swapped),
    ("matmul_full", "no bound on sums", unbounded),
    ("matmul_full", "sums smaller than their terms", below_zero),
    ("matmul", "another scale", number(2, 3)),
    ("matmul", "relu for nothing", number(1, 1)),
    ("matmul", "not moved out", dropped(Map)),
    ("gemm", "bias overwritten", flag(FALSE)),
    ("gemm", "bias not loaded", dropped(Load)),
    ("matvec", "last block dropped", rounded_down),
    ("matvec", "products always added", flag(TRUE)),
    ("residual_relu", "another scale", number(1, 1)),
    ("residual_relu", "stores off by one", moved(Store, 1)),
    ("residual_relu", "all blocks full", whole_tiles),
]  # fmt: skip


@pytest.mark.quick(
    *("matmul_full: last block dropped", "matmul_full: loads off by one", "matmul_full: all blocks full"),
    *("matmul_full: no bound on sums", "matmul_full: products always added", "matmul: another scale", "matmul: not moved out"),
    "matvec: products always added",
)
@pytest.mark.parametrize(("name", "fault", "edit"), FAULTS, ids=[f"{name}: {fault}" for name, fault, _ in FAULTS])
def test_faults_are_refuted(name: str, fault: str, edit: Edit, kernels: dict[str, Made], pool: SolverPool) -> None:
    assert not kernels[name].proved(edited(kernels[name].kernel, edit), pool, SECONDS), fault

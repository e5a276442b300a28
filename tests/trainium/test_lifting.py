"""From C to kernels that are proved and agree in the simulator, also at sizes that are no multiple of any tile."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from metalift import lift
from metalift.check.recheck import check
from metalift.prove.solver import SolverPool
from metalift.result.verdict import Agreement, FunctionVerdict

SIZES = (1, 127, 128, 129, 513, 128 * 512 + 513)
ROOT = Path(__file__).parents[2]
SIMULATOR = ROOT / "drivers" / "trainium" / "simulator.py"


def simulator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("simulator", SIMULATOR)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lifted(source: Path, out: Path) -> Path:
    """The kernel of the only function of a source."""
    (function,) = lift(source, to=("nki",), driver="trainium", out=out, timeout=60.0).functions
    assert function.verdict is FunctionVerdict.PROVED, function
    assert function.targets["nki"].checked is Agreement.AGREES
    return out / "nki" / f"{function.name}.py"


ROWS = """void rowmax(const float *x, float *o, int r, int c) {
    for (int i = 0; i < r; i++) { float m = x[i * c];
        for (int j = 1; j < c; j++) if (x[i * c + j] > m) m = x[i * c + j]; o[i] = m; } }"""


def test_softmax_at_awkward_sizes(tmp_path: Path) -> None:
    path = lifted(ROOT / "benchmarks" / "llama" / "softmax.c", tmp_path)
    softmax = simulator().load(path, "softmax")
    for size in SIZES:
        x = np.random.default_rng(size).normal(size=size).astype(np.float32)
        wanted = np.exp(x - x.max()) / np.exp(x - x.max()).sum()
        assert np.allclose(softmax(x.copy(), size), wanted, rtol=1e-4)


def test_norms_at_awkward_sizes(tmp_path: Path) -> None:
    load = simulator().load
    rms = load(lifted(ROOT / "benchmarks" / "llama" / "rmsnorm.c", tmp_path), "rmsnorm")
    layer = load(lifted(ROOT / "benchmarks" / "nki" / "layernorm.c", tmp_path), "layernorm")
    for size in (*SIZES, 4096):
        x, weight, bias = np.random.default_rng(size).normal(size=(3, size)).astype(np.float32)
        wanted = weight * x / np.sqrt((x * x).mean() + 1e-5)
        assert np.allclose(rms(np.zeros(size, np.float32), x, weight, size), wanted, rtol=1e-3, atol=1e-4)
        wanted = (x - x.mean()) / np.sqrt(x.var() + 1e-5) * weight + bias
        assert np.allclose(layer(np.zeros(size, np.float32), x, weight, bias, size), wanted, rtol=1e-3, atol=1e-4)


def test_sums_of_integers_at_awkward_sizes(tmp_path: Path) -> None:
    dot = simulator().load(lifted(ROOT / "benchmarks" / "array" / "dot_int.c", tmp_path), "dot")
    for size in SIZES[:-1]:
        x, y = np.random.default_rng(size).integers(-60, 60, (2, size)).astype(np.int32)
        assert dot(x, y, size) == x @ y


def test_maxima_of_rows_at_awkward_sizes(tmp_path: Path) -> None:
    source = tmp_path / "rowmax.c"
    source.write_text(ROWS)
    rowmax = simulator().load(lifted(source, tmp_path), "rowmax")
    for rows, columns in ((1, 513), (127, 1), (128, 129), (129, 127), (513, 2049)):
        x = np.random.default_rng(rows).normal(size=rows * columns).astype(np.float32)
        assert (rowmax(x, np.zeros(rows, np.float32), rows, columns) == x.reshape(rows, columns).max(axis=1)).all()


def test_groups_at_awkward_sizes(tmp_path: Path) -> None:
    """Quantised products with a scale for each group, and numbers times the scale of their group, the last one not full."""
    load = simulator().load
    product = load(lifted(ROOT / "benchmarks" / "llama" / "matmul_q8_groups.c", tmp_path), "matmul_q8")
    scaled = load(lifted(ROOT / "benchmarks" / "llama" / "dequantize.c", tmp_path), "dequantize")
    for rows, groups, size in ((1, 1, 1), (127, 2, 1), (128, 1, 129), (129, 3, 32), (2, 129, 513), (513, 2, 3)):
        random = np.random.default_rng(rows)
        xq, wq = (random.integers(-127, 128, shape).astype(np.int8) for shape in ((groups, size), (rows, groups, size)))
        xs, ws = (random.normal(size=shape).astype(np.float32) for shape in (groups, (rows, groups)))
        wanted = ((wq.astype(int) * xq).sum(axis=2) * ws * xs).sum(axis=1)
        given = (each.reshape(-1).copy() for each in (xq, xs, wq, ws))
        found = product(np.zeros(rows, np.float32), *given, groups, rows, size)
        assert np.allclose(found, wanted, rtol=1e-3, atol=1.0)
        for n in {size * groups, size * groups - 1, 1} - {0}:
            found = scaled(np.zeros(n, np.float32), xq.reshape(-1)[:n].copy(), xs, n, size)
            assert (found == xq.reshape(-1)[:n] * np.repeat(xs, size)[:n]).all()


@pytest.mark.quick("argmax_last")
@pytest.mark.parametrize("name", ["argmax", "argmax_last"])
def test_places_of_extremes_at_awkward_sizes(name: str, tmp_path: Path) -> None:
    """Many elements are equal, so that ties are within blocks and between them."""
    found = simulator().load(lifted(ROOT / "benchmarks" / "array" / f"{name}.c", tmp_path), "argmax")
    for size in (1, 127, 128, 129, 513, 2048, 2049, 5000):
        for kinds in (1, 3, 1000):
            x = np.random.default_rng(size).integers(0, kinds, size)
            if name == "argmax":
                assert found(x.astype(np.float32), size) == x.argmax()
            else:
                assert found(x.astype(np.int32), size) == size - 1 - x[::-1].argmax()


@pytest.mark.quick()
def test_places_of_extremes_of_rows_at_awkward_sizes(tmp_path: Path) -> None:
    rows = simulator().load(lifted(ROOT / "benchmarks" / "array" / "argmax_rows.c", tmp_path), "argmax_rows")
    for number, classes in ((1, 513), (127, 1), (129, 129), (3, 2049)):
        scores = np.random.default_rng(classes).integers(-3, 3, (number, classes)).astype(np.float32)
        found = rows(scores.reshape(-1).copy(), number, classes, np.zeros(number, np.int32))
        assert (found == scores.argmax(axis=1)).all()


def test_running_totals_at_awkward_sizes(tmp_path: Path) -> None:
    load, folder = simulator().load, ROOT / "benchmarks" / "array"
    integers = load(lifted(folder / "prefix_sum.c", tmp_path), "prefix_sum")
    in_place = load(lifted(folder / "prefix_sum_in_place.c", tmp_path / "floats"), "prefix_sum")
    for size in (1, 127, 128, 129, 513, 2049, 5000):
        x = np.random.default_rng(size).integers(-60, 60, size)
        assert (integers(x.astype(np.int32), np.zeros(size, np.int32), size) == x.cumsum()).all()
        assert np.allclose(in_place(x.astype(np.float32), size), x.cumsum())


def test_products_of_matrices_at_awkward_sizes(tmp_path: Path) -> None:
    path = lifted(ROOT / "benchmarks" / "array" / "matmul_ijk.c", tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "nisa.nc_matmul(" in text and "never run on the chip" in text
    matmul = simulator().load(path, "matmul")
    kinds = matmul.__annotations__
    for size in SIZES[:-1]:
        random = np.random.default_rng(size)
        arrays = [random.normal(size=size * size).astype(np.float32) for _ in range(2)]
        values = iter([*arrays, np.zeros(size * size, np.float32)])
        made = matmul(*(size if kind is int else next(values) for kind in kinds.values()))
        one, two = (each.reshape(size, size) for each in arrays)
        assert np.allclose(made.reshape(size, size), one @ two, atol=1e-2)


def test_windows_at_awkward_sizes(tmp_path: Path) -> None:
    path = lifted(ROOT / "benchmarks" / "array" / "convolution_2d.c", tmp_path)
    convolution = simulator().load(path, "convolution_2d")
    for rows, columns, kh, kw in ((1, 1, 1, 1), (127, 3, 2, 1), (128, 129, 1, 3), (129, 513, 3, 2), (2, 2049, 2, 2)):
        random = np.random.default_rng(rows)
        width = columns + max(kw, 1) - 1
        x, w = (random.normal(size=n).astype(np.float32) for n in ((rows + kh) * width + kw, kh * kw))
        at = x[: (rows + kh) * width].reshape(rows + kh, width)
        wanted = np.zeros((rows, columns), np.float32)
        for i in range(kh):
            for j in range(kw):
                wanted += at[i : i + rows, j : j + columns] * w[i * kw + j]
        found = convolution(x, width, w, kh, kw, np.zeros(rows * columns, np.float32), rows, columns)
        assert np.allclose(found.reshape(rows, columns), wanted, atol=1e-5)


def test_a_mean_is_subtracted(tmp_path: Path) -> None:
    """The quotient is a product with a reciprocal, and what is left after the subtraction is all its rounding."""
    source = tmp_path / "center.c"
    loops = "for (int i = 0; i < n; i++) s += x[i]; for (int i = 0; i < n; i++) y[i] = x[i] - s / n;"
    source.write_text(f"void center(float *y, const float *x, int n) {{ float s = 0; {loops} }}")
    center = simulator().load(lifted(source, tmp_path), "center")
    for size in SIZES[:-1]:
        x = np.random.default_rng(size).normal(size=size).astype(np.float32)
        assert np.allclose(center(np.zeros_like(x), x, size), x - x.mean(), atol=1e-5)


def test_a_certificate_is_derived_and_proved_again(tmp_path: Path) -> None:
    source = tmp_path / "add.c"
    source.write_text("void add(float *a, const float *b, int n) { for (int i = 0; i < n; i++) a[i] += b[i]; }")
    lifted(source, tmp_path)
    with SolverPool(2) as pool:
        again = check(tmp_path / "certificates" / "add", pool, "cvc5", False, None)
    assert not again.differences and all(one.verdict.value == "PROVED" for one in again.obligations)


def test_what_the_chip_computes_differently_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "whole.c"
    source.write_text("void whole(int *a, const float *b, int n) { for (int i = 0; i < n; i++) a[i] = (int)b[i]; }")
    (function,) = lift(source, to=("nki",), driver="trainium").functions
    assert function.verdict is FunctionVerdict.NOT_LIFTED
    assert any("to the nearest" in each.message for each in function.diagnostics)


def run(body: str, *args: object) -> object:
    """A kernel in the simulator."""
    module = simulator()
    space: dict[str, object] = {"np": np}
    given = module.modules()
    space |= {"nki": given["nki"], "nisa": given["nki.isa"], "nl": given["nki.language"]}
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    head = "@nki.jit\ndef kernel(a):\n    out = nl.ndarray((4,), dtype=nl.float32, buffer=nl.shared_hbm)\n"
    exec(f"{head}{lines}\n    return out", space)
    kernel = space["kernel"]
    assert callable(kernel)
    return kernel(*args)


TILE = "t = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)\n"
LOAD = "nisa.dma_copy(dst=t, src=a.ap([[4, 1], [1, 4]], offset=0))\n"
STORE = "nisa.dma_copy(dst=out.ap([[4, 1], [1, 4]], offset=0), src=t)\n"
SQUARE = "s = nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.sbuf)\n"
REFUSED = {
    "a tile is read before it is written": TILE + STORE,
    "not written everywhere": TILE + LOAD,
    "written twice": TILE + LOAD + STORE + STORE,
    "128 partitions": "nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)",
    "a bank has": "nl.ndarray((1, 513), dtype=nl.float32, buffer=nl.psum)",
    "psum is full": "t = [nl.ndarray((1, 512), dtype=nl.float32, buffer=nl.psum) for _ in range(9)]",
    "sbuf is full": "t = nl.ndarray((1, 46000), dtype=nl.float32, buffer=nl.sbuf)",
    "DMA does not reach PSUM": TILE.replace("sbuf", "psum") + LOAD,
    "from SBUF to PSUM": TILE + LOAD + SQUARE + "nisa.nc_matmul(dst=s, stationary=t, moving=t)",
    "an access pattern from": TILE + "nisa.dma_copy(dst=t, src=a.ap([[4, 1], [1, 4]], offset=1))",
    "outside of": TILE + LOAD + "nisa.activation(dst=t, op=nl.log, data=t)",
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_the_simulator_refuses(message: str) -> None:
    with pytest.raises(Exception, match=message):
        run(REFUSED[message], np.zeros(4, np.float32))


def test_integers_round_to_the_nearest_and_saturate() -> None:
    cast = simulator().cast
    values = np.array([300.0, -5.0, 2.5, 3.5], np.float32)
    assert cast(values, np.uint8).tolist() == [255, 0, 2, 4]
    assert cast(np.array([2**24 + 1], np.int32), np.float32).tolist() == [2**24]


def test_products_after_the_first_are_added() -> None:
    chip = simulator()
    one = chip.Tile((1, 1), np.float32, "sbuf")
    one.write(np.ones((1, 1), np.float32))
    sums = chip.Tile((1, 1), np.float32, "psum")
    chip.memset(sums, 7.0)
    chip.nc_matmul(sums, one, one)
    assert sums.read().item() == 1.0
    chip.nc_matmul(sums, one, one)
    assert sums.read().item() == 2.0

"""Moves make kernels cheaper; what they make is proved, reads back, and agrees in the simulator at sizes that are no multiple."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metalift.check.claims import read_kernel
from metalift.driver import Request
from metalift.driver.files import load
from metalift.ir.program.kernel import Fused, Kernel, Map, Statement, Store, When
from metalift.ir.text.kernels import show_kernel
from metalift.prove.solver import SolverPool
from metalift.vcgen.tile_state import statements_in as statements
from tests.support.lazily import Each
from tests.support.tiles import Made, edited, made
from tests.trainium.test_lifting import SIZES, simulator

trainium = load("trainium")
SOURCES = {
    "centre": """void f(float *y, const float *x, int n) {
        float m = 0; for (int i = 0; i < n; i++) m += x[i];
        m /= n; for (int i = 0; i < n; i++) y[i] = x[i] - m; }""",
    "softmax": """#include <math.h>
        void f(float *y, const float *x, int n) {
        float m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i];
        float s = 0; for (int i = 0; i < n; i++) s += expf(x[i] - m);
        for (int i = 0; i < n; i++) y[i] = expf(x[i] - m) / s; }""",
    "scale": "void f(float *y, const float *x, float s, int n) { for (int i = 0; i < n; i++) y[i] = (x[i] * s + s) * x[i]; }",
    "squares": "float f(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }",
}
WANTED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "centre": lambda x: x - x.mean(),
    "softmax": lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
    "scale": lambda x: (x * np.float32(1.5) + np.float32(1.5)) * x,
    "squares": lambda x: (x * x).sum(),
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    return Each(lambda name: plain(made(SOURCES[name], tmp_path_factory.mktemp(name), "trainium")))


def plain(one: Made) -> Made:
    """With the kernel before any move."""
    from metalift_drivers.trainium.lowering import Kernels

    request = Request(one.fragment, one.summary, one.program)
    return replace(one, kernel=Kernels(request, one.driver, 2048).kernel())


def moved(kernel: Kernel, *names: str) -> Kernel:
    """The kernel with moves made at their first sites, as long as they have any."""
    from metalift_drivers.trainium.moves import MOVES

    known = {move.NAME: move for move in MOVES}
    for name in names:
        while sites := known[name].sites(kernel):
            after = known[name].apply(kernel, sites[0]).kernel
            assert after != kernel, (name, sites[0])
            kernel = after
    return kernel


def cycles(kernel: Kernel, size: int) -> dict[str, int]:
    from metalift_drivers.trainium.cost import Costs

    return dict(Costs({"n": size}).of_kernel(kernel).cycles)


def agrees(name: str, one: Made, folder: Path) -> None:
    """The kernel's text computes what is wanted in the simulator."""
    path = folder / "f.py"
    path.write_text(one.text, encoding="utf-8")
    run = simulator().load(path, "f")
    for size in (*SIZES, 4096):
        x = np.random.default_rng(size).normal(size=size).astype(np.float32)
        y = np.zeros(size, np.float32)
        args = {"squares": (x, size), "scale": (y, x, 1.5, size)}.get(name, (y, x, size))
        assert np.allclose(run(*args), WANTED[name](x), rtol=1e-3, atol=1e-5), size


Step = tuple[str, tuple[str | int, ...]]  # an operator, and tiles or numbers
PLANS = {
    "centre": ("straight", "single", "numbers", "merge", "negate", "merge", "fuse"),
    "softmax": ("straight", "single", "numbers", "merge", "negate", "merge", "fuse"),
    "scale": ("straight", "fuse"),
    "squares": ("single", "numbers", "merge", "fuse"),
}


@pytest.mark.quick("softmax")
@pytest.mark.parametrize("name", PLANS)
def test_what_moves_make_is_proved_and_agrees(name: str, kernels: dict[str, Made], pool: SolverPool, tmp_path: Path) -> None:
    one = kernels[name]
    after = replace(one, kernel=moved(one.kernel, *PLANS[name]))
    assert read_kernel(show_kernel(after.kernel), one.fragment, one.program, one.driver, "nki") == after.kernel
    assert after.proved(after.kernel, pool, 30.0, split=True)
    assert max(cycles(after.kernel, 65536).values()) < max(cycles(one.kernel, 65536).values())
    agrees(name, after, tmp_path)


@pytest.mark.quick("softmax")
@pytest.mark.parametrize("name", PLANS)
def test_the_default_lowering_is_no_dearer(name: str, tmp_path: Path, kernels: dict[str, Made], pool: SolverPool) -> None:
    from metalift_drivers.trainium.improving import improved

    one = kernels[name]
    after = improved(Request(one.fragment, one.summary, one.program), one.kernel)
    assert max(cycles(after, 65536).values()) < max(cycles(one.kernel, 65536).values())
    assert one.proved(after, pool, 30.0, split=True)
    agrees(name, replace(one, kernel=after), tmp_path)


def test_a_version_without_loops_has_a_guard(kernels: dict[str, Made]) -> None:
    from metalift_drivers.trainium.moves import straight

    kernel = kernels["centre"].kernel
    moved_once = straight.apply(kernel, straight.sites(kernel)[0])
    fast, slow = moved_once.kernel.body
    assert isinstance(fast, When) and isinstance(slow, When) and fast.cond == moved_once.guard
    assert straight.sites(moved_once.kernel) == ()


def test_what_an_instruction_does_not_write_is_not_read(kernels: dict[str, Made], pool: SolverPool) -> None:
    one = kernels["scale"]
    kernel = moved(one.kernel, "fuse")
    lost = [each.lost[0] for each in statements(kernel.body) if isinstance(each, Fused) and each.lost]
    assert lost and one.proved(kernel, pool, 30.0, split=True)

    def other(each: Statement) -> tuple[Statement, ...] | None:
        return (replace(each, tile=lost[0]),) if isinstance(each, Store) else None

    assert not one.proved(edited(kernel, other), pool, 4.0)


def test_what_is_the_same_is_made_once(kernels: dict[str, Made]) -> None:
    before = moved(kernels["softmax"].kernel, "straight", "single", "numbers")
    after = moved(before, "merge")
    assert cycles(after, 4096)["scalar"] == 64 < cycles(before, 4096)["scalar"]  # one exponential of two


def test_columns_of_numbers_are_numbers(kernels: dict[str, Made]) -> None:
    """The reciprocal of the length is the host's where the length is not 0, and the chip's where it may be."""
    after = kernels["centre"]
    text = replace(after, kernel=moved(after.kernel, "straight", "numbers")).text
    fast, _, slow = text.partition("\n    if not ")
    assert "1.0 / float(n)" in fast and "nisa.reciprocal" not in fast
    assert "nisa.reciprocal" in slow


@pytest.mark.parametrize(
    "first, second, form",
    [
        (("multiply", ("x", 2)), ("add", ("a", 3)), "tensor_scalar"),
        (("multiply", ("x", "c")), ("add", ("a", "y")), "scalar_tensor_tensor"),
        (("add", ("x", "c")), ("trainium.exp", ("a",)), "activation"),
        (("subtract", ("x", "c")), ("trainium.exp", ("a",)), ""),
        (("multiply", ("x", "c")), ("multiply", ("a", "a")), "activation"),
        (("multiply", ("x", "c")), ("subtract", ("y", "a")), ""),
        (("add", ("c", "d")), ("multiply", ("y", "a")), ""),
    ],
)  # fmt: skip
def test_steps_that_one_instruction_does(first: Step, second: Step, form: str) -> None:
    from metalift.driver import CannotWrite
    from metalift.ir.expr.nodes import Const, integer
    from metalift.ir.expr.types import FLOAT
    from metalift.ir.program.kernel import Tile
    from metalift_drivers.trainium.fused import instruction

    columns = {"x": 8, "y": 8, "b": 8, "c": 1, "d": 1, "a": 1 if "c" == first[1][0] else 8}
    tiles = {name: Tile(name, integer(4), integer(count), FLOAT) for name, count in columns.items()}
    steps: list[Statement] = []
    for name, (op, operands) in (("a", first), ("b", second)):
        steps.append(Map(name, op, tuple(each if isinstance(each, str) else Const(each, FLOAT) for each in operands)))
    try:
        found = instruction(Fused(tuple(steps), 1), tiles).name
    except CannotWrite:
        found = ""
    assert found == form

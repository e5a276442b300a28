"""Faults of a lowering are refuted by the proof, faults of the text by the model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.ir.expr.build import plus
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, integer
from metalift.ir.expr.types import INT32, UINT8
from metalift.ir.expr.walk import transform
from metalift.ir.program.kernel import Allocate, Expand, Fill, Load, Loop, Map, Reduce, Statement, Step, Store
from metalift.prove.solver import SolverPool
from tests.gaudi.running import model
from tests.support.tiles import Edit, Made, edited, made, moved, rounded_down

SECONDS = 4.0
SOURCES = {
    "scale": "void f(float *y, const float *x, float s, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * s + x[i]; }",
    "sum": "float f(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
    "rows": """void f(float *y, const float *a, int m, int n) {
        for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += a[i * n + j]; y[i] = s; } }""",
    "integers": "int f(const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
    "words": "void f(int *o, const int *a, const int *b, int n) { for (int i = 0; i < n; i++) o[i] = a[i] + b[i]; }",
    "bytes": """#include <stdint.h>
        void f(uint8_t *o, const uint8_t *a, const uint8_t *b, int n) { for (int i = 0; i < n; i++) o[i] = a[i] + b[i]; }""",
    "blend": """#include <stdint.h>
        void f(uint8_t *o, const uint8_t *a, const uint8_t *b, int n) {
            for (int i = 0; i < n; i++) o[i] = a[i] * b[i] / 255; }""",
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    return {name: made(text, tmp_path_factory.mktemp(name), "gaudi") for name, text in SOURCES.items()}


@pytest.mark.parametrize("name", SOURCES)
def test_kernels_without_a_fault_are_proved(name: str, kernels: dict[str, Made], pool: SolverPool) -> None:
    assert kernels[name].proved(kernels[name].kernel, pool, 20.0)


def lanes_more(by: int) -> Edit:
    """Tiles have so many lanes more than there are elements for."""


    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if isinstance(each, Allocate) and each.tile.columns != integer(1):
            return (Allocate(replace(each.tile, columns=plus(each.tile.columns, integer(by)))),)
        return None

    return edit


def twice_the_lanes(each: Statement) -> tuple[Statement, ...] | None:
    """All steps are twice as wide as a vector."""

    def other(expr: Expr) -> Expr:
        return replace(expr, value=int(expr.value) * 2) if isinstance(expr, Const) and expr.value in (64, 256) else expr

    match each:
        case Allocate(tile):
            return (Allocate(replace(tile, columns=transform(other, tile.columns))),)
        case Load():
            return (replace(each, index=tuple(transform(other, at) for at in each.index)),)
        case Store():
            inverse = tuple((var, transform(other, value)) for var, value in each.inverse)
            return (replace(each, index=tuple(transform(other, at) for at in each.index), inverse=inverse),)
        case Loop(_, Apply(Operator.FDIV, (Apply(Operator.ADD, (size, Const(rest))), Const(lanes)))):
            return (replace(each, count=Apply(Operator.FDIV, (plus(size, integer(2 * int(rest) + 1)), integer(2 * int(lanes))))),)
        case _:
            return None


def dropped(kind: type[Statement]) -> Edit:
    return lambda each: () if isinstance(each, kind) else None


def more_often(by: int) -> Edit:
    return lambda each: (replace(each, count=plus(each.count, integer(by))),) if isinstance(each, Loop) else None


def unsaturated(each: Statement) -> tuple[Statement, ...] | None:
    """Sums of bytes are stored without their low bits being taken: the conversion saturates."""
    return (Map(each.tile, "copy", each.operands[:1]),) if isinstance(each, Map) and each.op == "bitwise_and" else None


def in_bytes(stem: str) -> Edit:
    """What needs 32 bits is computed in bytes."""


    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if isinstance(each, Allocate) and each.tile.name.startswith(stem):
            assert each.tile.type == INT32
            return (Allocate(replace(each.tile, type=UINT8)),)
        return None

    return edit


def without_range(each: Statement) -> tuple[Statement, ...] | None:
    """The reciprocal is used for all dividends and divisors."""
    return (replace(each, idiom=replace(each.idiom, given=())),) if isinstance(each, Expand) else None


def other_reciprocal(by: int) -> Edit:
    def other(expr: Expr) -> Expr:
        return replace(expr, value=int(expr.value) + by) if isinstance(expr, Const) and expr.value == 257 else expr

    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if not isinstance(each, Expand):
            return None
        steps = tuple(
            replace(step, args=tuple(transform(other, arg) for arg in step.args)) if isinstance(step, Step) else step
            for step in each.idiom.steps
        )
        return (replace(each, idiom=replace(each.idiom, steps=steps)),)

    return edit


def no_bound(each: Statement) -> tuple[Statement, ...] | None:
    return (replace(each, bound=None),) if isinstance(each, Reduce) else None


FAULTS: list[tuple[str, str, Edit]] = [
    ("scale", "remainder dropped", rounded_down),
    ("scale", "mask one lane too wide", lanes_more(1)),
    ("scale", "mask one lane too narrow", lanes_more(-1)),
    ("scale", "wrong lane width", twice_the_lanes),
    ("scale", "loads off by one", moved(Load, 1)),
    ("scale", "stores off by one", moved(Store, 1)),
    ("scale", "nothing loaded", dropped(Load)),
    ("scale", "one member more", more_often(1)),
    ("sum", "accumulator not initialised", dropped(Fill)),
    ("sum", "remainder dropped", rounded_down),
    ("sum", "mask one lane too wide", lanes_more(1)),
    ("rows", "remainder dropped", rounded_down),
    ("rows", "accumulator not initialised", dropped(Fill)),
    ("rows", "one row more", more_often(1)),
    ("integers", "no bound on the terms", no_bound),
    ("integers", "accumulator not initialised", dropped(Fill)),
    ("bytes", "saturation ignored", unsaturated),
    ("bytes", "sums in bytes", in_bytes("add")),
    ("bytes", "wrong lane width", twice_the_lanes),
    ("blend", "products in bytes", in_bytes("multiply_wide")),
    ("blend", "reciprocal without its range", without_range),
    ("blend", "reciprocal one too small", other_reciprocal(-1)),
    ("blend", "reciprocal one too large", other_reciprocal(1)),
    ("blend", "remainder dropped", rounded_down),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fault", "edit"), FAULTS, ids=[f"{name}: {fault}" for name, fault, _ in FAULTS])
def test_faults_are_refuted(name: str, fault: str, edit: Edit, kernels: dict[str, Made], pool: SolverPool) -> None:
    assert not kernels[name].proved(edited(kernels[name].kernel, edit), pool, SECONDS), fault


def test_sums_of_words_need_their_range(kernels: dict[str, Made], pool: SolverPool) -> None:
    """A sum that may leave 32 bits is not proved where nothing is assumed of it."""
    made = kernels["words"]
    assert made.kernel.ranges
    assert not made.proved(replace(made.kernel, ranges=()), pool, SECONDS)


TEXT_FAULTS = [
    ("scale", "columns - 1, 0", "columns, 0", "lanes|outside"),
    ("scale", "s_i32_min(64, ", "s_i32_min(32, ", "is not written"),
    ("scale", "+ 63) >> 6", ") >> 6", "is not written"),
    ("scale", "{64 * t_1", "{63 * t_1", "written twice"),
    ("scale", "v_f32_ld_tnsr_partial_b(at_1, in_x", "v_f32_ld_tnsr_partial_b(at_1, result_0", "a result is read"),
    ("scale", "float64 add_4 = v_f32_add_b(multiply_3, x_2);", "float64 add_4;", "before it is written|uninitialized"),
    ("sum", "float64 total_1 = v_f32_mov_b(0.0f);", "float64 total_1;", "before it is written|uninitialized"),
    ("sum", "v_u32_mov_b(columns)", "v_u32_mov_b(columns + 1)", "holds nothing is reduced"),
    ("sum", "s_i32_min(64, ", "s_i32_max(64, ", "outside|lanes"),
    ("words", "v_i32_ld_tnsr", "v_f32_ld_tnsr", "type"),
    ("words", "v_i32_add_b(", "v_i32_mul_b(", "type"),
    ("blend", "columns - 1, 0", "columns, 0", "lanes|outside"),
    ("blend", "s_i32_min(256, ", "s_i32_min(64, ", "is not written"),
]  # fmt: skip


@pytest.mark.quick(every=3)
@pytest.mark.skipif(find_clang().zig, reason="zig does not compile within the limits of generated code")
@pytest.mark.parametrize(("name", "old", "new", "message"), TEXT_FAULTS)
def test_faults_in_the_text_are_refused(
    name: str, old: str, new: str, message: str, kernels: dict[str, Made], tmp_path: Path
) -> None:
    text = kernels[name].text
    arguments = {
        "scale": (np.zeros(97, np.float32), np.ones(97, np.float32), 2.0, 97),
        "sum": (np.ones(97, np.float32), 97),
        "words": (np.zeros(97, np.int32), np.ones(97, np.int32), np.ones(97, np.int32), 97),
        "blend": (np.zeros(257, np.uint8), np.ones(257, np.uint8), np.ones(257, np.uint8), 257),
    }[name]
    path = tmp_path / "faulty.c"
    path.write_text(text, encoding="utf-8")
    model(path, "f")(*arguments)
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        model(path, "f")(*arguments)


@pytest.mark.skipif(find_clang().zig, reason="zig does not compile within the limits of generated code")
def test_a_conversion_that_saturates_is_seen(kernels: dict[str, Made], tmp_path: Path) -> None:
    """Without the low bits being taken, sums of bytes stay at 255, where the source's wrap."""
    text = kernels["bytes"].text
    found = [line for line in text.splitlines() if "v_i32_and_b(" in line]
    assert found
    changed = text
    for line in found:
        changed = changed.replace(line, line.split(" = ")[0] + " = " + line.split("v_i32_and_b(")[1].split(",")[0] + ";")
    a, b = np.array([200, 3], np.uint8), np.array([100, 4], np.uint8)
    for each, wanted in ((text, [44, 7]), (changed, [255, 7])):
        (tmp_path / "one.c").write_text(each, encoding="utf-8")
        assert model(tmp_path / "one.c", "f")(np.zeros(2, np.uint8), a, b, 2).tolist() == wanted

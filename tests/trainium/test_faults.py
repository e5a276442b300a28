"""Faults of a lowering are refuted: no changed kernel is proved."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from metalift.ir.expr.build import minus, plus
from metalift.ir.expr.nodes import Const, Expr, Operator, integer
from metalift.ir.expr.types import INT32
from metalift.ir.expr.walk import substitute, transform
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Across,
    Allocate,
    Divided,
    Expand,
    Fill,
    Iota,
    Load,
    Loop,
    Map,
    Product,
    Reduce,
    Scan,
    Space,
    Statement,
    Step,
    Store,
    When,
)
from metalift.ir.text import show
from metalift.prove.solver import SolverPool
from tests.support.lazily import Each
from tests.support.tiles import Edit, Made, edited, made, moved, rounded_down, with_counter

SECONDS = 4.0
SOURCES = {
    "sum": "float f(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
    "most": "float f(const float *x, int n) { float m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i]; return m; }",
    "scale": "void f(float *y, const float *x, float s, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * s + x[i]; }",
    "rows": """void f(float *y, const float *a, const float *x, int m, int n) {
        for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += a[i * n + j] * x[j]; y[i] = s; } }""",
    "gemm": """void f(float *c, const float *a, const float *b, float alpha, int m, int n, int k) {
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { float s = 0;
            for (int l = 0; l < k; l++) s += alpha * a[i * k + l] * b[l * n + j]; c[i * n + j] = s; } }""",
    "rowmax": """void f(float *y, const float *a, int m, int n) {
        for (int i = 0; i < m; i++) { float s = a[i * n]; for (int j = 1; j < n; j++) if (a[i * n + j] > s) s = a[i * n + j];
            y[i] = s; } }""",
    "integers": "int f(const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
    "root": "#include <math.h>\nvoid f(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = sqrtf(x[i]); }",
    "windows": """void f(float *y, const float *x, const float *w, int ld, int m, int n, int p, int q) {
        for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { float s = 0;
            for (int k = 0; k < p; k++) for (int l = 0; l < q; l++) s += x[(i + k) * ld + j + l] * w[k * q + l];
            y[i * n + j] = s; } }""",
    "place": """int f(const float *x, int n) {
        int at = 0; for (int i = 1; i < n; i++) if (x[i] > x[at]) at = i; return at; }""",
    "last place": """int f(const float *x, int n) {
        int at = 0; for (int i = 1; i < n; i++) if (x[i] <= x[at]) at = i; return at; }""",
    "least": "int f(const int *x, int n) { int m = x[0]; for (int i = 1; i < n; i++) if (x[i] < m) m = x[i]; return m; }",
    "running": "void f(float *y, const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; } }",
    "running integers": "void f(int *y, const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; } }",
    "groups": """#include <stdint.h>
        void f(float *y, const int8_t *a, const int8_t *b, const float *s, int m, int groups, int size) {
            for (int i = 0; i < m; i++) { float v = 0; for (int g = 0; g < groups; g++) { int sum = 0;
                for (int k = 0; k < size; k++) sum += a[(i * groups + g) * size + k] * b[g * size + k];
                v += (float)sum * s[g]; } y[i] = v; } }""",
    "by groups": """void f(float *y, const float *x, const float *s, int n, int size) {
        for (int i = 0; i < n; i++) y[i] = x[i] * s[i / size]; }""",
    "sum by groups": """float f(const float *x, const float *s, int n) {
        float v = 0; for (int i = 0; i < n; i++) v += x[i] * s[i / 200]; return v; }""",
    "bytes": """#include <stdint.h>
        void f(uint8_t *o, const uint8_t *a, const uint8_t *b, int n) { for (int i = 0; i < n; i++) o[i] = a[i] + b[i]; }""",
    "blend": """#include <stdint.h>
        void f(uint8_t *o, const uint8_t *a, const uint8_t *b, int m, int n) {
            for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) o[i * n + j] = a[i * n + j] * b[i * n + j] / 255; }""",
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Made]:
    return Each(lambda name: made(SOURCES[name], tmp_path_factory.mktemp(name), "trainium"))


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name", SOURCES)
def test_kernels_without_a_fault_are_proved(name: str, kernels: dict[str, Made], pool: SolverPool) -> None:
    assert kernels[name].proved(kernels[name].kernel, pool, 20.0)


def test_obligations_are_the_same_in_every_process(tmp_path: Path) -> None:
    """A certificate is checked in another process than it was made in, where sets have another order."""
    code = (
        "import hashlib, sys; from pathlib import Path; from tests.support.tiles import made\n"
        "from metalift.vcgen.tile_obligations import TileGenerator\n"
        "one = made(sys.argv[1], Path(sys.argv[2]), 'trainium')\n"
        "found = list(TileGenerator(one.fragment, one.program, one.kernel, one.driver, ()).obligations())\n"
        "print(hashlib.sha256(repr(found).encode()).hexdigest())\n"
    )
    command = [sys.executable, "-c", code, SOURCES["place"], str(tmp_path)]
    environments = [{**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2")]
    one, two = (subprocess.run(command, env=each, capture_output=True, text=True, check=True).stdout for each in environments)
    assert one == two


def dropped(kind: type[Statement], text: str = "") -> Edit:
    """Leaves statements of a kind out, those on tiles of some name."""
    return lambda each: () if isinstance(each, kind) and text in getattr(each, "tile", "") else None


def less_often(more: int, ordered: bool) -> Edit:
    """Loops with an invariant, or those without, run so many times more."""


    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if isinstance(each, Loop) and bool(each.invariants) is ordered:
            return (replace(each, count=plus(each.count, integer(more))),)
        return None

    return edit


def wide(by: int) -> Edit:
    """Tiles have so many rows more than their loop has elements for."""


    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if isinstance(each, Allocate):
            return (Allocate(replace(each.tile, rows=plus(each.tile.rows, integer(by)))),)
        return None

    return edit


def swapped_coordinates(kind: type[Load] | type[Store]) -> Edit:
    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if isinstance(each, kind) and each.index:
            return (replace(each, index=tuple(substitute(at, {ROW: COLUMN, COLUMN: ROW}) for at in each.index)),)
        return None

    return edit


def other_operator(one: str, two: str) -> Edit:
    return lambda each: (replace(each, op=two),) if isinstance(each, Map) and each.op == one else None


def other_reduction(each: Statement) -> tuple[Statement, ...] | None:
    other = {Operator.ADD: Operator.MAX, Operator.MAX: Operator.ADD}
    return (replace(each, op=other[each.op]),) if isinstance(each, Reduce | Across) else None


def reset_each_time(each: Statement) -> tuple[Statement, ...] | None:
    """The sums start anew in each iteration."""
    if isinstance(each, Loop) and each.invariants:
        return (replace(each, body=(Fill(each.invariants[0].tile, zero()), *each.body)),)
    return None


def reset_place(each: Statement) -> tuple[Statement, ...] | None:
    """The place starts anew in each iteration."""
    if isinstance(each, Loop) and each.invariants:
        place = next(one.tile for one in each.invariants if one.tile.startswith("place"))
        return (replace(each, body=(Fill(place, integer(0, INT32)), *each.body)),)
    return None


def dropped_map(op: str, copied: bool = False) -> Edit:
    """An operator is left out, or only copies."""

    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if not isinstance(each, Map) or each.op != op:
            return None
        return (Map(each.tile, "copy", each.operands[:1]),) if copied else ()

    return edit


def initial_value(each: Statement) -> tuple[Statement, ...] | None:
    """A scan starts with the sum of its own block."""
    if isinstance(each, Loop) and each.invariants:
        total = next(part.tile for part in each.body if isinstance(part, Reduce))
        scan = next(part for part in each.body if isinstance(part, Scan))
        rest = tuple(part for part in each.body if not isinstance(part, Scan | Store))
        store = next(part for part in each.body if isinstance(part, Store))
        return (replace(each, body=(*rest, replace(scan, initial=total), store)),)
    return None


def carried_too_soon(each: Statement) -> tuple[Statement, ...] | None:
    """The sum before a block has that of the block already."""
    if isinstance(each, Loop) and each.invariants:
        late = tuple(part for part in each.body if isinstance(part, Scan | Store))
        return (replace(each, body=(*(part for part in each.body if part not in late), *late)),)
    return None


def other_factor(each: Statement) -> tuple[Statement, ...] | None:
    return (replace(each, factor=each.source),) if isinstance(each, Scan) else None


def tile_reused(each: Statement) -> tuple[Statement, ...] | None:
    """A tile of PSUM is made once for all iterations, so that products of earlier ones are still in it."""
    if isinstance(each, Loop) and each.invariants:
        sums = tuple(part for part in each.body if isinstance(part, Allocate) and part.tile.space is Space.SUMS)
        return (*sums, replace(each, body=tuple(part for part in each.body if part not in sums))) if sums else None
    return None


def zero() -> Const:
    from fractions import Fraction

    from metalift.ir.expr.types import FLOAT

    return Const(Fraction(0), FLOAT)


def unsaturated(each: Statement) -> tuple[Statement, ...] | None:
    """Sums of bytes are stored without their low bits being taken."""
    if isinstance(each, Map) and each.op == "bitwise_and":
        return (Map(each.tile, "copy", each.operands[:1]),)
    return None


def in_bytes(each: Statement) -> tuple[Statement, ...] | None:
    """Sums of bytes are computed in tiles of bytes."""
    if isinstance(each, Allocate) and each.tile.name.startswith("add"):
        from metalift.ir.expr.types import UINT8

        return (Allocate(replace(each.tile, type=UINT8)),)
    return None


def idiom(change: int) -> Edit:
    """The numbers of an idiom are others."""

    def other(expr: Expr) -> Expr:
        return replace(expr, value=int(expr.value) + change) if isinstance(expr, Const) and expr.value in (257, 16) else expr

    def edit(each: Statement) -> tuple[Statement, ...] | None:
        if not isinstance(each, Expand):
            return None
        steps = tuple(
            replace(step, args=tuple(transform(other, arg) for arg in step.args)) if isinstance(step, Step) else step
            for step in each.idiom.steps
        )
        return (replace(each, idiom=replace(each.idiom, steps=steps)),)

    return edit


def unscaled(each: Statement) -> tuple[Statement, ...] | None:
    """Scaling does nothing."""
    if isinstance(each, Map) and each.op == "multiply":
        tile = next(one for one in each.operands if isinstance(one, str))
        return (Map(each.tile, "copy", (tile,)),)
    return None


def factors_swapped(each: Statement) -> tuple[Statement, ...] | None:
    return (Product(each.tile, each.moving, each.stationary),) if isinstance(each, Product) else None


def stored_twice(each: Statement) -> tuple[Statement, ...] | None:
    return (each, each) if isinstance(each, Store) else None


def outer_product(each: Statement) -> tuple[Statement, ...] | None:
    """The sum of a row is left out: an element of the product instead."""
    return (Map(each.tile, "copy", (each.source,)),) if isinstance(each, Reduce) else None


def same_block(each: Statement) -> tuple[Statement, ...] | None:
    """Every iteration loads the first block."""
    if isinstance(each, Loop) and each.invariants:
        return (with_counter(each, Load, integer(0)),)
    return None


def order_swapped(each: Statement) -> tuple[Statement, ...] | None:
    """Blocks are stored in the opposite order to that in which they are loaded."""
    if isinstance(each, Loop) and not each.invariants and any(isinstance(part, Store) for part in each.body):
        last = minus(minus(each.count, integer(1)), each.var)
        return (with_counter(each, Store, last),)
    return None


def other_bound(change: Callable[[int], int | None]) -> Edit:
    """Integers that are added up are said to be of another size."""
    return lambda each: (replace(each, bound=change(each.bound)),) if isinstance(each, Reduce) and each.bound else None


def small_sums(each: Statement) -> tuple[Statement, ...] | None:
    """Sums of integers are said to stay 0."""
    if isinstance(each, Loop) and any(one.magnitudes for one in each.invariants):
        return (replace(each, invariants=tuple(replace(one, magnitudes=(integer(0), integer(0))) for one in each.invariants)),)
    return None


def place_in_block(each: Statement) -> tuple[Statement, ...] | None:
    """Places are counted from the start of each block."""
    return (replace(each, first=integer(0)),) if isinstance(each, Iota) else None


def numbers_turned(each: Statement) -> tuple[Statement, ...] | None:
    """Numbers of places go the other way, so that ties are broken the other way."""
    return (replace(each, step=-each.step),) if isinstance(each, Iota) else None


def another_group(each: Statement) -> tuple[Statement, ...] | None:
    """Elements are said to be in the next group."""
    return (replace(each, number=plus(each.number, integer(1))),) if isinstance(each, Divided) else None


def loads_of(array: str, by: int) -> Edit:
    """Loads of one array are off by one."""

    def edit(each: Statement) -> tuple[Statement, ...] | None:
        return moved(Load, by)(each) if isinstance(each, Load) and each.tile.startswith(f"{array}_") else None

    return edit


def rest_dropped(each: Statement) -> tuple[Statement, ...] | None:
    """What no full group has is left out: blocks of a loop that is in no other."""
    if isinstance(each, Loop) and not any(isinstance(part, Loop) for part in each.body) and "%" in show(each.count):
        return ()
    return None


FAULTS: list[tuple[str, str, Edit]] = [
    ("sum", "accumulator not initialised", dropped(Fill, "total")),
    ("sum", "remainder dropped", dropped(When)),
    ("sum", "last block dropped", rounded_down),
    ("sum", "one iteration more", less_often(1, True)),
    ("sum", "accumulator reset", reset_each_time),
    ("sum", "PSUM tile reused", tile_reused),
    ("sum", "maximum for sum", other_reduction),
    ("sum", "ones not initialised", dropped(Fill, "ones")),
    ("sum", "first block again", same_block),
    ("most", "sum for maximum", other_reduction),
    ("most", "remainder dropped", dropped(When)),
    ("most", "loads off by one", moved(Load, 1)),
    ("scale", "remainder dropped", dropped(When)),
    ("scale", "stores off by one", moved(Store, 1)),
    ("scale", "loads off by one", moved(Load, -1)),
    ("scale", "one iteration less", less_often(-1, False)),
    ("scale", "tile order swapped", order_swapped),
    ("scale", "no scaling", unscaled),
    ("scale", "stored twice", stored_twice),
    ("scale", "subtraction for sum", other_operator("add", "subtract")),
    ("rows", "outer product", outer_product),
    ("rows", "accumulator not initialised", dropped(Fill, "total")),
    ("rows", "mask one row too wide", wide(1)),
    ("rows", "last block dropped", rounded_down),
    ("gemm", "not transposed", swapped_coordinates(Load)),
    ("gemm", "accumulator reset", reset_each_time),
    ("gemm", "last block dropped", rounded_down),
    ("gemm", "factors swapped", factors_swapped),
    ("gemm", "no scaling", unscaled),
    ("gemm", "block stored transposed", swapped_coordinates(Store)),
    ("rowmax", "sum for maximum", other_reduction),
    ("rowmax", "last block dropped", rounded_down),
    ("rowmax", "loads off by one", moved(Load, 1)),
    ("rowmax", "first block again", same_block),
    ("integers", "terms twice as large as said", other_bound(lambda bound: bound // 2)),
    ("integers", "no bound on the terms", other_bound(lambda bound: None)),
    ("integers", "sums larger than said", small_sums),
    ("integers", "remainder dropped", dropped(When)),
    ("integers", "accumulator not initialised", dropped(Fill, "total")),
    ("windows", "the same window again", same_block),
    ("windows", "accumulator not initialised", dropped(Fill, "windows")),
    ("windows", "accumulator reset", reset_each_time),
    ("windows", "last product dropped", less_often(-1, True)),
    ("windows", "loads off by one", moved(Load, 1)),
    ("place", "ties between blocks broken the wrong way", other_operator("less", "less_equal")),
    ("place", "ties in a block broken the wrong way", numbers_turned),
    ("place", "start of the block not added", place_in_block),
    ("place", "place not carried", reset_place),
    ("place", "first block again", same_block),
    ("place", "last block dropped", rounded_down),
    ("place", "greatest so far not kept", dropped_map("maximum")),
    ("place", "elements off by one", moved(Load, 1)),
    ("last place", "ties between blocks broken the wrong way", other_operator("less_equal", "less")),
    ("last place", "ties in a block broken the wrong way", numbers_turned),
    ("last place", "greatest for least", dropped_map("negate", True)),
    ("least", "greatest for least", dropped_map("negate", True)),
    ("least", "remainder dropped", dropped(When)),
    ("running", "initial value of the scan wrong", initial_value),
    ("running", "carry dropped", dropped_map("add")),
    ("running", "carry reset", reset_each_time),
    ("running", "carry of the block itself", carried_too_soon),
    ("running", "carry not initialised", dropped(Fill, "total")),
    ("running", "factors are no ones", other_factor),
    ("running", "first block again", same_block),
    ("running", "last block dropped", rounded_down),
    ("running", "stores off by one", moved(Store, 1)),
    ("running integers", "sums larger than said", small_sums),
    ("running integers", "no bound on the terms", lambda each: (replace(each, bound=None),) if isinstance(each, Scan) else None),
    ("groups", "sum of a group not reset", dropped(Fill, "total_4")),
    ("groups", "last block dropped", rounded_down),
    ("groups", "scale of the next group", loads_of("s", 1)),
    ("groups", "group boundary off by one", loads_of("a", 1)),
    ("groups", "first block again", same_block),
    ("by groups", "group boundary off by one", loads_of("s", 1)),
    ("by groups", "elements off by one", loads_of("x", -1)),
    ("by groups", "next group", another_group),
    ("by groups", "rest dropped", rest_dropped),
    ("by groups", "last block dropped", rounded_down),
    ("sum by groups", "group boundary off by one", loads_of("s", -1)),
    ("sum by groups", "accumulator reset", reset_each_time),
    ("sum by groups", "last block dropped", rounded_down),
    ("bytes", "saturation ignored", unsaturated),
    ("bytes", "sums in bytes", in_bytes),
    ("blend", "wrong numbers in an idiom", idiom(-1)),
    ("blend", "mask one row too narrow", wide(-1)),
    ("blend", "nothing loaded", dropped(Load)),
]  # fmt: skip


@pytest.mark.quick(every=12)
@pytest.mark.parametrize(("name", "fault", "edit"), FAULTS, ids=[f"{name}: {fault}" for name, fault, _ in FAULTS])
def test_faults_are_refuted(name: str, fault: str, edit: Edit, kernels: dict[str, Made], pool: SolverPool) -> None:
    assert not kernels[name].proved(edited(kernels[name].kernel, edit), pool, SECONDS), fault


@pytest.mark.parametrize("name", ["integers", "root", "bytes"])
def test_what_the_machine_needs_of_values_is_assumed_or_proved(name: str, kernels: dict[str, Made], pool: SolverPool) -> None:
    """Without their ranges, integers beyond 2**24 and arguments of activations that are negative are refuted; bytes need none."""
    made = kernels[name]
    assert bool(made.kernel.ranges) is (name != "bytes")
    assert made.proved(replace(made.kernel, ranges=()), pool, SECONDS) is (name == "bytes")

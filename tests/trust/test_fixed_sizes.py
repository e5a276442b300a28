"""Sizes of thousands that the source fixes: what is claimed has witnesses, and the code is compared on few inputs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift import lift
from metalift.check.witnessing import witnesses_among
from metalift.frontend import compile_source, import_function
from metalift.ir.expr.nodes import FALSE, Update
from metalift.ir.interp.interpret import Made, run
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import LoopSummary
from metalift.result import FunctionResult
from metalift.result.verdict import Agreement, FunctionVerdict
from metalift.run.compare.long_comparison import chosen
from metalift.run.inputs.long import Pattern
from metalift.synth.derive import derive
from metalift.vcgen.jumps import Jumps, writes_of
from metalift.vcgen.natural_loops import loop_blocks
from metalift.vcgen.paths import PathGenerator
from tests.support.lazily import Each

LONG = """#include <stdint.h>
#define H 90
#define W 120
void invert(uint8_t in[H][W], uint8_t out[H][W]) {
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) out[y][x] = 255 - in[y][x];
}
void product(double *restrict c, const double *a, const double *b) {
    for (int i = 0; i < 72; i++)
        for (int j = 0; j < 72; j++) {
            double t = 0;
            for (int k = 0; k < 72; k++) t += a[i * 72 + k] * b[k * 72 + j];
            c[i * 72 + j] = t;
        }
}
void scaled(float *o, const float a[100000], float by) {
    int i = 0;
    while (i < 100000) { o[i] = a[i] * by; ++i; }
}
uint32_t folded(const uint32_t *a) {
    uint32_t s = 0;
    for (int i = 0; i < 50000; i++) s = s + a[i];
    return s;
}
void twice(int *restrict o, const int *restrict a, int n) {
    for (int i = 0; i < 9000; i++) o[i] = a[i] / 4;
    for (int i = 0; i < 9000; i++) o[i] = o[i] + n % 7;
}
"""
NEVER_DEFINED = {
    "gap": "void gap(int *o, const int *a) { for (int i = 0; i < 20000; i++) o[i] = 1000 / (i - 10000) + (a[i] & 3); }",
    "over": "int over(const int a[100000]) { int s = 0; for (int i = 0; i < 100000; i++) s = i * i + (a[i] & 1); return s; }",
    "shift": "int shift(const int a[9000]) { int s = 0; for (int i = 0; i < 9000; i++) s ^= (a[i] & 1) << (i / 100); return s; }",
    "past": "int past(void) { int t[5000], s = 0; for (int i = 0; i <= 5000; i++) t[i] = i; return t[3]; }",
}
SHORT = """
void f(int *restrict o, const int *restrict a) {
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 5; j++) o[i * 5 + j] = a[j * 7 + i] / 2 + i;
}
void g(int *restrict o, const int *restrict a) {
    for (int i = 0; i < 9; i++) o[8 - i] = a[i] / 3;
    for (int i = 0; i < 9; i++) o[i] = o[i] / 2 + i;
}
int h(const int *a) {
    int s = 0;
    for (int i = 0; i < 11; i++) s += a[i] & 15;
    return s;
}
"""


def fragment_of(folder: Path, text: str, name: str) -> Fragment:
    path = folder / "k.c"
    path.write_text(text)
    return import_function(compile_source(path), name)


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    path = tmp_path_factory.mktemp("long") / "k.c"
    path.write_text(LONG)
    return Each(lambda name: lift(path, functions=[name], to=["numpy"]).functions[0])


@pytest.mark.quick("invert", "folded")
@pytest.mark.parametrize("name", ["invert", "product", "scaled", "folded", "twice"])
def test_a_source_of_large_fixed_sizes_is_proved_and_compared(lifted: dict[str, FunctionResult], name: str) -> None:
    function = lifted[name]
    reasons = [each.reason for each in function.obligations if each.reason]
    assert (function.verdict, reasons) == (FunctionVerdict.PROVED, [])
    assert function.targets["numpy"].checked is Agreement.AGREES
    assert function.targets["numpy"].inputs == 2


@pytest.mark.quick("gap", "past")
@pytest.mark.parametrize("name", NEVER_DEFINED)
def test_a_source_that_is_never_defined_is_not_proved(tmp_path: Path, name: str) -> None:
    path = tmp_path / "k.c"
    path.write_text(NEVER_DEFINED[name])
    (function,) = lift(path, to=["numpy"]).functions
    assert function.verdict in (FunctionVerdict.NOT_LIFTED, FunctionVerdict.UNSUPPORTED, FunctionVerdict.VACUOUS)


@pytest.mark.parametrize("name", ["f", "g", "h"])
def test_a_run_that_jumps_gives_what_the_run_gives(tmp_path: Path, name: str) -> None:
    fragment = fragment_of(tmp_path, SHORT, name)
    summary, bodies = derive(fragment), loop_blocks(fragment)
    args = {param.var.name: Made((35,), Pattern((35,), tuple(range(-9, 8)))) for param in fragment.params}
    jumps = Jumps(summary, frozenset(bodies), bodies)
    last = []
    jumped = run(fragment, args, observer=lambda label, values, arrays: last.append(arrays), leap=jumps)
    stepped = run(fragment, args)
    assert jumps.made > 0
    assert jumped.steps < stepped.steps
    assert jumped.result == stepped.result
    for array, cells in stepped.arrays.items():
        assert isinstance(cells, dict)
        assert {cell: last[-1][array].at((cell,)) for cell in cells} == cells  # type: ignore[arg-type]


@pytest.mark.quick("scaled")
@pytest.mark.parametrize("name", ["scaled", "twice"])
def test_hypotheses_that_contradict_each_other_have_no_witness(tmp_path: Path, name: str) -> None:
    fragment = fragment_of(tmp_path, LONG, name)
    summary = derive(fragment)
    witnesses = witnesses_among([], fragment, summary)
    for obligation in PathGenerator(fragment, summary, (), {}).obligations():
        assert witnesses.find(obligation) is not None
        for wrong in (
            replace(obligation, hypotheses=(*obligation.hypotheses, FALSE)),
            replace(obligation, assumed=(*obligation.assumed, FALSE)),
        ):
            assert witnesses.find(wrong) is None


def test_what_a_body_does_is_witnessed_by_steps(tmp_path: Path) -> None:
    fragment = fragment_of(tmp_path, LONG, "scaled")
    summary, bodies = derive(fragment), loop_blocks(fragment)
    witnesses = witnesses_among([], fragment, summary)
    for obligation in PathGenerator(fragment, summary, (), {}).obligations():
        run_found = witnesses.find(obligation)
        assert run_found is not None
        steps = zip(obligation.trail, obligation.trail[1:], strict=False)
        through = any(label in bodies and after in bodies[label] for label, after in steps)
        assert not through or all(visit.passed == 1 for visit in run_found.visits)


def test_of_several_writes_of_a_cell_the_last_one_counts(tmp_path: Path) -> None:
    fragment = fragment_of(tmp_path, SHORT, "f")
    (update,) = (binding.value for binding in derive(fragment).bindings if isinstance(binding.value, Update))
    first, second = update.binders
    folded = replace(update, indices=(second,), value=first)
    assert writes_of(folded, {}).last((3,), {}) == {first.name: 6, second.name: 3}
    assert writes_of(update, {}).last((35,), {}) is None


def test_a_loop_of_which_something_is_unknown_is_stepped_through(tmp_path: Path) -> None:
    fragment = fragment_of(tmp_path, SHORT, "f")
    summary, bodies = derive(fragment), loop_blocks(fragment)
    arrays = tuple(param.var for param in fragment.params)
    loops = tuple(replace(loop, unknown=arrays[:1]) for loop in summary.loops if isinstance(loop, LoopSummary))
    args = {var.name: Made((35,), Pattern((35,), (1, 2, 3))) for var in arrays}
    jumps = Jumps(replace(summary, loops=loops), frozenset(bodies), bodies)
    assert run(fragment, args, leap=jumps).steps == run(fragment, args).steps


def test_elements_are_chosen_where_results_differ() -> None:
    ours = [float(at) for at in range(5000)]
    theirs = [*ours[:2222], ours[2222] + 1e-9, *ours[2223:4000], 4004.0, *ours[4001:]]
    assert {0, 4999, 2222, 4000} <= set(chosen(ours, theirs))
    assert len(chosen(ours, ours)) <= 60

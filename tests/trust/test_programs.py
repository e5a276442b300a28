"""Programs that do not compute their summary: each is wrong in one way, and none is proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from metalift.driver.files import load
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Operator, Select, Var
from metalift.ir.expr.types import FLOAT, INT, INT32, TensorType
from metalift.ir.expr.walk import map_children
from metalift.ir.program.summary import TargetProgram
from metalift.prove.solver import SolverPool
from metalift.synth.cover import cover
from metalift.vcgen.obligation import ObligationError
from tests.support.proofs import kernel, program_proved

N = Cast(Var("n", INT32), INT)
I = Var("i", INT)  # noqa: E741 (as in the sources)
DOUBLE = "void f(int n, float *o, const float *x) { for (int i = 0; i < n; i++) o[i] = x[i] * 2.0f; }"
MOVED = "void f(int n, float *o, const float *x) { for (int i = 0; i < n; i++) o[i + 1] = x[i + 1]; }"
TOTAL = "float f(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
SHARE = """float f(int n, float *o, const float *x) {
  float s = 0; for (int i = 0; i < n; i++) s += x[i];
  for (int i = 0; i < n; i++) o[i] = x[i] / s;
  return s; }"""
QUOTIENTS = "int f(int n, const int *x, int d) { int s = 0; for (int i = 0; i < n; i++) s += x[i] / d; return s; }"
COUNT = "void f(int n, int *o) { for (int i = 0; i < n; i++) o[i] = i; }"
REST = "int f(int n, int *o) { int first = o[0]; for (int i = 1; i < n; i++) o[i] = 7; return first; }"
TWO = """void f(int n, float *o, float *p, const float *x) {
  for (int i = 0; i < n; i++) { o[i] = x[i] * 2.0f; p[i] = x[i] * 3.0f; } }"""
Change = Callable[[TargetProgram], TargetProgram]


def swapped(expr: Expr, before: Expr, after: Expr) -> Expr:
    """The expression with one part in the place of another."""
    return after if expr == before else map_children(lambda child: swapped(child, before, after), expr)


def more(expr: Expr, by: int) -> Expr:
    return Apply(Operator.ADD, (expr, Const(by, INT)))


def values(before: Expr, after: Expr) -> Change:
    """A part of what is written is another."""
    return lambda program: replace(
        program, writes=tuple(replace(write, value=swapped(write.value, before, after)) for write in program.writes)
    )


def windows(before: Expr, after: Expr) -> Change:
    """A part of where it is written is another."""
    return lambda program: replace(
        program, writes=tuple(replace(write, window=swapped(write.window, before, after)) for write in program.writes)
    )


def both(before: Expr, after: Expr) -> Change:
    return lambda program: windows(before, after)(values(before, after)(program))


def window_at(index: Expr) -> Change:
    """All elements are written to cells of this index."""

    def change(program: TargetProgram) -> TargetProgram:
        (write,) = program.writes
        assert isinstance(write.window, Build) and isinstance(write.window.body, Select)
        cell = Select(write.window.body.tensor, (swapped(index, I, write.window.binders[0]),))
        return replace(program, writes=(replace(write, window=replace(write.window, body=cell)),))

    return change


def lets(before: Expr, after: Expr) -> Change:
    return lambda program: replace(
        program, lets=tuple(replace(let, value=swapped(let.value, before, after)) for let in program.lets)
    )


WRONG: dict[str, tuple[str, Change]] = {
    "nothing is written": (DOUBLE, lambda program: replace(program, writes=())),
    "one element less is written": (DOUBLE, both(N, more(N, -1))),
    "one element more is written": (DOUBLE, both(N, more(N, 1))),
    "the window is shorter than the value": (DOUBLE, windows(N, more(N, -1))),
    "the window is longer than the value": (DOUBLE, windows(N, more(N, 1))),
    "an element that is left alone is written": (
        REST,
        lambda program: windows(more(I, 1), I)(both(Apply(Operator.SUB, (N, Const(1, INT))), N)(program)),
    ),
    "the elements are written one further": (DOUBLE, window_at(more(I, 1))),
    "every element is written to one cell": (DOUBLE, window_at(Const(0, INT))),
    "more values than cells are written": (COUNT, values(N, more(N, 1))),
    "fewer values than cells are written": (COUNT, values(N, more(N, -1))),
    "what does not count is read from outside of the array": (TOTAL, lambda program: replace(program, result=beside(program))),
    "different numbers are written to one cell": (COUNT, window_at(Const(0, INT))),
    "the elements are written to every second cell": (DOUBLE, window_at(Apply(Operator.MUL, (Const(2, INT), I)))),
    "the window begins before the array": (MOVED, window_at(more(I, -1))),
    "a second write undoes the first": (
        DOUBLE,
        lambda program: replace(program, writes=(*program.writes, replace(program.writes[0], value=copied(program)))),
    ),
    "one of two arrays is not written": (TWO, lambda program: replace(program, writes=program.writes[:1])),
    "the wrong array is written": (
        TWO,
        lambda program: replace(program, writes=(program.writes[0], replace(program.writes[0], value=program.writes[1].value))),
    ),
    "the result is of one element less": (TOTAL, lets(N, more(N, -1))),
    "the result is of one element more": (TOTAL, lets(N, more(N, 1))),
    "there is another result": (SHARE, lambda program: replace(program, result=Const(Fraction(1), program.lets[0].var.type))),
    "an intermediate is another": (SHARE, lets(N, more(N, -1))),
    "an operator is used where it must not be": (QUOTIENTS, lambda program: replace(program, requires=program.requires[1:])),
}


def beside(program: TargetProgram) -> Expr:
    """The result, and what adds nothing to it: the element after the last, less itself."""
    assert program.result is not None
    after = Select(Var("x", TensorType(FLOAT, 1)), (N,))
    return Apply(Operator.ADD, (program.result, Apply(Operator.SUB, (after, after))))


def copied(program: TargetProgram) -> Expr:
    """What the first write's operator is applied to."""
    value = program.writes[0].value
    assert isinstance(value, Call)
    return value.args[0]


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_not_proved(name: str, tmp_path: Path, pool: SolverPool) -> None:
    text, change = WRONG[name]
    made = kernel(text, tmp_path)
    driver = load("tensor").driver
    program = cover(made.summary, made.fragment, driver, "numpy")
    wrong = change(program)
    assert wrong != program
    try:
        assert not program_proved(made.fragment, made.summary, wrong, driver, pool)
    except ObligationError:
        return


@pytest.mark.parametrize("text", [DOUBLE, MOVED, TOTAL, SHARE, QUOTIENTS, COUNT, TWO, REST])
def test_the_right_program_is_proved(text: str, tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(text, tmp_path)
    driver = load("tensor").driver
    assert program_proved(made.fragment, made.summary, cover(made.summary, made.fragment, driver, "numpy"), driver, pool)

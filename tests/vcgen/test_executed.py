"""What a run of the source shows by not failing: used where it is so, and nothing that only seems so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift.ir.expr.build import at_most, equal, forall, implies, in_range, less, neg
from metalift.ir.expr.nodes import FALSE, Cast, Expr, Forall, Length, Select, Var, integer
from metalift.ir.expr.types import INT, INT32, TensorType
from metalift.ir.program.summary import LoopSummary, Summary
from metalift.prove.solver import SolverPool
from metalift.synth.derive.derive import derive
from tests.support.proofs import fragment_of, summary_proved

K = Var("i", INT)
N = Cast(Var("n", INT32), INT)
B, X = (Var(name, TensorType(INT32, 1)) for name in "bx")
SUM = "int f(int n, const int *b) { int s = 0; for (int i = 0; i < n; i++) s += b[i]; return s; }"

SHOWN = {
    "a divisor": "void f(int n, int *a, const int *b) { for (int i = 0; i < n; i++) a[i] = a[i] / b[i]; }",
    "a divisor under a condition": (
        "void f(int n, int *a, const int *b, const int *c) { for (int i = 0; i < n; i++) if (c[i] > 3) a[i] = a[i] % b[i]; }"
    ),
    "the bits of a shift": "void f(int n, unsigned *a, const int *b) { for (int i = 0; i < n; i++) a[i] = a[i] << b[i]; }",
    "an index that is data": "void f(int n, const int *a, const int *b, int *c) { for (int i = 0; i < n; i++) c[i] = a[b[i]]; }",
    "an index of two loops": (
        "void f(int n, int m, const int *a, const int *b, int *c)"
        " { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c[i * m + j] = a[b[j]] + i; }"
    ),
    "a neighbour that a condition chooses": (
        "void f(int n, const int *a, int *c) { for (int i = 0; i < n; i++) c[i] = a[i > 0 ? i - 1 : i + 1]; }"
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_is_derived_and_proved(name: str, tmp_path: Path, pool: SolverPool) -> None:
    fragment = fragment_of(SHOWN[name], tmp_path)
    summary = derive(fragment, executed=True)
    assert summary.facts
    assert summary_proved(fragment, summary, pool)


def every(condition: Expr) -> Expr:
    """That it holds for every index below n."""
    return forall((K,), implies(in_range(K, N), condition))


ELEMENT = Cast(Select(B, (K,)), INT)
WRONG = {
    "nothing": (SUM, FALSE),
    "a divisor where nothing is divided": (
        SUM,
        every(neg(equal(ELEMENT, integer(0)))),
    ),
    "a divisor that a condition keeps from being used": (
        "int f(int n, const int *b) { int s = 0; for (int i = 0; i < n; i++) if (b[i] != 0) s += 7 / b[i]; return s; }",
        every(neg(equal(ELEMENT, integer(0)))),
    ),
    "an element behind those that are read": (
        SUM,
        less(N, Length(B)),
    ),
    "elements of no iteration": (SUM, less(integer(0), Length(B))),
    "the bits of a shift whose value is not used": (
        "int f(int n, const int *b, int x)"
        " { int s = 0; for (int i = 0; i < n; i++) { int t = 1 << b[i]; if (x) s += t; } return s; }",
        every(at_most(integer(0), ELEMENT)),
    ),
    "an index that a condition keeps from being used": (
        "int f(int n, const int *b, const int *x)"
        " { int s = 0; for (int i = 0; i < n; i++) s += b[i] > 0 ? x[b[i]] : 0; return s; }",
        every(in_range(ELEMENT, Length(X))),
    ),
    "what a loop left early does not reach": (
        "int f(int n, const int *b)"
        " { for (int i = 0; i < n; i++) { if (b[i] == 3) return i; if (7 / b[i] > 3) continue; } return -1; }",
        every(neg(equal(ELEMENT, integer(0)))),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_runs_do_not_show_is_not_proved(name: str, tmp_path: Path, pool: SolverPool) -> None:
    text, fact = WRONG[name]
    fragment = fragment_of(text, tmp_path)
    summary = derive(fragment, executed=True)
    assert not summary_proved(fragment, claiming(summary, fact), pool)


def claiming(summary: Summary, fact: Expr) -> Summary:
    """The summary with one more fact, which is said of the iterations so far of each loop, too."""
    loops = [loop for loop in summary.loops if isinstance(loop, LoopSummary)]
    claimed = tuple(replace(loop, holds=(*loop.holds, so_far(loop, fact))) for loop in loops)
    return replace(summary, loops=claimed, facts=(*summary.facts, fact))


def so_far(loop: LoopSummary, fact: Expr) -> Expr:
    """The fact for the iterations that are complete."""
    if not isinstance(fact, Forall):
        return fact
    return Forall(fact.binders, implies(less(K, loop.index), fact.body))

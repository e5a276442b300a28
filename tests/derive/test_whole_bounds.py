"""Loops that go on as long as a condition on real numbers holds: how often that is, as whole numbers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metalift.frontend import import_function, open_source
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import Apply, Operator, Var, integer
from metalift.ir.expr.types import DOUBLE, FLOAT, INT, INT32, TensorType, Type
from metalift.ir.interp.evaluate import evaluate
from metalift.ir.text import parse, show_summary
from metalift.prove.prover import prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.synth.derive import NotDerived, derive
from metalift.synth.derive.whole_bounds import whole_slack

COUNTER = Var("i", INT)
NAMES: dict[str, Type] = {"i": INT, "n": INT32, "d": DOUBLE}
SIDES = (
    "f64(int(n)) / 2.0:f64", "f64(int(n) - 1) * 0.5:f64", "f64(int(n)) * 0.75:f64 + 0.25:f64", "floor(f64(int(n)) / 3.0:f64)",
    "ceil(f64(int(n)) / 2.0:f64)", "floor(ceil(f64(int(n)) * 0.3:f64) / 2.0:f64)", "d", "floor(d)", "ceil(d) / 2.0:f64", "-d",
    "0.0:f64 - f64(int(n)) / 2.0:f64", "7.5:f64", "sqrt(abs(d))",
)  # fmt: skip
MOVING = (
    "f64(i)", "f64(i + 1)", "f64(2 * i)", "f64(i) * 2.0:f64", "f64(i) / 2.0:f64", "-f64(i)", "f64(int(n) - i)",
    "f64(i) + 0.5:f64", "f64(i) - f64(int(n)) / 4.0:f64", "1.5:f64 - f64(3 * i)",
)  # fmt: skip


@given(
    st.permutations((0, 1)), st.sampled_from(MOVING), st.sampled_from(SIDES), st.sampled_from((Operator.LT, Operator.LE)),
    st.integers(-30, 30), st.integers(-80, 80),
)  # fmt: skip
def test_the_whole_number_is_not_negative_as_long_as_the_condition_holds(
    order: list[int], moving: str, side: str, op: Operator, size: int, eighths: int
) -> None:
    left, right = (parse((moving, side)[place], NAMES, DOUBLE) for place in order)
    slack = whole_slack(op, left, right, COUNTER)
    if slack is None:
        return
    for place in range(-3, 40):
        env = {"i": place, "n": size, "d": Fraction(eighths, 8)}
        counts = at_most(integer(0), slack.to_expr())
        assert evaluate(counts, env) == evaluate(Apply(op, (left, right)), env), (counts, env)


def test_most_conditions_count() -> None:
    conditions = [(parse(moving, NAMES, DOUBLE), parse(side, NAMES, DOUBLE)) for moving in MOVING for side in SIDES]
    found = [whole_slack(Operator.LT, *both, COUNTER) is not None for both in conditions]
    assert sum(found) == 90


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("i < n / 2.0", "-(-int(n) // 2)"),
        ("i <= (n - 1) * 0.5", "(int(n) - 1) // 2 + 1"),
        ("i < floor(n / 2)", "int(n) // 2"),
        ("i < ceil((double)n / 3)", "-(-int(n) // 3)"),
        ("i < floor((double)n / 2)", "int(n) // 2"),
        ("2 * i < n * 0.5", "(-(-int(n) // 2) + 1) // 2"),
        ("i < d", "int(ceil(d))"),
    ],
)
def test_loops_with_such_conditions_have_closed_forms(condition: str, wanted: str, tmp_path: Path) -> None:
    source = tmp_path / "k.c"
    loop = f"for (int i = 0; {condition}; i++) s += x[i];"
    source.write_text(f"#include <math.h>\nfloat f(const float *x, int n, double d) {{ float s = 0; {loop} return s; }}\n")
    assert f"fold({wanted}, 0, acc, i: acc + x[i])" in show_summary(derive(import_function(open_source(source), "f")))


@pytest.mark.parametrize(
    "loop",
    [
        "int i = 0; i < n * 0.5f", "int i = n - 10; i < (float)n", "int64_t i = m - 10; i < (double)m",
        "int64_t i = m; i < m + 0.5", "int64_t i = 0; i < (k * 65536.0 + n / 65536.0) - k * 65536.0",
        "int i = 0; i < n * 0.7 * 2", "int i = 0; i < (float)(n / 2.0)",
    ],
)  # fmt: skip
def test_what_floats_round_does_not_count_as_if_they_did_not(loop: str, tmp_path: Path) -> None:
    """They differ at 2 ** 24 + 1 and 2 ** 53 + 1, and 0.7 times a number at some sizes."""
    source = tmp_path / "k.c"
    text = f"#include <stdint.h>\nint f(int n, int k, int64_t m) {{ int c = 0; for ({loop}; i++) c++; return c; }}\n"
    source.write_text(text)
    try:
        assert "//" not in show_summary(derive(import_function(open_source(source), "f"))).replace("n.1", "")
    except NotDerived:
        pass


TRUE = [
    "floor(f64(int(n)) / 2.0:f64) == f64(int(n) // 2)",
    "ceil(f64(int(n)) / 2.0:f64) == f64(-(-int(n) // 2))",
    "floor(d) <= d and d < floor(d) + 1.0:f64",
    "ceil(d) >= d and d > ceil(d) - 1.0:f64",
    "not (f64(i) < d) or i < int(ceil(d))",
    "not (i < int(ceil(d)) and 0 <= i) or f64(i) < d",
]
FALSE = [
    "floor(f64(int(n)) / 2.0:f64) == f64(tdiv(int(n), 2))",
    "ceil(d) == floor(d) + 1.0:f64",
    "ceil(d) > d",
    "floor(d) < d",
    "not (f64(i) <= d) or i < int(ceil(d))",
    "floor(x[i]) < x[i]",
]


@pytest.mark.parametrize("formula", TRUE)
def test_rounding_of_sizes_is_known_to_the_prover(formula: str, pool: SolverPool) -> None:
    assert prove((), parse(formula, NAMES), pool, 10).verdict is ObligationVerdict.PROVED


@pytest.mark.parametrize("formula", FALSE)
def test_no_more_than_that_is_known(formula: str, pool: SolverPool) -> None:
    names: dict[str, Type] = NAMES | {"x": TensorType(FLOAT, 1)}
    assert prove((), parse(formula, names), pool, 3).verdict is ObligationVerdict.UNKNOWN

"""What is known of folds over what a condition keeps, and of sums and whether something was added."""

from __future__ import annotations

from functools import partial

import pytest

from metalift.ir.expr.types import DOUBLE, INT, TensorType, Type
from metalift.prove.lemmas import LEMMAS
from metalift.prove.solver import SolverPool
from tests.support.proofs import is_proved

INTS = TensorType(INT, 1)
NAMES: dict[str, Type] = {"x": INTS, "s": INTS, "y": TensorType(DOUBLE, 1), "n": INT, "m": INT}
COUNT = "fold(n, 0, acc, i: acc + (1 if x[i] > m else 0))"
ELEMENT = f"fold(n, 0, acc, j: x[j] if x[j] > m and {COUNT.replace('fold(n', 'fold(j')} == PLACE else acc)"
HELD = f"forall(p: not (0 <= p and p < {COUNT}) or s[p] == {ELEMENT.replace('PLACE', 'p')})"
SIZES = ("0 <= n",)

proved = partial(is_proved, NAMES)


@pytest.mark.parametrize(
    ("kept", "whole"),
    [
        (f"fold({COUNT}, 0, acc, p: acc + s[p])", "fold(n, 0, acc, i: acc + (x[i] if x[i] > m else 0))"),
        (f"fold({COUNT}, 7, acc, p: max(acc, s[p]))", "fold(n, 7, acc, i: max(acc, x[i]) if x[i] > m else acc)"),
        (f"fold({COUNT}, False, acc, p: acc or s[p] == 3)", "fold(n, False, acc, i: (acc or x[i] == 3) if x[i] > m else acc)"),
    ],
)
def test_a_fold_over_what_is_kept_is_one_over_all(kept: str, whole: str, pool: SolverPool) -> None:
    assert proved((*SIZES, HELD), f"{kept} == {whole}", pool)


@pytest.mark.parametrize(
    "whole",
    [
        "fold(n, 0, acc, i: acc + (x[i] if x[i] >= m else 0))",  # another condition
        "fold(n, 0, acc, i: acc + (x[i] + 1 if x[i] > m else 0))",  # other elements
        "fold(n, 0, acc, i: acc + (x[i] if x[i] > m else 1))",  # what is left out counts
        "fold(n, 1, acc, i: acc + (x[i] if x[i] > m else 0))",  # another start
        "fold(n, 0, acc, i: acc + (s[i] if x[i] > m else 0))",  # elements of the list by the wrong number
        "fold(n - 1, 0, acc, i: acc + (x[i] if x[i] > m else 0))",  # not all
    ],
)
def test_another_one_is_not(whole: str, pool: SolverPool) -> None:
    assert not proved((*SIZES, HELD), f"fold({COUNT}, 0, acc, p: acc + s[p]) == {whole}", pool, 3.0)


@pytest.mark.parametrize("extent", [f"{COUNT} + 1", f"{COUNT} - 1", "n"])
def test_nor_are_more_or_fewer_elements(extent: str, pool: SolverPool) -> None:
    goal = f"fold({extent}, 0, acc, p: acc + s[p]) == fold(n, 0, acc, i: acc + (x[i] if x[i] > m else 0))"
    assert not proved((*SIZES, HELD), goal, pool, 3.0)


@pytest.mark.parametrize(
    ("goal", "holds"),
    [
        (f"(0 < {COUNT}) == fold(n, False, acc, i: x[i] > m or acc)", True),
        (f"({COUNT} == 0) == fold(n, True, acc, i: not (x[i] > m) and acc)", True),
        ("(0.0:f64 < fold(n, 0.0:f64, acc, i: acc + abs(y[i]))) == fold(n, False, acc, i: y[i] != 0.0:f64 or acc)", True),
        (f"(1 < {COUNT}) == fold(n, False, acc, i: x[i] > m or acc)", False),
        (f"(0 < {COUNT}) == fold(n, False, acc, i: x[i] >= m or acc)", False),
        (f"(0 < {COUNT}) == fold(n, True, acc, i: x[i] > m or acc)", False),
        ("(0 < fold(n, 0, acc, i: acc + x[i])) == fold(n, False, acc, i: x[i] > 0 or acc)", False),
        ("(0 < fold(n, 0, acc, i: acc + (2 if x[i] > m else -1))) == fold(n, False, acc, i: x[i] > m or acc)", False),
    ],
)
def test_a_sum_is_positive_where_something_was_added(goal: str, holds: bool, pool: SolverPool) -> None:
    assert proved(SIZES, goal, pool, 20.0 if holds else 3.0) is holds


def test_the_lemmas_are_proved(pool: SolverPool) -> None:
    for name in ("fold relation", "fold gathering", "fold element"):
        assert all(pool.ask(script, 10.0).answer == "unsat" for script in LEMMAS[name].scripts)

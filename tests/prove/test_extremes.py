"""Maxima and minima in some cases only, from a start, and of few elements; quotients of what is not negative."""

from __future__ import annotations

import random
from functools import partial

import pytest

from metalift.ir.expr.nodes import Fold
from metalift.ir.expr.types import BOOL, DOUBLE, INT, TensorType, Type
from metalift.ir.interp.interpret import evaluate
from metalift.ir.text import parse
from metalift.prove.extents import beside_start
from metalift.prove.floors import with_floors
from metalift.prove.short_folds import steps_written
from metalift.prove.solver import SolverPool
from tests.support.proofs import is_proved
from tests.trust.test_lemma_instances import ROUNDS, arrays, reached, satisfiable

NAMES: dict[str, Type] = {"x": TensorType(INT, 1), "y": TensorType(DOUBLE, 1), "n": INT, "m": INT, "c": TensorType(INT, 1)}
FIRST = "x[0] if c[0] > 0 else m"
CHOSEN = "fold(n, m, acc, i: max(acc, x[i]) if c[i] > 0 else acc)"

proved = partial(is_proved, NAMES)


@pytest.mark.parametrize(
    ("hypotheses", "goal"),
    [
        ((), f"{CHOSEN} == fold(n, m, acc, i: max(acc, x[i] if c[i] > 0 else m))"),
        (("0 < n",), f"{CHOSEN} == max(m, fold(n - 1, {FIRST}, acc, i: max(acc, x[i + 1] if c[i + 1] > 0 else m)))"),
        ((), "fold(n, m, acc, i: min(acc, x[i]) if c[i] > 0 else acc) == fold(n, m, acc, i: min(acc, x[i] if c[i] > 0 else m))"),
        (
            ("0 < n",),
            "fold(m, 0, s, k: s + x[k] * fold(n, 3, acc, i: max(acc, x[i]))) "
            "== fold(m, 0, s, k: s + x[k] * max(3, fold(n - 1, x[0], acc, i: max(acc, x[i + 1]))))",
        ),
        ((), "fold(2, m, acc, i: fold(2, acc, a, j: max(a, x[2 * i + j]))) == max(max(max(max(m, x[3]), x[2]), x[1]), x[0])"),
        (("0 <= n", "0 <= m"), "m * tdiv(n, 2) == m * (n // 2)"),
        (("0 <= n // 2",), "tdiv(n, 3) * x[tdiv(n, 2)] == (n // 3) * x[n // 2]"),
    ],
)  # fmt: skip
def test_it_is_proved(hypotheses: tuple[str, ...], goal: str, pool: SolverPool) -> None:
    assert proved(hypotheses, goal, pool)


@pytest.mark.parametrize(
    ("hypotheses", "goal"),
    [
        ((), f"{CHOSEN} == fold(n, m, acc, i: max(acc, x[i] if c[i] > 0 else 0))"),  # something else where nothing is taken
        ((), f"{CHOSEN} == fold(n, m, acc, i: max(acc, x[i]))"),
        ((), f"{CHOSEN} == fold(n, m, acc, i: min(acc, x[i] if c[i] > 0 else m))"),
        ((), f"{CHOSEN} == fold(n, m, acc, i: max(acc, x[i] if c[i] > 0 else m + 1))"),
        ((), "fold(n, m, acc, i: x[i] if c[i] > 0 else acc) == fold(n, m, acc, i: x[i] if c[i] > 0 else m)"),
        (("0 < n",), "fold(n, 3, acc, i: max(acc, x[i])) == max(4, fold(n - 1, x[0], acc, i: max(acc, x[i + 1])))"),
        (("0 < n",), "fold(n, 3, acc, i: max(acc, x[i])) == max(3, fold(n - 1, x[1], acc, i: max(acc, x[i + 1])))"),
        ((), "fold(2, m, acc, i: max(acc, x[i])) == max(m, x[0])"),
        ((), "tdiv(n, 2) == n // 2"),
        (("0 <= m",), "tdiv(n, 2) == n // 2"),
        (("0 - 1 <= n",), "tdiv(n, 2) == n // 2"),
    ],
)
def test_it_is_not(hypotheses: tuple[str, ...], goal: str, pool: SolverPool) -> None:
    assert not proved(hypotheses, goal, pool, 3.0)


BODIES = ("max(s, x[k + 8]) if 0 < y[k + 8] else s", "s if 0 < y[k + 8] else min(s, x[k + 8])", "max(s, x[k + 8])", "s + 1")
OTHERS = ("max(s, x[k + 8] if 0 < y[k + 8] else START)", "min(s, START if 0 < y[k + 8] else x[k + 8])", "s", "max(s, 1)")


def test_instances_for_folds_beside_their_start_are_true() -> None:
    chosen, stated = random.Random(0), 0
    for _ in range(4 * ROUNDS):
        size, start = chosen.randrange(-1, 4), chosen.randrange(-2, 3)
        more = chosen.random() < 0.1
        one = parse(f"fold({size}, {start}, s, k: {chosen.choice(BODIES)})", {"x": TensorType(INT, 1), "y": TensorType(INT, 1)})
        text = chosen.choice((*OTHERS, *BODIES)).replace("START", str(start + more))
        other = start + chosen.choice((0, 0, 0, 0, -3, 3))
        two = parse(f"fold({size + more}, {other}, s, k: {text})", {"x": TensorType(INT, 1), "y": TensorType(INT, 1)})
        assert isinstance(one, Fold) and isinstance(two, Fold)
        env = arrays(chosen)
        formula = beside_start(one, two, "w")
        if formula is not None:
            stated += 1
            assert satisfiable(formula, env, {*reached(one, env), *reached(two, env)}), f"{one}\n{two}\n{env}"
    assert stated > ROUNDS


@pytest.mark.parametrize("inner", (0, 1, 3))
@pytest.mark.parametrize("outer", range(5))
def test_steps_written_out_give_the_same(outer: int, inner: int) -> None:
    formula = parse(f"fold({outer}, m, a, i: a + i * fold({inner}, n, b, j: max(b, i - j)))", NAMES)
    for n, m in ((-3, 2), (0, 0), (4, -1)):
        assert evaluate(steps_written(formula), {"n": n, "m": m}) == evaluate(formula, {"n": n, "m": m})


def test_a_step_that_doubles_stays_one() -> None:
    fold = parse("fold(4, m, a, i: a * a + i)", NAMES)
    assert steps_written(fold) == fold


@pytest.mark.parametrize(
    ("hypothesis", "goal"),
    [
        ("0 <= m", "tdiv(n, 2) == 0"),  # of another number
        ("0 <= n", "forall(n: tdiv(n, 2) == 0)"),  # of another one of that name
        ("n <= 0", "tdiv(n, 2) == 0"),
        ("0 <= n", "tdiv(n, m) == 0"),
        ("0 <= n or m == 1", "tdiv(n, 2) == 0"),
        ("0 <= tdiv(n, 2)", "tdiv(n, 2) == 0"),  # that of -1 is 0
    ],
)
def test_no_floor_without_reason(hypothesis: str, goal: str) -> None:
    given, wanted = [parse(hypothesis, NAMES, BOOL)], parse(goal, NAMES, BOOL)
    assert with_floors(given, wanted) == (given, wanted)

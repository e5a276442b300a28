"""Which folds are one function, and which never are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metalift.ir.expr.build import disj, equal, neg
from metalift.ir.expr.nodes import FALSE, Apply, Expr, Fold, Forall, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, UINT8, TensorType, Type
from metalift.ir.text import parse
from metalift.prove import prover
from metalift.prove.efforts import EFFORTS
from metalift.prove.encode import Encoder
from metalift.prove.folds import accumulator, closed
from metalift.prove.lemmas import LEMMAS
from metalift.prove.prover import prove, script_for
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.vcgen.erasure import erased

NAMES: dict[str, Type] = {
    "n": INT, "m": INT, "a": FLOAT, "b": FLOAT, "c": INT32, "x": TensorType(FLOAT, 1), "y": TensorType(FLOAT, 1),
    "t": TensorType(INT32, 1), "u": TensorType(UINT8, 1),
}  # fmt: skip


def fold(text: str) -> Fold:
    """A fold over the names above."""
    made = parse(text, NAMES)
    assert isinstance(made, Fold)
    return made


SAME = [
    ("fold(n, 0.0:f32, s, k: s + x[k] * y[k])", "fold(m, 1.0:f32, q, j: q + y[j] * x[j])"),
    ("fold(n, 0.0:f32, s, k: s + x[k])", "fold(n, a, k, s: x[s] + k)"),
    ("fold(n, 0.0:f32, s, k: s + x[k * m + n])", "fold(n, 0.0:f32, s, k: s + x[n + m * k])"),
    ("fold(n, 0.0:f32, s, k: s + a * x[k])", "fold(n, 0.0:f32, s, k: s + x[k] * (a + b))"),
    ("fold(n, 0.0:f32, s, k: max(s, x[k]))", "fold(n, 0.0:f32, s, k: max(x[k], s))"),
]
DIFFERENT = [
    ("fold(n, 0.0:f32, s, k: s - x[k])", "fold(n, 0.0:f32, s, k: x[k] - s)"),
    ("fold(n, 0.0:f32, s, k: s + x[k])", "fold(n, 0.0:f32, s, k: s + y[k])"),
    ("fold(n, 0.0:f32, s, k: s + x[k])", "fold(n, 0.0:f32, s, k: s + x[k + 1])"),
    ("fold(n, 0.0:f32, s, k: s * a + x[k])", "fold(n, 0.0:f32, s, k: s + a * x[k])"),
    ("fold(n, 0.0:f32, s, k: s + sin(x[k]))", "fold(n, 0.0:f32, s, k: s + cos(x[k]))"),
    ("fold(n, 0:i32, s, k: s + t[k])", "fold(n, 0:i32, s, k: min(s, 2147483647:i32) + t[k])"),
    ("fold(n, 0.0:f32, s, k: fold(k, s, q, j: q + x[j]))", "fold(n, 0.0:f32, s, k: fold(k, s, q, j: q + x[k]))"),
    ("fold(n, 0.0:f32, s, k: fold(k, s, q, j: q + x[j]))", "fold(n, 0.0:f32, s, k: fold(k, s, q, j: s + x[j]))"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_equal_steps_are_one_function(one: str, two: str) -> None:
    assert closed(fold(one)).key == closed(fold(two)).key


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_different_steps_are_two_functions(one: str, two: str) -> None:
    assert closed(fold(one)).key != closed(fold(two)).key


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_different_folds_are_not_proved_equal(one: str, two: str, pool: SolverPool) -> None:
    assert prove((), equal(fold(one), fold(two)), pool, 1).verdict is ObligationVerdict.UNKNOWN


def test_what_a_fold_inside_an_index_binds_is_not_what_is_bound_around_it() -> None:
    own = "fold(m, k, p, j: p + j)"  # its second binder
    outer = "fold(m, k, p, j: p + k)"  # the index of the fold around it, as deep
    one = fold(f"fold(n, 0.0:f32, s, k: s + x[{own} + {outer}])")
    for other in (own, outer):
        assert closed(one).key != closed(fold(f"fold(n, 0.0:f32, s, k: s + x[2 * {other}])")).key


def test_an_accumulator_is_any_integer() -> None:
    assert type_of(accumulator(fold("fold(n, 0:i32, s, k: s + t[k])"), "a")) == INT


def test_captured_values_are_arguments() -> None:
    one = closed(fold("fold(n, a, s, k: s + (a + b) * x[k])"))
    assert one.captured == (parse("a", NAMES), parse("a + b", NAMES))
    assert Encoder().encode(fold("fold(n, a, s, k: s + b * x[k])")) != Encoder().encode(fold("fold(n, b, s, k: s + a * x[k])"))


CLAIMS = [
    (True, "fold(n, 0.0:f32, s, k: s + x[k] * a)", "fold(n, 0.0:f32, s, k: s + a * x[k])"),
    (True, "fold(n, 0:i32, s, k: s + t[k])", "fold(n, 0:i32, s, k: t[k] + s)"),
    (True, "fold(n, 0.0:f32, s, k: s + x[k] * 2.0:f32)", "fold(n, 0.0:f32, s, k: s + (x[k] + x[k]))"),
    (False, "fold(n, 0:i32, s, k: s + t[k])", "fold(n + 1, 0:i32, s, k: s + t[k])"),
    (False, "fold(n, 0:i32, s, k: s + t[k])", "fold(n, 0:i32, s, k: s + t[k] + c)"),
    (False, "fold(n, 0:i32, s, k: s + t[k])", "fold(n, 0:i32, s, k: s)"),
    (False, "int(fold(n, 0:u8, s, k: u8(int(s) + int(u[k]))))", "int(fold(n, 0:i32, s, k: s + i32(u[k])))"),
    (False, "fold(n, 0:i32, s, k: max(s, t[k]))", "fold(n, 0:i32, s, k: max(s, t[k]) + 0 * s + 1)"),
    (False, "fold(n, (0:i32, 0:i32), p, k: (p[1], p[0] + t[k]))[0]", "fold(n, (0:i32, 0:i32), p, k: (p[1], p[0] + t[k]))[1]"),
    (False, "fold(n, (0:i32, 1:i32), p, k: (p[0] + t[k], p[1]))[0]", "fold(n, (0:i32, 1:i32), p, k: (p[0] + t[k], p[1]))[1]"),
]


@pytest.mark.parametrize(("holds", "one", "two"), CLAIMS)
def test_claims_about_folds(holds: bool, one: str, two: str, pool: SolverPool) -> None:
    claim = erased(equal(parse(one, NAMES), parse(two, NAMES)), {})
    assert (prove((), claim, pool, 1).verdict is ObligationVerdict.PROVED) == holds


def test_a_lemma_that_does_not_prove_is_not_used(pool: SolverPool, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = equal(fold("fold(n, 0.0:f32, s, k: s + x[k] * 2.0:f32)"), fold("fold(n, 0.0:f32, s, k: s + (x[k] + x[k]))"))
    made = prove((), claim, pool, 1)
    assert made.verdict is ObligationVerdict.PROVED and made.lemmas
    for name in LEMMAS:  # all of them: another one may do as well
        monkeypatch.setitem(LEMMAS, name, replace(LEMMAS[name], scripts=("(set-logic ALL)\n(check-sat)\n",)))
    monkeypatch.setattr(prover, "_proved_lemmas", set())
    without = prove((), claim, pool, 1)
    assert without.verdict is ObligationVerdict.UNKNOWN
    assert "lemmas that did not prove" in without.reason


def test_a_fold_over_bytes_is_not_known_to_stay_a_byte(pool: SolverPool) -> None:
    total = parse("int(fold(n, 0:i32, s, k: s + 1000000000))", NAMES)
    small = erased(Apply(Operator.LE, (total, integer(2**31 - 1))), {})
    assert prove((), small, pool, 1).verdict is ObligationVerdict.UNKNOWN


def test_a_fact_about_bytes_has_no_instance_outside_their_range(pool: SolverPool) -> None:
    byte = Var("v", UINT8)
    cells = TensorType(INT, 1)
    fact = Forall((byte,), equal(Select(Var("z", cells), (Var("v", INT),)), integer(0)))  # of an unbound v: says nothing of 300
    every = Forall((byte,), neg(equal(byte, integer(300))))
    assert prove((every, fact), FALSE, pool, 1).verdict is ObligationVerdict.UNKNOWN
    known: list[Expr] = [every, equal(Var("w", INT), integer(300)), Forall((byte,), neg(equal(byte, Var("w", INT))))]
    assert prove(known, FALSE, pool, 1).verdict is ObligationVerdict.UNKNOWN


def test_a_proposition_for_a_universal_does_not_make_it_true(pool: SolverPool) -> None:
    cells, p = Var("z", TensorType(INT, 1)), Var("p", BOOL)
    every = Forall((Var("b", INT),), equal(Select(cells, (Var("b", INT),)), integer(0)))
    either = Apply(Operator.OR, (p, every))
    zero = equal(Select(cells, (integer(7),)), integer(0))
    assert prove((either,), zero, pool, 1).verdict is ObligationVerdict.UNKNOWN
    assert prove((either, neg(p)), zero, pool, 1).verdict is ObligationVerdict.PROVED


ALMOST = {
    "extensionality": ("fold(n, 0, s, k: s + {x}[k] + {wrong})", "fold(n, 0, s, k: s + {x}[k])"),
    "fusion": ("fold(n, 1, s, k: s + {x}[k] + {wrong})", "fold(n, 0, s, k: s + {x}[k]) + 1"),
    "fusion, one step more": ("fold(n + 1, 0, s, k: s + {x}[k] + {wrong})", "2 * fold(n, {x}[0], s, k: s + {x}[k + 1]) - {x}[0]"),
    "shift": ("fold(n, 1, s, k: s + {x}[k] + {wrong})", "1 + fold(n, 0, s, k: s + {x}[k])"),
    "peeling": ("fold(n + 1, 0, s, k: s + {x}[k] + {wrong})", "fold(n, {x}[0], s, k: s + {x}[k + 1])"),
    "reversal": ("fold(n, 0, s, k: s + {x}[n - 1 - k] + {wrong})", "fold(n, 0, s, k: s + {x}[k])"),
}


@pytest.mark.parametrize(("left", "right"), ALMOST.values(), ids=ALMOST)
def test_two_claims_that_fail_at_different_steps_are_not_one_that_holds(left: str, right: str, pool: SolverPool) -> None:
    """Each is false, and so is that one of them holds: what is stated of the two must not share a witness."""
    names = {**NAMES, "v": TensorType(INT), "w": TensorType(INT)}
    either = [
        equal(*(parse(side.format(x=x, wrong=f"(1 if k == {at} else 0)"), names) for side in (left, right)))
        for x, at in (("v", 1), ("w", 2))
    ]
    enough = parse("3 <= n", NAMES)
    for claim in (either[0], either[1], disj(*either)):
        assert prove((enough,), claim, pool, 5.0).verdict is ObligationVerdict.UNKNOWN


def test_efforts_have_names_of_their_own() -> None:
    assert len({effort.name for effort in EFFORTS}) == len(EFFORTS)
    scripts = {script_for((), parse("n * m == m * n", NAMES), effort)[0] for effort in EFFORTS}
    assert all("(check-sat)" in script for script in scripts)

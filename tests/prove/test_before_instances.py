"""What is done to an obligation before instances are made changes nothing: where the hypotheses hold, the goal is what it was."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, disj, equal, forall, implies, in_range, less, neg, plus
from metalift.ir.expr.nodes import TRUE, Apply, Cast, Expr, Fold, Ite, Operator, Select, Var, integer
from metalift.ir.expr.types import BOOL, INT, MachineInt, TensorType, Type
from metalift.ir.expr.walk import subexpressions, transform
from metalift.ir.interp.interpret import Value, evaluate
from metalift.ir.text import parse, show
from metalift.prove.choices import decided_once, for_all
from metalift.prove.ended_counts import with_ended_counts
from metalift.prove.named_lengths import with_named_lengths
from metalift.prove.wraps import without_wraps

A, B, K, TOTAL = (Var(name, INT) for name in ("a", "b", "k", "total"))
HELD = Var("held", BOOL)
BYTE = MachineInt(8, False)


def byte(value: Expr) -> Expr:
    return Cast(Cast(value, BYTE), INT)


def product(*factors: Expr) -> Expr:
    left, right = factors
    return Apply(Operator.MUL, (left, right))


@st.composite
def numbers(draw: st.DrawFn, known: tuple[Var, ...], depth: int = 2) -> Expr:
    """Integers of variables between -3 and 20, some of them brought to bytes."""
    kind = draw(st.integers(0, 6 if depth else 1))
    if kind == 0:
        return integer(draw(st.integers(-2, 30)))
    if kind == 6:
        index = draw(st.sampled_from((A, K)))
        step = draw(numbers((*known, index), depth - 1))
        extents: list[Expr] = [integer(3), *known]
        return Fold(draw(st.sampled_from(extents)), draw(numbers(known, depth - 1)), TOTAL, index, plus(TOTAL, step))
    if kind == 1:
        return draw(st.sampled_from(known))
    if kind == 2:
        return Ite(draw(conditions(known, 0)), draw(numbers(known, depth - 1)), draw(numbers(known, depth - 1)))
    if kind == 3:
        return byte(draw(numbers(known, depth - 1)))
    op = draw(st.sampled_from((Operator.ADD, Operator.SUB, Operator.MUL)))
    return Apply(op, (draw(numbers(known, depth - 1)), draw(numbers(known, depth - 1))))


@st.composite
def conditions(draw: st.DrawFn, known: tuple[Var, ...], depth: int = 2) -> Expr:
    """Comparisons, what is made of them, and facts about all of some numbers whose name may be that of a variable."""
    kind = draw(st.integers(0, 4 if depth else 0))
    if kind == 0:
        compare = draw(st.sampled_from((less, at_most, equal)))
        return compare(draw(numbers(known, depth)), draw(numbers(known, depth)))
    if kind == 1:
        return neg(draw(conditions(known, depth - 1)))
    if kind == 2:
        binder = draw(st.sampled_from((A, K)))
        inner = conj(in_range(binder, integer(4)), draw(conditions((*known, binder), depth - 1)))
        body = implies(inner, draw(conditions((*known, binder), depth - 1)))
        ranged = isinstance(body, Apply) and body.op is Operator.OR  # others have no value, as their binder has no range
        return forall((binder,), body) if ranged else TRUE
    join = conj if kind == 3 else disj
    return join(draw(conditions(known, depth - 1)), draw(conditions(known, depth - 1)))


@given(st.lists(conditions((A, B)), max_size=3), conditions((A, B)), st.integers(-3, 20), st.integers(-3, 20))
@settings(max_examples=100)
def test_conversions_that_go_away_changed_nothing(hypotheses: list[Expr], goal: Expr, a: int, b: int) -> None:
    known, wanted = without_wraps(hypotheses, goal)
    env = {"a": a, "b": b}
    if all(evaluate(each, env) for each in hypotheses):
        assert all(evaluate(each, env) for each in known)
        assert evaluate(wanted, env) == evaluate(goal, env)


@given(conditions((A, B), 3), conditions((A, B), 0), st.integers(-3, 20), st.integers(-3, 20))
@settings(max_examples=100)
def test_choices_that_were_made_before_changed_nothing(formula: Expr, cond: Expr, a: int, b: int) -> None:
    chosen = Ite(cond, formula, neg(formula))  # in which choices by the same condition stand where its variables are others
    again = transform(lambda part: Ite(cond, part, plus(part, integer(1))) if part == B else part, chosen)
    assert evaluate(decided_once(again), {"a": a, "b": b}) == evaluate(again, {"a": a, "b": b})


@st.composite
def joined(draw: st.DrawFn, known: tuple[Var, ...], depth: int = 2) -> Expr:
    """Conditions, in which folds join conditions, or do something else."""
    kind = draw(st.integers(0, 3 if depth else 0))
    if kind == 0:
        return draw(conditions(known, 1))
    if kind == 1:
        return draw(st.sampled_from((conj, disj)))(draw(joined(known, depth - 1)), draw(joined(known, depth - 1)))
    index = draw(st.sampled_from((A, K)))
    extents: list[Expr] = [integer(3), *known]
    inner = draw(joined((*known, index), depth - 1))
    body = Fold(integer(2), HELD, HELD, K, Apply(Operator.AND, (HELD, inner))) if draw(st.booleans()) else inner
    step = body if kind == 2 else Apply(draw(st.sampled_from((Operator.AND, Operator.OR))), (HELD, inner))
    return Fold(draw(st.sampled_from(extents)), draw(st.sampled_from((TRUE, draw(conditions(known, 0))))), HELD, index, step)


@given(joined((A, B), 3), st.integers(-3, 5), st.integers(-3, 5))
@settings(max_examples=100)
def test_what_holds_for_all_implies_the_goal(goal: Expr, a: int, b: int) -> None:
    made, _ = for_all(goal)
    assert not evaluate(made, {"a": a, "b": b}) or evaluate(goal, {"a": a, "b": b})


def test_a_fold_that_joins_conditions_is_about_all_indices() -> None:
    goal = parse("fold(a, True, acc, i: fold(b, acc, acc_1, j: acc_1 and i * b + j < k))", {"a": INT, "b": INT, "k": INT})
    made, found = for_all(goal)
    assert found and not any(isinstance(part, Fold) for part in subexpressions(made))


def test_steps_of_a_fold_are_below_its_extent() -> None:
    goal = parse("fold(a, 0, acc, i: acc + i)", {"a": INT})
    assert isinstance(goal, Fold)
    narrow = replace(goal, body=plus(goal.acc, byte(goal.index)))
    assert without_wraps([less(A, integer(257))], equal(narrow, K))[1] == equal(goal, K)
    assert without_wraps([less(A, integer(258))], equal(narrow, K))[1] == equal(narrow, K)


def test_conversions_of_what_is_known_to_be_in_range_go_away() -> None:
    index = plus(product(A, B), integer(1))
    ranges = [at_most(integer(0), A), at_most(A, integer(15)), less(integer(-1), B), less(B, integer(16))]
    assert without_wraps(ranges, equal(byte(index), K)) == (tuple(ranges), equal(index, K))
    assert without_wraps(ranges[1:], equal(byte(index), K))[1] == equal(byte(index), K)
    divided = Apply(Operator.FDIV, (A, B))  # by what may be zero, for which solvers take any number
    assert without_wraps([*ranges[:3], less(B, A)], equal(byte(divided), K))[1] == equal(byte(divided), K)
    bound = forall((A,), equal(byte(A), A))
    assert without_wraps(ranges, bound)[1] == bound


ROWS = "((i * k + j) * (h + 2 * p - k + 1) + y) * (w + 2 * p - k + 1) + x"
NAMES = dict.fromkeys(("h", "w", "k", "p", "i", "j", "y", "x", "length"), INT)
RANGES = [parse(text, NAMES) for text in ("y < h + 2 * p - k + 1", "x < w + 2 * p - k + 1")]
INDEX = Polynomial.of(parse(ROWS, NAMES)).to_expr()


def test_an_index_is_short_where_its_row_lengths_have_names() -> None:
    cell = Select(Var("col", TensorType(INT, 1)), (INDEX,))
    known, goal = with_named_lengths([*RANGES, parse("length < w", NAMES)], equal(cell, integer(0)))
    assert max(len(Polynomial.of(part.indices[0]).terms) for part in subexpressions(goal) if isinstance(part, Select)) == 4
    assert [show(each) for each in known] == [
        "length_1 == h - k + 2 * p + 1",
        "length_2 == -k + 2 * p + w + 1",
        "y < length_1",
        "x < length_2",
        "length < w",
    ]


@given(st.lists(st.integers(-4, 6), min_size=len(NAMES), max_size=len(NAMES)))
def test_names_of_row_lengths_stand_for_what_they_are(values: list[int]) -> None:
    env = dict(zip(NAMES, values, strict=True))
    height, below = Var("h", INT), less(INDEX, integer(9))
    for wanted in (below, forall((height,), implies(in_range(height, integer(3)), below))):
        known, made = with_named_lengths(RANGES, wanted)
        stands_for = {}
        for each in known[: -len(RANGES)]:
            assert isinstance(each, Apply) and isinstance(each.args[0], Var)
            stands_for[each.args[0].name] = evaluate(each.args[1], env)
        found = [evaluate(each, env | stands_for) for each in (*known[-2:], made)]
        assert found == [evaluate(each, env) for each in (*RANGES, wanted)]


def test_counts_of_ended_loops_change_no_fold() -> None:
    names: dict[str, Type] = {"n": INT, "t": INT, "u": INT, "x": TensorType(INT, 1)}
    ended = [parse(each, names) for each in ("t <= max(0, n)", "not t < n", "u <= n", "not u < n")]
    goal = parse("fold(t, 1, s, k: 2 * s + x[k + t]) + t == fold(u, 1, s, k: 2 * s + x[k + t]) + n", names)
    known, made = with_ended_counts(ended, goal)
    assert made == parse("fold(n, 1, s, k: 2 * s + x[k + t]) + t == fold(n, 1, s, k: 2 * s + x[k + t]) + n", names)
    for n, t in ((n, t) for n in range(-3, 4) for t in range(-3, 4)):
        env: dict[str, Value] = {"n": n, "t": t, "u": n, "x": tuple(range(9))}
        assert not all(evaluate(each, env) for each in ended) or evaluate(goal, env) == evaluate(made, env)
        assert [evaluate(each, env) for each in known] == [evaluate(each, env) for each in ended]
    captured = parse("forall(n: fold(t, 1, s, k: s + n) == 1 + n)", names)
    assert with_ended_counts(ended[:2], captured)[1] == captured

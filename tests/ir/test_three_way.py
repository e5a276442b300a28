"""The interpreter, the SMT encoding and compiled C agree on what expressions mean.

Everything else rests on this: the proofs on the encoding, the refutations and witnesses on the interpreter, and what users run on
the compiler.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.expr.nodes import Apply, Call, Const, Expr, Ite, Operator, type_of
from metalift.ir.expr.types import BOOL, INT, INT32, MachineInt, show_type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.interpret import EXACT, FLOATS, SourceUndefined, evaluate
from metalift.ir.interp.reals import Reals
from metalift.ir.interp.values import Value
from metalift.ir.text import show
from metalift.ir.wellformed.check import check
from tests.ir.generate import BITWISE, COMPARING, INTEGER_BINARY, MACHINE, SHIFTS, UNARY, Case, Inputs, case, corners, variables
from tests.ir.native import expressible, few_inputs, run_natively
from tests.ir.solving import answers, query

SEEDS = {True: 10, False: 5}  # of all cases, and of the quick ones
PER_SEED = 800  # expressions, which are compiled together
WANTED = 500  # of each seed

Run = tuple[Expr, Inputs, Value]


@pytest.fixture(scope="module")
def seeds(request: pytest.FixtureRequest) -> int:
    """How many."""
    return SEEDS[bool(request.config.getoption("full"))]


@cache
def generated(seeds: int) -> tuple[Case, ...]:
    """The random expressions, each once; hypothesis draws the seeds."""
    found: dict[Expr, Case] = {}

    @settings(max_examples=seeds, derandomize=True, database=None, deadline=None, phases=[Phase.generate])
    @given(st.integers(0, 2**64))
    def collect(seed: int) -> None:
        random = Random(seed)
        for _ in range(PER_SEED):
            drawn = case(random)
            found.setdefault(drawn.expr, drawn)

    collect()
    return tuple(found.values())


@cache
def corner_cases() -> tuple[Case, ...]:
    """Every integer operator in every machine type, at all pairs of the type's corners."""
    found = []
    for type_ in MACHINE:
        a, b = variables(type_)
        rows: tuple[Inputs, ...] = tuple({a.name: left, b.name: right} for left in corners(type_) for right in corners(type_))
        for op in (*INTEGER_BINARY, *COMPARING):
            found.append(Case(Apply(op, (a, b)), rows))
        for op in UNARY:
            found.append(Case(Apply(op, (a,)), tuple({a.name: number} for number in corners(type_))))
    return tuple(found)


def runs(cases_: tuple[Case, ...], reals: Reals) -> list[Run]:
    """The inputs for which the interpreter gives an expression a value, with that value."""
    found: list[Run] = []
    for item in cases_:
        for env in item.rows:
            try:
                found.append((item.expr, env, evaluate(item.expr, env, reals=reals)))
            except SourceUndefined:
                continue
    return found


def report(expr: Expr, env: Inputs, expected: Value, found: object) -> str:
    return f"{show(expr)}\n  for {env}\n  the interpreter says {expected}, the other {found}"


def compare_natively(found: list[Run], folder: Path) -> None:
    """Fails with the smallest expression for which C says something else."""
    wrong = []
    exprs = list(dict.fromkeys(expr for expr, _, _ in found))
    for start in range(0, len(exprs), PER_SEED):
        batch = exprs[start : start + PER_SEED]
        place = {expr: number for number, expr in enumerate(batch)}
        here = [run for run in found if run[0] in place]
        where = folder / str(start)
        where.mkdir()
        native = run_natively(batch, [(place[expr], env) for expr, env, _ in here], where)
        wrong += [(*run, value) for run, value in zip(here, native, strict=True) if run[2] != value]
    wrong.sort(key=lambda item: sum(1 for _ in subexpressions(item[0])))
    assert not wrong, f"{len(wrong)} differ from C, such as\n" + report(*wrong[0])


def compare_smt(found: list[Run]) -> None:
    """Fails with the smallest expression for which the solver does not prove the interpreter's value."""
    said = answers([query(expr, env, value) for expr, env, value in found], timeout=120)
    assert len(said) == len(found)
    wrong = [(*run, answer) for run, answer in zip(found, said, strict=True) if answer != "unsat"]
    wrong.sort(key=lambda item: sum(1 for _ in subexpressions(item[0])))
    assert not wrong, f"{len(wrong)} are not proved, such as\n" + report(*wrong[0])


def interpreted(expr: Expr) -> bool:
    """Whether the solver knows what every part means: no functions, no bits of unbounded integers, no shifts by 64 or more."""
    for part in subexpressions(expr):
        if isinstance(part, Call):
            return False
        if isinstance(part, Apply) and part.op in BITWISE and type_of(part.args[0]) == INT:
            return False
        if isinstance(part, Apply) and part.op in SHIFTS and not interval(part.args[1]).within(Interval(0, 63)):
            return False
    return True


def solvable(found: list[Run]) -> list[Run]:
    """One run of each expression, with a value that is a number of the solver."""
    first: dict[Expr, Run] = {}
    for expr, env, value in found:
        if expr not in first and isinstance(value, bool | int | Fraction) and interpreted(expr):
            first[expr] = (expr, env, value)
    return list(first.values())


def test_random_expressions_are_well_formed_and_many(seeds: int) -> None:
    exprs = [item.expr for item in generated(seeds)]
    assert len(exprs) >= WANTED * seeds
    for expr in exprs:
        check(expr)


def test_random_expressions_mean_the_same_in_c(seeds: int, tmp_path: Path) -> None:
    found = [run for run in runs(generated(seeds), FLOATS) if expressible(run[0]) and few_inputs(run[0])]
    assert len({expr for expr, _, _ in found}) >= WANTED * seeds
    covered = Counter(
        (part.op, type_of(part.args[0])) for expr, _, _ in found for part in subexpressions(expr) if isinstance(part, Apply)
    )
    for type_ in MACHINE:
        for op in (*INTEGER_BINARY, *COMPARING, *UNARY):
            assert covered[op, type_], f"no expression has {op.value} on {show_type(type_)}"
    for op in (Operator.AND, Operator.OR, Operator.NOT, Operator.EQ):
        assert covered[op, BOOL]
    compare_natively(found, tmp_path)


def test_random_expressions_mean_the_same_to_the_solver(seeds: int) -> None:
    found = solvable(runs(generated(seeds), EXACT))
    assert len(found) >= WANTED * seeds
    compare_smt(found)


def test_corners_of_every_operator_mean_the_same_in_c(tmp_path: Path) -> None:
    found = runs(corner_cases(), FLOATS)
    assert len({expr for expr, _, _ in found}) == len(corner_cases())
    compare_natively(found, tmp_path)


def test_corners_of_every_operator_mean_the_same_to_the_solver() -> None:
    found = runs(corner_cases(), EXACT)[::29]
    assert len({expr for expr, _, _ in found}) >= len(corner_cases()) - 8
    compare_smt(found)


def test_c_and_the_interpreter_have_the_same_corners() -> None:
    """What the interpreter must call undefined, since C does."""
    for type_ in MACHINE:
        a, b = variables(type_)
        ends: Inputs = {a.name: type_.low, b.name: -1 if type_.signed else 0}
        for op in (Operator.TDIV, Operator.TREM):
            assert undefined(Apply(op, (a, b)), ends), f"{op.value} on {show_type(type_)}"
        for op in (Operator.SHL, Operator.SHR):
            assert undefined(Apply(op, (a, b)), {a.name: 1, b.name: type_.bits})
        if isinstance(type_, MachineInt) and type_.signed:
            assert undefined(Apply(Operator.NEG, (a,)), {a.name: type_.low})
            assert undefined(Apply(Operator.ABS, (a,)), {a.name: type_.low})
            assert undefined(Apply(Operator.ADD, (a, b)), {a.name: type_.high, b.name: 1})


def test_a_shift_by_a_literal_that_is_out_of_range_can_be_encoded() -> None:
    """It stands in an arm that is not taken, so the whole has a value."""
    a, _ = variables(INT32)
    for amount in (-1, 32, 2**31 - 1):
        expr = Ite(Apply(Operator.EQ, (a, a)), a, Apply(Operator.SHR, (a, Const(amount, INT32))))
        assert answers([query(expr, {a.name: 5}, 5)], timeout=60) == ["unsat"]


def undefined(expr: Expr, env: Inputs) -> bool:
    try:
        evaluate(expr, env)
    except SourceUndefined:
        return True
    return False

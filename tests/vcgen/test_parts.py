"""What each part of the obligation generator promises: loops, facts about arrays, erasure, names of obligations, witnesses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metalift.driver.files import load
from metalift.ir.expr.build import conj, equal, forall, implies, in_range
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Const, Expr, Forall, Operator, Select, Update, Var, integer
from metalift.ir.expr.types import BOOL, INT, INT32, UINT8, MachineInt, TensorType, Type
from metalift.ir.interp.interpret import SourceUndefined, evaluate
from metalift.ir.program.fragment import Block, Branch, Edge, Fragment, Jump, Location, Return
from metalift.ir.program.summary import Summary
from metalift.ir.text import parse
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.synth.cover import cover
from metalift.vcgen.arrays import distinct_cells, frame_fact, layers, written_facts
from metalift.vcgen.bounded import certainly_holds
from metalift.vcgen.erasure import erased, exact_reading
from metalift.vcgen.natural_loops import loop_blocks
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.refinement import RefinementGenerator
from metalift.vcgen.witness import Witnesses
from tests.support.proofs import evidence, fragment_of, kernel, path_obligations, program_proved

AT = Location("kernel.c", 1)
SUM = "int f(int n, const int *x) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
NEST = """void f(int n, int m, int *o, const int *w) {
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++)
      s += w[j];
    o[i] = s;
  }
}"""


# Loops


def graph(**following: str) -> Fragment:
    """Blocks a, b, ... with the blocks that each leads to: none, one or two."""
    blocks = []
    for label, targets in following.items():
        edges = [Edge(target, ()) for target in targets]
        end = Jump(edges[0], AT) if len(edges) == 1 else Branch(TRUE, edges[0], edges[1], AT) if edges else Return(None, AT)
        blocks.append(Block(label, (), (), end))
    return Fragment("f", (), None, (), tuple(blocks), AT, "")


@pytest.mark.parametrize(
    ("following", "loops"),
    [
        ({"a": "b", "b": ""}, {}),
        ({"a": "b", "b": "bc", "c": ""}, {"b": "b"}),
        ({"a": "b", "b": "cd", "c": "b", "d": ""}, {"b": "bc"}),
        ({"a": "b", "b": "cf", "c": "de", "d": "c", "e": "b", "f": ""}, {"b": "bcde", "c": "cd"}),
        ({"a": "b", "b": "cd", "c": "eb", "e": "b", "d": ""}, {"b": "bce"}),
        ({"a": "bc", "b": "c", "c": "bd", "d": ""}, {}),  # two ways in: no header dominates
        ({"a": "b", "b": "c", "c": "bd", "d": "de", "e": ""}, {"b": "bc", "d": "d"}),
    ],
)
def test_loops_are_found_from_dominators(following: dict[str, str], loops: dict[str, str]) -> None:
    assert loop_blocks(graph(**following)) == {header: frozenset(blocks) for header, blocks in loops.items()}


def test_a_cycle_with_two_ways_in_has_no_obligations() -> None:
    with pytest.raises(ObligationError):
        path_obligations(graph(a="bc", b="c", c="bd", d=""), Summary((), (), ()))


def test_a_loop_without_summary_has_no_obligations(tmp_path: Path) -> None:
    made = kernel(SUM, tmp_path)
    with pytest.raises(ObligationError):
        path_obligations(made.fragment, replace(made.summary, loops=()))


# Names of obligations


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("int f(int a) { return a; }", ["return at 1"]),
        (SUM, ["loop at 1: holds on entry", "loop at 1: kept by the body", "return at 1"]),
        (
            NEST,
            [
                "loop at 2: holds on entry",
                "loop at 4: holds on entry",
                "loop at 4: kept by the body",
                "loop at 2: kept by the body",
                "return at 8",
            ],
        ),
    ],
)
def test_obligations_are_those_of_the_paths(text: str, names: list[str], tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(text, tmp_path)
    found = evidence(made.fragment, made.summary, path_obligations(made.fragment, made.summary), pool, 5.0)
    assert sorted(one.obligation.name for one in found) == sorted(names)
    assert {one.settled.verdict for one in found} == {ObligationVerdict.PROVED}
    assert all(one.witness is not None for one in found)


# Facts about arrays

CELLS = Var("x", TensorType(INT, 1))
OUT = Var("out", TensorType(INT, 1))
B = Var("b", INT)
SIZE = 4


@settings(max_examples=60)
@given(
    step=st.integers(-1, 2),
    start=st.integers(0, 3),
    extent=st.integers(-1, 3),
    guard=st.integers(0, 2),
    cells=st.lists(st.integers(0, 2), min_size=SIZE, max_size=SIZE),
    other=st.lists(st.integers(0, 2), min_size=SIZE, max_size=SIZE),
)
def test_the_facts_say_what_an_update_is(
    step: int, start: int, extent: int, guard: int, cells: list[int], other: list[int]
) -> None:
    index = Apply(Operator.ADD, (Apply(Operator.MUL, (integer(step), B)), integer(start)))
    keep = Apply(Operator.LE, (integer(guard), B))
    update = Update(CELLS, (B,), (integer(extent),), (index,), Apply(Operator.ADD, (B, integer(1))), keep)
    places = [step * b + start for b in range(extent) if b >= guard]
    if any(place not in range(SIZE) for place in places):
        return
    _, tower = layers(update)

    def read(cell: tuple[Expr, ...]) -> Expr:
        return Select(OUT, cell)

    facts = conj(*written_facts(read, tower), frame_fact(read, CELLS, tower, 1))
    result = evaluate(update, {"x": cells})

    def satisfied(out: object) -> bool:
        assert isinstance(out, list)
        return bool(evaluate(facts, {"x": cells, "out": out}, domain=lambda _: range(SIZE)))

    distinct = len(set(places)) == len(places)
    assert evaluate(distinct_cells(tower[0]), {}, domain=lambda _: range(SIZE)) == distinct
    if distinct:
        assert satisfied(result)
        assert satisfied(other) == (other == result)
    else:
        assert not satisfied(result)


# Erasure

MACHINE: dict[str, Type] = {"a": UINT8, "b": UINT8, "c": INT32}


@st.composite
def machine_terms(draw: st.DrawFn, type_: MachineInt, depth: int) -> Expr:
    """Terms with conversions that wrap and sums that may leave the type."""
    names = [name for name, known in MACHINE.items() if known == type_]
    kind = draw(st.integers(0, 4 if depth else 1))
    if kind == 0 and names:
        return Var(draw(st.sampled_from(names)), type_)
    if kind <= 1:
        return Const(draw(st.integers(0, 100)), type_)
    if kind == 2:
        return Cast(draw(machine_terms(draw(st.sampled_from((UINT8, INT32))), depth - 1)), type_)
    op = draw(st.sampled_from((Operator.ADD, Operator.SUB, Operator.MUL, Operator.MIN, Operator.BITAND, Operator.BITXOR)))
    return Apply(op, (draw(machine_terms(type_, depth - 1)), draw(machine_terms(type_, depth - 1))))


@settings(max_examples=80)
@given(term=machine_terms(INT32, 3), a=st.integers(0, 255), b=st.integers(0, 255), c=st.integers(-1000, 1000))
def test_erasure_keeps_the_value(term: Expr, a: int, b: int, c: int) -> None:
    env = {"a": a, "b": b, "c": c}
    plain = erased(term, {})
    try:
        value = evaluate(term, env)
    except SourceUndefined:  # it leaves its type, which the source does not do
        return
    assert evaluate(plain, env) == value


def test_the_exact_reading_does_not_wrap() -> None:
    assert exact_reading(Cast(Var("t", INT), UINT8)) == Var("t", INT)
    wraps = erased(Cast(Apply(Operator.ADD, (Cast(Var("a", UINT8), INT), integer(1))), UINT8), {})
    assert evaluate(wraps, {"a": 255}) == 0


# Witnesses


def test_a_path_that_no_run_takes_counts_only_where_the_source_rules_it_out(tmp_path: Path, pool: SolverPool) -> None:
    text = "void f(int n, int *x) { if (n < 0) { if (n > 5) x[0] = 7; x[1] = 1; } }"
    made = kernel(text, tmp_path)
    found = evidence(made.fragment, made.summary, path_obligations(made.fragment, made.summary), pool)
    assert all(one.proved for one in found)
    assert [one.settled.reason for one in found if one.witness is None] == ["no run takes this path"]
    narrowed = replace(made.summary, requires=(made.term("int(n) < -100000 and -100001 < int(n) and 3 < int(n)"),))
    found = evidence(made.fragment, narrowed, path_obligations(made.fragment, narrowed), pool)
    assert {one.settled.verdict for one in found if "vacuous" in one.settled.reason} == {ObligationVerdict.UNKNOWN}


def test_a_witness_satisfies_the_hypotheses(tmp_path: Path) -> None:
    made = kernel(SUM, tmp_path)
    obligations = path_obligations(made.fragment, made.summary)
    none = Witnesses(made.fragment, made.summary, [])
    empty = Witnesses(made.fragment, made.summary, [{"n": 0, "x": [1, 2]}])
    some = Witnesses(made.fragment, made.summary, [{"n": 2, "x": [1, 2]}])
    taken = {one.name: (bool(none.find(one)), bool(empty.find(one)), bool(some.find(one))) for one in obligations}
    assert taken["loop at 1: holds on entry"] == (False, True, True)
    assert taken["loop at 1: kept by the body"] == (False, False, True)
    assert taken["return at 1"] == (False, True, True)
    false = [replace(one, assumed=(FALSE,)) for one in obligations]
    assert all(some.find(one) is None for one in false)
    unknown = [replace(one, hypotheses=(Var("nothing", BOOL),)) for one in obligations]
    assert all(some.find(one) is None for one in unknown)


BELOW = in_range(B, Var("n", INT))
POSITIVE = Apply(Operator.LT, (integer(0), Select(CELLS, (B,))))


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        (forall((B,), implies(BELOW, POSITIVE)), True),
        (forall((B,), implies(in_range(B, integer(3)), POSITIVE)), False),  # x[2] is 0
        (forall((B,), implies(in_range(B, integer(9)), POSITIVE)), False),  # x has three cells
        (forall((B,), POSITIVE), False),
        (Forall((B,), Apply(Operator.NOT, (equal(B, integer(1000)),))), False),
        (forall((B,), implies(Apply(Operator.LE, (integer(0), B)), POSITIVE)), False),
        (parse("n == 2", {"n": INT}), True),
        (parse("n == 3", {"n": INT}), False),
        (parse("n == 2 and (forall(b: not (0 <= b and b < n) or 0 < x[b]))", {"n": INT, "x": CELLS.type}), True),
        (parse("m == 2", {"m": INT}), False),
    ],
)
def test_assumptions_with_quantifiers_hold_only_where_that_is_certain(formula: Expr, holds: bool) -> None:
    assert certainly_holds(formula, {"n": 2, "x": [1, 1, 0]}) == holds


# Refinement


def test_a_program_is_proved_and_one_with_another_constant_is_not(tmp_path: Path, pool: SolverPool) -> None:
    made = kernel("void f(int n, float *o, const float *x) { for (int i = 0; i < n; i++) o[i] = x[i] * 2.0f; }", tmp_path)
    driver = load("tensor").driver
    program = cover(made.summary, made.fragment, driver, "numpy")
    assert program_proved(made.fragment, made.summary, program, driver, pool)
    (write,) = program.writes
    assert isinstance(write.window, Expr)
    short = replace(program, writes=())
    assert not program_proved(made.fragment, made.summary, short, driver, pool)
    twice = replace(program, writes=(write, write))
    assert program_proved(made.fragment, made.summary, twice, driver, pool)
    names = {one.name for one in RefinementGenerator(made.fragment, made.summary, program, driver, ()).obligations()}
    assert {"emitted o equals the summary's", "emitted writes to o are well defined"} <= names


def test_no_program_returns_what_the_summary_does_not(tmp_path: Path) -> None:
    made = kernel("int f(int a) { return a + 1; }", tmp_path)
    driver = load("tensor").driver
    program = cover(made.summary, made.fragment, driver, "numpy")
    with pytest.raises(ObligationError):
        list(RefinementGenerator(made.fragment, made.summary, replace(program, result=None), driver, ()).obligations())
    assert fragment_of("int f(int a) { return a + 1; }", tmp_path).result == INT32

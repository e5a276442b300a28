"""Runs of fragments: results, what is undefined and what only looks so, accesses, sharing, observation."""

from __future__ import annotations

from fractions import Fraction

import pytest

from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.expr.types import BOOL, FLOAT, INT32, TensorType, Type
from metalift.ir.interp.interpret import (
    FLOATS,
    AssumeViolated,
    LimitExceeded,
    Shared,
    SourceUndefined,
    Unbounded,
    Value,
    evaluate,
    run,
)
from metalift.ir.program.fragment import (
    Assign,
    Assume,
    Block,
    Branch,
    Edge,
    Fragment,
    Jump,
    Location,
    Param,
    ParamKind,
    Return,
    Statement,
    Store,
    Terminator,
    Undefined,
    Unreachable,
)
from metalift.ir.text import parse

X, OUT = Var("x", TensorType(FLOAT)), Var("o", TensorType(FLOAT))
N, STEP, S, T, C = Var("n", INT32), Var("i", INT32), Var("s", FLOAT), Var("t", FLOAT), Var("c", BOOL)
V = Var("v", TensorType(FLOAT))
NAMES: dict[str, Type] = {var.name: var.type for var in (X, OUT, N, STEP, S, T, C, V)}


def at(line: int) -> Location:
    return Location("kernel.c", line, 3)


def read(text: str, type_: Type | None = None) -> Expr:
    return parse(text, NAMES, type_)


def fragment(*blocks: Block, result: Type | None = None, locals_: tuple[Var, ...] = ()) -> Fragment:
    params = tuple(
        Param(var, ParamKind.POINTER if isinstance(var.type, TensorType) else ParamKind.VALUE, "") for var in (X, OUT, N, C)
    )
    return Fragment("f", params, result, locals_, blocks, at(1), "")


def straight(*body: Statement, end: Terminator | None = None, result: Type | None = None, local: bool = False) -> Fragment:
    return fragment(Block("entry", (), body, end or Return(None, at(9))), result=result, locals_=(V,) if local else ())


def loop(*body: Statement, step: str = "s", result: str = "s") -> Fragment:
    """for (i = 0; i < n; i++) { body; s = step; } return result;"""
    return fragment(
        Block("entry", (), (), Jump(Edge("head", (read("0", INT32), read("0", FLOAT))), at(2))),
        Block("head", (STEP, S), (), Branch(read("i < n"), Edge("body", ()), Edge("exit", ()), at(3))),
        Block("body", (), body, Jump(Edge("head", (read("i + 1"), read(step))), at(5))),
        Block("exit", (), (), Return(read(result), at(6))),
        result=FLOAT,
    )


SUM = loop(step="s + x[int(i)]")
COPY = loop(Store(OUT, (read("int(i)"),), read("x[int(i)] + 1"), at(4)))


def execute(program: Fragment, **changed: Value | Unbounded | Shared) -> Value | None:
    return run(program, {"x": [1, 2, 3], "o": [0, 0, 0], "n": 3, "c": True, **changed}).result


def test_a_loop_computes_its_result_and_reports_what_it_did() -> None:
    outcome = run(SUM, {"x": [0.5, 1, 2], "o": [], "n": 3, "c": True})
    assert outcome.result == Fraction(7, 2)
    assert outcome.blocks == {"entry": 1, "head": 4, "body": 3, "exit": 1}
    assert outcome.edges["body", "head"] == 3 and outcome.edges["head", "exit"] == 1
    assert outcome.touched["x"].read == (0, 2) and outcome.touched["x"].written is None
    assert outcome.touched["o"].read is None
    assert execute(SUM, n=0) == 0
    assert execute(SUM, n=-5) == 0


def test_arguments_are_not_changed_and_final_contents_are_returned() -> None:
    given: list[Value] = [0, 0, 0, 9]
    outcome = run(COPY, {"x": [1, 2, 3], "o": given, "n": 3, "c": True})
    assert outcome.arrays["o"] == [2, 3, 4, 9]
    assert given == [0, 0, 0, 9]
    assert outcome.touched["o"].written == (0, 2)


def test_arrays_may_share_their_elements() -> None:
    outcome = run(COPY, {"x": [1, 2, 3, 4], "o": Shared("x"), "n": 3, "c": True})
    assert outcome.arrays == {"x": [2, 3, 4, 4], "o": [2, 3, 4, 4]}
    shifted = run(COPY, {"x": [1, 2, 3, 4], "o": Shared("x", 1), "n": 3, "c": True})
    assert shifted.arrays["x"] == [1, 2, 3, 4] and shifted.arrays["o"] == [2, 3, 4]


def test_unbounded_arrays_are_filled_when_they_are_read() -> None:
    asked: list[int] = []

    def fill(cell: int | tuple[int, ...]) -> Value:
        assert isinstance(cell, int)
        asked.append(cell)
        return cell * 10

    outcome = run(SUM, {"x": Unbounded(fill), "o": [], "n": 4, "c": True})
    assert outcome.result == 60 and asked == [0, 1, 2, 3]
    assert outcome.arrays["x"] == {0: 0, 1: 10, 2: 20, 3: 30}


@pytest.mark.parametrize("name", ["x", "o"])
def test_an_access_outside_an_array_ends_the_run(name: str) -> None:
    with pytest.raises(SourceUndefined, match=rf"{name}\[2\]") as caught:
        execute(COPY, **{name: [1, 2]})
    assert caught.value.location == at(4)


def assign(target: Var, text: str, line: int) -> Assign:
    return Assign(target, read(text, target.type), at(line))


OVERFLOW = assign(STEP, "n + 2147483647", 2)
MISSING = Undefined(T, "acc", at(3))


@pytest.mark.parametrize(
    "body",
    [
        (OVERFLOW,),
        (MISSING,),
        (MISSING, assign(S, "t if n < 0 else 1", 4), Store(OUT, (read("0"),), read("s"), at(5))),
        (assign(T, "1 / (s - s) if n < 0 else 1", 4),),
        (assign(T, "f32(n) / 0", 4),),
    ],
)
def test_an_undefined_value_that_nobody_uses_does_no_harm(body: tuple[Statement, ...]) -> None:
    run(straight(*body), {"x": [], "o": [0], "n": 3, "c": True})


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ((OVERFLOW, Store(OUT, (read("int(i)"),), read("1.0:f32"), at(5))), 2),
        ((MISSING, Store(OUT, (read("0"),), read("t"), at(5))), 3),
        ((MISSING, assign(S, "t + 1", 4), Store(OUT, (read("0"),), read("s"), at(5))), 3),
        ((MISSING, Assume(read("t < 1"), "assert", at(5))), 3),
        ((Assign(STEP, read("tdiv(n, n - n)"), at(4)),), 4),
        ((Assign(T, read("x[int(n)]"), at(4)),), 4),
        ((Store(OUT, (read("0"),), read("f32(i32(n) << 31)"), at(5)),), 5),
    ],
)
def test_a_use_of_an_undefined_value_ends_the_run_where_the_meaning_was_lost(body: tuple[Statement, ...], line: int) -> None:
    with pytest.raises(SourceUndefined) as caught:
        run(straight(*body), {"x": [1], "o": [0], "n": 3, "c": True})
    assert caught.value.location == at(line)


def test_branches_results_and_block_arguments_use_values() -> None:
    returned = straight(MISSING, end=Return(read("t"), at(9)), result=FLOAT)
    with pytest.raises(SourceUndefined, match="'acc' is not initialised"):
        execute(returned)
    branching = fragment(
        Block("entry", (), (OVERFLOW,), Branch(read("i < 0"), Edge("exit", ()), Edge("exit", ()), at(4))),
        Block("exit", (), (), Return(None, at(5))),
    )
    with pytest.raises(SourceUndefined):
        execute(branching)
    passed = fragment(
        Block("entry", (), (MISSING,), Branch(read("c"), Edge("exit", (read("t"),)), Edge("exit", (read("1", FLOAT),)), at(4))),
        Block("exit", (S,), (), Return(read("s"), at(5))),
        result=FLOAT,
    )
    assert execute(passed, c=False) == 1
    with pytest.raises(SourceUndefined):
        execute(passed, c=True)


def test_block_arguments_are_set_at_once() -> None:
    a, b, k = Var("a", INT32), Var("b", INT32), Var("k", INT32)
    swap = fragment(
        Block("entry", (), (), Jump(Edge("head", (read("1", INT32), read("2", INT32), read("0", INT32))), at(2))),
        Block("head", (a, b, k), (), Branch(parse("k < n", {"k": INT32, "n": INT32}), Edge("body", ()), Edge("exit", ()), at(3))),
        Block("body", (), (), Jump(Edge("head", (b, a, parse("k + 1", {"k": INT32}))), at(4))),
        Block("exit", (), (), Return(a, at(5))),
        result=INT32,
    )
    assert [execute(swap, n=n) for n in range(4)] == [1, 2, 1, 2]


def test_assumptions_and_unreachable_code() -> None:
    promise = straight(Assume(read("0 < n"), "assert", at(2)))
    execute(promise, n=1)
    with pytest.raises(AssumeViolated) as caught:
        execute(promise, n=0)
    assert (caught.value.origin, caught.value.location) == ("assert", at(2))
    with pytest.raises(SourceUndefined):
        execute(straight(end=Unreachable(at(3))))


def test_local_arrays_start_empty_and_grow() -> None:
    result = Return(read("[v[k] for k < int(n)]"), at(5))
    stores = [Store(V, (read(str(place)),), read(f"{place}.5:f32"), at(3)) for place in range(2)]
    pushed = straight(*stores, end=result, result=TensorType(FLOAT), local=True)
    assert execute(pushed, n=2) == [Fraction(1, 2), Fraction(3, 2)]
    with pytest.raises(SourceUndefined, match=r"v\[2\] is not initialised"):
        execute(pushed, n=3)


def test_steps_are_limited() -> None:
    forever = fragment(
        Block("entry", (), (), Jump(Edge("head", ()), at(1))),
        Block("head", (), (), Jump(Edge("head", ()), at(2))),
    )
    with pytest.raises(LimitExceeded):
        run(forever, {"x": [], "o": [], "n": 0, "c": True}, max_steps=500)


def test_an_observer_sees_the_state_at_each_block() -> None:
    prefix = parse("s == fold(int(i), 0, acc, k: acc + x[k])", NAMES)
    untouched = parse("forall(k: k < int(i) or int(n) <= k or o[k] == 0)", NAMES)
    seen: list[str] = []

    def observe(label: str, env: object, arrays: object) -> None:
        seen.append(label)
        assert isinstance(env, dict) and isinstance(arrays, dict)
        if label == "head":
            assert evaluate(prefix, {**env, **arrays}) is True
            assert evaluate(untouched, env, domain=lambda _: range(3)) is True

    outcome = run(loop(step="s + x[int(i)]"), {"x": [1, 2, 3], "o": [0, 0, 0], "n": 3, "c": True}, observer=observe)
    assert tuple(seen) == outcome.trace
    assert outcome.touched["o"].read is None


def test_floats_are_rounded_as_in_the_source() -> None:
    tenth = {"x": [Fraction(1, 10)] * 10, "o": [], "n": 10, "c": True}
    assert run(SUM, tenth).result == 1
    rounded = run(SUM, tenth, reals=FLOATS).result
    assert isinstance(rounded, float) and rounded == 1.0000001192092896


def test_value_types_of_arguments() -> None:
    with pytest.raises(ValueError):
        execute(SUM, n=2**31)

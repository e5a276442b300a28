"""Functions cut into parts: the parts, run as a plan says, do what the function does, and a plan that is wrong is not proved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from metalift.check.proving import prove_all
from metalift.check.reached import Reached
from metalift.check.staged import StagedClaims
from metalift.ir.expr.build import at_most, equal, neg, to_int
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Select, Var, integer
from metalift.ir.expr.types import INT32, TensorType
from metalift.ir.expr.walk import free_vars, transform
from metalift.ir.interp.execute import run
from metalift.ir.program.fragment import Branch, Diagnostic, Fragment
from metalift.ir.program.summary import Choice, Repeat, Stage, StagedSummary, Stretch, Summary, loops_of
from metalift.ir.text.serial import from_data, to_data
from metalift.ir.wellformed.check import IllTyped
from metalift.prove.solver import SolverPool
from metalift.run.inputs.inputs import Run as Input
from metalift.run.inputs.inputs import runs, valid
from metalift.synth.derive import NotDerived, derive
from metalift.synth.derive.staged import Planner
from metalift.vcgen.natural_loops import loop_blocks
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.parts import Cutter, Part
from metalift.vcgen.plans import Fork, Loop, Node, Reader, Run, parts_of
from tests.support.proofs import fragment_of

SOURCES = {
    "recurrence": "void f(double *a, int n, double k) { for (int i = 1; i < n; i++) a[i] += k * a[i - 1]; }",
    "two accumulators": """double f(int n, const double *a, double x) {
        double y = 1; for (int i = 0; i < n; i++) { double t = x; x = y * a[i]; y = t + x; } return x + y; }""",
    "nested": """void f(int n, int m, int *d) {
        for (int k = 0; k < n; k++) for (int i = k; i < m; i++) d[i] = d[i] * 2 + d[k] - k; }""",
    "left early": """int f(int n, int *a, int k) { int s = 0; int i;
        for (i = 0; i < n; i++) { s = s * k + a[i]; if (s > 10) break; a[i] = s; } return i * 100 + s; }""",
    "returned from": """int f(int n, const int *a, int k) { int s = 1;
        for (int i = 0; i < n; i++) { s = s * k + a[i]; if (s == 7) return i; } return s; }""",
    "tested at the end": """int f(int n, int *a) { int i = 0, s = 0;
        do { s = s * 3 + a[i]; a[i] = s; i++; } while (i < n); return s; }""",
    "under a condition": """void f(int n, int *a, int on) {
        if (on > 0) for (int i = 1; i < n; i++) a[i] += 2 * a[i - 1]; else a[0] = on; }""",
    "refused first": """int f(int n, int *a) { if (n < 2) return -1; a[0] = 5;
        for (int i = 1; i < n; i++) a[i] += a[i - 1]; return n; }""",
    "one after the other": """int f(int n, int m, int *a) { int i;
        for (i = 1; i < n; i++) a[i] -= a[i - 1]; for (; i < m; i++) a[i] = a[i - 1] * 2; return i; }""",
    "branches inside": """int f(int n, const int *a) { int s = 0, t = 1;
        for (int i = 0; i < n; i++) { if (a[i] > t) { s += t; t = a[i]; } else if (a[i] < s) s = a[i] - t; }
        return s * 1000 + t; }""",
    "while": "int f(int a, int b) { while (b > 0) { int t = a % b; a = b; b = t; } return a; }",
    "inner break": """int f(int n, int m, int *a) { int c = 0; for (int i = 0; i < n; i++) {
        for (int j = i; j < m; j++) { if (a[j] == i) break; c = c * 2 + a[j]; } c = c - i; } return c; }""",
    "out of both loops": """int f(int n, int *a) { int c = 0; for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) { if (a[j] == a[i]) return c * 100 + i; c = c * 2 + a[j]; } a[i] = c; } return -c; }""",
    "on to the next one": """int f(int n, int m, const int *a, const int *b) { int c = 0; for (int i = 0; i < n; i++) {
        int j = 0; for (; j < m; j++) { c = c * 2 + a[j]; if (a[j] != b[i]) break; } if (j == m) return i - c; } return c; }""",
    "to a place behind both": """int f(int n, int *a) { int c = 1; for (int i = 0; i < n; i++) { c++;
        for (int j = i; j < n; j++) { c = c * 2 + a[j]; if (c < 0) { c = -i; goto out; } } } c += 7;
        out: a[0] = c; return c; }""",
    "by itself": "int f(unsigned n, int k) { int s = 1; do { s = s * k + 1; n--; } while (n > 0 && n < 9); return s; }",
    "left on one side": """int f(int n, int *a, int k) { int v = 0; a[0] = 0; if (n > k) {
        for (int i = 0; i < n; i++) { if (a[i] < k) return v; v = v * 3 + a[i]; } a[0] = 1; } return v; }""",
    "continued": """int f(int n, int *a) { int s = 0; for (int i = 0; i < n; i++) {
        if (a[i] < 0) continue; s = s * 3 - a[i]; a[i] = s; } return s; }""",
}
SECONDS = 10.0


def cut_everywhere(part: Part) -> Summary:
    """No loop has a closed form."""
    if loop_blocks(part.fragment):
        raise NotDerived(Diagnostic(part.fragment.location, "it stays"))
    return derive(part.fragment)


@dataclass
class Machine:
    """Runs a plan: the parts by the interpreter, the loops and branches between them by Python."""

    values: dict[Var, Any]
    arrays: dict[str, Any]
    steps: int = 20000

    def part(self, one: Run) -> Any:  # noqa: ANN401 - whatever the part computes
        """Run a part; its results are values of the function."""
        self.steps -= 1
        assert self.steps > 0
        given = {
            param.var.name: self.arrays[param.var.name]
            if isinstance(param.var.type, TensorType)
            else self.values[one.part.inputs.get(param.var.name, param.var)]
            for param in one.part.fragment.params
        }
        outcome = run(one.part.fragment, given)
        self.arrays.update(outcome.arrays)
        outputs = one.part.outputs
        results = outcome.result if len(outputs) > 1 else (outcome.result,)
        assert isinstance(results, tuple)
        self.values.update(zip(outputs, results, strict=False))
        return outcome.result

    def all(self, nodes: Sequence[Node]) -> tuple[str, Any]:
        """Run parts one after the other: how they ended, and with what result."""
        for node in nodes:
            how: tuple[str, Any] = ("", None)
            match node:
                case Run():
                    result = self.part(node)
                    if node.leaves:
                        return "break", None
                    if node.part.place[2] is None:
                        return "return", result
                case Fork(test, then, other):
                    how = self.all(then if self.part(test) else other)
                case Loop():
                    how = self.loop(node)
            if how[0]:
                return how
        return "", None

    def loop(self, loop: Loop) -> tuple[str, Any]:
        """Run a loop."""
        while loop.test is None or self.part(loop.test):
            how = self.all(loop.body)
            if how[0] == "return":
                return how
            if how[0] == "break":
                return "", None
        return self.all(loop.exit)


def planned(fragment: Fragment, accept: Callable[[Part], Summary] = cut_everywhere) -> StagedSummary:
    return Planner(fragment, accept, Reached(fragment, ()).may_hold).plan()


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_parts_do_what_the_function_does(source: str, tmp_path: Path) -> None:
    fragment = fragment_of(source, tmp_path)
    staged = planned(fragment)
    assert from_data(to_data(staged)) == staged
    nodes = Reader(Cutter(fragment)).runs(staged)
    found = valid(fragment, tried=60)
    assert len(found) >= 10
    for each in found:
        args = dict(each.input.arguments())
        arrays = {name: value for name, value in args.items() if isinstance(value, list)}
        machine = Machine({param.var: args[param.var.name] for param in fragment.params}, arrays)
        _, result = machine.all(nodes)
        expected = run(fragment, args)
        assert result == expected.result
        assert {name: machine.arrays[name] for name in expected.arrays} == expected.arrays


def proved(claims: StagedClaims, pool: SolverPool) -> bool:
    """Whether all parts of a plan are."""
    for part in claims.parts:
        obligations = [*claims.of_part(part), *claims.of_all_extents(part)]
        sample: list[Input] = runs(part.part.fragment, (*part.summary.requires, *claims.given(part)), tried=40)
        found = prove_all(obligations, part.part.fragment, part.summary, sample, pool, SECONDS)
        if not all(one.proved for one in found):
            return False
    return True


def replaced(stages: tuple[Stage, ...], change: Callable[[Stage], Stage]) -> tuple[Stage, ...]:
    """The stages with a change made to each of them."""
    made: list[Stage] = []
    for stage in map(change, stages):
        match stage:
            case Choice():
                stage = replace(stage, then=replaced(stage.then, change), other=replaced(stage.other, change))
            case Repeat():
                stage = replace(stage, body=replaced(stage.body, change), exit=replaced(stage.exit, change))
        made.append(stage)
    return tuple(made)


def in_summaries(change: Callable[[Expr], Expr], way: str) -> Callable[[StagedSummary], StagedSummary]:
    """A change of all terms of the stretches that begin on a side of a branch."""

    def in_stage(stage: Stage) -> Stage:
        if not isinstance(stage, Stretch) or stage.way != way:
            return stage
        made = stage.summary
        bindings = tuple(replace(each, value=transform(change, each.value)) for each in made.bindings)
        outputs = tuple((name, transform(change, value)) for name, value in made.outputs)
        return replace(stage, summary=replace(made, bindings=bindings, outputs=outputs))

    return lambda staged: replace(staged, stages=replaced(staged.stages, in_stage))


def in_loops(change: Callable[[Repeat], Repeat]) -> Callable[[StagedSummary], StagedSummary]:
    """A change of all loops."""

    def in_stage(stage: Stage) -> Stage:
        return change(stage) if isinstance(stage, Repeat) else stage

    return lambda staged: replace(staged, stages=replaced(staged.stages, in_stage))


def later(term: Expr) -> Expr:
    """Cells one further on."""
    return integer(2) if term == integer(1) else term


def with_sum(term: Expr) -> Expr:
    """Sums in the place of products."""
    return Apply(Operator.ADD, term.args) if isinstance(term, Apply) and term.op is Operator.MUL else term


def at_most_once(term: Expr) -> Expr:
    """The last iteration too."""
    return Apply(Operator.LE, term.args) if isinstance(term, Apply) and term.op is Operator.LT else term


def without_arrays(stage: Stage) -> Stage:
    """A stretch that writes nothing."""
    if not isinstance(stage, Stretch):
        return stage
    outputs = tuple(each for each in stage.summary.outputs if each[0] == "return")
    return replace(stage, summary=replace(stage.summary, outputs=outputs))


def ending_elsewhere(loop: Repeat) -> Stretch:
    first = loop.body[0]
    assert isinstance(first, Stretch)
    return replace(first, stop=None)


def asked(loop: Repeat, change: Callable[[Expr], Expr]) -> Summary:
    assert loop.test is not None
    return replace(loop.test, outputs=tuple((name, transform(change, value)) for name, value in loop.test.outputs))


WRONG: dict[str, Callable[[StagedSummary], StagedSummary]] = {
    "another step": in_summaries(with_sum, "in"),
    "another cell": in_summaries(later, "in"),
    "another start": in_summaries(lambda term: Const(2, INT32) if term == at_start() else term, ""),
    "nothing is written": lambda staged: replace(staged, stages=replaced(staged.stages, without_arrays)),
    "one more iteration": in_loops(lambda loop: replace(loop, test=asked(loop, at_most_once))),
    "what does not hold at the start": in_loops(lambda loop: replace(loop, holds=(at_most(integer(2), counter(loop)),))),
    "what does not hold later": in_loops(lambda loop: replace(loop, holds=(at_most(counter(loop), integer(1)),))),
    "fewer elements": lambda staged: replace(staged, extents=tuple((name, (integer(1),)) for name, _ in staged.extents)),
}
BROKEN: dict[str, Callable[[StagedSummary], StagedSummary]] = {
    "nothing comes after the loop": lambda staged: replace(staged, stages=staged.stages[:-1]),
    "nothing comes before the loop": lambda staged: replace(staged, stages=staged.stages[1:]),
    "the loop is left out": lambda staged: replace(staged, stages=(staged.stages[0], staged.stages[-1])),
    "no body": in_loops(lambda loop: replace(loop, body=())),
    "another header": in_loops(lambda loop: replace(loop, header="entry")),
    "a body that ends elsewhere": in_loops(lambda loop: replace(loop, body=(ending_elsewhere(loop),))),
    "no test": in_loops(lambda loop: replace(loop, test=None)),
    "what speaks of other values": in_loops(lambda loop: replace(loop, holds=(at_most(integer(0), Var("i.2", INT32)),))),
}


def at_start() -> Expr:
    """The number with which the counter of `recurrence` starts."""
    return Const(1, INT32)


def counter(loop: Repeat) -> Expr:
    """The counter of `recurrence`."""
    return to_int(Var("i.1", INT32))


@pytest.fixture(scope="module")
def recurrence(tmp_path_factory: pytest.TempPathFactory) -> tuple[Fragment, StagedSummary]:
    fragment = fragment_of(SOURCES["recurrence"], tmp_path_factory.mktemp("recurrence"))
    extents = (("a", (to_int(Var("n", INT32)),)),)
    return fragment, replace(planned(fragment), extents=extents)


def test_a_plan_is_proved(recurrence: tuple[Fragment, StagedSummary], pool: SolverPool) -> None:
    fragment, staged = recurrence
    assert [loop.holds for loop in loops_of(staged.stages)]
    assert proved(StagedClaims.of(fragment, staged, ()), pool)


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_a_wrong_plan_is_not_proved(
    change: Callable[[StagedSummary], StagedSummary], recurrence: tuple[Fragment, StagedSummary], pool: SolverPool
) -> None:
    fragment, staged = recurrence
    wrong = change(staged)
    assert wrong != staged
    assert not proved(StagedClaims.of(fragment, wrong, ()), pool)


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_a_plan_that_is_none_of_the_function_is_refused(
    change: Callable[[StagedSummary], StagedSummary], recurrence: tuple[Fragment, StagedSummary]
) -> None:
    fragment, staged = recurrence
    broken = change(staged)
    assert broken != staged
    with pytest.raises((ObligationError, IllTyped)):
        StagedClaims.of(fragment, broken, ())


def test_what_an_array_held_in_the_beginning_is_not_what_it_holds(tmp_path: Path, pool: SolverPool) -> None:
    fragment = fragment_of("void f(int n, int *a) { for (int i = 1; i < n; i++) a[i] = a[i - 1] * 2 + a[i]; }", tmp_path)
    first = Select(Var("a", TensorType(INT32)), (integer(0),))
    claims = StagedClaims.of(fragment, planned(fragment), (("a[0] == 0", equal(to_int(first), integer(0))),))
    assert all(not claims.given(part) for part in claims.parts)
    assert claims.hypotheses()


def test_what_a_value_was_is_forgotten_when_it_is_another(tmp_path: Path, pool: SolverPool) -> None:
    """A plan that goes round a loop by hand: in the second iteration the counter is not what it was in the first."""
    fragment = fragment_of(SOURCES["tested at the end"], tmp_path)
    before, loop, behind = planned(fragment).stages
    assert isinstance(loop, Repeat)
    body, ending = loop.body
    assert isinstance(body, Stretch) and isinstance(ending, Choice)
    leaving = derive(Cutter(fragment).stretch(ending.block, "other", None).fragment)
    once = replace(ending, other=(Stretch(ending.block, "other", None, leaving),))
    parts = parts_of(fragment, StagedSummary((before, body, once, body, once, loop, behind)))
    start = Var("i.1", INT32)
    first, second, *_ = [run.part for run in parts if run.summary is body.summary]
    assert start in first.named
    assert start not in second.named and not any(start in free_vars(formula) for formula in second.known)


def test_the_sides_of_a_branch_to_one_block_are_apart(tmp_path: Path) -> None:
    fragment = fragment_of("int f(int n, int *a) { if (n < 2) a[0] = 1; return n; }", tmp_path)
    block = next(each for each in fragment.blocks if isinstance(each.end, Branch))
    assert isinstance(block.end, Branch)
    one_way = replace(block, end=replace(block.end, then=block.end.other))
    fragment = replace(fragment, blocks=tuple(one_way if each is block else each for each in fragment.blocks))
    cutter = Cutter(fragment)
    assert cutter.condition(block.label, "then") == block.end.cond
    assert cutter.condition(block.label, "other") == neg(block.end.cond)


def test_a_side_of_a_branch_is_taken_once(tmp_path: Path) -> None:
    """Inside of a loop that is left by a break, the header's test is not what decides at its next iterations."""
    fragment = fragment_of(SOURCES["left early"], tmp_path)
    _, loop, _ = planned(fragment).stages
    assert isinstance(loop, Repeat) and loop.after is not None
    with pytest.raises(ObligationError, match="comes here again"):
        Cutter(fragment).stretch(loop.header, "in", loop.after)


def test_what_a_part_requires_is_shown(tmp_path: Path, pool: SolverPool) -> None:
    fragment = fragment_of(SOURCES["recurrence"], tmp_path)
    staged = planned(fragment)

    def demanding(stage: Stage) -> Stage:
        if not isinstance(stage, Stretch) or stage.way != "in":
            return stage
        counter = Cutter(fragment).blocks[stage.start].args[-1]
        return replace(stage, summary=replace(stage.summary, requires=(at_most(integer(5), to_int(counter)),)))

    wrong = replace(staged, stages=replaced(staged.stages, demanding))
    assert wrong != staged
    assert proved(StagedClaims.of(fragment, staged, ()), pool)
    assert not proved(StagedClaims.of(fragment, wrong, ()), pool)

"""Lemmas and case splits in an answer: functions `lemma...` and `split...`, which are read as formulas.

They are text from outside: parsed, type-checked, and left out where anything is wrong with them. A lemma counts where it is
proved by induction, for all values of its parameters: arrays by the names of the function's, and integers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from metalift.driver import Driver, Operator
from metalift.driver.expansion import expand
from metalift.driver.meaning.source import DriverError
from metalift.driver.meaning.typing_rules import TypeClash, Value, truth
from metalift.ir.expr.nodes import Expr, Fold, Var
from metalift.ir.expr.types import INT, MachineInt, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import NO_AIDS, Aids, StatedLemma
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_aids, outer_names
from metalift.prove.batch import Settled
from metalift.synth.propose.answer import Code, Rejected
from metalift.synth.propose.expressions import AnswerSource, ExpressionReader, exactly_typed, never_called
from metalift.synth.propose.invariants import quantified
from metalift.synth.propose.size import check_size
from metalift.synth.propose.vocabulary import parameter_names
from metalift.vcgen.aids import aided
from metalift.vcgen.obligation import Obligation

MOST = {"lemma": 4, "split": 2}  # of an answer; each split doubles the goals
COUNTS = 2  # variables on which an induction is tried
NAMED = re.compile(r"(lemma|split)(_\w+)?")


class Outcome(Protocol):
    """What became of an obligation."""

    @property
    def proved(self) -> bool:
        """Whether it is proved."""

    @property
    def settled(self) -> Settled:
        """The verdict with its reason."""


Settle = Callable[[Sequence[Obligation]], Sequence[Outcome]]


@dataclass(frozen=True, slots=True)
class Found:
    """What of an answer's lemmas and splits may be used, and why the others may not."""

    aids: Aids = NO_AIDS
    left_out: tuple[str, ...] = ()

    def told(self) -> str:
        """What is left out, as sentences that follow others."""
        return "".join(f" Left out: {each}." for each in self.left_out)


def found_aids(code: Code, tree: ast.FunctionDef | None, fragment: Fragment, driver: Driver, settle: Settle) -> Found:
    """The lemmas of an answer that are proved, and its splits; `tree` is the function that it is about."""
    lemmas: list[StatedLemma] = []
    splits: list[Expr] = []
    left_out: list[str] = []
    params = parameter_names(fragment, {}).by_name
    for kind, node in stated(code, tree):
        try:
            if len(lemmas if kind == "lemma" else splits) == MOST[kind]:
                raise Rejected(f"an answer has at most {MOST[kind]} of them")
            if kind == "split":
                splits.append(split_of(node, code, params, driver, fragment))
            else:
                lemmas.append(proved(lemma_of(node, code, params, driver), fragment, settle))
        except Rejected as problem:
            left_out.append(f"`{node.name}`: {problem}")
    return Found(Aids(tuple(lemmas), tuple(splits)), tuple(left_out))


def stated(code: Code, tree: ast.FunctionDef | None) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions that are lemmas or splits: those of such a name which no other one calls."""
    nodes = (node for each in code.functions.values() for node in ast.walk(each))
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for name, node in code.functions.items():
        kind = NAMED.fullmatch(name)
        if kind is not None and node is not tree and name not in called:
            yield kind[1], node


def split_of(node: ast.FunctionDef, code: Code, params: Mapping[str, Var], driver: Driver, fragment: Fragment) -> Expr:
    """The condition, over parameters of the function. Raises Rejected."""
    unknown = [arg.arg for arg in node.args.args if arg.arg not in params]
    if unknown:
        raise Rejected(f"it speaks of the function's parameters; there is no {', '.join(unknown)}")
    split = formula_of(node, code, {arg.arg: params[arg.arg] for arg in node.args.args}, driver)
    checked(Aids(splits=(split,)), fragment)
    return split


def lemma_of(node: ast.FunctionDef, code: Code, params: Mapping[str, Var], driver: Driver) -> StatedLemma:
    """The formula with its variables, an induction not chosen yet. Raises Rejected."""
    free: dict[str, Var] = {}
    for arg in node.args.args:
        var = params.get(arg.arg, Var(arg.arg, INT))
        free[arg.arg] = Var(arg.arg, INT) if isinstance(var.type, MachineInt) else Var(arg.arg, var.type)
    return StatedLemma(tuple(free.values()), formula_of(node, code, free, driver), None)


def formula_of(node: ast.FunctionDef, code: Code, names: Mapping[str, Var], driver: Driver) -> Expr:
    """What a function without branches returns, as a formula over its parameters. Raises Rejected."""
    args = node.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults or len(names) != len(args.args):
        raise Rejected(f"it has plain parameters only, {code.at(node)}")
    operators: Mapping[str, Operator] = {}
    reader = ExpressionReader(AnswerSource(never_called, node, "answer", code), INT, {*names}, operators=operators, driver=driver)
    env: dict[str, Value] = {name: exactly_typed(var) for name, var in names.items()}
    try:
        value = reader._returned(node.body, env)
        if value is None:
            raise Rejected(f"it returns nothing, {code.at(node)}")
        formula = truth(value)
        check_size((), (formula,), driver)
        return quantified(expand(formula, driver))
    except DriverError as problem:
        raise Rejected(problem.reason) from problem
    except (TypeClash, RecursionError, ValueError) as problem:
        raise Rejected(f"{problem}, {code.at(node)}") from problem


def checked(aids: Aids, fragment: Fragment) -> None:
    """Raises Rejected where they are not well typed, or speak of something else."""
    try:
        check_aids(aids, outer_names(fragment))
    except IllTyped as problem:
        raise Rejected(f"it is not well typed: {problem}") from problem


def proved(lemma: StatedLemma, fragment: Fragment, settle: Settle) -> StatedLemma:
    """The lemma with an induction by which it is proved. Raises Rejected where none is found."""
    reason = ""
    for count in (*counts_of(lemma)[:COUNTS], None):
        one = StatedLemma(lemma.free, lemma.formula, count)
        checked(Aids((one,)), fragment)
        evidence = settle(list(aided((), Aids((one,)), fragment.location)))
        if evidence and all(each.proved for each in evidence):
            return one
        reason = reason or next((each.settled.reason for each in evidence if not each.proved), "")
    reason = re.sub(r" after -?[\d.e-]+ s", "", reason)  # the same answers lead to the same prompts
    raise Rejected(f"it is not proved by induction ({reason})")


def counts_of(lemma: StatedLemma) -> list[Var]:
    """Its integers, those first that say how many elements a fold takes."""
    extents = {var for part in subexpressions(lemma.formula) if isinstance(part, Fold) for var in free_vars(part.extent)}
    integers = [var for var in lemma.free if is_integer(var.type) and var.type == INT]
    return sorted(integers, key=lambda var: var not in extents)

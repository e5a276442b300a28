"""Facts about operators whose meaning recurs on lists, stated from the form of the recursion and proved.

That a meaning was read as it is written (its base and its step), its length, what appending an element or taking some does, which
element stands where. Each is proved for all lists by the prover, from definitions and its own lemmas; nobody writes one, and what
is not proved is not used.
"""

from __future__ import annotations

import ast
import contextlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metalift.driver import Operator as Described
from metalift.driver.meaning.language import TypePattern, TypeVariable
from metalift.driver.meaning.reader import Instance, Meaning, Reader
from metalift.driver.meaning.recursion import Step, calls_itself, leaves, recursion_of
from metalift.driver.meaning.recursive import RecursionReader
from metalift.driver.meaning.reduce import apply_meaning, reduce_head
from metalift.driver.meaning.typing_rules import Value, settle, typed
from metalift.driver.operators import scalar_of
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, equal, forall, implies, in_range, less, minus, plus
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Expr,
    Filter,
    Fold,
    Invoke,
    Ite,
    Length,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, REAL, BoolType, FunctionType, ScalarType, TensorType, Type
from metalift.ir.expr.walk import free_vars, transform
from metalift.ir.interp.functions import EXTERNAL
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, evaluate
from metalift.ir.interp.interpret import Value as EvaluatedValue
from metalift.prove.batch import Claim, Settled, settle_all
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict

TRIED_LENGTH = 4


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement about one operator: what it says to a person, and hypotheses and goal over the operator's parameters."""

    name: str
    statement: str
    hypotheses: tuple[Expr, ...]
    goal: Expr


def recursive(meaning: Meaning) -> bool:
    """Whether the meaning recurs on lists."""
    return isinstance(meaning.source.tree, ast.FunctionDef) and calls_itself(meaning.source.tree)


def facts(meaning: Meaning, arg_types: tuple[Type, ...], result: ScalarType | None) -> list[Fact]:
    """What is stated of a recursive meaning at these types; they are of exact integers, reals and truth values.

    Raises DriverError where it is not of an accepted form, ValueError where the types do not fit it.
    """
    stated = _Facts(meaning, meaning.instantiate(arg_types, result))
    found = stated.of_list(stated.form.elements) if stated.form.elements is not None else stated.of_number()
    if not any(isinstance(type_, FunctionType) for type_ in arg_types):
        return found
    return [Fact(one.name, one.statement, tuple(map(_any_function, one.hypotheses)), _any_function(one.goal)) for one in found]


def _any_function(expr: Expr) -> Expr:
    """The expression with the operator's functions as functions of which nothing is known: what holds, holds of all."""

    def unknown(part: Expr) -> Expr:
        match part:
            case Invoke(Var(name), args):
                return Call(f"{EXTERNAL}{name}", args, type_of(part))
            case _:
                return part

    return transform(unknown, expr)


def facts_of(operator: Described) -> list[Fact]:
    """What is stated of an operator that recurs on lists: of exact integers where it takes these, otherwise of reals.

    Raises DriverError where its meaning is not of an accepted form.
    """
    if not recursive(operator.meaning):
        return []
    for number in (INT, REAL):

        def typed(pattern: TypePattern, number: ScalarType = number) -> Type:
            def scalar(element: TypeVariable | ScalarType) -> ScalarType:
                return number if isinstance(element, TypeVariable) else element

            if pattern.takes:
                return FunctionType(tuple(map(scalar, pattern.takes)), scalar(pattern.element))
            return TensorType(scalar(pattern.element), pattern.rank) if pattern.rank else scalar(pattern.element)

        with contextlib.suppress(ValueError):
            args = tuple(typed(param.pattern) for param in operator.params)
            return facts(operator.meaning, args, scalar_of(typed(operator.result)))
    return []


def prove_facts(wanted: Sequence[Fact], pool: SolverPool, timeout: float) -> list[Settled]:
    """Prove each that small values do not refute, as many at a time as there are workers; `timeout` in seconds bounds one."""
    claims = [Claim(fact.name, fact.hypotheses, (), ((fact.name, fact.goal),), fact.goal) for fact in wanted]
    failing = {claim for claim in claims if fails(claim)}
    settled = iter(settle_all([claim for claim in claims if claim not in failing], pool, timeout))
    refuted = ObligationVerdict.REFUTED, "small values refute it", 0.0
    return [Settled(claim, *refuted) if claim in failing else next(settled) for claim in claims]


def fails(claim: Claim) -> bool:
    """Whether the claim is false for some small values, the same ones each time."""
    chosen = random.Random(0)
    formulas = (*claim.hypotheses, claim.together)
    names = sorted({var for each in formulas for var in free_vars(each)}, key=lambda var: var.name)
    for length in (*range(TRIED_LENGTH), *range(TRIED_LENGTH)):
        env = {var.name: _small(var.type, length, chosen) for var in names}
        with contextlib.suppress(SourceUndefined, LimitExceeded):
            *given, holds = (evaluate(each, env, domain=lambda var: range(-1, 2 * TRIED_LENGTH)) for each in formulas)
            if all(given) and not holds:
                return True
    return False


def _small(type_: Type, length: int, chosen: random.Random) -> EvaluatedValue:
    match type_:
        case TensorType(element, rank):
            return [_small(TensorType(element, rank - 1) if rank > 1 else element, length, chosen) for _ in range(length)]
        case BoolType():
            return chosen.random() < 0.5
        case _:
            return chosen.randrange(-3, 7)


class _Facts:
    """States the facts of one meaning."""

    def __init__(self, meaning: Meaning, instance: Instance) -> None:
        self.instance = instance
        self.args: dict[str, Expr] = {param.name: param for param in instance.params}
        self.form = recursion_of(meaning.source)
        kind = type_of(instance.body)
        element = kind.element if isinstance(kind, TensorType) else kind
        assert isinstance(element, ScalarType)
        self.reading = RecursionReader(Reader(meaning.source, element, used=set(self.args)), self.form, self.args)
        self.steps = self.reading.steps
        self.lists = [param for param in instance.params if param.name in self.form.walked]

    def fact(self, name: str, statement: str, hypotheses: tuple[Expr, ...], goal: Expr) -> Fact:
        """A fact under what the operator requires."""
        return Fact(name, statement, (*self.instance.requires, *hypotheses), goal)

    def closed(self, changed: Mapping[str, Expr]) -> Expr:
        """The meaning on the parameters, some of them changed."""
        args = tuple(changed.get(param.name, param) for param in self.instance.params)
        return apply_meaning(self.instance.params, self.instance.body, args)

    def same_lengths(self) -> tuple[Expr, ...]:
        """That the lists which are walked have one length, and no number ends the recursion before they do."""
        first = Length(self.lists[0])
        lengths = tuple(equal(Length(other), first) for other in self.lists[1:])
        return (*lengths, *(less(first, self.args[name]) for name in self.form.bounded))

    def grown(self, name: str, statement: str, goal: Expr) -> Fact:
        """A fact about lists of one length; it is written as that of the first, so that one number has one form."""

        def one_length(part: Expr) -> Expr:
            match part:
                case Length(Var() as param, 0) if param in self.lists:
                    return Length(self.lists[0])
                case Apply(Operator.MIN, (left, right)) if type_of(left) == INT and Polynomial.of(left) == Polynomial.of(right):
                    return left
                case _:
                    return part

        return self.fact(name, statement, self.same_lengths(), transform(one_length, goal))

    def each_list(self, extent: Expr, element: Mapping[str, Expr] | None = None) -> dict[str, Expr]:
        """The first elements of the walked lists, followed by the one given for each."""
        found: dict[str, Expr] = {}
        for param in self.lists:
            assert isinstance(param.type, TensorType)
            binders = tuple(self.reading.reader.fresh("a") for _ in range(param.type.rank))
            rest = tuple(Length(param, axis) for axis in range(1, param.type.rank))
            body: Expr = Select(param, binders)
            if element is not None:
                last = element[param.name]
                body = Ite(less(binders[0], Length(param)), body, Select(last, binders[1:]) if rest else last)
            found[param.name] = Build((extent, *rest), binders, body)
        return found

    def last(self) -> dict[str, Expr]:
        """A fresh element, or row, for each walked list."""
        found: dict[str, Expr] = {}
        for param in self.lists:
            assert isinstance(param.type, TensorType)
            element, rank = param.type.element, param.type.rank
            found[param.name] = Var(f"{param.name}!", TensorType(element, rank - 1) if rank > 1 else element)
        return found

    def longer(self) -> dict[str, Expr]:
        """The walked lists with that element at their end."""
        return self.each_list(plus(Length(self.lists[0]), integer(1)), self.last())

    # Functions that return numbers

    def of_number(self) -> list[Fact]:
        """Base, step, append; for a fold from the last element on also whether elements may be exchanged."""
        whole = self.closed({})
        base = self.reading.value(self.form.base, dict(self.args), self.reading.never)
        step = self.reading.value(self.form.step, dict(self.args), self._call)
        end, going = at_most(self.steps, integer(0)), less(integer(0), self.steps)
        return [
            self.fact("base", "at the end of the list it is the base", (end,), equal(whole, self.typed(base))),
            self.fact("step", "before, it is the step, with the calls in it", (going,), equal(whole, self.typed(step))),
            *([self._accumulated()] if self.form.accumulators else self._appended(whole)),
        ]

    def typed(self, value: Value) -> Expr:
        """A value of the result's type."""
        return typed(value, type_of(self.instance.body))

    def _call(self, node: ast.Call, env: Mapping[str, Value]) -> Expr:
        reader = self.reading.reader
        pairs = zip(self.args.items(), node.args, strict=True)
        return self.closed({name: reader.term(arg, env, type_of(param)) for (name, param), arg in pairs})

    def _alone(self) -> dict[str, Value]:
        """Lists of that element alone."""
        alone: dict[str, Value] = {}
        for name, element in self.last().items():
            kind = type_of(element)
            rank = kind.rank if isinstance(kind, TensorType) else 0
            binders = tuple(self.reading.reader.fresh("e") for _ in range(rank + 1))
            extents: tuple[Expr, ...] = (integer(1), *(Length(self.args[name], axis) for axis in range(1, rank + 1)))
            alone[name] = Build(extents, binders, Select(element, binders[1:]) if rank else element)
        return alone

    def _accumulated(self) -> Fact:
        env = {**self.reading.at(self.steps), **self._alone(), **self.reading.accumulated(self.steps)}
        following = {name: self.reading.following(name, env) for name in self.form.accumulators}
        after = {**env, **self.each_list(integer(0)), **following}
        wanted = self.reading.value(self.form.base, after, self.reading.never)
        statement = "for one element more at the end, the accumulators are changed once more"
        goal = equal(self.closed(self.longer()), self.typed(wanted))
        return self.grown("append", statement, goal)

    def _appended(self, whole: Expr) -> list[Fact]:
        longer = self.closed(self.longer())
        found: list[Fact] = []
        if isinstance(whole, Fold):
            reading = RecursionReader(self.reading.reader, self.form, {**self.args, **self.longer()})
            end, last = plus(self.steps, integer(1)), reading.at(self.steps)
            base = reading.value(self.form.base, reading.at(end), reading.never)
            first = self.typed(reading.value(self.form.step, last, lambda node, inner: typed(base, type_of(whole))))
            goal = equal(longer, Fold(whole.extent, first, whole.acc, whole.index, whole.body))
            statement = "for one element more at the end, it is the recursion before with the step on this element as its base"
            found.append(self.grown("append", statement, goal))
        env = {**self.reading.at(self.steps), **self._alone()}
        wanted = self.reading.value(self.form.step, env, lambda node, inner: whole)
        statement = "for one element more at the end, it is the step on this element and the value before: the order is free"
        return [*found, self.grown("exchange", statement, equal(longer, self.typed(wanted)))]

    # Functions that return lists

    def of_list(self, step: Step) -> list[Fact]:
        """Length, index, append, take, drop."""
        whole, rest = self.closed({}), self.reading.rest()
        if isinstance(whole, Filter):
            number, some = reduce_head(Length(whole)), at_most(integer(0), self.steps)
            goal = conj(at_most(integer(0), number), at_most(number, self.steps))
            return [self.fact("length", "at most one for each element of the list", (some,), goal)]
        assert isinstance(whole, Build)
        leaf = next(leaves(step))
        width = len(leaf.items)
        more = integer(0) if rest is None else reduce_head(Length(rest))
        some = at_most(integer(0), self.steps)
        length = equal(whole.extents[0], plus(self.times(width, self.steps), more))
        found = [self.fact("length", f"{width} for each element of the list, and that of the base", (some,), length)]
        if len(whole.extents) > 1:
            return found
        at = Var("q!", INT)
        env = {**self.reading.at(at), **(self.reading.accumulated(at) if self.form.accumulators else {})}
        start = self.times(width, minus(minus(self.steps, integer(1)), at) if leaf.behind else at)
        start = plus(more, start) if leaf.behind else start
        items = (equal(self.item(whole, plus(start, integer(n))), self.reading.element(step, n, env)) for n in range(width))
        found.append(self.fact("index", "what the step on x[q] gives stands at q", (in_range(at, self.steps),), conj(*items)))
        if not (leaf.behind and rest is not None):
            found.append(self._grown(whole, width, integer(width if leaf.behind else 0)))
        return found if leaf.behind else [*found, *self._parts(whole, width)]

    @staticmethod
    def times(width: int, count: Expr) -> Expr:
        """So many elements for each of `count`."""
        return count if width == 1 else Apply(Operator.MUL, (integer(width), count))

    @staticmethod
    def item(tensor: Expr, place: Expr) -> Expr:
        """An element of a list."""
        return reduce_head(Select(tensor, (place,)))

    def _grown(self, whole: Build, width: int, shift: Expr) -> Fact:
        more, place = self.closed(self.longer()), Var("i!", INT)
        inside = in_range(place, self.times(width, self.steps))
        same = forall((place,), implies(inside, equal(self.item(more, plus(place, shift)), self.item(whole, place))))
        grown = equal(reduce_head(Length(more)), plus(whole.extents[0], integer(width)))
        statement = "for one element more at the end, it has what it had, and what the step on this element gives"
        return self.grown("append", statement, conj(same, grown))

    def _parts(self, whole: Build, width: int) -> list[Fact]:
        count, place = Var("n!", INT), Var("i!", INT)
        bounds = (*self.same_lengths(), at_most(integer(0), count), at_most(count, self.steps))
        fewer = self.closed(self.each_list(count))
        within = in_range(place, self.times(width, count))
        kept = forall((place,), implies(within, equal(self.item(fewer, place), self.item(whole, place))))
        after = {**self.reading.at(count), **(self.reading.accumulated(count) if self.form.accumulators else {})}
        tail = self.closed({name: settle(value) for name, value in after.items()})
        offset, left = self.times(width, count), self.times(width, minus(self.steps, count))
        same = equal(self.item(tail, place), self.item(whole, plus(place, offset)))
        moved = forall((place,), implies(in_range(place, left), same))
        return [
            self.fact("take", "of the first n elements, it is the beginning", bounds, kept),
            self.fact("drop", "without the first n, it is the rest", bounds, moved),
        ]

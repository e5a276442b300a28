"""Reading functions that recur on lists: folds, and lists given by their elements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from metalift.driver.meaning.recursion import Choice, Elements, Recursion, Step, leaves
from metalift.driver.meaning.reduce import reduce, reduce_head
from metalift.driver.meaning.sequences import SequenceReader
from metalift.driver.meaning.typing_rules import Literal, TypeClash, Value, settle, truth, typed
from metalift.ir.expr.build import at_most, conj, disj, less, minus, neg, plus
from metalift.ir.expr.nodes import (
    FALSE,
    TRUE,
    Apply,
    Build,
    Expr,
    Filter,
    Fold,
    Ite,
    Item,
    Length,
    MakeTuple,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, TensorType, Type
from metalift.ir.expr.walk import free_vars, substitute

Env = Mapping[str, Value]


class RecursionReader:
    """Reads one function of the accepted form on given arguments."""

    def __init__(self, reader: SequenceReader, form: Recursion, args: Mapping[str, Expr]) -> None:
        self.reader = reader
        self.form = form
        self.args = args
        self.steps = self._steps()  # how many calls there are after the first

    def read(self) -> Value:
        """The function's value."""
        if self.form.elements is not None:
            return self._list(self.form.elements)
        return self._forward() if self.form.accumulators else self._backward()

    def requires(self) -> list[Expr]:
        """That there is a base for the lists, and that lists whose end is not asked for are long enough."""
        found = [at_most(integer(self.form.least), self._length(name)) for name in self.form.ends if self.form.least]
        return found + [at_most(self.steps, self._length(name)) for name in self.form.walked if name not in self.form.ends]

    def _length(self, name: str) -> Expr:
        return reduce_head(Length(self.args[name]))

    def _steps(self) -> Expr:
        """How many calls there are after the first."""
        counts = [minus(self._length(name), integer(self.form.least)) for name in self.form.ends]
        counts += [Apply(Operator.MAX, (self.args[name], integer(0))) for name in self.form.bounded]
        total = counts[0]
        for count in counts[1:]:
            total = Apply(Operator.MIN, (total, count))
        return total

    def at(self, done: Expr) -> dict[str, Value]:
        """The parameters after so many calls."""
        env: dict[str, Value] = dict(self.args)
        for name in self.form.walked:
            env[name] = self._tail(self.args[name], done)
        for name, by in self.form.counters.items():
            env[name] = plus(self.args[name], done if by == 1 else Apply(Operator.MUL, (integer(by), done)))
        return env

    def _tail(self, tensor: Expr, start: Expr) -> Expr:
        kind = type_of(tensor)
        assert isinstance(kind, TensorType)
        binders = tuple(self.reader.fresh("t") for _ in range(kind.rank))
        extents = (minus(reduce_head(Length(tensor)), start), *(reduce_head(Length(tensor, a)) for a in range(1, kind.rank)))
        return Build(extents, binders, reduce_head(Select(tensor, (plus(start, binders[0]), *binders[1:]))))

    def value(self, node: ast.expr, env: Env, call: Callable[[ast.Call, Env], Value]) -> Value:
        """An expression of the step, with a meaning for the recursive calls in it."""
        before, self.reader.recursive_call = self.reader.recursive_call, call
        try:
            return self.reader.value(node, env)
        finally:
            self.reader.recursive_call = before

    def never(self, node: ast.Call, env: Env) -> Value:
        """The meaning of a recursive call where there must be none."""
        raise self.reader.source.error(node, "a recursive call cannot stand here")

    # Numbers

    def _backward(self) -> Expr:
        """A fold from the last element to the first."""
        index = self.reader.fresh("k")
        base = self.value(self.form.base, self.at(self.steps), self.never)
        env = self.at(minus(minus(self.steps, integer(1)), index))
        for type_ in self._types(base):
            acc = self.reader.fresh("acc", type_)
            try:
                step = typed(self.value(self.form.step, env, lambda node, inner, acc=acc: acc), type_)  # type: ignore[misc]
                return Fold(self.steps, typed(base, type_), acc, index, step)
            except TypeClash:
                continue
        raise self.reader.source.error(self.form.step, "BASE and STEP are values of different types")

    def _types(self, value: Value) -> list[Type]:
        if not isinstance(value, Literal):
            return [type_of(value)]
        return [INT] if self.reader.result is None else [self.reader.result, INT]

    def _forward(self) -> Value:
        """A fold from the first element on, of what the calls change."""
        env = {**self.at(self.steps), **self.accumulated(self.steps)}
        return self.value(self.form.base, env, self.never)

    def accumulated(self, done: Expr) -> dict[str, Value]:
        """The parameters that become other values, after so many calls."""
        names = self.form.accumulators
        index = self.reader.fresh("k")
        accs = [self.reader.fresh(name, type_of(self.args[name])) for name in names]
        env: dict[str, Value] = {**self.at(index), **dict(zip(names, accs, strict=True))}
        following = [self.following(name, env) for name in names]
        if len(names) == 1:
            return {names[0]: Fold(done, self.args[names[0]], accs[0], index, following[0])}
        init = MakeTuple(tuple(self.args[name] for name in names))
        whole = self.reader.fresh("state", type_of(init))
        body = reduce(substitute(MakeTuple(tuple(following)), {acc: Item(whole, at) for at, acc in enumerate(accs)}))
        fold = Fold(done, init, whole, index, body)
        return {name: Item(fold, at) for at, name in enumerate(names)}

    def following(self, name: str, env: Env) -> Expr:
        """What the next call is passed for a parameter."""
        position = list(self.args).index(name)
        return self._passed(self.form.step if self.form.elements is None else self.form.elements, position, env)

    def _passed(self, step: ast.expr | Step, position: int, env: Env) -> Expr:
        match step:
            case ast.IfExp(test=test, body=then, orelse=other) | Choice(test=test, then=then, other=other):
                cond = truth(self.value(test, env, self.never))
                left, right = self._passed(then, position, env), self._passed(other, position, env)
                return left if left == right else Ite(cond, left, right)
            case Elements(call=call) | (ast.Call() as call):
                return self.reader.term(call.args[position], env, type_of(list(self.args.values())[position]))
            case _:
                raise self.reader.source.error(self.form.step, "a recursive call is expected here")

    # Lists

    def _list(self, step: Step) -> Expr:
        """The list whose elements the steps put there, before or behind what the base gives."""
        sizes = {(len(each.items), each.behind) for each in leaves(step)}
        width, behind = max(sizes)
        if {size for size, _ in sizes} == {0, 1} and self.rest() is None:
            return self._kept(step, behind)
        if len(sizes) > 1:
            message = "the steps put different numbers of elements into the list; each step has to put in as many"
            raise self.reader.source.error(self.form.step, message)
        if width == 0:
            raise self.reader.source.error(self.form.step, "no step puts an element into the list")
        rest = self.rest()
        total = Apply(Operator.MUL, (integer(width), self.steps)) if width > 1 else self.steps
        binder = self.reader.fresh("i")
        before = integer(0) if rest is None or not behind else reduce_head(Length(rest))
        place = binder if before == integer(0) else minus(binder, before)
        number = Apply(Operator.FDIV, (place, integer(width))) if width > 1 else place
        done = minus(minus(self.steps, integer(1)), number) if behind else number
        env = {**self.at(done), **(self.accumulated(done) if self.form.accumulators else {})}
        body = self.element(step, 0, env)
        for item in range(1, width):
            first = less(Apply(Operator.FMOD, (place, integer(width))), integer(item))
            body = Ite(first, body, self.element(step, item, env))
        if isinstance(type_of(body), TensorType):
            return self._rows(binder, total, body, rest)
        if rest is None:
            return Build((total,), (binder,), body)
        length = reduce_head(Length(rest))
        other = reduce_head(Select(rest, (binder if behind else minus(binder, total),)))
        choice = Ite(less(binder, length), other, body) if behind else Ite(less(binder, total), body, other)
        return Build((plus(total, length),), (binder,), choice)

    def _kept(self, step: Step, behind: bool) -> Expr:
        """The list of what the steps put there, where each puts one element there or none."""
        binder = self.reader.fresh("i")
        done = minus(minus(self.steps, integer(1)), binder) if behind else binder
        env = {**self.at(done), **(self.accumulated(done) if self.form.accumulators else {})}
        if any(each.behind != behind for each in leaves(step) if each.items):
            raise self.reader.source.error(self.form.step, "the steps put elements both before and behind what the call gives")
        return Filter(self.steps, binder, self._puts(step, env), self.element(step, 0, env))

    def _puts(self, step: Step, env: Env) -> Expr:
        """Whether a step puts an element into the list."""
        if isinstance(step, Elements):
            return TRUE if step.items else FALSE
        cond = truth(self.value(step.test, env, self.never))
        return disj(conj(cond, self._puts(step.then, env)), conj(neg(cond), self._puts(step.other, env)))

    def rest(self) -> Expr | None:
        """What the base gives, None for an empty list."""
        if isinstance(self.form.base, ast.List) and not self.form.base.elts:
            return None
        env = {**self.at(self.steps), **(self.accumulated(self.steps) if self.form.accumulators else {})}
        rest = settle(self.value(self.form.base, env, self.never))
        kind = type_of(rest)
        if not (isinstance(kind, TensorType) and kind.rank == 1):
            raise self.reader.source.error(self.form.base, "the base of a function that returns a list is [] or a list")
        return rest

    def element(self, step: Step, item: int, env: Env) -> Expr:
        """One of the elements that a step puts into the list, where the parameters are as in `env`."""
        if isinstance(step, Choice):
            if item == 0 and not all(each.items for part in (step.then, step.other) for each in leaves(part)):
                return self._only(step, env)
            cond = truth(self.value(step.test, env, self.never))
            left, right = self.element(step.then, item, env), self.element(step.other, item, env)
            return left if left == right else Ite(cond, left, right)
        value = self.value(step.items[item], env, self.never)
        result = self.reader.result
        return typed(value, result) if isinstance(value, Literal) and result is not None else settle(value)

    def _only(self, step: Choice, env: Env) -> Expr:
        """The element of a step that may put none there: where it does, what is said is not looked at."""
        giving = [part for part in (step.then, step.other) if any(each.items for each in leaves(part))]
        if len(giving) == 1:
            return self.element(giving[0], 0, env)
        cond = truth(self.value(step.test, env, self.never))
        return Ite(cond, self.element(step.then, 0, env), self.element(step.other, 0, env))

    def _rows(self, binder: Var, total: Expr, row: Expr, rest: Expr | None) -> Expr:
        if rest is not None or not isinstance(row, Build) or any(binder in free_vars(each) for each in row.extents):
            raise self.reader.source.error(self.form.step, "the rows of a matrix are lists of one length, after []")
        return Build((total, *row.extents), (binder, *row.binders), row.body)

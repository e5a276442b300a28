"""Reductions: sum, any, all, min, max and prod of what can be iterated over."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from metalift.frontend.lower.c_scalars import choose
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.loops import ONE, Loops
from metalift.frontend.python.reader.making import Making
from metalift.frontend.python.stands_for import Items, Iteration, Value
from metalift.ir.expr.nodes import FALSE, TRUE, Expr, Operator


@dataclass(slots=True)
class Reductions:
    """Reads reductions."""

    context: Context
    expressions: Expressions
    loops: Loops
    making: Making

    def one(self, node: ast.Call) -> ast.expr:
        """The one argument of a call."""
        if len(node.args) != 1:
            self.context.refuse(node, f"{ast.unparse(node.func)} with {len(node.args)} arguments; it takes one here")
        return node.args[0]

    def sum(self, node: ast.Call) -> Value:
        """sum(s), sum(s, start)."""
        begin = node.args[1:] + [each.value for each in node.keywords if each.arg == "start"]
        if not node.args or len(begin) > 1:
            self.context.refuse(node, "sum takes an iterable and a first value")
        self.expressions.only_reads([*node.args, *begin] if begin else [])
        start = self.context.frozen(self.expressions.scalar(begin[0])) if begin else ZERO
        return self.fold(node, start, partial(self._combined, node, Operator.ADD))

    def any(self, node: ast.Call) -> Value:
        """any(s)."""
        self.one(node)
        return self.fold(node, FALSE, lambda acc, value: choose(acc, TRUE, scalars.truth(value)))

    def all(self, node: ast.Call) -> Value:
        """all(s)."""
        self.one(node)
        return self.fold(node, TRUE, lambda acc, value: choose(acc, scalars.truth(value), FALSE))

    def prod(self, node: ast.Call) -> Value:
        """math.prod(s)."""
        return self.fold(node, ONE, partial(self._combined, node, Operator.MUL))

    def _combined(self, node: ast.AST, op: Operator, one: Expr, other: Expr) -> Expr:
        """The sum or product of two numbers."""
        self.expressions.computed(node, one, other)
        return scalars.add(op, one, other)

    def _greater(self, op: Operator, one: Expr, other: Expr) -> Expr:
        """min or max of two numbers."""
        return self.expressions.picked(partial(scalars.extremum, op), one, other)

    def fold(self, node: ast.Call, start: Expr, step: Callable[[Expr, Expr], Expr]) -> Expr:
        """The accumulator after a step for each value of an iterable."""
        acc = f"{self.context.key(node)}:#{ast.unparse(node.func).split('.')[-1]}"
        self.context.env[acc] = start
        generators, element = self._generators(node.args[0])

        def one() -> None:
            now = self.context.env[acc]
            value = self.context.frozen(self.expressions.scalar(element)) if element is not None else None
            assert isinstance(now, Expr) and value is not None
            self.context.env[acc] = self.context.named(step(now, value), "acc")

        self.making.generate(generators, [acc], one)
        result = self.context.env.pop(acc)
        assert isinstance(result, Expr)
        return result

    def _generators(self, node: ast.expr) -> tuple[Sequence[ast.comprehension], ast.expr]:
        """An iterable as a comprehension."""
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            return node.generators, node.elt
        item = ast.copy_location(ast.Name(" item", ast.Store()), node)
        generator = ast.comprehension(target=item, iter=node, ifs=[], is_async=0)
        return [generator], ast.copy_location(ast.Name(" item", ast.Load()), node)

    def extremum(self, node: ast.Call, op: Operator) -> Expr:
        """min or max: of several numbers, or of an iterable that is not empty."""
        if len(node.args) > 1:
            numbers = self.expressions.numbers(node.args)
            result = numbers[0]
            for each in numbers[1:]:
                result = self._greater(op, result, each)
            return result
        argument = self.one(node)
        if isinstance(argument, ast.GeneratorExp | ast.ListComp):
            if len(argument.generators) > 1 or argument.generators[0].ifs:
                self.context.refuse(node, f"{op.value} over a comprehension with a condition or several loops; write the loop")
        source = self.loops.iteration(argument)
        if isinstance(source, Items):
            if not source.items:
                self.context.refuse(node, f"{op.value} of an empty tuple, which has none")
            result = self.expressions.as_scalar(source.items[0], node)
            for item in source.items[1:]:
                result = self._greater(op, result, self.expressions.as_scalar(item, node))
            return result
        source = self.loops.by_zero(source)
        acc = f"{self.context.key(node)}:#{op.value}"
        self.context.env[acc] = self.context.named(self.expressions.as_scalar(source.item(ZERO), node), op.value)

        def one(value: Value) -> None:
            now = self.context.env[acc]
            assert isinstance(now, Expr)
            found = self.context.frozen(self.expressions.as_scalar(value, node))
            self.context.env[acc] = self.context.named(self._greater(op, now, found), op.value)

        self.loops.loop(Iteration(ONE, source.stop, 1, source.item, source.views), node, [acc], one)
        result_value = self.context.env.pop(acc)
        assert isinstance(result_value, Expr)
        return result_value

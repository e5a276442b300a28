"""Sorted lists: `sorted(x, key=..., reverse=...)` and `x.sort(...)`.

The element at place k of the result is the one that has k elements before it: those with a lesser key, and of those with the same
key the ones that stand before it in the list, in either direction. That is what is written, as loops over the list.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from metalift.frontend.lower.c_scalars import connect, equal, ordered
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.lists import Lists
from metalift.frontend.python.reader.loops import ONE, Loops, plus
from metalift.frontend.python.reader.making import Making
from metalift.frontend.python.stands_for import Char, Items, Iteration, ListObject, NoneValue, Value, View, items_of
from metalift.ir.expr.nodes import Apply, Expr, Operator, type_of
from metalift.ir.expr.types import is_identity

_KEYS = "supported as keys are numbers and tuples of numbers, given by a lambda of one element, itemgetter or attrgetter"
_ELEMENT = " element"  # a name that no source has
Result = TypeVar("Result")
Part = tuple[Expr, bool]  # a number, and whether the greatest one comes first, where the source negates it
Key = Callable[[Expr], list[Part]]  # what an element is compared by; the first part that differs decides


@dataclass(frozen=True, slots=True)
class _Order:
    """How elements are compared."""

    key: Key
    reverse: bool


@dataclass(slots=True)
class Sorting:
    """Reads what sorts."""

    context: Context
    expressions: Expressions
    loops: Loops
    lists: Lists
    making: Making

    def sorted_list(self, node: ast.Call) -> Value:
        """A new list with the values of an iterable in order."""
        if len(node.args) != 1:
            message = f"sorted with {len(node.args)} arguments by position; it takes one, `key` and `reverse` by name"
            self.context.refuse(node, message)
        source = node.args[0]
        makes = self.making.is_list(source) or isinstance(source, ast.GeneratorExp)
        given = self.making.copy_of(source, node, "") if makes else self.expressions.value(source)
        if isinstance(given, Iteration):
            given = self.lists.copied(given, node, "")
        if not isinstance(given, View):
            message = f"sorted of {ast.unparse(source)!r}, which is no list; supported are lists, and what makes them"
            self.context.refuse(node, message)
        return self._sorted(given, self._order(node), node)

    def sort(self, view: View, node: ast.Call) -> Value:
        """x.sort(...)."""
        if node.args:
            self.context.refuse(node, "sort takes `key` and `reverse` by name")
        if any(part.object is view.object for iteration in self.loops.running for part in iteration.views):
            self.context.refuse(node, "the list over which the loop runs is sorted; loop over a copy, x[:]")
        self.context.change(view.object)
        order = self._order(node, view.object)
        self._check(view, node)
        self.lists.changed.add(view.object)
        self._fill_in_order(view, self.lists.copied(self.loops.over(view), node, ""), order, node)
        return NoneValue()

    def _sorted(self, view: View, order: _Order, node: ast.Call) -> View:
        """A new list of the elements in order."""
        self._check(view, node)
        made = self.lists.make(node, "ordered", 1, view.object.element)
        made.object.in_order = True
        made.object.characters = view.object.characters
        self._fill_in_order(made, view, order, node)
        self.context.env[made.object.length] = self.context.length(view)
        return made

    def in_order(self, target: View, source: View, node: ast.Call) -> None:
        """Fill an array with the elements of another one in order."""
        self._check(source, node)
        self._fill_in_order(target, source, self._order(node), node)

    def _check(self, view: View, node: ast.Call) -> None:
        if view.object.characters and any(each.arg == "key" for each in node.keywords):
            self.context.refuse(node, f"{ast.unparse(node)}, characters that are sorted by a key; supported is their own order")
        if view.rank != 1:
            self.context.refuse(node, "lists that are compared; supported are lists of numbers, tuples and records")

    def _fill_in_order(self, target: View, view: View, order: _Order, node: ast.Call) -> None:
        """The elements of a list in order, as those of another one."""
        count = self.context.length(view)
        found, rank = (f"{self.context.key(node)}:#{name}" for name in ("found", "rank"))

        def ranked(place: Expr) -> None:
            self.context.env[found] = self.context.named(self._at(view, place), "found")
            self._counting(count, node, "each", [found], lambda each: take(place, each))
            value = self.context.env.pop(found)
            assert isinstance(value, Expr)
            self.lists.put(target, place, value, node)

        def take(place: Expr, each: Expr) -> None:
            self.context.env[rank] = ZERO
            self._counting(count, node, "other", [rank], lambda other: self._chosen(before(other, each), node, rank, more))
            before_it = self.context.env.pop(rank)
            assert isinstance(before_it, Expr)
            here = equal(before_it, place)
            self._chosen(here, node, found, lambda: self.context.named(self._at(view, each), "found"))

        def before(other: Expr, each: Expr) -> Expr:
            return self._before(order, (self._at(view, other), self._at(view, each)), (other, each))

        def more() -> Expr:
            now = self.context.env[rank]
            assert isinstance(now, Expr)
            return plus(now, ONE)

        self._counting(count, node, "place", [], ranked)

    def _at(self, view: View, index: Expr) -> Expr:
        value = self.context.element(view, index)
        value = value.code if isinstance(value, Char) else value
        assert isinstance(value, Expr)
        return value

    def _counting(self, count: Expr, node: ast.AST, tag: str, names: list[str], body: Callable[[Expr], None]) -> None:
        """A loop over the places of a list."""

        def one(value: Value) -> None:
            assert isinstance(value, Expr)
            body(value)

        self.loops.loop(Iteration(ZERO, count, 1, lambda index: index), node, names, one, tag=tag)

    def _chosen(self, cond: Expr, node: ast.AST, name: str, value: Callable[[], Expr]) -> None:
        """A name gets another value where a condition holds."""
        then, other = self.context.branch(cond, "if")
        self.context.at = then
        self.context.env[name] = value()
        self.context.join([self.context.at, other], "endif", self.context.key(node, f"if{name}"))

    # What decides

    def _order(self, node: ast.Call, emptied: ListObject | None = None) -> _Order:
        """What `key` and `reverse` say. `emptied`: the list that has no elements while it is sorted."""
        given = {each.arg: each.value for each in node.keywords}
        if len(given) != len(node.keywords) or not given.keys() <= {"key", "reverse"}:
            self.context.refuse(node, f"{ast.unparse(node)}; supported are `key` and `reverse`, each once")
        match given.get("reverse", ast.Constant(value=False)):
            case ast.Constant(value=bool() as reverse):
                pass
            case other:
                self.context.refuse(node, f"reverse={ast.unparse(other)}; write True or False")
        match given.get("key", ast.Constant(value=None)):
            case ast.Constant(value=None):
                return _Order(lambda element: self._parts(element, node), reverse)
            case key:
                return _Order(self._key(key, emptied), reverse)

    def _key(self, key: ast.expr, emptied: ListObject | None) -> Key:
        """The key that a function gives."""
        match key:
            case ast.Lambda(args=ast.arguments([], [parameter], None, [], [], None, []), body=body):
                name = parameter.arg
            case _:
                name, body = _ELEMENT, self._got(key)
        element = ast.copy_location(ast.Name(name, ast.Store()), key)

        def value(given: Expr) -> list[Part]:
            return self._parts(self.loops.within(element, given, lambda: self.expressions.value(body)), key)

        def parts(given: Expr) -> list[Part]:
            return self._where_bound(name, lambda: value(given))

        if not self._where_bound(name, lambda: self.expressions.is_simple(body)):
            self.context.refuse(key, f"the key {ast.unparse(key)}, which does more than to compute; {_KEYS}")
        others = (part.id for part in ast.walk(body) if isinstance(part, ast.Name) and part.id != name)
        values = (self.context.env.get(self.context.name_of(each)) for each in others)
        if emptied is not None and any(self._may_have(each, emptied) for each in values):
            self.context.refuse(key, f"the key {ast.unparse(key)} reads the list that is sorted, which is empty then; {_KEYS}")
        return parts

    def _where_bound(self, name: str, evaluate: Callable[[], Result]) -> Result:
        """Something evaluated where a name is local, whatever it is outside."""
        frames = self.context.frames
        self.context.frames = [*frames[:-1], replace(frames[-1], bound=frames[-1].bound | {name})]
        try:
            return evaluate()
        finally:
            self.context.frames = frames

    @staticmethod
    def _may_have(value: Value | None, owner: ListObject) -> bool:
        return isinstance(value, Items) or (isinstance(value, View) and value.object is owner)

    def _got(self, key: ast.expr) -> ast.expr:
        """What `operator.itemgetter` and `attrgetter` get of an element."""
        element = ast.Name(_ELEMENT, ast.Load())
        body: ast.expr
        match key:
            case ast.Call(func=function, args=[ast.Constant(value=int()) as place], keywords=[]) if (
                self.context.library_name(function) == "operator.itemgetter"
            ):
                body = ast.Subscript(element, place, ast.Load())
            case ast.Call(func=function, args=[ast.Constant(value=str() as field)], keywords=[]) if (
                self.context.library_name(function) == "operator.attrgetter" and field.isidentifier()
            ):
                body = ast.Attribute(element, field, ast.Load())
            case _:
                self.context.refuse(key, f"the key {ast.unparse(key)}; {_KEYS}")
        for part in (body, element):
            ast.copy_location(part, key)
        return body

    def _parts(self, value: Value, node: ast.AST) -> list[Part]:
        """The numbers by which a value is compared: those of a tuple, one after the other."""
        items = items_of(value) if isinstance(value, Expr) else value
        if isinstance(items, Items):
            return [part for item in items.items for part in self._parts(item, node)]
        number = self.expressions.as_scalar(value, node)
        if is_identity(type_of(number)):
            self.context.refuse(node, f"{scalars.described(type_of(number))} that is sorted by; {_KEYS}")
        match number:
            case Apply(Operator.NEG, (inner,)):
                return [(inner, True)]
            case _:
                return [(scalars.number(number), False)]

    def _before(self, order: _Order, elements: tuple[Expr, Expr], places: tuple[Expr, Expr]) -> Expr:
        """Whether the first of two elements comes before the other one."""
        left, right = (order.key(element) for element in elements)
        result: Expr = ordered("lt", *places)
        for (one, falls), (other, _) in reversed(list(zip(left, right, strict=True))):
            result = connect("and", equal(one, other), result)
            result = connect("or", ordered("gt" if falls != order.reverse else "lt", one, other), result)
        return result

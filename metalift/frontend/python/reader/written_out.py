"""Functions of Python's library that say the same as a few lines of Python, which are read in their place."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.keys.rewriting import Renamed
from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.making import Making
from metalift.frontend.python.stands_for import Char, Items, Iteration, Value, View
from metalift.ir.expr.nodes import Expr, Operator

_MEAN = "sum(a0) / len(a0)"
_SUMS = """
sums = []
total = 0
for each in a0:
    total += each
    sums.append(total)
sums
"""
_COUNT = "sum(1 for each in a0 if each == a1)"
_INDEX = """
for found, each in enumerate(a0):
    if each == a1:
        break
else:
    raise ValueError
found
"""
_BY_KEY = """
found = a0[0]
key = KEY(found)
for each in a0:
    now = KEY(each)
    if now RELATION key:
        found = each
        key = now
found
"""
_SAME = "len(a0) == len(a1) and all(x == y for x, y in zip(a0, a1))"
_INSIDE = "any(each == a0 for each in a1)"
_DEFAULT = "a1 if len(a0) == 0 else EXTREMUM(a0)"
_KEYS = "supported are key=lambda x: ..., key=f of a function f, and default="


@dataclass(slots=True)
class WrittenOut:
    """Reads calls by such lines, in which `a0`, `a1`, ... are the arguments."""

    context: Context
    expressions: Expressions
    making: Making

    def library(self, full: str) -> Callable[[ast.Call], Value] | None:
        """What reads a function of a library."""
        return {"statistics.mean": self._mean, "statistics.fmean": self._mean, "itertools.accumulate": self._sums}.get(full)

    def method(self, name: str) -> Callable[[ast.Call, ast.expr], Value] | None:
        """What reads a method of a list."""
        text = {"count": _COUNT, "index": _INDEX}.get(name)
        return None if text is None else lambda node, owner: self._asked(node, text, owner)

    def _asked(self, node: ast.Call, text: str, owner: ast.expr) -> Value:
        """A method that asks for a value; of a string, which may have any text in it, only for a character."""
        values = [self._argument(each) for each in (owner, *self._given(node, 1))]
        view, wanted = values
        single = isinstance(self.expressions.characters.character(wanted), Char)
        if isinstance(view, View) and view.object.characters and not single:
            self.context.refuse(node, f"{ast.unparse(node)}, with what is no single character; write a loop over the characters")
        return self._with(node, text, values)

    def divmod(self, node: ast.Call) -> Value:
        """divmod(a, b)."""
        left, right = self.expressions.numbers(self._given(node, 2))
        return Items((scalars.floor_divide(Operator.FDIV, left, right), scalars.floor_divide(Operator.FMOD, left, right)))

    def extremum(self, node: ast.Call, name: str) -> Value:
        """min and max of an iterable with `key` or `default`; the first of several with the least key."""
        given = {each.arg: each.value for each in node.keywords}
        if len(node.args) != 1 or given.keys() - {"key", "default"} or len(given) != 1:
            self.context.refuse(node, f"{ast.unparse(node)}; {_KEYS}, one of them, of one iterable")
        if "default" in given:
            return self._read(node, _DEFAULT.replace("EXTREMUM", name), [node.args[0], given["default"]])
        text = _BY_KEY.replace("RELATION", "<" if name == "min" else ">")
        return self._read(node, text, node.args, given["key"])

    def same(self, node: ast.Compare, given: Sequence[Value]) -> Value:
        """x == y, x != y of lists or strings."""
        kinds = {self._kind(*each) for each in zip((node.left, *node.comparators), given, strict=True)}
        if not isinstance(node.ops[0], ast.Eq | ast.NotEq) or len(kinds) > 1 or "" in kinds:
            self.context.refuse(node, f"{ast.unparse(node)!r}; supported are == and != of numbers, strings and lists of them")
        text = _SAME if isinstance(node.ops[0], ast.Eq) else f"not ({_SAME})"
        return self._with(node, text, given)

    def inside(self, node: ast.Compare, value: Value, view: View) -> Value:
        """x in y of a list, or of a string where x is a character."""
        value = self.expressions.characters.character(value) if view.object.characters else value
        if view.object.numpy or view.rank != 1 or isinstance(value, Char) != view.object.characters:
            self.context.refuse(node, f"{ast.unparse(node)!r}; supported is `in` of lists, and of characters in strings")
        return self._with(node, _INSIDE, [value, view])

    @staticmethod
    def _kind(node: ast.expr, value: Value) -> str:
        """The type of a list of numbers or a string, or of a slice of one; empty for others, which are equal to none of them."""
        plain = isinstance(value, Iteration) and len(value.views) == 1 and isinstance(node, ast.Subscript)
        view = value if isinstance(value, View) else value.views[0] if isinstance(value, Iteration) and plain else None
        if view is None or view.object.numpy or view.rank != 1:
            return ""
        return f"{view.object.kind} of characters" if view.object.characters else view.object.kind

    def _mean(self, node: ast.Call) -> Value:
        return self._read(node, _MEAN, self._given(node, 1))

    def _sums(self, node: ast.Call) -> Value:
        return self._read(node, _SUMS, self._given(node, 1))

    def _given(self, node: ast.Call, count: int) -> Sequence[ast.expr]:
        if len(node.args) != count or node.keywords:
            some = f"{count} argument{'s' if count > 1 else ''} by position"
            self.context.refuse(node, f"{ast.unparse(node)}; supported is {some}; otherwise write the loop")
        return node.args

    def _read(self, node: ast.Call | ast.Compare, text: str, args: Sequence[ast.expr], key: ast.expr | None = None) -> Value:
        return self._with(node, text, [self._argument(arg) for arg in args], key)

    def _with(self, node: ast.Call | ast.Compare, text: str, given: Sequence[Value], key: ast.expr | None = None) -> Value:
        """The value of the last line after the lines before it."""
        lines = ast.parse(text).body
        names = {part.id for line in lines for part in ast.walk(line) if isinstance(part, ast.Name)}
        for name in names:
            if hasattr(builtins, name) and (self.context.module.bound[name] or name in self.context.frame.bound):
                self.context.refuse(node, f"{ast.unparse(node)}, which needs Python's own {name}; give yours another name")
        own = {name: self.context.key(node, f":#{name}") for name in names if not hasattr(builtins, name) and name != "KEY"}
        for at, value in enumerate(given):
            self.context.env[self.context.name_of(own[f"a{at}"])] = value
        lines = [Renamed(own).visit(line) for line in lines]
        if key is not None:
            lines = [_Keyed(key).visit(line) for line in lines]
        for part in (part for line in lines for part in ast.walk(line)):
            ast.copy_location(part, node)
        self.context.above.block(lines[:-1])
        last = lines[-1]
        assert isinstance(last, ast.Expr)
        value = self.expressions.value(last.value)
        value = self.context.frozen(value) if isinstance(value, Expr) else value
        for name in own.values():
            self.context.env.pop(self.context.name_of(name), None)
        return value

    def _argument(self, node: ast.expr) -> Value:
        """An argument, which the lines may use more than once."""
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            return self.making.copy_of(node, node, "")
        value = self.expressions.value(node)
        self.expressions.used_at_once(value, node)
        return self.context.frozen(value) if isinstance(value, Expr) else value


class _Keyed(ast.NodeTransformer):
    """Calls of KEY as those of the function that a key is."""

    def __init__(self, key: ast.expr) -> None:
        self.key = key

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name) or node.func.id != "KEY":
            self.generic_visit(node)
            return node
        return ast.Call(copy.deepcopy(self.key), node.args, [])

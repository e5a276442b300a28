"""Functions of Python's library that say the same as a few lines of Python, which are read in their place."""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.integers import OF_INTEGERS, POWER, REMAINDER
from metalift.frontend.python.keys.rewriting import Renamed
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.making import Making
from metalift.frontend.python.stands_for import Char, Items, Iteration, Value, View, names_in
from metalift.ir.expr.nodes import Const, Expr, Operator, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.program.fragment import Assume, Ground

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
        if full in OF_INTEGERS:
            return lambda node: self._of_integers(node, *OF_INTEGERS[full])
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

    def pow(self, node: ast.Call) -> Value:
        """pow(a, b), pow(a, b, m)."""
        if len(node.args) == 3:
            return self._of_integers(node, 3, REMAINDER, exponent=1)
        base, exponent = self.expressions.numbers(self._given(node, 2))
        self.expressions.computed(node, base, exponent)
        return self.power(node, base, exponent)

    def power(self, node: ast.BinOp | ast.Call, base: Expr, exponent: Expr) -> Value:
        """a ** b."""
        of_python = all(is_integer(type_of(each)) and not scalars.wraps(type_of(each)) for each in (base, exponent))
        if not of_python or isinstance(exponent, Const):
            self.expressions.powers |= not (isinstance(exponent, Const) and is_integer(type_of(exponent)))
            return scalars.power(base, exponent)
        values = [self.context.frozen(base), self.context.frozen(exponent)]
        self._not_negative(values[1], node)
        return self._with(node, POWER, values)

    def _not_negative(self, exponent: Expr, node: ast.expr) -> None:
        """Rely on that; what Python gives otherwise, a fraction or an inverse, is not modelled."""
        text = f"the exponent of {ast.unparse(node)} is at least 0"
        self.context.emit(Assume(scalars.compare("ge", exponent, ZERO), text, self.context.here(node), Ground.RESTRICTION))

    def _of_integers(self, node: ast.Call, count: int, text: str, exponent: int | None = None) -> Value:
        """A function that Python has of its integers; `exponent`: the place of the argument that has to be at least 0."""
        values = self.expressions.numbers(self._given(node, count))
        if not all(is_integer(type_of(each)) for each in values):
            self.context.refuse(node, f"{ast.unparse(node)}, of what is no int; supported are ints")
        given = [self.context.frozen(scalars.convert(each, INT)) for each in values]
        if exponent is not None:
            self._not_negative(given[exponent], node)
        return self._with(node, text, given)

    def divmod(self, node: ast.Call) -> Value:
        """divmod(a, b)."""
        left, right = self.expressions.numbers(self._given(node, 2))
        self.expressions.computed(node, left, right)
        return Items((scalars.floor_divide(Operator.FDIV, left, right), scalars.floor_divide(Operator.FMOD, left, right)))

    def extremum(self, node: ast.Call, name: str) -> Value:
        """min and max of an iterable with `key` or `default`; the first of several with the least key."""
        given = {each.arg: each.value for each in node.keywords}
        if len(node.args) != 1 or given.keys() - {"key", "default"} or len(given) != 1:
            self.context.refuse(node, f"{ast.unparse(node)}; {_KEYS}, one of them, of one iterable")
        if "default" in given:
            self.expressions.only_reads([node.args[0], given["default"]])
            return self._read(node, _DEFAULT.replace("EXTREMUM", name), [node.args[0], given["default"]])
        text = _BY_KEY.replace("RELATION", "<" if name == "min" else ">")
        return self._read(node, text, node.args, given["key"])

    def next(self, node: ast.Call) -> Value:
        """The first value of a generator expression, or a default where there is none."""
        match node:
            case ast.Call(args=[ast.GeneratorExp(generators=[ast.comprehension(is_async=0) as each], elt=element), *default]):
                pass
            case _:
                self.context.refuse(node, f"{ast.unparse(node)}; supported is next of a generator expression with one `for`")
        if len(default) > 1 or node.keywords:
            self.context.refuse(node, f"{ast.unparse(node)}; supported are a generator expression and a default")
        own = {name: self.context.key(node, f":#{name}") for name in (*names_in(each.target), "found", "default")}
        values = [self._argument(value) for value in default]
        for value in values:
            self.context.env[self.context.name_of(own["default"])] = value
        found = ast.Name(own["found"], ast.Store())
        inner = Renamed({name: own[name] for name in names_in(each.target)})
        take: list[ast.stmt] = [ast.Assign([found], inner.visit(copy.deepcopy(element))), ast.Break()]
        for cond in reversed(each.ifs):
            take = [ast.If(inner.visit(copy.deepcopy(cond)), take, [])]
        lacking: ast.stmt = ast.Raise(ast.Name("StopIteration", ast.Load()))
        if values:
            lacking = ast.Assign([found], ast.Name(own["default"], ast.Load()))
        loop = ast.For(inner.visit(copy.deepcopy(each.target)), each.iter, take, [lacking])
        return self._value(node, [loop], ast.Name(own["found"], ast.Load()), own.values())

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

    def _with(self, node: ast.expr, text: str, given: Sequence[Value], key: ast.expr | None = None) -> Value:
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
        last = lines[-1]
        assert isinstance(last, ast.Expr)
        return self._value(node, lines[:-1], last.value, own.values())

    def _value(self, node: ast.expr, lines: Sequence[ast.stmt], last: ast.expr, names: Iterable[str]) -> Value:
        """The value of an expression after some lines, which stand where a call does, and whose names are their own."""
        for part in (part for line in (*lines, last) for part in ast.walk(line)):
            ast.copy_location(part, node)
        self.context.above.block(lines)
        value = self.expressions.value(last)
        value = self.context.frozen(value) if isinstance(value, Expr) else value
        for name in names:
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

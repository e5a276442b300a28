"""Scalar expressions of a function, in Python's order of evaluation.

An expression becomes a term that is evaluated where it is used; before what could change what it reads, or takes a loop to
compute, it is given a name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from metalift.frontend.lower.c_scalars import connect
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.annotations import numpy_type
from metalift.frontend.python.guards import may_store
from metalift.frontend.python.infinities import is_nan
from metalift.frontend.python.kinds import MEETS, computes, fits, is_narrow, is_of_python
from metalift.frontend.python.maybe import narrowed
from metalift.frontend.python.numbers import Mismatch
from metalift.frontend.python.order import Order
from metalift.frontend.python.reader.arrays.dtypes import operands_of
from metalift.frontend.python.reader.characters import Characters
from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.reader.nones import Nones
from metalift.frontend.python.stands_for import (
    Again,
    Char,
    Clash,
    Function,
    Items,
    Iteration,
    Maybe,
    NoneValue,
    Partial,
    Section,
    Value,
    View,
    Whole,
)
from metalift.ir.arith.bounds import Rooms
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Const, Expr, Operator, type_of
from metalift.ir.expr.types import BOOL, INT, IntType, Type, is_integer
from metalift.ir.interp.identities import whole_of

_ADDITIVE = {ast.Add: Operator.ADD, ast.Sub: Operator.SUB, ast.Mult: Operator.MUL}
_FLOOR = {ast.FloorDiv: Operator.FDIV, ast.Mod: Operator.FMOD}
_BITS = {
    ast.LShift: Operator.SHL,
    ast.RShift: Operator.SHR,
    ast.BitAnd: Operator.BITAND,
    ast.BitOr: Operator.BITOR,
    ast.BitXor: Operator.BITXOR,
}
_REFUSED: dict[type[ast.AST], str] = {
    ast.Dict: "a dict; supported are lists, tuples, rows with constant keys and NumPy arrays of numbers",
    ast.DictComp: "a dict; supported are lists, tuples and NumPy arrays of numbers",
    ast.Set: "a set; supported are lists, tuples and NumPy arrays of numbers",
    ast.SetComp: "a set; supported are lists, tuples and NumPy arrays of numbers",
    ast.JoinedStr: "a string; supported are numbers and lists of numbers",
    ast.Yield: "a generator (yield); return a list",
    ast.YieldFrom: "a generator (yield); return a list",
    ast.Await: "await; supported are ordinary functions",
    ast.Starred: "a starred expression; write the items one by one",
    ast.GeneratorExp: "a generator that is kept; use it inside sum(), min(), max(), any(), all() or list()",
}
_NO_NUMBERS: dict[type, str] = {
    Section: "a NumPy array where a number is needed; use an element of it",
    Whole: "a NumPy array where a number is needed; use an element of it",
    Items: "a tuple where a number is needed; use an item of it",
    NoneValue: "None where a number is needed; supported are int, float and bool",
    Iteration: "a range, slice or the like where a number is needed; write a loop over its elements",
    Char: "a character where a number is needed; its number is ord(c), that of a digit int(c)",
    Function: "a function where a number is needed; call it",
}
SCALAR_CALLS = frozenset({"abs", "len", "int", "float", "bool", "round", "pow", "range"})


@dataclass(slots=True)
class Expressions:
    """Reads expressions; what is not a scalar is left to the readers above this one."""

    context: Context
    nones: Nones
    characters: Characters
    powers: bool = False  # whether there is a power whose exponent is no whole literal

    # Values

    def value(self, node: ast.expr) -> Value:
        """What an expression gives."""
        self.context.here(node)
        try:
            found = self.settled(self._value(node))
            if isinstance(found, View) and f"#moved:{found.object.site}" in self.context.env:
                shares = "which shares it; put a copy there (list(x)), or use the outer list"
                self.context.refuse(node, f"{ast.unparse(node)[:60]!r} is used after it was put into another list, {shares}")
            return found
        except Mismatch as problem:
            self.context.refuse(node, str(problem))

    def settled(self, value: Value) -> Value:
        """The value; of a tuple, what its items are now."""
        return self.as_now(value) if isinstance(value, Items) else value

    def as_now(self, items: Items) -> Items:
        """The tuple with the numbers that its items are now: what they are read from may change later."""
        now = (self.context.frozen(each) if isinstance(each, Expr) else self.settled(each) for each in items.items)
        return Items(tuple(now))

    def scalar(self, node: ast.expr) -> Expr:
        """The expression as a number."""
        return self.as_scalar(self.value(node), node)

    def as_scalar(self, value: Value, node: ast.AST) -> Expr:
        """The value, which has to be a number."""
        match value:
            case View(object, _):
                kind = "NumPy array" if object.numpy else "list"
                self.context.refuse(node, f"a {kind} where a number is needed; use an element of it")
            case Whole(extents=(), at=at):
                return at(())
            case Section(owner, axes=()):
                self.context.reads_early(owner)
                return self.context.above.arrays.now(value, node)
            case Section() | Whole() | Items() | NoneValue() | Iteration() | Char() | Function():
                self.context.refuse(node, _NO_NUMBERS[type(value)])
            case Maybe():
                return self.as_scalar(self.nones.there(value, node), node)
            case Clash():  # a part of a tuple; names are resolved when they are read
                self.context.refuse(node, f"a value here {value.text}")
            case Partial():
                self.context.refuse(node, f"'{value.name}' is not set on every path to here; set it first")
            case _:
                return value

    def as_whole(self, value: Value, node: ast.AST, wanted: Type) -> Expr:
        """A value where one is wanted: a tuple that is written out, or a row, with parts as the wanted ones have them."""
        if isinstance(value, Expr):
            return scalars.row_as(value, wanted)
        if not isinstance(value, Items):
            return self.as_scalar(value, node)
        if not value.items:
            self.context.refuse(node, "an empty tuple as a value; supported are tuples of numbers, strings and records")
        types = [type_ for _, type_ in wanted.fields] if isinstance(wanted, IntType) and wanted.of == "tuple" else []
        if len(types) != len(value.items):
            return whole_of([self.as_whole(item, node, INT) for item in value.items])
        pairs = zip(value.items, types, strict=True)
        return whole_of([scalars.fitted(self.as_whole(item, node, type_), type_) for item, type_ in pairs])

    def truth(self, node: ast.expr) -> Expr:
        """The expression as a condition."""
        if isinstance(node, ast.BoolOp):
            return self._all_or_any(node)
        value = self.value(node)
        if isinstance(value, Maybe | NoneValue):
            return self.nones.truth(value)
        if isinstance(value, View) and not value.object.numpy:
            return scalars.truth(self.context.length(value))
        if isinstance(value, Section | Whole) and not value.rank:
            return scalars.truth(self.context.above.arrays.now(value, node))
        if self.context.above.arrays.is_array(value):
            self.context.refuse(node, "an array as a condition, which NumPy refuses; use any() or all() of it")
        return scalars.truth(self.as_scalar(value, node))

    def used_at_once(self, value: Value, node: ast.AST) -> None:
        """Refuse an iterator that is kept: the second loop over it would find nothing."""
        if isinstance(value, Iteration) and value.once:
            message = "zip, enumerate or reversed that is kept, which can be run over once; write it where it is used"
            self.context.refuse(node, message)

    def _number_of_truths(self, node: ast.AST, *operands: Expr) -> None:
        """Refuse arithmetic on truth values alone, which may be NumPy's."""
        if all(type_of(each) == BOOL for each in operands) and self.context.uses_numpy():
            message = "arithmetic on truth values, which NumPy's do not count as numbers; convert them with int(...)"
            self.context.refuse(node, message)

    def integer(self, node: ast.expr) -> Expr:
        """The expression as an exact integer: an index, a bound of a range."""
        return self.as_integer(self.scalar(node), node)

    def as_integer(self, expr: Expr, node: ast.AST) -> Expr:
        """The number, which has to be an int."""
        type_ = type_of(scalars.number(expr))
        if not is_integer(type_):
            text = ast.unparse(node) if isinstance(node, ast.expr) else "it"
            message = f"{text!r} is a float where Python needs an int; convert it with int(...), or annotate it as int"
            self.context.refuse(node, message)
        return scalars.convert(expr, INT)

    def operands(self, nodes: Sequence[ast.expr]) -> list[Value]:
        """Values of expressions that are evaluated one after the other."""
        values: list[Value] = []
        for at, node in enumerate(nodes):
            value = self.value(node)
            if isinstance(value, Expr) and not all(self.is_simple(later) for later in nodes[at + 1 :]):
                value = self.context.frozen(value)
            if isinstance(value, Whole) and any(self.changes(later) for later in nodes[at + 1 :]):
                value = self.context.above.arrays.kept(value, node, "")
            if isinstance(value, Iteration) or (isinstance(value, View) and value.prefix and not value.object.numpy):
                self.only_reads(nodes[at + 1 :])
            values.append(value)
        return values

    def numbers(self, nodes: Sequence[ast.expr]) -> list[Expr]:
        """The expressions as numbers."""
        return [self.as_scalar(value, node) for value, node in zip(self.operands(nodes), nodes, strict=True)]

    def only_reads(self, nodes: Iterable[ast.expr]) -> None:
        """Refuse expressions that may change a list or an array, where it matters when they are evaluated."""
        order = None
        for node in nodes:
            if self.is_simple(node):
                continue
            order = order or Order.of(self.context.module, self.context.frame.function)
            stores = (part for part in ast.walk(node) if isinstance(part, ast.Call) and self.context.library_name(part.func))
            if order.acts(node) or any(map(self._stores, stores)):
                self.context.refuse(node, f"{ast.unparse(node)[:60]} may change something here; name it in a statement before")

    def changes(self, node: ast.expr) -> bool:
        """Whether evaluating an expression may change an array that is there."""
        parts = list(ast.walk(node))
        calls = (part for part in parts if isinstance(part, ast.Call))
        return any(isinstance(part, ast.NamedExpr) for part in parts) or any(map(self._stores, calls))

    def _stores(self, node: ast.Call) -> bool:
        return may_store(self.context.module, node, self.context.library_name(node.func))

    def is_simple(self, node: ast.expr) -> bool:
        """Whether an expression is a term alone: nothing has to be done for it that could change something."""
        return not any(self._acts(part) for part in ast.walk(node))

    def _acts(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            return not self._is_scalar_call(node)
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.MatMult)
        return isinstance(node, ast.ListComp | ast.GeneratorExp | ast.List | ast.NamedExpr)

    def _is_scalar_call(self, node: ast.Call) -> bool:
        if isinstance(node.func, ast.Name) and node.func.id in self.context.module.functions:
            return False
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
            return len(node.args) > 1
        full = self.context.library_name(node.func)
        plain_call = isinstance(node.func, ast.Name) and node.func.id in SCALAR_CALLS
        if full.startswith("numpy."):  # an expression of elements, where it is given an array
            elements = operands_of(full.removeprefix("numpy.")) > 0 and not self._stores(node)
            return elements or numpy_type(self.context.module, node.func) is not None
        return plain_call or full.startswith("math.")

    def _value(self, node: ast.expr) -> Value:  # noqa: C901 (one case for each kind of expression)
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self.read(node)
            case ast.BinOp():
                return self.context.above.new_list(node, "") if self.context.above.is_list(node) else self._binary(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.BoolOp():
                return self._short_circuit(node)
            case ast.Compare():
                return self.context.above.compare(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Subscript():
                return self.context.above.subscript(node)
            case ast.Attribute():
                return self.context.above.attribute(node)
            case ast.Call():
                return self.context.above.call(node)
            case ast.Tuple(elts=parts):
                return Items(tuple(self.operands(parts)))
            case ast.Lambda():
                return Function(_defined(node), self.context.frame.scopes)
            case ast.List() | ast.ListComp():
                return self.context.above.new_list(node, "")
            case ast.Dict(keys=[_, *_]):
                return self.context.above.row(node)
            case ast.NamedExpr(target=target, value=inner):
                named = self.value(inner)
                if not isinstance(named, Expr):
                    self.context.refuse(node, f"{ast.unparse(node)}, which is no number; name it in a statement of its own")
                self.context.above.bind(target, named)
                return self.value(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            case _:
                kind = _REFUSED.get(type(node))
                message = kind or f"the expression {ast.unparse(node)!r}; supported are numbers and lists of them"
                self.context.refuse(node, message)

    def _constant(self, node: ast.Constant) -> Value:
        if node.value is None:
            return NoneValue()
        found = scalars.literal(node.value)
        if found is None:
            kind = "a string" if isinstance(node.value, str) else f"the constant {node.value!r}"
            self.context.refuse(node, f"{kind}; supported are finite numbers, True and False")
        return found

    # Names

    def read(self, node: ast.Name) -> Value:
        """The value of a name."""
        key = self.context.name_of(node.id)
        value = self.context.env.get(key) if self.context.at is not None else None
        match value:
            case Partial(needed, _):
                self.context.known.needed.add(needed)
                raise Again
            case Clash():
                self.context.one_list(value)
                self.context.refuse(node, f"'{node.id}' {value.text}")
            case None:
                return self._global(node)
            case _:
                return narrowed(value, self.context.point.facts)

    def _global(self, node: ast.Name) -> Value:
        name = node.id
        if self.context.is_bound(name):
            self.context.refuse(node, f"'{name}' is used before it is set; set it first")
        if full := self.context.library_name(node):
            return self.context.above.named(node, full)
        if name in self.context.module.functions:
            self.context.module.check_bound_once(name, node)
            return Function(self.context.module.functions[name])
        constant = self.context.module.constants.get(name)
        if isinstance(constant, ast.List):
            constant = self.context.module.table(name, constant)
        if constant is not None and (value := self.constant(name, constant)) is not None:
            return value
        names = "parameters, local names, functions of this file, and names that the module sets once to numbers"
        self.context.refuse(node, f"the name '{name}'; supported are {names}")

    def constant(self, name: str, constant: ast.expr) -> Value | None:
        """The value of an expression that stands outside of functions, for a name; None where it is no term alone."""
        if name in self.context.constants or not self.is_simple(constant):
            return None
        before, self.context.constants = self.context.constants, (*self.context.constants, name)
        frames = self.context.frames
        self.context.frames = [replace(frames[-1], prefix=f"{frames[-1].prefix}{name}=", bound=frozenset(), outer=())]
        try:
            return self.value(constant)
        finally:
            self.context.frames = frames
            self.context.constants = before

    # Operators

    def _binary(self, node: ast.BinOp) -> Value:
        nodes = [node.left, node.right]
        values = self.operands(nodes)
        if any(map(self.context.above.arrays.is_operand, values)):
            self.computed(node, *(value for value in values if isinstance(value, Expr)), of_arrays=True)
            return self.context.above.arrays.operator(node, node.op, *values)
        left, right = (self.as_scalar(value, each) for value, each in zip(values, nodes, strict=True))
        kind = type(node.op)
        if kind is not ast.Div:
            self.computed(node, left, right)
        if kind not in (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Div):
            self._number_of_truths(node, left, right)
        if kind in _ADDITIVE:
            return scalars.add(_ADDITIVE[kind], left, right)
        if kind in _FLOOR:
            return scalars.floor_divide(_FLOOR[kind], left, right)
        if kind in _BITS:
            return scalars.bitwise(_BITS[kind], left, right)
        if isinstance(node.op, ast.Div):
            return scalars.divide(left, right)
        if isinstance(node.op, ast.Pow):
            return self.context.above.power(node, left, right)
        self.context.refuse(node, "the operator @ on numbers and lists; make them arrays with np.array(...)")

    def computed(self, node: ast.AST, *operands: Expr, of_arrays: bool = False) -> None:
        """Refuse arithmetic on numbers that are Python's or NumPy's, as control came, where that decides the result."""
        is_either = self.context.is_either
        if not computes(operands, is_either) or (of_arrays and any(map(is_either, operands))):
            self.context.refuse(node, MEETS)

    def picked(self, made: Callable[[Expr, Expr], Expr], one: Expr, other: Expr) -> Expr:
        """One of two numbers, of the kind that it is."""
        narrow = [each for each in (one, other) if is_narrow(each)]
        of_python = [each for each in (one, other) if is_of_python(each)]
        if narrow and of_python and not fits(of_python[0], type_of(narrow[0])):
            one, other = (scalars.convert(each, INT) for each in (one, other))
        result = made(one, other)
        if (narrow and of_python) or self.context.is_either(one) or self.context.is_either(other):
            self.context.either.add(result)
        return result

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return neg(self.truth(node.operand))
        value = self.value(node.operand)
        if self.context.above.arrays.is_operand(value):
            return self.context.above.arrays.unary(node, value)
        operand = self.as_scalar(value, node.operand)
        self._number_of_truths(node, operand)
        if not isinstance(node.op, ast.UAdd):
            self.computed(node, operand)
        match node.op:
            case ast.USub():
                return scalars.negative(operand)
            case ast.UAdd():
                return scalars.number(operand)
            case _:
                return scalars.invert(operand)

    def _all_or_any(self, node: ast.BoolOp) -> Expr:
        """`a and b`, `a or b` as a condition."""
        first, *rest = node.values
        conjunction = isinstance(node.op, ast.And)
        cond = self.truth(first)
        for each in rest:
            if isinstance(cond, Const):
                cond = self.truth(each) if bool(cond.value) == conjunction else cond
                continue
            other = self._under(self.context.learned(cond, conjunction), each, self.truth) if self.is_simple(each) else None
            if other is None:
                decided = self.decide(cond, conjunction, partial(self.truth, each), self.context.frozen(cond), each)
                cond = self.as_scalar(decided, each)
            else:
                cond = connect("and" if conjunction else "or", cond, other)
        return cond

    def _short_circuit(self, node: ast.BoolOp) -> Value:
        first, *rest = node.values
        conjunction = isinstance(node.op, ast.And)
        left = self.value(first)
        for each in rest:
            left = self._connected(left, each, conjunction)
        return left

    def _connected(self, left: Value, right: ast.expr, conjunction: bool) -> Value:
        """`left and right`, `left or right`: the right side is evaluated only if the left one does not decide."""
        if isinstance(left, Maybe | NoneValue):
            cond = self.nones.truth(left)
            if isinstance(cond, Const):
                return self.value(right) if bool(cond.value) == conjunction else left
            return self.decide(cond, conjunction, lambda: self.value(right), lambda: left, right)
        left = self.as_scalar(left, right)
        cond = scalars.truth(left)
        if isinstance(cond, Const):
            return self.value(right) if bool(cond.value) == conjunction else left
        other = self._under(self.context.learned(cond, conjunction), right, self.value) if self.is_simple(right) else None
        if not isinstance(other, Expr):
            return self.decide(cond, conjunction, lambda: self.value(right), self.context.frozen(left), right)
        if type_of(left) == type_of(other) == BOOL:
            return connect("and" if conjunction else "or", cond, other)
        pair = (other, left) if conjunction else (left, other)
        return self.picked(partial(scalars.choose, cond), *pair)

    def _under(self, facts: Rooms, node: ast.expr, read: Callable[[ast.expr], Value]) -> Expr | None:
        """A term that is evaluated only where these facts hold; None where it takes statements, which would always run."""
        before, made = self.context.point.facts, len(self.context.point.body)
        self.context.point.facts = (*before, *facts)
        result = read(node)
        self.context.point.facts = before
        if len(self.context.point.body) == made and isinstance(result, Expr):
            return result
        del self.context.point.body[made:]
        return None

    def _choice(self, node: ast.IfExp) -> Value:
        match node.body, node.orelse:
            case ast.Tuple(elts=some), ast.Tuple(elts=others) if len(some) == len(others) and self.is_simple(node):
                pairs = zip(some, others, strict=True)
                return Items(tuple(self.value(ast.copy_location(ast.IfExp(node.test, *each), node)) for each in pairs))
        cond = self.truth(node.test)
        if isinstance(cond, Const):
            return self.value(node.body if cond.value else node.orelse)
        for arm, other_one, holds in ((node.body, node.orelse, neg(cond)), (node.orelse, node.body, cond)):
            if is_nan(self.context, arm):
                self.context.restrict(holds, f"not {ast.unparse(arm)} in {ast.unparse(node)}", node)
                return self.value(other_one)
        scalar = self.is_simple(node.body) and self.is_simple(node.orelse)
        if scalar:
            then = self._under(self.context.learned(cond, True), node.body, self.value)
            other = self._under(self.context.learned(cond, False), node.orelse, self.value)
            if isinstance(then, Expr) and isinstance(other, Expr):
                return self.picked(partial(scalars.choose, cond), then, other)
        return self.decide(cond, True, lambda: self.value(node.body), lambda: self.value(node.orelse), node)

    def decide(
        self, cond: Expr, holds: bool, chosen: Callable[[], Value], other: Callable[[], Value] | Expr, node: ast.AST
    ) -> Value:
        """A value that takes statements to compute, on one side of a condition or on both."""
        result = f"{self.context.key(node, '?')}:#value"
        points = self.context.branch(cond, "choice")
        if not holds:
            points = (points[1], points[0])
        ends = []
        for point, made in zip(points, (chosen, other), strict=True):
            self.context.at = point
            value = made if isinstance(made, Expr) else self.context.above.arrays.kept(made(), node, "")
            self.context.env[result] = value
            ends.append(self.context.at)
        self.context.join(ends, "chosen", result)
        value = self.context.env.pop(result)
        if isinstance(value, Clash):
            self.context.one_list(value)
            lists = "a choice between lists; supported is a choice between numbers"
            self.context.refuse(node, f"the choice {value.text}" if value.none else lists)
        return value


def _defined(node: ast.Lambda) -> ast.FunctionDef:
    """A lambda as a function with a name."""
    body = ast.copy_location(ast.Return(node.body), node.body)
    return ast.copy_location(ast.FunctionDef("lambda", node.args, [body], []), node)

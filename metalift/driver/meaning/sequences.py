"""Reading indexing, comprehensions, generators and calls: what becomes Build and Fold."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

from metalift.driver.meaning.expressions import ScalarReader
from metalift.driver.meaning.language import __name__ as LANGUAGE
from metalift.driver.meaning.reduce import reduce, reduce_head
from metalift.driver.meaning.source import FunctionSource, function_source
from metalift.driver.meaning.typing_rules import Literal, Value, apply, truth, typed
from metalift.ir.expr.build import conj, minus, neg, plus
from metalift.ir.expr.nodes import (
    FALSE,
    TRUE,
    Apply,
    Build,
    Call,
    Cast,
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
from metalift.ir.expr.types import BOOL, INT, FunctionType, MachineInt, RealType, TensorType, TupleType, is_integer
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.interp.functions import QUESTIONS

MAX_DEPTH = 16  # of helper functions calling helper functions


@dataclass(frozen=True)
class Source:
    """What a loop goes over: so many steps, and what the targets stand for at a step."""

    extent: Expr
    item: Callable[[Expr], tuple[Expr, ...]]


class SequenceReader(ScalarReader):
    """Reads sequences and calls."""

    depth: int = 0
    recursive_call: Callable[[ast.Call, Mapping[str, Value]], Value] | None = None

    def element(self, tensor: Expr, where: ast.expr, env: Mapping[str, Value]) -> Expr:
        """An element, a row, an item of a tuple, or a slice with unit step."""
        kind = type_of(tensor)
        if isinstance(kind, TupleType):
            raise self.source.error(where, "items of tuples are named by assignment: a, b = t")
        if not isinstance(kind, TensorType):
            raise self.source.error(where, "only tensors are indexed")
        places = where.elts if isinstance(where, ast.Tuple) else [where]
        if len(places) > kind.rank:
            raise self.source.error(where, f"{len(places)} indices for a tensor with {kind.rank} axes")
        if isinstance(places[0], ast.Slice):
            return self._slice(tensor, places[0], env)
        indices = tuple(self._place(tensor, axis, each, env) for axis, each in enumerate(places))
        rest = tuple(self.fresh("r") for _ in range(kind.rank - len(indices)))
        if not rest:
            return reduce_head(Select(tensor, indices))
        extents = tuple(reduce_head(Length(tensor, len(indices) + axis)) for axis in range(len(rest)))
        return Build(extents, rest, reduce_head(Select(tensor, (*indices, *rest))))

    def _place(self, tensor: Expr, axis: int, node: ast.expr, env: Mapping[str, Value]) -> Expr:
        value = self.value(node, env)
        if isinstance(value, Literal) and value.value < 0:
            return apply(Operator.SUB, Length(tensor, axis), Literal(-value.value))
        return self.index(node, env)

    def _slice(self, tensor: Expr, node: ast.Slice, env: Mapping[str, Value]) -> Expr:
        kind = type_of(tensor)
        assert isinstance(kind, TensorType)
        if node.step is not None or kind.rank != 1:
            raise self.source.error(node, "a slice in a meaning has unit step, of a Vec")
        low = integer(0) if node.lower is None else self.index(node.lower, env)
        high = Length(tensor) if node.upper is None else self.index(node.upper, env)
        binder = self.fresh("i")
        return Build((minus(high, low),), (binder,), reduce_head(Select(tensor, (plus(low, binder),))))

    def comprehension(self, node: ast.ListComp, env: Mapping[str, Value]) -> Expr:
        """A Build; nested ones whose inner extents do not depend on the outer index give one of a higher rank.

        With `if`, a Filter.
        """
        if len(node.generators) != 1:
            raise self.source.error(node, "a list comprehension has one 'for'; nest them for more axes")
        binder = self.fresh(self._name_of(node.generators[0].target))
        extent, inner = self._generator(node.generators[0], binder, env)
        tests = node.generators[0].ifs
        value = self.value(node.elt, inner)
        body = typed(value, self.result) if isinstance(value, Literal) and self.result is not None else self.term(node.elt, inner)
        if tests:
            if isinstance(type_of(body), TensorType | TupleType):
                raise self.source.error(node, "what a list comprehension with 'if' puts into the list are numbers or bools")
            return Filter(extent, binder, conj(*(truth(self.value(test, inner)) for test in tests)), body)
        if not isinstance(body, Build):
            if isinstance(type_of(body), TensorType):
                body = self._expanded(body)
            else:
                return Build((extent,), (binder,), body)
        if any(binder in free_vars(each) for each in body.extents):
            raise self.source.error(node, "the rows of a matrix have one length")
        return Build((extent, *body.extents), (binder, *body.binders), body.body)

    def _expanded(self, tensor: Expr) -> Build:
        kind = type_of(tensor)
        assert isinstance(kind, TensorType)
        binders = tuple(self.fresh("r") for _ in range(kind.rank))
        extents = tuple(reduce_head(Length(tensor, axis)) for axis in range(kind.rank))
        return Build(extents, binders, reduce_head(Select(tensor, binders)))

    @staticmethod
    def _name_of(target: ast.expr) -> str:
        return target.id if isinstance(target, ast.Name) else "i"

    def _generator(self, node: ast.comprehension, binder: Var, env: Mapping[str, Value]) -> tuple[Expr, dict[str, Value]]:
        """The number of steps, and the names at step `binder`."""
        source = self.source_of(node.iter, env)
        return source.extent, {**env, **self.targets(node.target, source.item(binder))}

    def targets(self, node: ast.expr, items: tuple[Expr, ...]) -> dict[str, Value]:
        """The names that a loop assigns at a step."""
        names = node.elts if isinstance(node, ast.Tuple) else [node]
        if len(names) != len(items) or not all(isinstance(each, ast.Name) for each in names):
            raise self.source.error(node, f"the loop gives {len(items)} value(s) for {ast.unparse(node)!r}")
        return {each.id: item for each, item in zip(names, items, strict=True) if isinstance(each, ast.Name)}

    def source_of(self, node: ast.expr, env: Mapping[str, Value]) -> Source:
        """What `for ... in node` goes over: range, zip, enumerate, a tensor."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=args, keywords=[]) if 1 <= len(args) <= 3:
                return self._range(node, [self.term(arg, env, INT) for arg in args])
            case ast.Call(func=ast.Name(id="zip"), args=args, keywords=[] | [ast.keyword(arg="strict")]) if args:
                parts = [self.source_of(arg, env) for arg in args]
                extent = parts[0].extent
                for part in parts[1:]:
                    extent = Apply(Operator.MIN, (extent, part.extent))
                return Source(extent, lambda k: tuple(item for part in parts for item in part.item(k)))
            case ast.Call(func=ast.Name(id="enumerate"), args=[arg], keywords=[]):
                inner = self.source_of(arg, env)
                return Source(inner.extent, lambda k: (k, *inner.item(k)))
            case _:
                tensor = self.term(node, env)
                if not isinstance(type_of(tensor), TensorType):
                    raise self.source.error(node, "a loop goes over range(...), zip(...), enumerate(...) or a tensor")
                return Source(reduce_head(Length(tensor)), lambda k: (self._row(tensor, k),))

    def _row(self, tensor: Expr, index: Expr) -> Expr:
        kind = type_of(tensor)
        assert isinstance(kind, TensorType)
        rest = tuple(self.fresh("r") for _ in range(kind.rank - 1))
        extents = tuple(reduce_head(Length(tensor, 1 + axis)) for axis in range(len(rest)))
        return Build(extents, rest, Select(tensor, (index, *rest))) if rest else reduce_head(Select(tensor, (index,)))

    def _range(self, node: ast.expr, args: list[Expr]) -> Source:
        if len(args) == 1:
            return Source(args[0], lambda k: (k,))
        low, high = args[0], args[1]
        if len(args) == 2:
            return Source(minus(high, low), lambda k: (plus(low, k),))
        step = args[2]
        literal = node.args[2].value if isinstance(node, ast.Call) and isinstance(node.args[2], ast.Constant) else None
        if not isinstance(literal, int) or literal < 1:
            raise self.source.error(node, "the step of range is a positive number")
        count = Apply(Operator.FDIV, (plus(minus(high, low), integer(literal - 1)), integer(literal)))
        return Source(count, lambda k: (plus(low, Apply(Operator.MUL, (step, k))),))

    # Calls

    def call(self, node: ast.Call, env: Mapping[str, Value]) -> Value:
        """A builtin, a function of `math`, one of the driver language's own, or a helper function of the file."""
        name = ast.unparse(node.func)
        if isinstance(node.func, ast.Name) and name in env:
            return self._invoked(node, env[name], env)
        if isinstance(node.func, ast.Attribute):
            return self._library(node, name, env)
        if name in ("sum", "any", "all", "max", "min") and len(node.args) == 1:
            return self._reduction(node, name, env)
        if name == "sum" and len(node.args) == 2:
            return self._reduction(node, name, env)
        builtin = getattr(self, f"_call_{name}", None)
        if builtin is not None:
            result: Value = builtin(node, [self.value(arg, env) for arg in node.args])
            return result
        return self._helper(node, name, env)

    def _invoked(self, node: ast.Call, function: Value, env: Mapping[str, Value]) -> Expr:
        """A call of a parameter that is a function."""
        kind = None if isinstance(function, Literal) else type_of(function)
        if isinstance(function, Literal) or not isinstance(kind, FunctionType) or len(kind.params) != len(node.args):
            wanted = f"takes {len(kind.params)} argument(s)" if isinstance(kind, FunctionType) else "is no function"
            raise self.source.error(node, f"{ast.unparse(node)!r}: {ast.unparse(node.func)} {wanted}")
        args = tuple(self.term(arg, env, wanted) for arg, wanted in zip(node.args, kind.params, strict=True))
        return reduce_head(Invoke(function, args))

    def _library(self, node: ast.Call, name: str, env: Mapping[str, Value]) -> Expr:
        if name == "math.prod" and len(node.args) == 1:
            return self._reduction(node, "prod", env)
        module, _, function = name.partition(".")
        found = self.source.globals.get(module)
        if not (isinstance(found, ModuleType) and found is math and hasattr(math, function)):
            raise self.source.error(node, f"{name!r} is not known; functions of 'math' are, as functions of reals")
        args = tuple(self.term(arg, env) for arg in node.args)
        if not args or not all(isinstance(type_of(arg), RealType) for arg in args):
            raise self.source.error(node, f"{name} takes reals")
        if function == "fabs":
            return Apply(Operator.ABS, args)
        if function == "isfinite":
            return conj(*(neg(Call(question, args, BOOL)) for question in ("isnan", "isinf")))
        return Call(function, args, BOOL if function in QUESTIONS else type_of(args[0]))

    def _call_len(self, node: ast.Call, args: list[Value]) -> Expr:
        return self._call_size(node, [*args, Literal(0)])

    def _call_size(self, node: ast.Call, args: list[Value]) -> Expr:
        match args:
            case [tensor]:
                return self._call_size(node, [tensor, Literal(0)])
            case [tensor, Literal(int() as axis)] if not isinstance(tensor, Literal) and isinstance(type_of(tensor), TensorType):
                kind = type_of(tensor)
                assert isinstance(kind, TensorType)
                if not 0 <= axis < kind.rank:
                    raise self.source.error(node, f"there is no axis {axis} of a tensor with {kind.rank}")
                return reduce_head(Length(tensor, axis))
            case _:
                raise self.source.error(node, "len(x) and size(x, axis) take a tensor and a number")

    def _call_abs(self, node: ast.Call, args: list[Value]) -> Expr:
        return apply(Operator.ABS, *args)

    def _call_max(self, node: ast.Call, args: list[Value]) -> Expr:
        return apply(Operator.MAX, *args)

    def _call_min(self, node: ast.Call, args: list[Value]) -> Expr:
        return apply(Operator.MIN, *args)

    def _call_round(self, node: ast.Call, args: list[Value]) -> Expr:
        """Python's round: to the nearest integer, halves to even."""
        return self._rounded(node, "rint", args)

    def _call_round_half_away(self, node: ast.Call, args: list[Value]) -> Expr:
        return self._rounded(node, "round", args)

    def _rounded(self, node: ast.Call, function: str, args: list[Value]) -> Expr:
        match args:
            case [value] if not isinstance(value, Literal) and isinstance(type_of(value), RealType):
                return Call(function, (value,), type_of(value))
            case _:
                raise self.source.error(node, "rounding takes one real")

    def _call_trunc_div(self, node: ast.Call, args: list[Value]) -> Expr:
        return self._integers(node, Operator.TDIV, args)

    def _call_trunc_rem(self, node: ast.Call, args: list[Value]) -> Expr:
        return self._integers(node, Operator.TREM, args)

    def _integers(self, node: ast.Call, op: Operator, args: list[Value]) -> Expr:
        result = apply(op, *args)
        if len(args) != 2 or not is_integer(type_of(result)):
            raise self.source.error(node, f"{ast.unparse(node.func)} takes two integers")
        return result

    def _call_exact(self, node: ast.Call, args: list[Value]) -> Expr:
        if len(args) != 1:
            raise self.source.error(node, "exact(x) takes one integer")
        return typed(args[0], INT)

    def _call_convert(self, node: ast.Call, args: list[Value]) -> Expr:
        if len(args) != 1 or self.result is None:
            raise self.source.error(node, "convert(x) converts one value to the result's element type")
        value = args[0]
        return typed(value, self.result) if isinstance(value, Literal) else Cast(value, self.result)

    def _call_word(self, node: ast.Call, args: list[Value]) -> Expr:
        if isinstance(self.result, MachineInt) and self.result.signed and len(args) == 1 and not isinstance(args[0], Literal):
            return as_word(args[0], self.result)
        return self._call_convert(node, args)

    def _helper(self, node: ast.Call, name: str, env: Mapping[str, Value]) -> Value:
        found = self.source.globals.get(name)
        if not inspect.isfunction(found) or found.__module__ == LANGUAGE:
            raise self.source.error(node, f"unknown function {name!r}")
        if self.recursive_call is not None and found is self.source.function:
            return self.recursive_call(node, env)
        if self.depth >= MAX_DEPTH:
            raise self.source.error(node, f"{name!r} calls itself through other functions, or helpers are nested too deeply")
        helper = function_source(found)
        return self.inlined(helper, tuple(self._argument(arg, env) for arg in node.args), node)

    def _argument(self, node: ast.expr, env: Mapping[str, Value]) -> Expr:
        """An argument of a helper function; a function may be passed on."""
        function = self.function_named(node, env)
        return self.term(node, env) if function is None else function

    def inlined(self, helper: FunctionSource, args: tuple[Expr, ...], node: ast.Call) -> Expr:
        """The body of a helper function on the arguments."""
        raise self.source.error(node, "a helper function cannot be called here")

    # Reductions

    def _reduction(self, node: ast.Call, name: str, env: Mapping[str, Value]) -> Expr:
        """sum, any, all, max, min of a generator or a tensor."""
        argument = node.args[0]
        if isinstance(argument, ast.GeneratorExp | ast.ListComp):
            generators, element = argument.generators, argument.elt
        else:
            item = ast.Name(id=" item", ctx=ast.Load())
            generators, element = [ast.comprehension(target=item, iter=argument, ifs=[], is_async=0)], item
            ast.copy_location(item, argument)
        if name in ("max", "min"):
            return self._extremum(node, Operator.MAX if name == "max" else Operator.MIN, generators, element, env)
        if name == "prod":
            return self._monoid(Operator.MUL, None, Literal(1), generators, element, env)
        op, unit = {"sum": (Operator.ADD, None), "any": (Operator.OR, FALSE), "all": (Operator.AND, TRUE)}[name]
        start = self.value(node.args[1], env) if len(node.args) == 2 else Literal(0)
        return self._monoid(op, unit, start, generators, element, env)

    def _monoid(
        self,
        op: Operator,
        unit: Expr | None,
        start: Value,
        generators: list[ast.comprehension],
        element: ast.expr,
        env: Mapping[str, Value],
    ) -> Expr:
        """Nested folds, one for each generator; the innermost adds the element to the accumulator."""
        binders = [self.fresh(self._name_of(each.target).strip()) for each in generators]
        extents: list[Expr] = []
        conditions: list[Expr] = []
        inner: Mapping[str, Value] = env
        for each, binder in zip(generators, binders, strict=True):
            extent, inner = self._generator(each, binder, inner)
            extents.append(extent)
            conditions.extend(truth(self.value(test, inner)) for test in each.ifs)
        value = self.value(element, inner)
        if unit is not None:
            term, initial = truth(value), unit
        else:
            initial, term = self.arms(start, value)
        neutral = unit if unit is not None else typed(Literal(1 if op is Operator.MUL else 0), type_of(term))
        for condition in reversed(conditions):
            term = Ite(condition, term, neutral)
        accumulators = [self.fresh("acc", type_of(term)) for _ in generators]
        body: Expr = Apply(op, (accumulators[-1], term))
        for position in reversed(range(len(generators))):
            init = initial if position == 0 else accumulators[position - 1]
            body = Fold(extents[position], init, accumulators[position], binders[position], body)
        return body

    def _extremum(
        self, node: ast.Call, op: Operator, generators: list[ast.comprehension], element: ast.expr, env: Mapping[str, Value]
    ) -> Expr:
        """The greatest or least element of a non-empty sequence: a fold over all but the first, from the first."""
        if len(generators) != 1 or generators[0].ifs:
            raise self.source.error(node, f"{op.value} of a generator has one 'for' and no 'if'")
        binder = self.fresh(self._name_of(generators[0].target).strip())
        extent, inner = self._generator(generators[0], binder, env)
        term = self.term(element, inner)
        acc = self.fresh("acc", type_of(term))
        first = reduce(substitute(term, {binder: integer(0)}))
        following = reduce(substitute(term, {binder: plus(binder, integer(1))}))
        return Fold(minus(extent, integer(1)), first, acc, binder, Apply(op, (acc, following)))


def as_word(expr: Expr, type_: MachineInt) -> Expr:
    """An exact integer in a type that it fits: sums and choices of words of that type are sums and choices in it."""
    match expr:
        case Cast(arg, _) if type_of(arg) == type_:
            return arg
        case Apply(Operator.ADD | Operator.SUB as op, (left, right)):
            return Apply(op, (as_word(left, type_), as_word(right, type_)))
        case Ite(cond, then, other):
            return Ite(cond, as_word(then, type_), as_word(other, type_))
        case _:
            return Cast(expr, type_)

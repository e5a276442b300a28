"""Calls: Python's own functions, those of `math` and NumPy, methods of lists, and functions of the same file."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from metalift.frontend.python import scalars
from metalift.frontend.python.annotations import numpy_type
from metalift.frontend.python.expressions import Frame
from metalift.frontend.python.lists import Lists
from metalift.frontend.python.loops import ONE, ZERO
from metalift.frontend.python.values import Clash, Items, Iteration, NoneValue, Value, View, names_in
from metalift.frontend.scalars import cast, choose
from metalift.ir.functions import FUNCTIONS
from metalift.ir.nodes import FALSE, TRUE, Apply, Call, Const, Expr, Operator, type_of
from metalift.ir.types import BOOL, DOUBLE, INT, RealType, ScalarType, is_integer

_BUILTINS = "supported are range, len, min, max, sum, any, all, abs, int, float, bool, round, list, enumerate, zip, reversed"
_METHODS = "supported are append, extend, pop(), copy() and clear() of lists made here, and copy() of arrays"
_NUMBERS = {"math.pi": math.pi, "math.e": math.e, "math.tau": math.tau, "numpy.pi": math.pi, "numpy.e": math.e}
_INFINITE = frozenset({"math.inf", "math.nan", "numpy.inf", "numpy.nan"})
_RENAMED = {
    "math.gamma": "tgamma",
    "math.fabs": "abs",
    "numpy.absolute": "abs",
    "numpy.fabs": "abs",
    "numpy.abs": "abs",
    "numpy.power": "pow",
    "numpy.rint": "rint",
    "numpy.arcsin": "asin",
    "numpy.arccos": "acos",
    "numpy.arctan": "atan",
    "numpy.arctan2": "atan2",
    "numpy.arcsinh": "asinh",
    "numpy.arccosh": "acosh",
    "numpy.arctanh": "atanh",
}
_TO_INT = frozenset({"floor", "ceil", "trunc"})
_DEPTH = 12  # of calls of functions of the file


@dataclass(slots=True)
class Calls(Lists):
    """Reads calls."""

    def run_body(self, function: ast.FunctionDef) -> None:
        """Read the statements of a function into the frame."""
        raise NotImplementedError

    # Attributes

    def attribute(self, node: ast.Attribute) -> Value:
        """`math.pi`, `x.shape`."""
        full = self.module.full_name(node)
        if full in _NUMBERS:
            return Const(Fraction(repr(_NUMBERS[full])), DOUBLE)
        if full in _INFINITE:
            self.refuse(node, f"{ast.unparse(node)}: floats are finite here; begin with the first element instead")
        if full:
            self.refuse(node, f"{ast.unparse(node)} as a value; supported are pi, e, and calls of functions")
        owner = self.value(node.value)
        if isinstance(owner, View) and owner.object.numpy:
            depth = len(owner.prefix)
            if node.attr == "shape":
                rows = [View(owner.object, (*owner.prefix, *(ZERO,) * axis)) for axis in range(owner.rank)]
                return Items(tuple(self.length(row) for row in rows))
            if node.attr == "size" and owner.rank == 1:
                return self.length(owner)
            if node.attr == "ndim":
                return Const(owner.object.rank - depth, INT)
        self.refuse(node, f"the attribute {node.attr!r}; supported are shape and ndim of NumPy arrays, and their size if 1-D")

    # Calls

    def call(self, node: ast.Call) -> Value:
        """What a call gives."""
        self.here(node)
        if any(isinstance(arg, ast.Starred) for arg in node.args) or any(each.arg is None for each in node.keywords):
            self.refuse(node, "starred arguments; write the arguments one by one")
        full = self.module.full_name(node.func)
        match node.func:
            case _ if full:
                return self._library(node, full)
            case ast.Name(id=name) if name in self.frame.bound:
                self.refuse(node, f"a call of the local name '{name}'; call a function of the file by its own name")
            case ast.Name(id=name) if name in self.module.functions:
                return self._inlined(node, self.module.functions[name])
            case ast.Name(id=name):
                return self._builtin(node, name)
            case ast.Attribute(value=owner, attr=name):
                return self._method(node, owner, name)
            case _:
                self.refuse(node, "a call of what is no name; call functions by their names")

    def _builtin(self, node: ast.Call, name: str) -> Value:
        handler = _HANDLERS.get(name)
        if handler is None:
            known = f"the call of {name}()"
            self.refuse(node, f"{known}; {_BUILTINS}, functions of this file, of math and of NumPy")
        if node.keywords and name not in ("enumerate", "sum"):
            self.refuse(node, f"{name} with named arguments; give them by position, without key, default or strict")
        return handler(self, node)

    def _iterated(self, node: ast.Call) -> Value:
        return self.iteration(node)

    def _one(self, node: ast.Call) -> ast.expr:
        if len(node.args) != 1:
            self.refuse(node, f"{ast.unparse(node.func)} with {len(node.args)} arguments; it takes one here")
        return node.args[0]

    def _len(self, node: ast.Call) -> Value:
        value = self.value(self._one(node))
        match value:
            case View():
                return self.length(value)
            case Iteration():
                return self.rounds(value)
            case Items(items):
                return Const(len(items), INT)
            case _:
                self.refuse(node, f"len of {ast.unparse(node.args[0])!r}, which is no list; annotate it as a list")

    def _abs(self, node: ast.Call) -> Value:
        return scalars.absolute(self.scalar(self._one(node)))

    def _int(self, node: ast.Call) -> Value:
        return scalars.to_int(self.scalar(self._one(node)))

    def _float(self, node: ast.Call) -> Value:
        arg = self._one(node)
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str):
            self.refuse(node, f"float({arg.value!r}): floats are finite here; begin with the first element instead")
        return cast(self.scalar(arg), DOUBLE)

    def _bool(self, node: ast.Call) -> Value:
        return self.truth(self._one(node))

    def _round(self, node: ast.Call) -> Value:
        value = self.scalar(self._one(node))
        return value if is_integer(type_of(value)) else self._rounded("rint", value)

    def _rounded(self, name: str, value: Expr) -> Expr:
        """A rounding to an int."""
        type_ = type_of(value)
        if not isinstance(type_, RealType):
            return scalars.convert(value, INT)
        return cast(value if name == "trunc" else Call(name, (value,), type_), INT)

    def _pow(self, node: ast.Call) -> Value:
        if len(node.args) != 2:
            self.refuse(node, "pow takes two numbers here; write % for the remainder")
        base, exponent = self.numbers(node.args)
        return scalars.power(base, exponent)

    def _list(self, node: ast.Call) -> Value:
        if not node.args:
            return self.new_list(ast.copy_location(ast.List([], ast.Load()), node), "")
        return self.copy_of(self._one(node), node, "")

    def copy_of(self, arg: ast.expr, node: ast.AST, hint: str) -> View:
        """A new list with the values of an iterable."""
        if isinstance(arg, ast.GeneratorExp):
            arg = ast.copy_location(ast.ListComp(arg.elt, arg.generators), arg)
        if self.is_list(arg):
            return self.new_list(arg, hint)
        found = self.iteration(arg, lazy=False)
        if isinstance(found, Items):
            made = self.make(node, hint, 1, INT)
            self.env[made.object.length] = self._filled_from(arg, made, ZERO)
            return made
        return self.copied(found, node, hint)

    def _refused_sorted(self, node: ast.Call) -> Value:
        self.refuse(node, f"{ast.unparse(node.func)}: sorting is not supported; write the loops, or leave it outside")

    def _print(self, node: ast.Call) -> Value:
        self.refuse(node, "print: a function that is lifted may only compute; leave it out")

    def _isinstance(self, node: ast.Call) -> Value:
        self.refuse(node, "isinstance: every value has one type here, by its annotation; leave the test out")

    # Reductions

    def _sum(self, node: ast.Call) -> Value:
        begin = node.args[1:] + [each.value for each in node.keywords if each.arg == "start"]
        if not node.args or len(begin) > 1:
            self.refuse(node, "sum takes an iterable and a first value")
        start = self.frozen(self.scalar(begin[0])) if begin else ZERO
        return self.fold(node, start, lambda acc, value: scalars.add(Operator.ADD, acc, value))

    def _any(self, node: ast.Call) -> Value:
        return self.fold(node, FALSE, lambda acc, value: choose(acc, TRUE, scalars.truth(value)))

    def _all(self, node: ast.Call) -> Value:
        return self.fold(node, TRUE, lambda acc, value: choose(acc, scalars.truth(value), FALSE))

    def _prod(self, node: ast.Call) -> Value:
        return self.fold(node, ONE, lambda acc, value: scalars.add(Operator.MUL, acc, value))

    def fold(self, node: ast.Call, start: Expr, step: Callable[[Expr, Expr], Expr]) -> Expr:
        """The accumulator after a step for each value of an iterable."""
        acc = f"{self.key(node)}:#{ast.unparse(node.func).split('.')[-1]}"
        self.env[acc] = start
        generators, element = self._generators(node.args[0])

        def one() -> None:
            now = self.env[acc]
            value = self.frozen(self.scalar(element)) if element is not None else None
            assert isinstance(now, Expr) and value is not None
            self.env[acc] = self.named(step(now, value), "acc")

        self.generate(generators, [acc], one)
        result = self.env.pop(acc)
        assert isinstance(result, Expr)
        return result

    def _generators(self, node: ast.expr) -> tuple[Sequence[ast.comprehension], ast.expr]:
        """An iterable as a comprehension."""
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            return node.generators, node.elt
        item = ast.copy_location(ast.Name(" item", ast.Store()), node)
        generator = ast.comprehension(target=item, iter=node, ifs=[], is_async=0)
        return [generator], ast.copy_location(ast.Name(" item", ast.Load()), node)

    def _min(self, node: ast.Call) -> Value:
        return self._extremum(node, Operator.MIN)

    def _max(self, node: ast.Call) -> Value:
        return self._extremum(node, Operator.MAX)

    def _extremum(self, node: ast.Call, op: Operator) -> Expr:
        """min or max: of several numbers, or of an iterable that is not empty."""
        if len(node.args) > 1:
            numbers = self.numbers(node.args)
            result = numbers[0]
            for each in numbers[1:]:
                result = scalars.extremum(op, result, each)
            return result
        argument = self._one(node)
        if isinstance(argument, ast.GeneratorExp | ast.ListComp):
            if len(argument.generators) > 1 or argument.generators[0].ifs:
                self.refuse(node, f"{op.value} over a comprehension with a condition or several loops; write the loop")
        source = self.iteration(argument)
        if isinstance(source, Items):
            result = self.as_scalar(source.items[0], node)
            for item in source.items[1:]:
                result = scalars.extremum(op, result, self.as_scalar(item, node))
            return result
        source = self.by_zero(source)
        acc = f"{self.key(node)}:#{op.value}"
        self.env[acc] = self.named(self.as_scalar(source.item(ZERO), node), op.value)

        def one(value: Value) -> None:
            now = self.env[acc]
            assert isinstance(now, Expr)
            found = self.frozen(self.as_scalar(value, node))
            self.env[acc] = self.named(scalars.extremum(op, now, found), op.value)

        self.loop(Iteration(ONE, source.stop, 1, source.item, source.views), node, [acc], one)
        result_value = self.env.pop(acc)
        assert isinstance(result_value, Expr)
        return result_value

    # Libraries

    def _library(self, node: ast.Call, full: str) -> Value:
        """A function of math or NumPy."""
        library, _, name = full.rpartition(".")
        if library == "numpy" and name in ARRAY_MAKERS:
            return self.new_array(node, name, "")
        if full in ("math.prod", "numpy.sum", "numpy.max", "numpy.min", "numpy.prod"):
            return self._reduced(node, name)
        if library == "numpy" and numpy_type(self.module, node.func) is not None:
            type_ = numpy_type(self.module, node.func)
            assert type_ is not None
            return cast(self.scalar(self._one(node)), type_)
        if library not in ("math", "numpy") or node.keywords:
            self.refuse(node, f"the call of {ast.unparse(node.func)}; supported are functions of math and NumPy on numbers")
        return self._function(node, full, name, self.numbers(node.args))

    def _reduced(self, node: ast.Call, name: str) -> Value:
        handlers = {"prod": self._prod, "sum": self._sum, "max": self._max, "min": self._min}
        if len(node.args) != 1 or node.keywords:
            self.refuse(node, f"{ast.unparse(node.func)} with an axis or more arguments; write the loop")
        return handlers[name](node)

    def _function(self, node: ast.Call, full: str, name: str, args: list[Expr]) -> Value:
        """A function of numbers."""
        simple = _RENAMED.get(full, name)
        if simple == "abs" and len(args) == 1:
            return scalars.absolute(args[0]) if full != "math.fabs" else scalars.absolute(cast(args[0], DOUBLE))
        if full == "numpy.sqrt" or simple in FUNCTIONS or full in _MORE:
            return self._applied(node, full, simple, args)
        self.refuse(node, f"the call of {ast.unparse(node.func)}; supported are functions of math and NumPy on numbers")

    def _applied(self, node: ast.Call, full: str, name: str, args: list[Expr]) -> Value:
        numpy = full.startswith("numpy.")
        if name in ("minimum", "maximum") and len(args) == 2:
            return scalars.extremum(Operator.MIN if name == "minimum" else Operator.MAX, *args)
        if not numpy and name in _TO_INT and len(args) == 1:
            return self._rounded(name, args[0])
        if name in ("log",) and len(args) == 2:
            logs = [Call("log", (cast(arg, DOUBLE),), DOUBLE) for arg in args]
            return Apply(Operator.DIV, (logs[0], logs[1]))
        if full == "math.isqrt" or name not in FUNCTIONS or len(args) != FUNCTIONS[name].arity:
            self.refuse(node, f"{ast.unparse(node)}; it has another number of arguments than supported, or is not modelled")
        result: ScalarType = DOUBLE
        if numpy:
            for arg in args:
                type_ = type_of(arg)
                result = type_ if isinstance(type_, RealType) and type_.bits == 32 else result
        return Call(name, tuple(cast(arg, result) for arg in args), result)

    # Arrays of NumPy

    def new_array(self, node: ast.Call, name: str, hint: str) -> View:
        """np.zeros(shape), np.empty_like(x), np.full(shape, v), ..."""
        args = list(node.args)
        given = {each.arg: each.value for each in node.keywords}
        dtype = given.pop("dtype", None)
        fill = args.pop(1) if name.startswith("full") and len(args) > 1 else given.pop("fill_value", None)
        if dtype is None and len(args) == 2:
            dtype = args.pop(1)
        shape = args[0] if args else given.pop("shape", None)
        if given or len(args) > 1 or shape is None:
            self.refuse(node, f"{ast.unparse(node)}: supported are a shape, a fill value and a dtype")
        element: ScalarType = DOUBLE
        if name in ("array", "asarray", "copy"):
            return self._array_of(node, shape, dtype, hint)
        if name.endswith("_like"):
            value = self.value(shape)
            if not isinstance(value, View) or not value.object.numpy:
                self.refuse(node, f"{name} of what is no NumPy array")
            rows = [View(value.object, (*value.prefix, *(ZERO,) * axis)) for axis in range(value.rank)]
            extents, element = [self.length(row) for row in rows], value.object.element
        else:
            parts = shape.elts if isinstance(shape, ast.Tuple | ast.List) else None
            extents = self._shape(shape) if parts is None else [self.integer(part) for part in parts]
        if dtype is not None:
            element = self._dtype(dtype)
        content = self._fill_value(name, fill, element)
        return self.array(node, hint, [self.frozen(extent, "extent") for extent in extents], element, content)

    def _shape(self, node: ast.expr) -> list[Expr]:
        value = self.value(node)
        if isinstance(value, Items):
            return [self.as_integer(self.as_scalar(item, node), node) for item in value.items]
        return [self.as_integer(self.as_scalar(value, node), node)]

    def _dtype(self, node: ast.expr) -> ScalarType:
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            value = self.value(node.value)
            if isinstance(value, View):
                return value.object.element
        type_ = numpy_type(self.module, node)
        if type_ is None:
            self.refuse(node, f"the dtype {ast.unparse(node)!r}; supported are float32, float64, bool and the integers")
        return type_

    def _fill_value(self, name: str, fill: ast.expr | None, element: ScalarType) -> Expr | None:
        if name.startswith("empty"):
            return None
        if fill is not None:
            return self.named(cast(self.scalar(fill), element), "fill")
        return cast(ONE if name.startswith("ones") else ZERO, element) if element != BOOL else cast(FALSE, element)

    def array(self, node: ast.AST, hint: str, extents: list[Expr], element: ScalarType, content: Expr | None) -> View:
        """A new NumPy array, filled with a value unless that is None."""
        made = self.make(node, hint, len(extents), element, numpy=True)
        lengths = [scalars.clamped(extent, self._is_count(extent)) for extent in extents]
        self.env[made.object.length] = lengths[0]
        made.object.columns = tuple(lengths[1:])

        def level(view: View) -> Callable[[Value], None]:
            def body(value: Value) -> None:
                assert isinstance(value, Expr) and content is not None
                if view.rank == 1:
                    self.put(view, value, content, node)
                else:
                    fill(View(view.object, (*view.prefix, value)))

            return body

        def fill(view: View) -> None:
            stop = extents[len(view.prefix)]
            self.loop(Iteration(ZERO, stop, 1, lambda k: k), node, [], level(view), tag=f"fill{len(view.prefix)}")

        if content is not None:
            fill(made)
        return made

    def _array_of(self, node: ast.Call, source: ast.expr, dtype: ast.expr | None, hint: str) -> View:
        """np.array(list): a copy."""
        if isinstance(source, ast.List | ast.ListComp | ast.GeneratorExp):
            self.refuse(node, "np.array of a list that is made here; make the array with np.empty and fill it in a loop")
        value = self.value(source)
        if not isinstance(value, View):
            self.refuse(node, "np.array of what is no list or array")
        element = value.object.element if dtype is None else self._dtype(dtype)
        rows = [View(value.object, (*value.prefix, *(ZERO,) * axis)) for axis in range(value.rank)]
        made = self.array(node, hint, [self.length(row) for row in rows], element, None)
        self._copy(made, self.over(value), node)
        return made

    # Methods

    def _method(self, node: ast.Call, owner: ast.expr, name: str) -> Value:
        view = self.value(owner)
        if not isinstance(view, View):
            self.refuse(node, f"the method {name!r} of what is no list; {_METHODS}")
        if name == "copy" and not node.args:
            if view.object.numpy:
                rows = [View(view.object, (*view.prefix, *(ZERO,) * axis)) for axis in range(view.rank)]
                made = self.array(node, "", [self.length(row) for row in rows], view.object.element, None)
                self._copy(made, self.over(view), node)
                return made
            if view.rank > 1:
                self.refuse(node, "copy() of a list of lists, which shares the rows; copy them too: [row[:] for row in x]")
            return self.copied(self.over(view), node, "")
        if name in ("sum", "max", "min", "prod") and view.object.numpy and not node.args and not node.keywords:
            moved = ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [owner], []), node)
            return self._reduced(moved, name)
        if name == "append" and len(node.args) == 1:
            self.append(view, node.args[0])
            return NoneValue()
        if name == "extend" and len(node.args) == 1:
            self.extend(view, node.args[0])
            return NoneValue()
        if name == "clear":
            self.env[self.growing(view, node).length] = ZERO
            return NoneValue()
        if name == "pop":
            return self.pop(view, node)
        self.refuse(node, f"the method {name!r} of a {'NumPy array' if view.object.numpy else 'list'}; {_METHODS}")

    # Functions of the file

    def _inlined(self, node: ast.Call, function: ast.FunctionDef) -> Value:
        """The body of the function on the arguments."""
        if any(frame.function is function for frame in self.frames):
            self.refuse(node, f"{function.name} calls itself; supported are loops")
        if len(self.frames) > _DEPTH:
            self.refuse(node, "calls that are nested too deeply")
        check_definition(self, function)
        values = self._arguments(node, function)
        frame = Frame(function, f"{self.key(node)}({function.name}):", bound_names(function))
        self.frames.append(frame)
        for name, value in values.items():
            self.env[self.name_of(name)] = value
        self.run_body(function)
        if self.at is not None:
            frame.returns.append((self.at, NoneValue(), node))
        self.frames.pop()
        return self._returned(node, frame)

    def _arguments(self, node: ast.Call, function: ast.FunctionDef) -> dict[str, Value]:
        names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
        every = [*names, *(arg.arg for arg in function.args.kwonlyargs)]
        keywords = [each for each in node.keywords if each.arg is not None]
        if len(node.args) > len(names) or any(each.arg not in every for each in keywords):
            self.refuse(node, f"arguments that {function.name} does not have")
        exprs = [*node.args, *(each.value for each in keywords)]
        found = self.operands(exprs)
        values: dict[str, Value] = {}
        for name, value, expr in zip([*names[: len(node.args)], *(str(e.arg) for e in keywords)], found, exprs, strict=True):
            if isinstance(value, Iteration):
                value = self.copied(value, expr, name)
            values[name] = self.named(value, name) if isinstance(value, Expr) else value
        defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
        keyword_only = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
        defaults |= {arg.arg: value for arg, value in keyword_only if value}
        for name in every:
            if name not in values:
                if name not in defaults:
                    self.refuse(node, f"{function.name} is called without its argument {name}")
                if not isinstance(defaults[name], ast.Constant | ast.UnaryOp | ast.Name | ast.Attribute):
                    self.refuse(defaults[name], "a default that is no number; give the argument")
                values[name] = self.value(defaults[name])
        return values

    def _returned(self, node: ast.Call, frame: Frame) -> Value:
        """Go on after a call with its result."""
        result = f"{frame.prefix}#result"
        ends = []
        for point, value, _ in frame.returns:
            point.env = {name: old for name, old in point.env.items() if not name.startswith(frame.prefix)}
            point.env[result] = value
            ends.append(point)
        if not ends:
            self.refuse(node, f"{frame.function.name} never returns")
        self.join(ends, "returned", result)
        value = self.env.pop(result)
        if isinstance(value, Clash):
            self.refuse(node, f"{frame.function.name} returns one list or another; supported is one list on all paths")
        return value


def bound_names(function: ast.FunctionDef) -> frozenset[str]:
    """The local names of a function."""
    args = function.args
    names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.expr):
                names += [*names_in(node)] if isinstance(node, ast.Name) else []
    return frozenset(names)


_HARMLESS = ("staticmethod", "typing.override", "typing.final", "typing.no_type_check")


def check_definition(reader: Calls, function: ast.FunctionDef) -> None:
    """Refuse what a function's head may not have."""
    if function.args.vararg or function.args.kwarg:
        reader.refuse(function, f"{function.name} takes *args or **kwargs; name its parameters")
    for decorator in function.decorator_list:
        name = reader.module.full_name(decorator) or ast.unparse(decorator)
        if name not in _HARMLESS:
            reader.refuse(decorator, f"the decorator {ast.unparse(decorator)}, which may change the function; leave it out")
    for node in ast.walk(function):
        if isinstance(node, ast.Yield | ast.YieldFrom):
            reader.refuse(node, "a generator (yield); return a list")


ARRAY_MAKERS = frozenset(
    {"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "array", "asarray", "copy"}
)
_MORE = frozenset({"numpy.minimum", "numpy.maximum"})
_HANDLERS: dict[str, Callable[[Calls, ast.Call], Value]] = {
    "len": Calls._len,
    "abs": Calls._abs,
    "int": Calls._int,
    "float": Calls._float,
    "bool": Calls._bool,
    "round": Calls._round,
    "pow": Calls._pow,
    "list": Calls._list,
    "sum": Calls._sum,
    "any": Calls._any,
    "all": Calls._all,
    "min": Calls._min,
    "max": Calls._max,
    "range": Calls._iterated,
    "enumerate": Calls._iterated,
    "zip": Calls._iterated,
    "reversed": Calls._iterated,
    "sorted": Calls._refused_sorted,
    "print": Calls._print,
    "isinstance": Calls._isinstance,
}

"""Calls: Python's own functions, methods of lists, and functions of the same file."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from metalift.frontend.lower.infinities import INFINITY, MINUS_INFINITY
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.annotations import namedtuple_fields, record_defaults, record_type
from metalift.frontend.python.heads import defaults_of
from metalift.frontend.python.infinities import infinite
from metalift.frontend.python.objects.classes import plain_classes
from metalift.frontend.python.ports import is_declaration
from metalift.frontend.python.reader.arrays.code import ArrayCode
from metalift.frontend.python.reader.context import ZERO, Context, Frame
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.libraries import Libraries
from metalift.frontend.python.reader.lists import Lists
from metalift.frontend.python.reader.loops import Loops
from metalift.frontend.python.reader.making import Making
from metalift.frontend.python.reader.reductions import Reductions
from metalift.frontend.python.reader.rows import Rows
from metalift.frontend.python.reader.sorting import Sorting
from metalift.frontend.python.reader.written_out import WrittenOut
from metalift.frontend.python.stands_for import (
    Char,
    Clash,
    Function,
    Items,
    Iteration,
    NoneValue,
    Section,
    Value,
    View,
    Whole,
    names_in,
)
from metalift.ir.expr.nodes import Const, Expr, Operator, type_of
from metalift.ir.expr.types import DOUBLE, INT, STRING, IntType, ScalarType, Type, is_integer
from metalift.ir.interp.identities import is_row, whole_of

_BUILTINS = (
    "supported are range, len, min, max, sum, any, all, abs, divmod, int, float, bool, round, list, sorted, enumerate, zip, "
    "reversed, next, map and filter"
)
_METHODS = (
    "supported are append, extend, pop(), sort(), copy() and clear() of lists made here, count and index of lists, and copy() "
    "of arrays"
)
_NOT_OF_TENSORS = ("sum", "any", "all", "sorted", "list", "round", "pow", "divmod", "reversed")
_DEPTH = 12  # of calls of functions of the file


@dataclass(slots=True)
class Calls:
    """Reads calls."""

    context: Context
    expressions: Expressions
    loops: Loops
    lists: Lists
    making: Making
    reductions: Reductions
    libraries: Libraries
    sorting: Sorting
    written: WrittenOut
    arrays: ArrayCode
    rows: Rows

    # Calls

    def call(self, node: ast.Call) -> Value:
        """What a call gives."""
        self.context.here(node)
        if any(isinstance(arg, ast.Starred) for arg in node.args) or any(each.arg is None for each in node.keywords):
            self.context.refuse(node, "starred arguments; write the arguments one by one")
        full = self.context.library_name(node.func)
        match node.func:
            case _ if full:
                return (self.written.library(full) or partial(self.libraries.library, full=full))(node)
            case ast.Name(id=name) if self.context.is_bound(name):
                return self._called(node, self.expressions.read(node.func))
            case ast.Lambda():
                return self._called(node, self.expressions.value(node.func))
            case ast.Name(id=name) if name in self.context.module.functions:
                self.context.module.check_bound_once(name, node)
                return self._inlined(node, Function(self.context.module.functions[name]))
            case ast.Name(id=name) if (maker := self._maker(name)) is not None:
                return maker(node)
            case ast.Name(id=name) if not self.context.module.bound[name]:
                return self._builtin(node, name)
            case ast.Name(id=name):
                message = f"the call of {name}(), which the module binds itself; {_BUILTINS}, functions of this file"
                self.context.refuse(node, message)
            case ast.Attribute(value=owner, attr=name):
                return self._method(node, owner, name)
            case _:
                self.context.refuse(node, "a call of what is no name; call functions by their names")

    def _builtin(self, node: ast.Call, name: str) -> Value:
        handler = self._builtins().get(name)
        if self.context.tensors and (name in _NOT_OF_TENSORS or (name in ("min", "max") and len(node.args) == 1)):
            self.context.refuse(node, f"{name}() where there are tensors; use the method of the tensor, or torch's function")
        if handler is None:
            if name in ("set", "frozenset"):
                known = "supported are `in`, |, &, - and len of sets, and results that are sets"
                self.context.refuse(node, f"{ast.unparse(node)}, of which more is used than what is in it; {known}")
            known = f"the call of {name}()"
            self.context.refuse(node, f"{known}; {_BUILTINS}, functions of this file, of math and of NumPy")
        if node.keywords and name in ("min", "max"):
            return self.written.extremum(node, name)
        if node.keywords and name not in ("enumerate", "zip", "sum", "sorted", "dict"):
            self.context.refuse(node, f"{name} with named arguments; give them by position, without key, default or strict")
        return handler(node)

    def _builtins(self) -> dict[str, Callable[[ast.Call], Value]]:
        """Python's own functions that are read here."""
        return {
            "len": self._len,
            "abs": self._abs,
            "int": self._int,
            "float": self._float,
            "bool": self._bool,
            "round": self._round,
            "pow": self.written.pow,
            "list": self._list,
            "dict": self.rows.called,
            "sum": self.reductions.sum,
            "any": self.reductions.any,
            "all": self.reductions.all,
            "min": lambda call: self.reductions.extremum(call, Operator.MIN),
            "max": lambda call: self.reductions.extremum(call, Operator.MAX),
            "range": self.loops.iteration,
            "enumerate": self.loops.iteration,
            "zip": self.loops.iteration,
            "reversed": self.loops.iteration,
            "sorted": self.sorting.sorted_list,
            "next": self.written.next,
            "divmod": self.written.divmod,
            "ord": self._ord,
            "chr": self._chr,
            "print": self._print,
            "isinstance": self._isinstance,
        }

    def _len(self, node: ast.Call) -> Value:
        value = self.expressions.value(self.reductions.one(node))
        match value:
            case View():
                return self.context.length(value)
            case Section() | Whole():
                return self.arrays.length(value, node)
            case Iteration():
                return self.loops.rounds(value)
            case Items(items):
                return Const(len(items), INT)
            case _ if isinstance(value, Expr) and type_of(value) == STRING:
                self.context.refuse(node, f"len of a string; {scalars.IDENTITIES}")
            case _:
                self.context.refuse(node, f"len of {ast.unparse(node.args[0])!r}, which is no list; annotate it as a list")

    def _abs(self, node: ast.Call) -> Value:
        value = self.expressions.value(self.reductions.one(node))
        if self.arrays.is_operand(value):
            return self.arrays.absolute(value, node)
        number = self.expressions.as_scalar(value, node)
        self.expressions.computed(node, number)
        return scalars.absolute(number)

    def _int(self, node: ast.Call) -> Value:
        value = self.expressions.value(self.reductions.one(node))
        if isinstance(value, Char):
            return self.expressions.characters.digit(value, node)
        return scalars.to_int(self.expressions.as_scalar(value, node.args[0]))

    def _ord(self, node: ast.Call) -> Value:
        value = self.expressions.characters.character(self.expressions.value(self.reductions.one(node)))
        if not isinstance(value, Char):
            self.context.refuse(node, f"{ast.unparse(node)}, of what is no character; supported are elements of strings")
        return value.code

    def _chr(self, node: ast.Call) -> Value:
        return Char(self.expressions.integer(self.reductions.one(node)))

    def _float(self, node: ast.Call) -> Value:
        arg = self.reductions.one(node)
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str):
            sign = infinite(self.context.module, node)
            if not sign:
                self.context.refuse(node, f"float({arg.value!r}): floats are numbers here; write the number")
            return INFINITY if sign > 0 else MINUS_INFINITY
        return scalars.convert(self.expressions.scalar(arg), DOUBLE)

    def _bool(self, node: ast.Call) -> Value:
        return self.expressions.truth(self.reductions.one(node))

    def _round(self, node: ast.Call) -> Value:
        value = self.expressions.scalar(self.reductions.one(node))
        return value if is_integer(type_of(value)) else self.libraries.rounded("rint", value)

    def _list(self, node: ast.Call) -> Value:
        if not node.args:
            return self.making.new_list(ast.copy_location(ast.List([], ast.Load()), node), "")
        return self.making.copy_of(self.reductions.one(node), node, "")

    def _print(self, node: ast.Call) -> Value:
        self.context.refuse(node, "print of what changes something, or to a file; print names and expressions, or leave it out")

    def _isinstance(self, node: ast.Call) -> Value:
        self.context.refuse(node, "isinstance: every value has one type here, by its annotation; leave the test out")

    # Methods

    def _method(self, node: ast.Call, owner: ast.expr, name: str) -> Value:
        value = self.expressions.value(owner)
        if isinstance(value, Expr) and is_row(type_of(value)):
            return self.rows.method(value, node, owner, name)
        if isinstance(value, Expr) and (method := self._of_record(type_of(value), name)) is not None:
            return self._inlined_method(node, value, method)
        if isinstance(value, Char):
            return self.expressions.characters.method(value, name, node)
        if self.context.tensors and (self.arrays.is_array(value) or isinstance(value, Expr)):
            return self.libraries.tensors.method(node, value, name)
        if (self.arrays.is_array(value) and name != "sort") or self.arrays.is_number(value):
            return self.arrays.method(node, value, name)
        if not isinstance(value, View):
            self.context.refuse(node, f"the method {name!r} of what is no list; {_METHODS}")
        return self._of_list(node, owner, value, name)

    def _of_list(self, node: ast.Call, owner: ast.expr, view: View, name: str) -> Value:
        if name == "copy" and not node.args:
            if view.rank > 1:
                message = "copy() of a list of lists, which shares the rows; copy them too: [row[:] for row in x]"
                self.context.refuse(node, message)
            return self.lists.copied(self.loops.over(view), node, "")
        if (written := self.written.method(name)) is not None:
            return written(node, owner)
        if name in ("append", "extend") and len(node.args) == 1:
            (self.making.append if name == "append" else self.making.extend)(view, node.args[0])
            return NoneValue()
        if name == "clear":
            self.lists.leave_rows(view.object, node)
            self.context.env[self.making.growing(view, node).length] = ZERO
            return NoneValue()
        if name in ("pop", "sort"):
            return (self.making.pop if name == "pop" else self.sorting.sort)(view, node)
        self.context.refuse(node, f"the method {name!r} of a {'NumPy array' if view.object.numpy else 'list'}; {_METHODS}")

    # Records of the file

    def _of_record(self, type_: Type, name: str) -> ast.FunctionDef | None:
        """The method of that name of records of a type."""
        if not isinstance(type_, IntType) or not type_.fields or type_.of not in self.context.module.classes:
            return None
        class_ = plain_classes(self.context.module).get(type_.of)
        return class_.methods.get(name) if class_ is not None and name not in class_.properties else None

    def _inlined_method(self, node: ast.Call, record: Expr, method: ast.FunctionDef) -> Value:
        """The body of a method that only reads its record."""
        others = copy.copy(method)
        others.args = copy.copy(method.args)
        plain = [*method.args.posonlyargs, *method.args.args]
        others.args.posonlyargs, others.args.args = [], plain[1:]
        self._check_inlined(node, method)
        return self.inline(node, Function(method), {plain[0].arg: record, **self._arguments(node, Function(others))})

    def _maker(self, name: str) -> Callable[[ast.Call], Value] | None:
        """What makes a record of the class of that name; None where it is none."""
        if (record := record_type(self.context.module, name)) is not None:
            return partial(self._record, name=name, record=record)
        names = namedtuple_fields(self.context.module, name)
        return partial(self._named_tuple, name=name, names=names) if names else None

    def _named_tuple(self, node: ast.Call, name: str, names: tuple[str, ...]) -> Value:
        """A named tuple; the types of its fields are those of a parameter's, or those of its parts."""
        known = [hint.element for hint in self.context.hints.values() if hint.open is not None and hint.open.of == name]
        if known and isinstance(known[0], IntType):
            return self._record(node, name, known[0])
        if len(node.args) != len(names) or node.keywords:
            self.context.refuse(node, f"{ast.unparse(node)}, which does not name the parts {', '.join(names)} in their order")
        parts = [self.expressions.as_whole(value, node, INT) for value in self.expressions.operands(node.args)]
        types = [type_ for part in parts if isinstance(type_ := type_of(part), ScalarType)]
        return whole_of(parts, IntType(name, tuple(zip(names, types, strict=True))))

    def _record(self, node: ast.Call, name: str, record: IntType) -> Value:
        """A record that is made of its fields; of a row all of them have to be named."""
        defaults = record_defaults(self.context.module, name)
        fields = dict(record.fields)
        given = [*node.args, *(each.value for each in node.keywords)]
        called = [*list(fields)[: len(node.args)], *(str(each.arg) for each in node.keywords)]
        if is_row(record) and node.args:
            self.context.refuse(node, f"{ast.unparse(node)}: name the keys, as in {name}({list(fields)[0]}=...)")
        if defaults is None or len(set(called)) < len(given) or not set(called) <= fields.keys() <= {*called, *defaults}:
            self.context.refuse(node, f"{ast.unparse(node)}, which does not make a record of its fields {', '.join(fields)}")
        values = dict(zip(called, self.expressions.operands(given), strict=True))
        nodes = dict(zip(called, given, strict=True))
        parts = []
        for field_, type_ in record.fields:
            value = values[field_] if field_ in values else self.expressions.value((defaults or {})[field_])
            part = scalars.fitted(self.expressions.as_whole(value, nodes.get(field_, node), type_), type_)
            if type_of(part) != type_:
                message = f"a field {field_} that is {scalars.described(type_of(part))} of another type than annotated"
                self.context.refuse(node, message)
            parts.append(part)
        return whole_of(parts, record)

    # Functions of the file

    def _called(self, node: ast.Call, value: Value) -> Value:
        """A call of what a local name stands for."""
        if not isinstance(value, Function):
            known = "supported are functions of this file, and those defined inside of this one"
            self.context.refuse(node, f"a call of the local name '{ast.unparse(node.func)}', which is no function; {known}")
        return self._inlined(node, value)

    def _inlined(self, node: ast.Call, called: Function) -> Value:
        """The body of the function on the arguments."""
        self._check_inlined(node, called.definition)
        return self.inline(node, called, self._arguments(node, called))

    def _check_inlined(self, node: ast.Call, function: ast.FunctionDef) -> None:
        if any(frame.function is function for frame in self.context.frames):
            self.context.refuse(node, f"{function.name} calls itself; supported are loops")
        if len(self.context.frames) > _DEPTH:
            self.context.refuse(node, "calls that are nested too deeply")
        check_definition(self.context, function)

    def inline(self, node: ast.Call, called: Function, values: Mapping[str, Value]) -> Value:
        """The body of a function where its parameters have these values."""
        function = called.definition
        frame = Frame(function, f"{self.context.key(node)}({function.name}):", bound_names(function), outer=called.outer)
        self.context.frames.append(frame)
        for name, value in values.items():
            self.context.env[self.context.name_of(name)] = value
        self.context.above.block(function.body)
        if self.context.at is not None:
            frame.returns.append((self.context.at, NoneValue(), node))
        self.context.frames.pop()
        return self._returned(node, frame)

    def _arguments(self, node: ast.Call, called: Function) -> dict[str, Value]:
        function = called.definition
        names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
        every = [*names, *(arg.arg for arg in function.args.kwonlyargs)]
        keywords = [each for each in node.keywords if each.arg is not None]
        if len(node.args) > len(names) or any(each.arg not in every for each in keywords):
            self.context.refuse(node, f"arguments that {function.name} does not have")
        twice = set(names[: len(node.args)]) & {each.arg for each in keywords}
        if twice:
            self.context.refuse(node, f"{function.name} is given its argument {min(map(str, twice))} twice")
        exprs = [*node.args, *(each.value for each in keywords)]
        found = self.expressions.operands(exprs)
        values: dict[str, Value] = {}
        for name, value, expr in zip([*names[: len(node.args)], *(str(e.arg) for e in keywords)], found, exprs, strict=True):
            if isinstance(value, Iteration):
                self.expressions.used_at_once(value, expr)
                value = self.lists.copied_slice(value, expr, name)
            value = self.arrays.kept(value, expr, name)
            values[name] = self.context.named(value, name) if isinstance(value, Expr) else value
        defaults = defaults_of(function)
        for name in every:
            if name not in values:
                if name not in defaults:
                    self.context.refuse(node, f"{function.name} is called without its argument {name}")
                plain = ast.Constant | ast.UnaryOp if called.outer else ast.Constant | ast.UnaryOp | ast.Name | ast.Attribute
                asks = any(isinstance(part, ast.Name) for part in ast.walk(defaults[name]))
                if not isinstance(defaults[name], plain) or (called.outer and asks):
                    self.context.refuse(defaults[name], "a default that is no number; give the argument")
                self.context.frames.append(Frame(function, f"{self.context.key(node)}({function.name}=):", frozenset()))
                values[name] = self.expressions.value(defaults[name])
                self.context.frames.pop()
        return values

    def _returned(self, node: ast.Call, frame: Frame) -> Value:
        """Go on after a call with its result."""
        result = f"{frame.prefix}#result"
        ends = []
        for point, value, _ in frame.returns:
            point.env = {name: old for name, old in point.env.items() if not name.startswith(frame.prefix) or ":#len" in name}
            point.env[result] = value
            ends.append(point)
        if not ends:
            self.context.refuse(node, f"{frame.function.name} never returns")
        self.context.join(ends, "returned", result)
        value = self.context.env.pop(result)
        if isinstance(value, Clash):
            self.context.one_list(value)
            lists = f"{frame.function.name} returns one list or another; supported is one list on all paths"
            self.context.refuse(node, f"what {frame.function.name} gives {value.text}" if value.none else lists)
        return value


def bound_names(function: ast.FunctionDef) -> frozenset[str]:
    """The local names of a function."""
    args = function.args
    names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                names += names_in(node)
            elif isinstance(node, ast.FunctionDef):
                names.append(node.name)
    return frozenset(names)


_HARMLESS = ("staticmethod", "typing.override", "typing.final", "typing.no_type_check")


def check_definition(context: Context, function: ast.FunctionDef) -> None:
    """Refuse what a function's head may not have."""
    if function.args.vararg or function.args.kwarg:
        context.refuse(function, f"{function.name} takes *args or **kwargs; name its parameters")
    for decorator in function.decorator_list:
        name = context.module.full_name(decorator) or ast.unparse(decorator)
        if name not in _HARMLESS and not is_declaration(context.module, decorator):
            context.refuse(decorator, f"the decorator {ast.unparse(decorator)}, which may change the function; leave it out")
    for node in ast.walk(function):
        if isinstance(node, ast.Yield | ast.YieldFrom):
            context.refuse(node, "a generator (yield); return a list")

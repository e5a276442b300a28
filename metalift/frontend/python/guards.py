"""Statements that only refuse arguments: they raise, or do nothing.

A run that raises does not count, so what such a statement asks need not be read: without it the function is described on more
arguments than it takes. That is listed. What it calls has to be known to change nothing.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from itertools import takewhile

from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.reader.arrays.dtypes import operands_of

_BUILTINS = frozenset("isinstance getattr hasattr len abs min max type all any int float str zip tuple range sorted".split())
_NUMPY = frozenset(
    "isfinite isnan any all min max sum abs ndim shape size shares_memory may_share_memory issubdtype iscomplexobj "
    "lib.array_utils.byte_bounds float32 float64 int32 int64 int8 uint8 int16 uint16 bool_ integer floating ndarray".split()
)
CHANGING = frozenset(  # methods
    "append extend pop clear sort fill add update setdefault insert remove discard reverse popleft appendleft popitem".split()
)
_ASKING = frozenset("stride data_ptr element_size storage_offset dim size numel is_contiguous".split())  # methods of tensors
_NUMBERS = frozenset({"itemsize", "nbytes", "size", "ndim"})  # attributes
_DEPTH = 4
_READS = (
    ast.Name,
    ast.Constant,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.List,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.GeneratorExp,
    ast.comprehension,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.expr_context,
)


def changes_nothing(module: PythonModule, node: ast.expr, depth: int = 0) -> bool:
    """Whether evaluating an expression is known to change nothing, whatever it gives."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            if part.keywords or not is_harmless(module, part.func, depth):
                return False
        elif not isinstance(part, _READS):
            return False
    return True


def is_harmless(module: PythonModule, function: ast.expr, depth: int = 0) -> bool:
    """Whether a function is known to change nothing."""
    full = module.full_name(function)
    if full.startswith(("numpy.", "torch.")):
        return full.removeprefix("numpy.") in _NUMPY or full == "torch.compiler.is_compiling"
    if isinstance(function, ast.Attribute) and function.attr in _ASKING and not full:
        methods = (each for found in module.classes.values() for each in found.body if isinstance(each, ast.FunctionDef))
        return all(each.name not in _ASKING for each in methods)
    if not isinstance(function, ast.Name) or module.bound[function.id] > 1:
        return False
    if function.id in module.functions and depth < _DEPTH:
        return _only_gives(module, module.functions[function.id], depth + 1)
    return function.id in _BUILTINS and not module.bound[function.id]


def may_store(module: PythonModule, call: ast.Call, full: str) -> bool:
    """Whether a call may store into an array or change a list; `full` is what its name is in a library, if it is in one.

    NumPy's functions store where they are given an array for the result.
    """
    name = full.removeprefix("numpy.")
    if any(each.arg == "out" for each in call.keywords) or 0 < operands_of(name) < len(call.args):
        return True
    if full.startswith("torch."):
        return name.endswith("_")
    if not name and isinstance(call.func, ast.Attribute):
        return call.func.attr in CHANGING or call.func.attr.endswith("_")
    return name.endswith(".at") if name else not is_harmless(module, call.func)


def is_guard(module: PythonModule, function: ast.FunctionDef, depth: int = 0) -> bool:
    """Whether a function only refuses arguments: it raises, or gives None and has changed nothing."""
    numbers = _numbers_of(function)
    return depth < _DEPTH and _is_plain(function) and all(_guards(module, each, depth, numbers) for each in function.body)


def _numbers_of(function: ast.FunctionDef) -> frozenset[str]:
    """Local names that are numbers wherever a plain assignment gives them a value: `+=` gives them another one, and changes no
    object.
    """
    stored, given = Counter[str](), Counter[str]()
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                stored[name] += 1
            case ast.AugAssign(target=ast.Name(id=name)):
                given[name] += 1
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_number(value):
                given[name] += 1
            case ast.arg(arg=name):
                stored[name] += 1
            case _:
                pass
    return frozenset(name for name in given if given[name] == stored[name])


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is certainly a number."""
    match node:
        case ast.Attribute(attr=name):
            return name in _NUMBERS
        case ast.Constant(value=value):
            return isinstance(value, int)
        case _:
            return False


def _is_plain(function: ast.FunctionDef) -> bool:
    return not (function.args.vararg or function.args.kwarg or function.decorator_list)


def _guards(module: PythonModule, node: ast.stmt, depth: int, numbers: frozenset[str] = frozenset()) -> bool:
    match node:
        case ast.Pass() | ast.Expr(value=ast.Constant()) | ast.Raise() | ast.Return(value=None):
            return True
        case ast.If(test=test, body=body, orelse=other):
            parts = (_guards(module, each, depth, numbers) for each in (*body, *other))
            return changes_nothing(module, test, depth) and all(parts)
        case ast.Assign(targets=targets, value=value):
            return all(map(_is_local, targets)) and changes_nothing(module, value, depth)
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            return name in numbers and changes_nothing(module, value, depth)
        case ast.For(target=target, iter=over, body=body, orelse=[]):
            inside = all(_guards(module, each, depth, numbers) for each in body)
            return inside and _is_local(target) and changes_nothing(module, over, depth)
        case ast.Expr(value=ast.Call() as call):
            return guards(module, call, depth + 1)
        case _:
            return False


def _is_local(target: ast.expr) -> bool:
    """Whether an assignment to it gives local names new values, and changes no object."""
    return all(map(_is_local, target.elts)) if isinstance(target, ast.Tuple) else isinstance(target, ast.Name)


def guards(module: PythonModule, call: ast.Call, depth: int = 0) -> bool:
    """Whether a call only refuses arguments."""
    if not isinstance(call.func, ast.Name) or module.bound[call.func.id] != 1:
        return False
    function = module.functions.get(call.func.id)
    given = (*call.args, *(each.value for each in call.keywords))
    return function is not None and is_guard(module, function, depth) and all(changes_nothing(module, each) for each in given)


def numbers_of_axes(module: PythonModule, function: ast.FunctionDef) -> dict[str, int]:
    """How many axes parameters have wherever the function goes on: of other arrays, a guard at its beginning raises."""
    found: dict[str, int] = {}
    for node in takewhile(lambda each: isinstance(each, ast.Expr | ast.If), function.body):
        if isinstance(node, ast.If):
            found |= _axes_needed(node, {})
        elif isinstance(call := node.value, ast.Call) and guards(module, call):  # type: ignore[attr-defined]
            assert isinstance(call.func, ast.Name)
            guard = module.functions[call.func.id]
            given = dict(zip([each.arg for each in guard.args.args], call.args, strict=False))
            for name, number in (pair for each in guard.body for pair in _axes_needed(each, given).items()):
                if isinstance(array := given.get(name), ast.Name):
                    found[array.id] = number
    return found


def _axes_needed(node: ast.stmt, given: Mapping[str, ast.expr]) -> dict[str, int]:
    """The arrays whose other numbers of axes a statement refuses; `given`: what some names stand for."""
    if not isinstance(node, ast.If) or not isinstance(node.body[-1], ast.Raise):
        return {}
    either = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or) else [node.test]
    found: dict[str, int] = {}
    for part in either:
        match part:
            case ast.Compare(
                left=ast.Attribute(value=ast.Name(id=name), attr="ndim")
                | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="dim"), args=[]),
                ops=[ast.NotEq()],
                comparators=[wanted],
            ) if (number := _number(wanted, given)) is not None:
                found[name] = number
            case _:
                pass
    return found


def _number(node: ast.expr, given: Mapping[str, ast.expr]) -> int | None:
    """A number that is written out, or the length of a tuple that is."""
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id=name) if name in given:
            return _number(given[name], {})
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]) if isinstance(given.get(name), ast.Tuple):
            return len(given[name].elts)  # type: ignore[attr-defined]
        case _:
            return None


def _only_gives(module: PythonModule, function: ast.FunctionDef, depth: int) -> bool:
    """Whether a function only computes a value."""
    return _is_plain(function) and all(_gives(module, each, depth) for each in function.body)


def _gives(module: PythonModule, node: ast.stmt, depth: int) -> bool:
    match node:
        case ast.Return(value=value):
            return value is None or changes_nothing(module, value, depth)
        case ast.If(test=test, body=body, orelse=other):
            parts = (_gives(module, each, depth) for each in (*body, *other))
            return changes_nothing(module, test, depth) and all(parts)
        case _:
            return _guards(module, node, depth)


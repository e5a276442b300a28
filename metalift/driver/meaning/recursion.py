"""Structural recursion on lists, by form: which functions are accepted, and what each part of them is.

    def f(x, ...):
        return BASE if not x else STEP

in which every call of f in STEP passes x[1:] for x. Such a function ends on every list. Where it returns a number, it is a
fold from the last element to the first; where it is called at the end of STEP only, with other arguments that change, a fold from
the first element on; where STEP puts elements before the list that the call returns, a list with an element for each of x.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from metalift.driver.meaning.source import FunctionSource

FORM = "BASE if not x else STEP, where every call in STEP passes x[1:] for x"


@dataclass(frozen=True)
class Elements:
    """A list result: the elements that one step puts before, or behind, what the recursive call returns."""

    items: tuple[ast.expr, ...]
    behind: bool
    call: ast.Call


@dataclass(frozen=True)
class Choice:
    """What a step gives where a condition holds, and where it does not."""

    test: ast.expr
    then: Step
    other: Step


Step = Elements | Choice


@dataclass(frozen=True)
class Recursion:
    """The parts of a function that recurs on lists.

    `walked` are the parameters of which each call passes all but the first element; `ends` those whose end is tested. `least` is
    1 where the base is a list of one element. `counters` change by a fixed number with each call, `bounded` are those of them
    at whose 0 the recursion ends as well; `accumulators` become any other value.
    """

    walked: tuple[str, ...]
    ends: tuple[str, ...]
    least: int
    counters: Mapping[str, int]
    bounded: tuple[str, ...]
    accumulators: tuple[str, ...]
    base: ast.expr
    step: ast.expr
    elements: Step | None
    calls: tuple[ast.Call, ...]


@lru_cache(maxsize=1 << 12)
def calls_itself(tree: ast.FunctionDef) -> bool:
    """Whether the function's body calls the function by its name."""
    return any(_is_call(node, tree.name) for node in ast.walk(tree))


def recursion_of(source: FunctionSource) -> Recursion:
    """The parts of a function that calls itself; raises DriverError with what is not of the accepted form."""
    tree = source.tree
    assert isinstance(tree, ast.FunctionDef)
    body = as_expression(tree.body)
    if not isinstance(body, ast.IfExp):
        call = next(node for node in ast.walk(tree) if _is_call(node, tree.name))
        raise source.error(call, f"{tree.name!r} calls itself; accepted is the form {FORM}")
    params = [arg.arg for arg in tree.args.args]
    ends, base, step = _ends(body, params)
    if ends is None:
        raise source.error(body.test, f"{ast.unparse(body.test)!r} does not ask for the end of a list; the form is {FORM}")
    calls = tuple(node for node in ast.walk(step) if isinstance(node, ast.Call) and _is_call(node, tree.name))
    outside = next((node for part in (base, body.test) for node in ast.walk(part) if _is_call(node, tree.name)), None)
    if outside is not None or not calls:
        raise source.error(outside or tree, f"{tree.name!r} calls itself outside of STEP; the form is {FORM}")
    changes = [_changes(source, call, params) for call in calls]
    walked = tuple(name for name in params if all(change.get(name) == "tail" for change in changes))
    for call, change in zip(calls, changes, strict=True):
        odd = next((n for n in params if change.get(n) == "tail" and n not in walked), None)
        missing = next((n for n in ends.lists if n not in walked), odd)
        if missing is not None:
            message = f"this call of {tree.name!r} does not pass {missing}[1:] for {missing!r}; the form is {FORM}"
            raise source.error(call, message)
    counters, accumulators = _others(params, changes, walked)
    odd = next((name for name in ends.numbers if counters.get(name) != -1), None)
    if odd is not None:
        raise source.error(tree, f"the recursion ends at {odd!r} = 0, so each call has to pass {odd} - 1 for it")
    if not ends.lists or (ends.least and len(ends.lists) > 1):
        raise source.error(body.test, f"the end of no list is asked for; the form is {FORM}")
    _partial(source, base, ends)
    elements = _elements(step, tree.name)
    if accumulators and elements is None and not _only_at_the_end(step, tree.name):
        message = f"{tree.name!r} changes {accumulators[0]!r} and uses what the call returns; accepted is one of both"
        raise source.error(calls[0], message)
    return Recursion(walked, ends.lists, ends.least, counters, ends.numbers, accumulators, base, step, elements, calls)


# The body as one expression


def as_expression(body: list[ast.stmt]) -> ast.expr | None:
    """What the statements return, as one expression; None where they are other than assignments, if and return."""
    for position, statement in enumerate(body):
        rest = body[position + 1 :]
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Return(value=ast.expr() as value):
                return value
            case ast.If(test=test, body=then, orelse=other):
                left, right = as_expression([*then, *rest]), as_expression([*other, *rest])
                if left is None or right is None:
                    return None
                return ast.copy_location(ast.IfExp(test=test, body=left, orelse=right), statement)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                following = as_expression(rest)
                if following is None or not _names(value, ast.Load).union({name}).isdisjoint(_names(following, ast.Store)):
                    return None  # a comprehension in what follows binds one of the names anew
                whole: ast.expr = _Named(name, value).visit(following)
                return whole
            case _:
                return None
    return None


def _names(node: ast.expr, context: type[ast.expr_context]) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, context)}


class _Named(ast.NodeTransformer):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name = name
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.value if node.id == self.name and isinstance(node.ctx, ast.Load) else node


# Where it ends


@dataclass(frozen=True)
class _Ends:
    """The lists and numbers at whose end the base is returned; `least` is the length that it is returned for."""

    lists: tuple[str, ...]
    numbers: tuple[str, ...]
    least: int


def _ends(body: ast.IfExp, params: list[str]) -> tuple[_Ends | None, ast.expr, ast.expr]:
    """Where the recursion ends, its base and its step; the test may be written either way round."""
    found = _joined(body.test, params, ast.Or, _AT_END)
    if found is not None:
        return found, body.body, body.orelse
    return _joined(body.test, params, ast.And, _BEFORE_END), body.orelse, body.body


def _joined(
    test: ast.expr, params: list[str], connective: type[ast.boolop], compared: Mapping[tuple[type[ast.cmpop], int], int]
) -> _Ends | None:
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, connective) else [test]
    lists: list[str] = []
    numbers: list[str] = []
    lengths: set[int] = set()
    for part in parts:
        found = _tested(part, connective is ast.Or, compared)
        if found is None or found[0] not in params:
            return None
        name, is_list, length = found
        if is_list:
            lists.append(name)
            lengths.add(length)
        elif length == 0:
            numbers.append(name)
        else:
            return None
    return _Ends(tuple(lists), tuple(numbers), lengths.pop() if lengths else 0) if len(lengths) <= 1 else None


# Comparisons with a literal that hold exactly at or below a length, and those that hold exactly above it.
_AT_END: dict[tuple[type[ast.cmpop], int], int] = {(ast.LtE, 0): 0, (ast.Lt, 1): 0, (ast.LtE, 1): 1, (ast.Lt, 2): 1}
_BEFORE_END: dict[tuple[type[ast.cmpop], int], int] = {(ast.Gt, 0): 0, (ast.GtE, 1): 0, (ast.Gt, 1): 1, (ast.GtE, 2): 1}
_EXACTLY: dict[bool, type[ast.cmpop]] = {True: ast.Eq, False: ast.NotEq}


def _tested(part: ast.expr, at_end: bool, compared: Mapping[tuple[type[ast.cmpop], int], int]) -> tuple[str, bool, int] | None:
    """The parameter whose end a condition asks for, whether it is a list, and the length that it asks for."""
    match part:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)) if at_end:
            return name, True, 0
        case ast.Name(id=name) if not at_end:
            return name, True, 0
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.List(elts=[])]) if isinstance(op, _EXACTLY[at_end]):
            return name, True, 0
        case ast.Compare(ast.Call(ast.Name("len"), [ast.Name(id=name)]), [op], [ast.Constant(value=int(value))]):
            if isinstance(op, _EXACTLY[at_end]) and value in (0, 1):
                return name, True, value
            length = compared.get((type(op), value))
            return None if length is None else (name, True, length)
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=int(value))]):
            length = compared.get((type(op), value))
            return None if length is None else (name, False, length)
        case _:
            return None


def _partial(source: FunctionSource, base: ast.expr, ends: _Ends) -> None:
    """Refuse a base that reads elements which an empty list has not."""
    for node in ast.walk(base):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=where) if name in ends.lists:
                first = isinstance(where, ast.Constant) and where.value in (0, -1)
                if not (ends.least == 1 and first and len(ends.lists) == 1):
                    raise source.error(node, f"{ast.unparse(node)!r} is not there: the base is reached where {name!r} is empty")


# The recursive calls


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _changes(source: FunctionSource, call: ast.Call, params: list[str]) -> dict[str, str | int]:
    """What a call passes for each parameter: its tail, a change by a number (0: the same), or something else."""
    if call.keywords or len(call.args) != len(params):
        raise source.error(call, f"this call passes {len(call.args)} arguments in order, of {len(params)}")
    return {name: _change(name, arg) for name, arg in zip(params, call.args, strict=True)}


def _change(name: str, arg: ast.expr) -> str | int:
    match arg:
        case ast.Subscript(value=ast.Name(id=same), slice=ast.Slice(lower=ast.Constant(value=1), upper=None, step=None)):
            return "tail" if same == name else "other"
        case ast.Name(id=same) if same == name:
            return 0
        case ast.BinOp(left=ast.Name(id=same), op=ast.Add() | ast.Sub() as op, right=ast.Constant(value=int(by))) if same == name:
            return by if isinstance(op, ast.Add) else -by
        case _:
            return "other"


def _others(
    params: list[str], changes: list[dict[str, str | int]], walked: tuple[str, ...]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """The parameters that change by a fixed number, and those that become something else in some call."""
    counters: dict[str, int] = {}
    accumulators: list[str] = []
    for name in params:
        values = {change[name] for change in changes}
        if name in walked or values == {0}:
            continue
        by = values.pop() if len(values) == 1 else "other"
        if isinstance(by, int):
            counters[name] = by
        else:
            accumulators.append(name)
    return counters, tuple(accumulators)


def _only_at_the_end(step: ast.expr, name: str) -> bool:
    """Whether the value of every call is the value of the step."""
    match step:
        case ast.IfExp(test=test, body=then, orelse=other):
            tested = any(_is_call(node, name) for node in ast.walk(test))
            return not tested and _only_at_the_end(then, name) and _only_at_the_end(other, name)
        case ast.Call() if _is_call(step, name):
            return not any(_is_call(node, name) for arg in step.args for node in ast.walk(arg))
        case _:
            return False


def _elements(step: ast.expr, name: str) -> Step | None:
    """The step of a function that returns a list; None for another function."""
    match step:
        case ast.IfExp(test=test, body=then, orelse=other):
            left, right = _elements(then, name), _elements(other, name)
            if left is not None and right is None and isinstance(other, ast.Call) and _is_call(other, name):
                right = Elements((), False, other)
            elif right is not None and left is None and isinstance(then, ast.Call) and _is_call(then, name):
                left = Elements((), False, then)
            return None if left is None or right is None else Choice(test, left, right)
        case ast.List(elts=[*items, ast.Starred(value=rest)]) if _is_call(rest, name):
            return _plain(items, rest, name, behind=False)
        case ast.List(elts=[ast.Starred(value=rest), *items]) if _is_call(rest, name):
            return _plain(items, rest, name, behind=True)
        case ast.BinOp(left=ast.List(elts=items), op=ast.Add(), right=rest) if _is_call(rest, name):
            return _plain(items, rest, name, behind=False)
        case ast.BinOp(left=rest, op=ast.Add(), right=ast.List(elts=items)) if _is_call(rest, name):
            return _plain(items, rest, name, behind=True)
        case _:
            return None


def _plain(items: list[ast.expr], call: ast.expr, name: str, *, behind: bool) -> Elements | None:
    """The elements, where they do not themselves depend on what a call returns."""
    if any(isinstance(item, ast.Starred) or any(_is_call(node, name) for node in ast.walk(item)) for item in items):
        return None
    assert isinstance(call, ast.Call)
    return Elements(tuple(items), behind, call)


def leaves(step: Step) -> Iterator[Elements]:
    """What the branches of a step put into the list."""
    if isinstance(step, Elements):
        yield step
    else:
        yield from leaves(step.then)
        yield from leaves(step.other)

"""The first of equal elements, where that is written without a set of those that were there.

    for x in xs:                            for x in xs:
        if x not in out:                        if x not in seen:
            out.append(x)                           seen.add(x)
                                                    out.append(x)

`list(dict.fromkeys(xs))` is the elements before which there is no equal one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from metalift.frontend.python.keys.containers import has_other_meaning, is_pure
from metalift.frontend.python.keys.rewriting import assign, at, fresh, is_name, read_name, uses
from metalift.frontend.python.naming.module import PythonModule


def with_sets(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    """A copy of the function with sets; what is in another form stays as it is."""
    if has_other_meaning(module, function):
        return function
    function = copy.deepcopy(function)
    taken = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | {arg.arg for arg in function.args.args}
    _FromKeys(function, taken).visit(function)
    for place, stmt in reversed(list(enumerate(function.body))):
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[])):
                _asked(module, function, place, name, taken)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.List(elts=[])):
                _asked(module, function, place, name, taken)
    return ast.fix_missing_locations(function)


def without_continue(function: ast.FunctionDef) -> ast.FunctionDef:
    """A copy of the function, in whose loops what comes behind `if c: continue` is a choice."""
    function = copy.deepcopy(function)
    for node in list(ast.walk(function)):
        if isinstance(node, ast.For):
            node.body = _without_continue(node.body)
    return ast.fix_missing_locations(function)


def _without_continue(stmts: list[ast.stmt]) -> list[ast.stmt]:
    for place, stmt in enumerate(stmts):
        match stmt:
            case ast.If(test=test, body=[ast.Continue()], orelse=[]) if stmts[place + 1 :]:
                rest = _without_continue(stmts[place + 1 :])
                return [*stmts[:place], at(ast.If(test=_opposite(test), body=rest, orelse=[]), stmt)]
    return stmts


def _opposite(test: ast.expr) -> ast.expr:
    """A condition that holds where another does not."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.BoolOp(op=op, values=values):
            return ast.BoolOp(op=ast.And() if isinstance(op, ast.Or) else ast.Or(), values=[_opposite(each) for each in values])
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=others):
            return ast.Compare(left=left, ops=[ast.NotIn() if isinstance(op, ast.In) else ast.In()], comparators=others)
    return ast.UnaryOp(op=ast.Not(), operand=test)


class _FromKeys(ast.NodeTransformer):
    """A comprehension for `list(dict.fromkeys(xs))` of a parameter."""

    def __init__(self, function: ast.FunctionDef, taken: set[str]) -> None:
        self.params = {arg.arg for arg in function.args.args}
        self.taken = taken

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The call."""
        self.generic_visit(node)
        match node:
            case ast.Call(
                func=ast.Name(id="list"),
                args=[ast.Call(func=ast.Attribute(value=ast.Name(id="dict"), attr="fromkeys"), args=[ast.Name(id=name)])],
            ) if name in self.params and not node.keywords:
                place, before, each = (fresh(wanted, self.taken) for wanted in ("place", "before", "each"))
                none = f"not any({name}[{before}] == {each} for {before} in range({place}))"
                found = ast.parse(f"[{each} for {place}, {each} in enumerate({name}) if {none}]", mode="eval").body
                for part in ast.walk(found):
                    ast.copy_location(part, node)
                return found
        return node


def _asked(module: PythonModule, function: ast.FunctionDef, place: int, name: str, taken: set[str]) -> None:
    """A set beside a list that is only asked what it has, gets elements, and is returned."""
    rest = function.body[place + 1 :]
    questions = [node for stmt in rest for node in ast.walk(stmt) if _asks(node, name)]
    appends = list(_appends(function.body, name))
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return) and node.value and is_name(node.value, name)]
    if not questions or uses(function.body, name) != 1 + len(questions) + len(appends) + len(returns):
        return
    if not all(is_pure(element, module) for _, _, element in appends):
        return
    seen = fresh("seen", taken)
    for node in questions:
        assert isinstance(node, ast.Compare)
        node.comparators = [ast.copy_location(read_name(seen), node)]
    for block, at_, element in reversed(appends):
        added = ast.Call(func=ast.Attribute(value=read_name(seen), attr="add"), args=[copy.deepcopy(element)], keywords=[])
        block.insert(at_, at(ast.Expr(value=added), block[at_]))
    new = ast.Call(func=read_name("set"), args=[], keywords=[])
    function.body.insert(place, at(assign(seen, new), function.body[place]))


def _asks(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[owner]):
            return is_name(owner, name)
    return False


def _appends(block: list[ast.stmt], name: str) -> Iterator[tuple[list[ast.stmt], int, ast.expr]]:
    """The statements of a block, and of those in it, that append something to a list."""
    for place, stmt in enumerate(block):
        match stmt:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[element], keywords=[])):
                if is_name(owner, name):
                    yield block, place, element
            case ast.For() | ast.While() | ast.If():
                yield from _appends(stmt.body, name)
                yield from _appends(stmt.orelse, name)

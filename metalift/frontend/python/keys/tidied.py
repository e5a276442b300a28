"""Statements of functions with dictionaries in the forms that the other passes know.

    try:                                    if w in counts:
        counts[w] += 1                          counts[w] += 1
    except KeyError:                        else:
        counts[w] = 1                           counts[w] = 1

`m, n = {}, {}` is two statements, and the names of a comprehension are no others of the function. Dictionaries of records have
only the parts that are used (`metalift.frontend.python.keys.records`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass

from metalift.frontend.python.keys.containers import is_pure, made
from metalift.frontend.python.keys.records import without_records
from metalift.frontend.python.keys.rewriting import Renamed, at, fresh, loaded, read_name, same, stored, uses, uses_in
from metalift.frontend.python.naming.module import PythonModule

_Comprehension = ast.DictComp | ast.SetComp | ast.GeneratorExp | ast.ListComp


def tidied(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    """A copy of the function in these forms; what is in another form stays as it is."""
    function = copy.deepcopy(function)
    function = _Apart().visit(function)
    function = _Comprehensions(function).visit(function)
    function = _OwnNames(function).visit(function)
    function = _Tries(module, function).visit(function)
    assert isinstance(function, ast.FunctionDef)
    return without_records(module, function)


class _Apart(ast.NodeTransformer):
    """One statement for each name of those that get values at once, which are computed of none of these names."""

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if (
                len(targets) == len(values)
                and all(isinstance(each, ast.Name) for each in targets)
                and not any(isinstance(part, ast.Starred | ast.NamedExpr) for part in ast.walk(node))
                and not stored([node]) & loaded([node])
            ):
                pairs = zip(targets, values, strict=True)
                return [at(ast.Assign(targets=[target], value=value), node) for target, value in pairs]
        return node


class _Comprehensions(ast.NodeTransformer):
    """Comprehensions for dictionaries that are made of pairs."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.taken = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        self.params = {arg.arg for arg in function.args.args}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="dict"), args=[given], keywords=[]):
                pass
            case _:
                return node
        match given:
            case ast.GeneratorExp(elt, generators) | ast.ListComp(elt, generators):
                match elt:
                    case ast.Tuple(elts=[key, value]):
                        return ast.copy_location(ast.DictComp(key=key, value=value, generators=generators), node)
                return node
            case ast.Call(func=ast.Name(id="zip"), args=[_, _], keywords=[]):
                pass
            case ast.Name(id=name) if name in self.params:
                pass
            case _:
                return node
        names = [fresh(each, self.taken) for each in ("key", "value")]
        target = ast.Tuple(elts=[ast.Name(id=each, ctx=ast.Store()) for each in names], ctx=ast.Store())
        generator = ast.comprehension(target=target, iter=given, ifs=[], is_async=0)
        key, value = (read_name(each) for each in names)
        return ast.copy_location(ast.DictComp(key=key, value=value, generators=[generator]), node)


class _OwnNames(ast.NodeTransformer):
    """Other names for those of comprehensions that the function uses elsewhere, too."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = function
        self.taken = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        self.taken |= {arg.arg for arg in function.args.args}

    def _visit(self, node: _Comprehension) -> ast.AST:
        self.generic_visit(node)
        bound = {part.id for each in node.generators for part in ast.walk(each.target) if isinstance(part, ast.Name)}
        params = {arg.arg for arg in self.function.args.args}
        again = {each for each in bound if each in params or uses(self.function.body, each) > uses_in(node, each)}
        if not again or any(isinstance(part, ast.NamedExpr) for part in ast.walk(node)):
            return node
        first = node.generators[0].iter  # is evaluated where the names are those of the function
        changed = Renamed({each: fresh(each, self.taken) for each in sorted(again)}).visit(copy.deepcopy(node))
        changed.generators[0].iter = first
        assert isinstance(changed, ast.AST)
        return changed

    visit_DictComp = visit_SetComp = visit_GeneratorExp = visit_ListComp = _visit


@dataclass(slots=True)
class _Read:
    """What a dictionary has at a key, where a statement reads that first."""

    name: str
    key: ast.expr


class _Tries(ast.NodeTransformer):
    """Choices for statements that are tried and fail where a dictionary lacks a key."""

    def __init__(self, module: PythonModule, function: ast.FunctionDef) -> None:
        self.module = module
        self.params = {arg.arg for arg in function.args.args} - stored(function.body)
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        self.strict = {name for stmt in function.body if (name := self._made(stmt)) and sum(n.id == name for n in names) == 1}

    def _made(self, stmt: ast.stmt) -> str:
        """The name of a new dictionary that fails to give what it lacks."""
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                new = made(self.module, value)
                return name if new is not None and not new.is_set and new.default is None and not new.inserts else ""
        return ""

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        self.generic_visit(node)
        match node:
            case ast.Try(
                body=body, handlers=[ast.ExceptHandler(type=ast.Name(id="KeyError"), name=None, body=handler)], finalbody=[]
            ) if not self.module.bound["KeyError"]:
                read = self._read(body[0])
                if read is None or not self._only_fails_there(body, read):
                    return node
                test = ast.Compare(left=copy.deepcopy(read.key), ops=[ast.In()], comparators=[read_name(read.name)])
                return at(ast.If(test=test, body=[*body, *node.orelse], orelse=handler), node)
        return node

    def _read(self, stmt: ast.stmt) -> _Read | None:
        """The first place where a statement reads a dictionary; None where it may not get there, or does more before."""
        match stmt:
            case ast.Assign(targets=[ast.Name() | ast.Tuple() | ast.Subscript()], value=value):
                parts = list(ast.walk(value))
            case ast.AugAssign(target=target, value=value):
                parts = [part for each in (target, value) for part in ast.walk(each)]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Subscript() as place, attr="append"))):
                parts = [place]
            case _:
                return None
        if any(isinstance(part, ast.IfExp | ast.BoolOp | ast.Lambda | _Comprehension) for part in parts):
            return None
        found = (part for part in parts if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name))
        reads = (_Read(part.value.id, part.slice) for part in found if isinstance(part.value, ast.Name))
        return next((read for read in reads if read.name in self.strict), None)

    def _only_fails_there(self, stmts: Sequence[ast.stmt], read: _Read) -> bool:
        """Whether nothing else in statements fails for want of a key."""
        if stored(stmts) & loaded([ast.Expr(value=read.key)]) or not is_pure(read.key, self.module):
            return False
        return all(self._is_safe(part, read) for stmt in stmts for part in ast.walk(stmt))

    def _is_safe(self, part: ast.AST, read: _Read) -> bool:
        match part:
            case ast.Subscript(value=ast.Name(id=name), slice=key) if name == read.name:
                return same(key, read.key)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Load()):
                return name in self.params  # a list
            case ast.Subscript(value=ast.Subscript(value=ast.Name(id=name)), slice=ast.Constant()):
                return name == read.name
            case ast.Subscript() | ast.Delete() | ast.Raise() | ast.Try():
                return False
            case ast.Call(func=ast.Attribute(value=ast.Subscript(value=ast.Name(id=name)), attr="append")):
                return name == read.name
            case ast.Call():
                return is_pure(part, self.module)
        return True

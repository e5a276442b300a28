"""Expressions of all keys of a dictionary or set as loops over it: `len(m)`, `sum(m.values())`, `max(f(k) for k in m)`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from metalift.frontend.python.keys.keyed import makes
from metalift.frontend.python.keys.rewriting import Renamed, assign, at, bound, fresh, loaded, read_name, stored
from metalift.frontend.python.naming.module import PythonModule

_REDUCTIONS = ("sum", "max", "min", "any", "all")


@dataclass(frozen=True, slots=True)
class LoopOver:
    """A loop over a dictionary that computes `names`, which have values before by `start`, and what it is a value for."""

    start: tuple[ast.stmt, ...]
    loop: ast.stmt
    names: tuple[str, ...]
    value: ast.expr


def looped(iterated: ast.expr, target: ast.expr, maps: Collection[str]) -> str | None:
    """The dictionary or set that a loop runs over by its keys, or keys and values; None where it does otherwise."""
    match iterated, target:
        case ast.Name(id=name), ast.Name() if name in maps:
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="keys"), args=[], keywords=[]), ast.Name() if name in maps:
            return name
        case (
            ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items"), args=[], keywords=[]),
            ast.Tuple(elts=[ast.Name(), ast.Name()]),
        ) if name in maps:
            return name
    return None


def by_items(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    """A copy of the function in which dictionaries of which something of all keys is asked have names, and loops over values are
    loops over keys and values.
    """
    function = copy.deepcopy(function)
    taken = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | {arg.arg for arg in function.args.args}
    body: list[ast.stmt] = []
    for stmt in function.body:
        naming = _Named(module, stmt, taken)
        changed = naming.visit(stmt)
        body += [*naming.lines, changed]
    function.body = body
    maps = {name for stmt in body for name in _new(module, stmt)}
    function.body = [_Items(maps, taken).visit(stmt) for stmt in function.body]
    return ast.fix_missing_locations(function)


def is_new(module: PythonModule, value: ast.expr | None) -> bool:
    """Whether an expression is a new dictionary or set, whatever its values are."""
    defaults = isinstance(value, ast.Call) and module.full_name(value.func) == "collections.defaultdict"
    return defaults or makes(module, value)


def _new(module: PythonModule, stmt: ast.stmt) -> list[str]:
    """The name of the dictionary or set that a statement makes."""
    match stmt:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
            return [name] if is_new(module, value) else []
    return []


class _Named(ast.NodeTransformer):
    """Names for new dictionaries and sets of which something of all keys is asked where they are made."""

    def __init__(self, module: PythonModule, stmt: ast.stmt, taken: set[str]) -> None:
        self.module = module
        self.bound = bound(stmt)
        self.sometimes = evaluated_sometimes(stmt)
        self.taken = taken
        self.lines: list[ast.stmt] = []

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.expr() as whole], keywords=[]) if self._is_new(whole):
                return ast.copy_location(ast.Call(func=node.func, args=[self._name(whole)], keywords=[]), node)
            case ast.Call(func=ast.Attribute(value=ast.expr() as whole, attr="values" | "items" | "keys" as attr), args=[]) if (
                self._is_new(whole)
            ):
                owner = ast.Attribute(value=self._name(whole), attr=attr, ctx=ast.Load())
                return ast.copy_location(ast.Call(func=owner, args=[], keywords=[]), node)
        return node

    def _is_new(self, value: ast.expr) -> bool:
        own = {part.id for part in ast.walk(value) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        if id(value) in self.sometimes and may_fail(value, ()):
            return False
        return makes(self.module, value) and not (loaded([ast.Expr(value=value)]) - own) & self.bound

    def _name(self, whole: ast.expr) -> ast.expr:
        name = fresh("made", self.taken)
        self.lines.append(at(assign(name, whole), ast.copy_location(ast.Pass(), whole)))
        return ast.copy_location(ast.Name(id=name, ctx=ast.Load()), whole)


class _Items(ast.NodeTransformer):
    """Loops over keys and values for those over values, and generators for what is reduced."""

    def __init__(self, maps: Collection[str], taken: set[str]) -> None:
        self.maps = maps
        self.taken = taken

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        return self._loop(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        return self._loop(node)

    def _loop(self, node: ast.For | ast.comprehension) -> ast.AST:
        match node.iter:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="values") as owner, args=[]) if name in self.maps:
                owner.attr = "items"
                key = ast.Name(id=fresh("of", self.taken), ctx=ast.Store())
                node.target = ast.copy_location(ast.Tuple(elts=[key, node.target], ctx=ast.Store()), node.target)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=ast.Name(id=called), args=[ast.expr() as whole]) if called in _REDUCTIONS and self._is_all(whole):
                name = fresh("each", self.taken)
                target, value = ast.Name(id=name, ctx=ast.Store()), ast.Name(id=name, ctx=ast.Load())
                generator = ast.comprehension(target=target, iter=whole, ifs=[], is_async=0)
                node.args = [ast.GeneratorExp(elt=value, generators=[generator])]
        self.generic_visit(node)
        return node

    def _is_all(self, node: ast.expr) -> bool:
        match node:
            case ast.Name(id=name) | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="keys" | "values"), args=[]):
                return name in self.maps
        return False


def reduced(stmt: ast.stmt, maps: Collection[str], taken: set[str]) -> Iterator[tuple[ast.expr, LoopOver]]:
    """The values of all keys in a statement."""
    tested = {id(node) for part in ast.walk(stmt) for node in _tested(part)}
    for node in ast.walk(stmt):
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]) if name in maps:
                total = fresh("total", taken)
                yield node, _loop(name, [_added(total, ast.Constant(value=1))], taken, [(total, 0)], read_name(total))
            case ast.Name(id=name) if name in maps and id(node) in tested:
                found = fresh("found", taken)
                lines = [assign(found, ast.Constant(value=True))]
                yield node, _loop(name, lines, taken, [(found, False)], read_name(found))
            case (
                ast.Call(func=ast.Name(id=called), args=[ast.GeneratorExp(elt, [generator])])
                | ast.Call(func=ast.Name(id=called), args=[ast.ListComp(elt, [generator])])
            ) if called in _REDUCTIONS and looped(generator.iter, generator.target, maps):
                found_loop = _reduction(called, elt, generator, node.keywords, taken)
                if found_loop is not None:
                    yield node, found_loop


def evaluated_sometimes(stmt: ast.stmt) -> set[int]:
    """The nodes, by their `id`, that a statement evaluates under a condition, or not at all where there are no elements."""
    found: set[int] = set()
    for part in ast.walk(stmt):
        later: Sequence[ast.AST] = ()
        match part:
            case ast.IfExp(body=body, orelse=orelse):
                later = (body, orelse)
            case ast.BoolOp(values=[_, *others]) | ast.Compare(comparators=[_, *others]):
                later = others
            case ast.Lambda(body=body):
                later = (body,)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                first = {id(node) for node in ast.walk(part.generators[0].iter)}
                found |= {id(node) for child in ast.iter_child_nodes(part) for node in ast.walk(child)} - first
            case ast.If(body=lines, orelse=others) | ast.For(body=lines, orelse=others) | ast.While(body=lines, orelse=others):
                later = (*lines, *others)
        found |= {id(node) for each in later for node in ast.walk(each)}
    return found


def may_fail(node: ast.AST, maps: Collection[str]) -> bool:
    """Whether there may be numbers, or places in lists, for which an expression has no value."""
    for part in ast.walk(node):
        match part:
            case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=ast.Constant(value=int() as number)) if number:
                pass
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
                pass
            case ast.Subscript(value=ast.Name(id=name)) if name in maps:
                pass
            case ast.Call(func=ast.Name() | ast.Attribute(value=ast.Name(), attr="get" | "items" | "values" | "keys")):
                pass
            case ast.BinOp() | ast.Subscript() | ast.Call():
                return True
    return False


def _tested(node: ast.AST) -> list[ast.expr]:
    """What is asked for its truth by a node."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test):
            return [test]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [operand]
    return []


def _reduction(
    called: str, elt: ast.expr, generator: ast.comprehension, keywords: list[ast.keyword], taken: set[str]
) -> LoopOver | None:
    """The loop of a reduction; None where it is one that is not known."""
    own = {name: fresh(name, taken) for name in sorted(stored([ast.For(generator.target, generator.iter, [], [])]))}
    elt, generator = (Renamed(own).visit(copy.deepcopy(part)) for part in (elt, generator))
    value: ast.expr
    match called, keywords:
        case "sum", []:
            total = fresh("total", taken)
            names: list[tuple[str, int | bool]] = [(total, 0)]
            lines, value = [_added(total, elt)], read_name(total)
        case ("any" | "all"), []:
            found = fresh("found", taken)
            names = [(found, False)]
            test = elt if called == "any" else ast.UnaryOp(op=ast.Not(), operand=elt)
            lines = [ast.If(test=test, body=[assign(found, ast.Constant(value=True))], orelse=[])]
            value = read_name(found) if called == "any" else ast.UnaryOp(op=ast.Not(), operand=read_name(found))
        case ("max" | "min"), ([] | [ast.keyword(arg="default")]):
            best, found = fresh("best", taken), fresh("found", taken)
            names = [(best, 0), (found, False)]
            better = ast.Call(func=read_name(called), args=[read_name(best), elt], keywords=[])
            either = ast.IfExp(test=read_name(found), body=better, orelse=copy.deepcopy(elt))
            lines = [assign(best, either), assign(found, ast.Constant(value=True))]
            value = read_name(best)
            if keywords and not (isinstance(keywords[0].value, ast.Constant) and keywords[0].value.value == 0):
                value = ast.IfExp(test=read_name(found), body=value, orelse=keywords[0].value)
        case _:
            return None
    for condition in reversed(generator.ifs):
        lines = [ast.If(test=condition, body=lines, orelse=[])]
    start = tuple(assign(name, ast.Constant(value=zero)) for name, zero in names)
    loop = ast.For(target=generator.target, iter=generator.iter, body=lines, orelse=[])
    return LoopOver(start, copy.deepcopy(loop), tuple(name for name, _ in names), value)


def _loop(name: str, lines: list[ast.stmt], taken: set[str], names: list[tuple[str, int | bool]], value: ast.expr) -> LoopOver:
    key = ast.Name(id=fresh("of", taken), ctx=ast.Store())
    start = tuple(assign(each, ast.Constant(value=zero)) for each, zero in names)
    loop = ast.For(target=key, iter=read_name(name), body=lines, orelse=[])
    return LoopOver(start, loop, tuple(each for each, _ in names), value)


def _added(name: str, value: ast.expr) -> ast.stmt:
    return ast.AugAssign(target=ast.Name(id=name, ctx=ast.Store()), op=ast.Add(), value=value)

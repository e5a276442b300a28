"""Where a function's names have values, and which of these are used after a statement: what a loop takes, and what it leaves.

Both err on the safe side: a name counts as used later where it may be, and as set before only where it is on every way.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp)
_NOW = (ast.ListComp, ast.SetComp, ast.DictComp)
_ASKING = frozenset("locals vars dir eval exec globals".split())
Names = frozenset[str]
NOTHING: Names = frozenset()


def own_names(function: ast.FunctionDef) -> Names:
    """The names that are local to a function, as Python's compiler finds them; not those that it declares to be of outside."""
    bare = ast.FunctionDef(**{**dict(ast.iter_fields(function)), "decorator_list": [], "returns": None})
    table = symtable.symtable(ast.unparse(ast.fix_missing_locations(ast.copy_location(bare, function))), "function", "exec")
    found = next(each for each in table.get_children() if each.get_type() == "function" or each.get_name() == function.name)
    return frozenset(symbol.get_name() for symbol in found.get_symbols() if symbol.is_local())


def declared(function: ast.FunctionDef) -> Names:
    """The names that it, or a function in it, says to be of outside."""
    nodes = (node for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal))
    return frozenset(name for node in nodes for name in node.names)


def captured(function: ast.FunctionDef) -> Names:
    """The names that what runs later may use: functions in it, and generators."""
    inner = (node for node in ast.walk(function) if isinstance(node, _LATER) and node is not function)
    return frozenset(part.id for node in inner for part in ast.walk(node) if isinstance(part, ast.Name)) | declared(function)


def asks_for_names(function: ast.FunctionDef) -> ast.Name | None:
    """Where a function asks for its own names, or runs text."""
    return next((node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in _ASKING), None)


def read_in(node: ast.AST | None, hidden: Names = NOTHING) -> Iterator[str]:
    """The names that evaluating a node may read; names of comprehensions are their own."""
    match node:
        case None:
            return
        case ast.Name(id=name, ctx=ast.Load()):
            if name not in hidden:
                yield name
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            targets = {part.id for each in node.generators for part in ast.walk(each.target) if isinstance(part, ast.Name)}
            yield from read_in(node.generators[0].iter, hidden)
            for child in ast.iter_child_nodes(node):
                yield from read_in(child, hidden | targets)
        case ast.Lambda():
            yield from read_in(node.body, hidden | {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)})
            yield from read_in(node.args, hidden)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from read_in(child, hidden)


def set_in(node: ast.AST) -> Iterator[str]:
    """The names of the function that a node may set or delete, wherever in it."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.NamedExpr(target=ast.Name(id=name)):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
            return
        case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            yield name
        case ast.MatchMapping(rest=str() as name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((alias.asname or alias.name).split(".")[0] for alias in names)
        case ast.Lambda():
            return
    if isinstance(node, (*_NOW, ast.GeneratorExp)):
        yield from (part.target.id for part in ast.walk(node) if isinstance(part, ast.NamedExpr))
        return
    for child in ast.iter_child_nodes(node):
        yield from set_in(child)


def sets_itself(node: ast.AST) -> Iterator[str]:
    """The names that a node sets, not those of its parts but for names that are targets."""
    match node:
        case ast.Name(ctx=ast.Store()) | ast.Import() | ast.ImportFrom():
            yield from set_in(node)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            yield name
        case ast.MatchMapping(rest=str() as name):
            yield name


def _targets(*nodes: ast.AST | None) -> Names:
    """Names that an assignment to these targets sets for sure."""
    match [node for node in nodes if node is not None]:
        case []:
            return NOTHING
        case [*several] if len(several) > 1:
            return NOTHING.union(*map(_targets, several))
        case [ast.Name(id=name)]:
            return frozenset({name})
        case [ast.Tuple(elts=parts) | ast.List(elts=parts)]:
            return _targets(*parts)
        case [ast.Starred(value=value)]:
            return _targets(value)
        case _:
            return NOTHING


def _changed(node: ast.stmt) -> Names:
    """The name that `x += 1` reads beside setting it."""
    return _targets(node.target) if isinstance(node, ast.AugAssign) else NOTHING


@dataclass(frozen=True, slots=True)
class Ways:
    """What is used where control may go from a statement other than on: by an exception, `break`, `continue`, `return`."""

    raised: Names = NOTHING
    broken: Names = NOTHING
    again: Names = NOTHING
    returned: Names = NOTHING


@dataclass(slots=True)
class Uses:
    """Goes backwards through statements; `after` gets for each statement (by its identity) what is used after it."""

    after: dict[int, Names] = field(default_factory=dict)

    def block(self, statements: Sequence[ast.stmt], later: Names, ways: Ways) -> Names:
        """What is used from the beginning of these statements on."""
        for statement in reversed(statements):
            self.after[id(statement)] = self.after.get(id(statement), NOTHING) | later | ways.raised
            later = self.before(statement, later, ways) | ways.raised
        return later

    def before(self, node: ast.stmt, later: Names, ways: Ways) -> Names:
        """What is used from a statement on."""
        match node:
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                leads = {ast.Return: ways.returned, ast.Raise: ways.raised, ast.Break: ways.broken, ast.Continue: ways.again}
                return leads[type(node)] | {*read_in(node)}
            case ast.If(test=test, body=body, orelse=orelse):
                return self.block(body, later, ways) | self.block(orelse, later, ways) | {*read_in(test)}
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(node, later, ways)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                inside = replace(ways, raised=ways.raised | later)  # it may keep an exception to itself
                return self.block(body, later, inside) - _targets(*(each.optional_vars for each in items)) | {
                    name for each in items for name in read_in(each)
                }
            case ast.Try() | ast.TryStar():
                return self._try(node, later, ways)
            case ast.Match(subject=subject, cases=cases):
                bodies = (self.block(each.body, later, ways) | {*read_in(each.pattern), *read_in(each.guard)} for each in cases)
                return later.union(read_in(subject), *bodies)
            case _:
                return later - (_sets(node) or NOTHING) | {*read_in(node)} | _changed(node)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, later: Names, ways: Ways) -> Names:
        """As often as something is added: what the next round uses is used after this one."""
        ended = self.block(node.orelse, later, ways)
        given = NOTHING if isinstance(node, ast.While) else _targets(node.target)
        each = frozenset(read_in(node.test if isinstance(node, ast.While) else node.target))
        start = ended | each
        while True:
            inside = replace(ways, broken=later, again=start)
            more = start | (self.block(node.body, start, inside) - given)
            if more == start:
                return start if isinstance(node, ast.While) else start | {*read_in(node.iter)}
            start = more

    def _try(self, node: ast.Try | ast.TryStar, later: Names, ways: Ways) -> Names:
        """Every statement may go to a handler; whatever leaves goes through the last part."""
        outs = later | ways.raised | ways.broken | ways.again | ways.returned
        final = self.block(node.finalbody, outs, ways) if node.finalbody else NOTHING
        within = Ways(ways.raised | final, ways.broken | final, ways.again | final, ways.returned | final)
        later = later | final
        caught = within.raised.union(
            *(
                self.block(each.body, later, within) - ({each.name} if each.name else NOTHING) | {*read_in(each.type)}
                for each in node.handlers
            )
        )
        body = replace(within, raised=caught)
        return self.block(node.body, self.block(node.orelse, later, within), body)


def set_for_sure(statements: Sequence[ast.stmt]) -> Names | None:
    """The names that have values after statements whatever way they go; None where they never come to their end."""
    found = NOTHING
    for node in statements:
        more = _sets(node)
        if more is None:
            return None
        found |= more
    return found


def _sets(node: ast.stmt) -> Names | None:
    match node:
        case ast.Assign(targets=targets):
            return _targets(*targets)
        case ast.AnnAssign(target=target, value=ast.expr()):
            return _targets(target)
        case ast.AugAssign(target=target):
            return _targets(target)
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return frozenset(set_in(node))
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return None
        case ast.If(body=body, orelse=orelse):
            return _both([set_for_sure(body), set_for_sure(orelse)])
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return _targets(*(each.optional_vars for each in items))  # its body may have been left by an exception
        case ast.Try() | ast.TryStar():
            main = set_for_sure([*node.body, *node.orelse])
            ways = _both([main, *(set_for_sure(each.body) for each in node.handlers)])
            last = set_for_sure(node.finalbody)
            return None if ways is None or last is None else ways | last
        case _:
            return NOTHING


def _both(ways: Sequence[Names | None]) -> Names | None:
    known = [way for way in ways if way is not None]
    return frozenset.intersection(*known) if known else None


def set_before(function: ast.FunctionDef, path: Sequence[tuple[Sequence[ast.stmt], ast.stmt]]) -> Names:
    """The names that have values where a statement begins; `path` are the blocks around it, each with the statement on the way.

    A name that is deleted somewhere, as that of a handler is, does not count.
    """
    args = function.args
    found = {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg) if arg is not None}
    for block, on_the_way in path:
        position = next(at for at, each in enumerate(block) if each is on_the_way)
        found |= set_for_sure(block[:position]) or NOTHING
        match on_the_way:
            case ast.For(target=target, body=body) if path[-1][1] is not on_the_way and _leads(body, path):
                found |= _targets(target)
            case ast.With(items=items):
                found |= _targets(*(each.optional_vars for each in items))
            case _:
                pass
    gone = {part.id for part in ast.walk(function) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Del)}
    gone |= {part.name for part in ast.walk(function) if isinstance(part, ast.ExceptHandler) and part.name}
    return frozenset(found - gone)


def _leads(body: Sequence[ast.stmt], path: Sequence[tuple[Sequence[ast.stmt], ast.stmt]]) -> bool:
    return any(block is body for block, _ in path)

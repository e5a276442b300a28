"""Names that get a new value of a dictionary before it is written there, as what the dictionary has.

    current = balance.get(t.account, 0)             balance[t.account] = (
    if t.paid:                                          balance.get(t.account, 0) + (t.cents if t.paid else -t.cents)
        current += t.cents                          )
    else:                                           history.append(balance[t.account])
        current -= t.cents
    balance[t.account] = current
    history.append(current)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from metalift.frontend.python.keys.containers import is_pure, made
from metalift.frontend.python.keys.rewriting import Put, at, is_name, loaded, stored, uses, uses_in
from metalift.frontend.python.naming.module import PythonModule


def without_names(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function, which is changed, without such names in its loops."""
    maps: set[str] = set()
    for stmt in function.body:
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                new = made(module, value)
                if new is not None and not new.is_set:
                    maps.add(name)
    for loop in [node for node in ast.walk(function) if isinstance(node, ast.For)]:
        for first in range(len(loop.body)):
            found = _written(module, function, loop.body, first, maps)
            if found is not None:
                loop.body = [*loop.body[:first], *found]
                break
    return ast.fix_missing_locations(function)


def _written(
    module: PythonModule, function: ast.FunctionDef, body: Sequence[ast.stmt], first: int, maps: set[str]
) -> list[ast.stmt] | None:
    """The statements from the one on that gives a name its first value; None where they are others."""
    match body[first]:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if uses_in(value, name) == 0 and is_pure(value, module):
            pass
        case _:
            return None
    for place, stmt in enumerate(body[first + 1 :], first + 1):
        match stmt:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=owner), slice=key) as target], value=last):
                rest = body[place + 1 :]
                fixed = is_pure(key, module) and not loaded([ast.Expr(value=key)]) & ({name, owner} | stored(rest))
                apart = uses(rest, owner) == 0 and name not in stored(rest)
                alone = uses(function.body, name) == uses(body[first:], name)
                if owner not in maps or not is_name(last, name) or not (fixed and apart and alone and place > first + 1):
                    return None
                if any(uses_in(each, owner) for each in body[first + 1 : place]):
                    return None  # what is asked after the name has its value may have been put there by that
                read = ast.Subscript(value=target.value, slice=key, ctx=ast.Load())
                line = at(ast.Assign(targets=[target], value=value), stmt)
                return [line, *(at(Put({name: read}).visit(copy.deepcopy(each)), each) for each in rest)]
        more = _more(module, stmt, name)
        if more is None:
            return None
        value = ast.BinOp(left=value, op=ast.Add(), right=more)
    return None


def _more(module: PythonModule, stmt: ast.stmt, name: str) -> ast.expr | None:
    """What a statement adds to a name, and does nothing else."""
    match stmt:
        case ast.AugAssign(target=target, op=ast.Add() | ast.Sub() as op, value=value) if is_name(target, name):
            added: ast.expr = value if isinstance(op, ast.Add) else ast.UnaryOp(op=ast.USub(), operand=value)
            return added if uses_in(value, name) == 0 and is_pure(value, module) else None
        case ast.If(test=test, body=[one], orelse=[] | [_]) if uses_in(test, name) == 0 and is_pure(test, module):
            then, other = _more(module, one, name), _more(module, stmt.orelse[0], name) if stmt.orelse else ast.Constant(value=0)
            return None if then is None or other is None else ast.IfExp(test=test, body=then, orelse=other)
    return None

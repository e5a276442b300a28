"""Operators with several results: each result is a meaning of its own, made of the same function.

Of the statements those are left that the result depends on, so that what belongs to the other results is no part of it.
"""

from __future__ import annotations

import ast
import copy
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from metalift.driver.meaning.reader import Meaning, read_source
from metalift.driver.meaning.recursion import calls_itself
from metalift.driver.meaning.source import FunctionSource, function_source


@dataclass(frozen=True, slots=True)
class Part:
    """Which result of how many an operator is, and what the operator with all of them is called."""

    whole: str
    at: int
    of: int


class _Result:
    """The function, of whose results one is given. It is looked at as a function is, for its names and annotations."""

    def __init__(self, function: Callable[..., Any], at: int, hints: dict[str, Any]) -> None:
        self.function, self.at = function, at
        self.__globals__ = function.__globals__
        self.__annotations__ = {**hints, "return": get_args(hints["return"])[at]}

    def __call__(self, *args: object) -> object:
        return self.function(*args)[self.at]


def read_results(function: Callable[..., Any], results: Sequence[str]) -> list[Meaning]:
    """The meaning of each result. Raises DriverError where they are not as many as their names, or not given one by one."""
    source = function_source(function)
    tree = source.tree
    assert isinstance(tree, ast.FunctionDef)
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        raise source.error(tree, f"operator {tree.name!r}: {error}") from error
    types = get_args(hints.get("return")) if get_origin(hints.get("return")) is tuple else ()
    if len(types) != len(results) or len(set(results)) < 2 or not all(each.isidentifier() for each in results):
        named = ", ".join(results)
        raise source.error(tree, f"{tree.name!r} has the results {named}: its type is a tuple of as many, as in tuple[Elem, Int]")
    if calls_itself(tree):
        raise source.error(tree, f"{tree.name!r} calls itself: a recursion has one result")
    for node in _returns(tree.body):
        if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != len(results):
            raise source.error(node, f"{tree.name!r} has {len(results)} results: each of its returns gives them one by one")
    parts = [FunctionSource(_Result(function, at, hints), _of_result(tree, at), source.file) for at in range(len(results))]
    return [read_source(part) for part in parts]


def _of_result(tree: ast.FunctionDef, at: int) -> ast.FunctionDef:
    """The function with that result alone."""
    found = copy.deepcopy(tree)
    for node in _returns(found.body):
        assert isinstance(node.value, ast.Tuple)
        node.value = node.value.elts[at]
    found.body = _needed(found.body, _names_needed(found.body))
    return found


def _returns(body: Sequence[ast.stmt]) -> Iterator[ast.Return]:
    for statement in body:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.Return))


def _names_needed(body: Sequence[ast.stmt]) -> set[str]:
    """The names on which what is returned depends."""
    needed: set[str] = set()
    before = -1
    while before != len(needed):
        before = len(needed)
        for statement in (node for each in body for node in ast.walk(each) if isinstance(node, ast.stmt)):
            if _is_kept(statement, needed):
                parts = [statement.test] if isinstance(statement, ast.If) else [statement]
                parts = [statement.iter] if isinstance(statement, ast.For) else parts
                needed |= {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}
    return needed


def _is_kept(statement: ast.stmt, needed: set[str]) -> bool:
    """Whether it returns, changes a name that is needed, or does what is not known here."""
    if isinstance(statement, ast.If | ast.For):
        return any(_is_kept(each, needed) for each in (*statement.body, *statement.orelse))
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        changed = (node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        return not needed.isdisjoint(changed)
    return not isinstance(statement, ast.Pass)


def _needed(body: Sequence[ast.stmt], needed: set[str]) -> list[ast.stmt]:
    """The statements without those that change other names only."""
    kept = [each for each in body if _is_kept(each, needed)]
    for statement in kept:
        if isinstance(statement, ast.If | ast.For):
            statement.body = _needed(statement.body, needed) or [ast.copy_location(ast.Pass(), statement)]
            statement.orelse = _needed(statement.orelse, needed)
    return kept

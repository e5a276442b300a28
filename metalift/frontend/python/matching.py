"""`match` as `if`, `elif`, `else`, which it is where its patterns are values, alternatives, tuples and names.

What is not written so (a guard on a name that a pattern binds, classes, mappings, stars) stays, and is refused where it is read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SUBJECT = "matched"


@dataclass(frozen=True, slots=True)
class _Case:
    """What a pattern asks, None where it asks nothing, and the names that it binds, with their values."""

    test: ast.expr | None
    bound: tuple[tuple[str, ast.expr], ...] = ()


def without_match(tree: ast.Module) -> ast.Module:
    """The module with `if` for `match`, in place."""
    nodes = list(ast.walk(tree))
    if not any(isinstance(node, ast.Match) for node in nodes):
        return tree
    names = {node.id for node in nodes if isinstance(node, ast.Name)} | {node.arg for node in nodes if isinstance(node, ast.arg)}
    _Matches(names).visit(tree)
    return ast.fix_missing_locations(tree)


@dataclass
class _Matches(ast.NodeTransformer):
    taken: set[str]

    def visit_Match(self, node: ast.Match) -> ast.stmt | list[ast.stmt]:
        """One statement, and those in it."""
        self.generic_visit(node)
        first: list[ast.stmt] = []
        subject = node.subject
        if not isinstance(subject, ast.Tuple):
            subject = self._kept(subject, first)
        elif not any(isinstance(part, ast.Starred) for part in subject.elts):
            subject = ast.Tuple([self._kept(part, first) for part in subject.elts], ast.Load())
        else:
            return node
        branches = self._branches(node.cases, subject)
        return node if branches is None else [ast.copy_location(each, node) for each in (*first, *branches)]

    def _kept(self, subject: ast.expr, first: list[ast.stmt]) -> ast.expr:
        """The value as it is before the first case: a constant, or a name for it."""
        if isinstance(subject, ast.Constant):
            return subject
        number = next(number for number in range(len(self.taken) + 1) if f"{_SUBJECT}{number}" not in self.taken)
        name = f"{_SUBJECT}{number}"
        self.taken.add(name)
        first.append(ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], subject), subject))
        return ast.copy_location(ast.Name(name, ast.Load()), subject)

    def _branches(self, cases: Sequence[ast.match_case], subject: ast.expr) -> list[ast.stmt] | None:
        """The cases from the first on; None where a pattern is none of those that are written so."""
        if not cases:
            return []
        case, *others = cases
        found = _case(case.pattern, subject)
        rest = self._branches(others, subject)
        if found is None or rest is None or (case.guard is not None and found.bound):
            return None
        tests = [test for test in (found.test, case.guard) if test is not None]
        body = [*_bindings(found, case.pattern), *case.body]
        if not tests:
            return body
        test = tests[0] if len(tests) == 1 else ast.copy_location(ast.BoolOp(ast.And(), tests), tests[0])
        return [ast.copy_location(ast.If(test, body, rest), case.pattern)]


def _bindings(case: _Case, pattern: ast.pattern) -> Iterator[ast.stmt]:
    """The assignments that a pattern makes."""
    for name, value in case.bound:
        yield ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), pattern)


def _case(pattern: ast.pattern, subject: ast.expr) -> _Case | None:
    """What a pattern asks of a subject, and binds."""
    match pattern:
        case ast.MatchValue(value=value) if not isinstance(subject, ast.Tuple):
            return _Case(ast.copy_location(ast.Compare(subject, [ast.Eq()], [value]), pattern))
        case ast.MatchSingleton(value=value) if not isinstance(subject, ast.Tuple):
            return _Case(ast.copy_location(ast.Compare(subject, [ast.Is()], [ast.Constant(value)]), pattern))
        case ast.MatchAs(pattern=None, name=None):
            return _Case(None)
        case ast.MatchAs(pattern=None, name=str() as name) if not isinstance(subject, ast.Tuple):
            return _Case(None, ((name, subject),))
        case ast.MatchOr(patterns=patterns):
            return _either([_case(each, subject) for each in patterns], pattern)
        case ast.MatchSequence(patterns=patterns) if isinstance(subject, ast.Tuple) and len(patterns) == len(subject.elts):
            parts = [_case(each, part) for each, part in zip(patterns, subject.elts, strict=True)]
            return _all(parts, pattern)
        case _:
            return None


def _either(cases: Sequence[_Case | None], pattern: ast.pattern) -> _Case | None:
    """Alternatives, which bind nothing."""
    tests = [case.test for case in cases if case is not None and case.test is not None and not case.bound]
    return _Case(ast.copy_location(ast.BoolOp(ast.Or(), tests), pattern)) if len(tests) == len(cases) else None


def _all(cases: Sequence[_Case | None], pattern: ast.pattern) -> _Case | None:
    """Patterns for the parts of a tuple."""
    found = [case for case in cases if case is not None]
    if len(found) < len(cases):
        return None
    tests = [case.test for case in found if case.test is not None]
    bound = tuple(each for case in found for each in case.bound)
    if len(tests) < 2:
        return _Case(tests[0] if tests else None, bound)
    return _Case(ast.copy_location(ast.BoolOp(ast.And(), tests), pattern), bound)

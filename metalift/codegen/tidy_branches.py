"""Branches as a person would write them: one test in the place of nested ones, no side that does nothing, and what both sides
compute under the name that it gets behind them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from metalift.codegen.numbers import both, negation
from metalift.codegen.python_text import INDENT, LINE_LENGTH, text


def tidy_branches(lines: Sequence[str]) -> list[str]:
    """The lines of a function's body, changed in one place after the other until there is none left."""
    kept = "\n".join(lines).split("\n")
    while (better := _better(kept)) is not None:
        kept = better
    return kept


def _better(lines: list[str]) -> list[str] | None:
    """The lines with one place changed; None where there is nothing to change."""
    if not any(line.lstrip().startswith("if ") for line in lines):
        return None
    (function,) = ast.parse("\n".join(["def f():", *lines])).body
    assert isinstance(function, ast.FunctionDef)
    for block in _blocks(function):
        for at, each in enumerate(block):
            if isinstance(each, ast.If):
                after = block[at + 1] if at + 1 < len(block) else None
                found = _named(function, each, after, lines) or _turned(each, lines) or _left(each, lines) or _joined(each, lines)
                if found is not None:
                    return found
    return None


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The statements of each block, outer ones first."""
    for called in ("body", "orelse", "finalbody"):
        block = getattr(node, called, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
            for each in block:
                yield from _blocks(each)


def _first(node: ast.stmt) -> int:
    """The position of a statement's first line: the first line of the body is the second of the text."""
    return node.lineno - 2


def _behind(node: ast.stmt | ast.expr) -> int:
    """The position of the line behind a statement."""
    assert node.end_lineno is not None
    return node.end_lineno - 1


# What both sides compute


def _named(function: ast.FunctionDef, branch: ast.If, after: ast.stmt | None, lines: list[str]) -> list[str] | None:
    """Where `x = y` follows, and y is only what each side assigns last: x is assigned there."""
    match after:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)) if name != other:
            pass
        case _:
            return None
    ends = _ends(branch, other)
    mentioned = sum(isinstance(node, ast.Name) and node.id == other for node in ast.walk(function))
    if ends is None or mentioned != len(ends) + 1:
        return None
    made = list(lines)
    del made[_first(after) : _behind(after)]
    for end in reversed(ends):
        at = _first(end)
        indent = made[at][: len(made[at]) - len(made[at].lstrip())]
        if isinstance(end.value, ast.Name) and end.value.id == name:
            made[at : _behind(end)] = [f"{indent}pass"]
        elif made[at].startswith(f"{indent}{other} = "):
            made[at] = f"{indent}{name} = {made[at].removeprefix(f'{indent}{other} = ')}"
        else:
            return None
    return _without_pass(made)


def _ends(branch: ast.If, name: str) -> list[ast.Assign] | None:
    """The last statement of each side, all of which assign the name; None where one does not."""
    found: list[ast.Assign] = []
    for side in (branch.body, branch.orelse):
        match side[-1:]:
            case [ast.Assign(targets=[ast.Name(id=called)]) as end] if called == name:
                found.append(end)
            case [ast.If() as inner]:
                within = _ends(inner, name)
                if within is None:
                    return None
                found += within
            case _:
                return None
    return found


def _without_pass(lines: list[str]) -> list[str]:
    """The lines without `pass` in blocks that have other statements."""
    (function,) = ast.parse("\n".join(["def f():", *lines])).body
    blocks = [block for block in _blocks(function) if len(block) > 1]
    idle = [each for block in blocks for each in (block[1:] if _is_idle(block) else block) if isinstance(each, ast.Pass)]
    for each in sorted(idle, key=_first, reverse=True):
        del lines[_first(each)]
    return lines


# Sides that do nothing


def _turned(branch: ast.If, lines: list[str]) -> list[str] | None:
    """A branch without a side that does nothing: the other way round where that is the first one."""
    if not branch.orelse:
        return None
    between = _behind(branch.body[-1])
    if lines[between].strip() != "else:":
        return None
    if _is_idle(branch.orelse):
        return [*lines[:between], *lines[_behind(branch.orelse[-1]) :]]
    if not _is_idle(branch.body):
        return None
    return _headed(branch, _not(branch.test), lines, between + 1)


def _not(test: ast.expr) -> ast.expr:
    """That a condition does not hold; floats are in no order where one is NaN."""
    match test:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq()]) | ast.UnaryOp(op=ast.Not()):
            return negation(test)
        case _:
            return ast.UnaryOp(op=ast.Not(), operand=test)


def _is_idle(block: list[ast.stmt]) -> bool:
    return all(isinstance(each, ast.Pass) for each in block)


def _headed(branch: ast.If, test: ast.expr, lines: list[str], body: int) -> list[str] | None:
    """The branch with another test, whose body begins at a line; None where the test is too long for one."""
    head = f"{' ' * branch.col_offset}if {text(test)}:"
    return [*lines[: _first(branch)], head, *lines[body:]] if len(head) <= LINE_LENGTH else None


# Sides that leave
_JUMPS = (ast.Break, ast.Continue, ast.Return, ast.Raise)


def _left(branch: ast.If, lines: list[str]) -> list[str] | None:
    """What follows where one side leaves the loop or the function, behind the branch: no `else` is needed."""
    between = _behind(branch.body[-1])
    if not branch.orelse or lines[between].strip() != "else:":
        return None
    stop = _behind(branch.orelse[-1])
    if isinstance(branch.body[-1], _JUMPS):
        return [*lines[:between], *_outside(lines[between + 1 : stop]), *lines[stop:]]
    if len(branch.orelse) == 1 and isinstance(branch.orelse[0], _JUMPS):
        first = _first(branch.body[0])
        behind = [*lines[between + 1 : stop], *_outside(lines[first:between]), *lines[stop:]]
        return _headed(branch, _not(branch.test), [*lines[:first], *behind], first)
    return None


def _outside(lines: Sequence[str]) -> list[str]:
    """The lines one level further outside."""
    return [line.removeprefix(INDENT) for line in lines]


# Tests in tests


def _joined(branch: ast.If, lines: list[str]) -> list[str] | None:
    """One branch in the place of two, of which the second is all that is in the first."""
    match branch:
        case ast.If(body=[ast.If(test=inner, orelse=[]) as only], orelse=[]):
            made = _headed(branch, both((branch.test, inner)), lines, _first(only.body[0]))
            if made is None:
                return None
            start = _first(branch) + 1
            stop = start + _behind(only) - _first(only.body[0])
            return [*made[:start], *_outside(made[start:stop]), *made[stop:]]
        case _:
            return None

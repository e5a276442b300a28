"""The part of a target's preamble that generated code uses."""

from __future__ import annotations

import ast

from metalift.driver.templates import used_names


def used_part(preamble: str, code: str) -> str:
    """The definitions of the preamble that the code uses, directly or through others, and what is no definition; in order."""
    lines, statements = preamble.splitlines(), ast.parse(preamble).body
    used = used_names(ast.parse(code))
    kept: list[ast.stmt] = []
    left = statements
    while found := [each for each in left if defined_names(each) is None or used & set(defined_names(each) or ())]:
        kept += found
        left = [each for each in left if each not in found]
        used = used.union(*map(used_names, found))
    text, before = "", None
    for each in (statement for statement in statements if statement in kept):
        apart = any(isinstance(one, ast.FunctionDef | ast.ClassDef) for one in (before, each))
        text += ("" if before is None else "\n\n\n" if apart else "\n") + _text(each, lines)
        before = each
    return text


def all_names(preamble: str) -> list[str]:
    """Everything that the preamble defines."""
    return [name for each in ast.parse(preamble).body for name in defined_names(each) or ()]


def defined_names(statement: ast.stmt) -> tuple[str, ...] | None:
    """The names that a statement at the top of the preamble is there for; None where it does something else."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return tuple((alias.asname or alias.name).partition(".")[0] for alias in names)
        case ast.Assign(targets=targets) if all(isinstance(target, ast.Name) for target in targets):
            return tuple(target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            return (name,)
        case _:
            return None


def _text(statement: ast.stmt, lines: list[str]) -> str:
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(each.lineno for each in decorators)])
    assert statement.end_lineno is not None
    return "\n".join(lines[first - 1 : statement.end_lineno])

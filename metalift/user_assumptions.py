"""Conditions that the user states with --assume, read as expressions over the function's parameters."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.errors import UsageError
from metalift.ir.check import IllTyped, check
from metalift.ir.fragment import Fragment
from metalift.ir.nodes import Expr, type_of
from metalift.ir.text import ParseError, parse
from metalift.ir.types import BOOL


def parse_assumptions(texts: Sequence[str], fragment: Fragment) -> list[tuple[str, Expr]]:
    """The conditions with their texts. Raises UsageError where one is not a condition on the parameters."""
    names = {param.var.name: param.var.type for param in fragment.params}
    found = []
    for text in texts:
        try:
            formula = parse(text, names)
            check(formula)
        except (ParseError, IllTyped) as problem:
            known = ", ".join(names) or "none"
            raise UsageError(f"--assume {text!r}: {problem}; the parameters of {fragment.name} are: {known}") from None
        if type_of(formula) != BOOL:
            raise UsageError(f"--assume {text!r} is not a condition, such as 'n % 4 == 0'")
        found.append((text, formula))
    return found

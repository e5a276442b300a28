"""Conditions that the user states with --assume, read as expressions over the function's parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metalift.ir.expr.build import conj, forall, implies, in_range
from metalift.ir.expr.nodes import Expr, Length, Select, Var, type_of
from metalift.ir.expr.types import BOOL, INT
from metalift.ir.expr.walk import free_names, free_vars, subexpressions
from metalift.ir.program.fragment import Fragment
from metalift.ir.text import ParseError, parse
from metalift.ir.wellformed.check import IllTyped, check
from metalift.result.errors import UsageError

INDEX = re.compile(r"\[\s*([A-Za-z_]\w*)\s*\]")


def for_every_element(formula: Expr) -> Expr:
    """The formula for all elements of the arrays that its index variables stand alone in."""
    inside: dict[Var, dict[Expr, None]] = {}
    for part in subexpressions(formula):
        if isinstance(part, Select):
            for axis, index in enumerate(part.indices):
                if isinstance(index, Var) and index in free_vars(formula) and index.type == INT:
                    inside.setdefault(index, {}).setdefault(in_range(index, Length(part.tensor, axis)))
    for index, ranges in inside.items():
        formula = forall((index,), implies(conj(*ranges), formula))
    return formula


def parse_assumptions(texts: Sequence[str], fragment: Fragment) -> list[tuple[str, Expr]]:
    """The conditions with their texts. Raises UsageError where one is not a condition on the parameters.

    An index that is no parameter means every element: `0 <= a[i] and a[i] < 64`.
    """
    names = {param.var.name: param.var.type for param in fragment.params}
    found = []
    for text in texts:
        try:
            formula = for_every_element(parse(text, {**dict.fromkeys(INDEX.findall(text), INT), **names}))
            check(formula)
            if not free_names(formula) <= names.keys():
                raise ParseError("an index that is no parameter stands alone in a[i]", 0)
        except (ParseError, IllTyped) as problem:
            known = ", ".join(names) or "none"
            raise UsageError(f"--assume {text!r}: {problem}; the parameters of {fragment.name} are: {known}") from None
        if type_of(formula) != BOOL:
            raise UsageError(f"--assume {text!r} is not a condition, such as 'n % 4 == 0'")
        found.append((text, formula))
    return found

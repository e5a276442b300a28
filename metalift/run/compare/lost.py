"""Definitions of a fragment that may have no meaning in a run although the source did nothing undefined.

A compiler computes what a choice may need before it chooses, as in `x == 0 ? 0 : 1 / x`: of a definition that is used in arms of
choices only, nobody knows whether the source itself came to compute it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from metalift.ir.expr.nodes import Apply, Expr, Ite, Operator, Var
from metalift.ir.expr.walk import children, free_names
from metalift.ir.program.fragment import Assign, Block, Fragment
from metalift.run.inputs.roles import expressions_of


@lru_cache(maxsize=64)
def computed_early(fragment: Fragment) -> frozenset[str]:
    """The names of the definitions that are used in arms of choices only, or by such definitions."""
    assigned = {each.target.name: each.value for block in fragment.blocks for each in block.body if isinstance(each, Assign)}
    others = expressions_of(replace(fragment, blocks=tuple(map(_without_definitions, fragment.blocks))))
    used: set[str] = set()
    users: dict[str, set[str | None]] = defaultdict(set)  # None: what is no definition
    uses: list[tuple[str | None, Expr]] = [*assigned.items(), *((None, each) for each in others)]
    for user, expr in uses:
        used |= free_names(expr)
        for name in _always(expr):
            users[name].add(user)
    found = assigned.keys() & used
    while True:
        kept = {name for name in found if users[name] <= found}
        if kept == found:
            return frozenset(found)
        found = kept


def _without_definitions(block: Block) -> Block:
    return replace(block, body=tuple(each for each in block.body if not isinstance(each, Assign)))


def _always(expr: Expr) -> Iterator[str]:
    """The variables that the value of an expression needs whatever is chosen in it."""
    match expr:
        case Var(name, _):
            yield name
        case Ite(cond, _, _):
            yield from _always(cond)
        case Apply(Operator.AND | Operator.OR, args):
            yield from _always(args[0])
        case _:
            for child in children(expr):
                yield from _always(child)

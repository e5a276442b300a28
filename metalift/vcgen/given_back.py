"""Results that are arrays which the function changes: a function that returns `(at, out)` gives `at`, and changes `out`."""

from __future__ import annotations

from dataclasses import replace

from metalift.ir.expr.nodes import Build, Expr, Length, MakeTuple, Select, Var
from metalift.ir.expr.types import TupleType
from metalift.ir.program.fragment import Fragment, ParamKind, Return


def kept_results(fragment: Fragment) -> tuple[int, ...] | None:
    """Which of several results are not always the same parameter, which the function changes; None where all are others."""
    if not isinstance(fragment.result, TupleType) or fragment.form is not None:
        return None
    ends = [block.end.value for block in fragment.blocks if isinstance(block.end, Return)]
    rows = [value.items for value in ends if isinstance(value, MakeTuple)]
    if not rows or len(rows) != len(ends):
        return None
    changed = {param.var for param in fragment.params if param.kind is ParamKind.VECTOR_REF}
    found = [{_all_of(row[at]) for row in rows} for at in range(len(fragment.result.items))]
    kept = tuple(at for at, arrays in enumerate(found) if len(arrays) != 1 or not arrays <= changed)
    return kept if len(kept) < len(found) else None


def without_given_back(fragment: Fragment) -> Fragment:
    """The function without these results: they are compared as what it changes."""
    kept = kept_results(fragment)
    if kept is None:
        return fragment
    assert isinstance(fragment.result, TupleType)
    types = tuple(fragment.result.items[at] for at in kept)
    blocks = []
    for block in fragment.blocks:
        if isinstance(block.end, Return) and isinstance(block.end.value, MakeTuple):
            block = replace(block, end=replace(block.end, value=_together(tuple(block.end.value.items[at] for at in kept))))
        blocks.append(block)
    result = TupleType(types) if len(types) > 1 else types[0] if types else None
    return replace(fragment, blocks=tuple(blocks), result=result)


def _together(items: tuple[Expr, ...]) -> Expr | None:
    return MakeTuple(items) if len(items) > 1 else items[0] if items else None


def _all_of(value: Expr) -> Var | None:
    """The array of which a term has all elements."""
    match value:
        case Build(extents, binders, Select(Var() as array, indices)) if indices == binders:
            return array if extents == tuple(Length(array, axis) for axis in range(len(binders))) else None
        case _:
            return None

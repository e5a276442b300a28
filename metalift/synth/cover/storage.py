"""What a target keeps in storage of its own: the cells that a function changes, and in which order they can be changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, Select, Update, Var, type_of
from metalift.ir.expr.types import BOOL, ScalarType
from metalift.ir.expr.walk import free_vars, subexpressions, substitute, transform
from metalift.ir.program.graphs import reached
from metalift.ir.program.summary import Binding, Summary
from metalift.synth.cover.normal_operators import negated


@dataclass(frozen=True, slots=True)
class Cell:
    """The one cell of a kept array that a function writes, and its new contents in terms of what was there before."""

    place: Select
    value: Expr

    @property
    def array(self) -> Var:
        """The array."""
        assert isinstance(self.place.tensor, Var)
        return self.place.tensor


def with_kept_inside(summary: Summary, kept: Collection[str]) -> Summary:
    """The summary with scalars that depend on kept arrays in the terms that use them: what keeps the arrays computes these."""
    tainted = {var for value in _values(summary) for var in free_vars(value) if var.name in kept}
    inside: dict[Var, Expr] = {}
    bindings: list[Binding] = []
    for binding in summary.bindings:
        value = transform(_condition, substitute(binding.value, inside))
        if not free_vars(value).isdisjoint(tainted):
            tainted.add(binding.var)
            if isinstance(binding.var.type, ScalarType) and not isinstance(value, Update):
                inside[binding.var] = value
                continue
        bindings.append(replace(binding, value=value))
    outputs = tuple((name, transform(_condition, substitute(value, inside))) for name, value in summary.outputs)
    return replace(summary, bindings=tuple(bindings), outputs=outputs)


def _condition(expr: Expr) -> Expr:
    """Whether a truth value that is kept as a number is 0 or 1, as a condition."""
    match expr:
        case Apply(Operator.EQ, (Cast(arg), Const(value))) if type_of(arg) == BOOL and value in (0, 1):
            return arg if value else negated(arg)
        case _:
            return expr


def _values(summary: Summary) -> Iterator[Expr]:
    yield from (binding.value for binding in summary.bindings)
    yield from (value for _, value in summary.outputs)


def places(array: Var, terms: Sequence[Expr]) -> tuple[Select, ...]:
    """The elements of an array that the terms read, each once."""
    reads = (sub for term in terms for sub in subexpressions(term) if isinstance(sub, Select) and sub.tensor == array)
    return tuple(dict.fromkeys(reads))


def groups(cells: Sequence[Cell]) -> Iterator[tuple[Cell, ...]]:
    """The cells in an order in which each needs only what comes before; those that need each other are in one group."""
    arrays = [cell.array for cell in cells]
    needs = {cell.array: [array for array in arrays if array in free_vars(cell.value)] for cell in cells}
    reach = {array: reached(needs[array], needs.__getitem__) for array in arrays}
    done: set[Var] = set()
    while len(done) < len(cells):
        ready = next(cell for cell in cells if cell.array not in done and _only_waits_for_itself(cell.array, reach, done))
        group = [each for each in cells if each.array == ready.array or _mutual(each.array, ready.array, reach)]
        done.update(each.array for each in group)
        yield tuple(group)


def _mutual(one: Var, other: Var, reach: Mapping[Var, Collection[Var]]) -> bool:
    return one in reach[other] and other in reach[one]


def _only_waits_for_itself(array: Var, reach: Mapping[Var, Collection[Var]], done: Collection[Var]) -> bool:
    """Whether all that it needs is there, but for what needs it in turn."""
    return all(other in done or other == array or array in reach[other] for other in reach[array])

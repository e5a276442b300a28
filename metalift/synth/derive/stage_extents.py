"""How much of each array a function with loops that stay touches: what its parts touch, over all iterations.

Only candidates: that no part touches more is proved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from metalift.ir.arith.bounds import rooms
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conjuncts, to_int
from metalift.ir.expr.nodes import Apply, Expr, Operator, Var, is_number, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.program.summary import Summary
from metalift.synth.derive.bounds import certain, greatest
from metalift.synth.derive.normal_terms import index
from metalift.vcgen.parts import fixed_by

Bound: TypeAlias = tuple[Expr, ...]
Known: TypeAlias = tuple[Expr, ...]


def whole_extents(parts: Iterable[tuple[Known, Summary]], params: Collection[Var]) -> dict[str, Bound]:
    """For each array of which bounds are found, as many elements along each axis as all parts touch.

    A part is what is known in it and its summary; bounds are over the parameters.
    """
    found: dict[str, list[list[Polynomial]]] = {}
    unknown: set[str] = set()
    for known, summary in parts:
        ranges = Ranges(known, params)
        for array, shape in summary.extents:
            axes = found.setdefault(array, [[] for _ in shape])
            for axis, extent in zip(axes, shape, strict=True):
                bounds = [bound for part in maxima(to_int(extent)) for bound in ranges.over(part)]
                axis += [bound for bound in bounds if bound is not None]
                if any(bound is None or not bound.free_vars <= set(params) for bound in bounds):
                    unknown.add(array)
    return {array: tuple(map(most, axes)) for array, axes in found.items() if array not in unknown}


class Ranges:
    """The values of a part's integers that are no parameters of the function: as what is known between which bounds they lie."""

    def __init__(self, known: Known, params: Collection[Var]) -> None:
        self.binders: dict[Var, Expr] = {}
        self.values: dict[Expr, Polynomial] = {var: index(value) for var, value in fixed_by(known).items()}
        facts = [gap for formula in known for part in conjuncts(formula) for gap in gaps_of(part)]
        gaps = self.gaps = [gap.substitute(self.values) for gap in facts]
        left = {var for gap in gaps for var in gap.free_vars if is_integer(var.type)} - set(params)
        while left:
            bounds = {var: self.bounds(var, gaps, left) for var in sorted(left, key=lambda var: var.name)}
            var = next((v for v, (low, high) in bounds.items() if None not in (low, high)), None) or next(
                (v for v, (low, high) in bounds.items() if low or high), None
            )
            if var is None:
                return
            self.bind(var, *bounds[var])
            left.remove(var)

    def bounds(self, var: Var, gaps: Sequence[Polynomial], left: Collection[Var]) -> tuple[Polynomial | None, Polynomial | None]:
        """The least and the greatest value of a variable, where what is settled says it; inner loops say it last."""
        low = high = None
        for gap in gaps:
            parts = gap.affine_in((var,))
            if parts is None or not parts[1].free_vars.isdisjoint(left):
                continue
            if parts[0][var].constant_value == 1:
                low = -parts[1]
            elif parts[0][var].constant_value == -1:
                high = parts[1]
        return low, high

    def bind(self, var: Var, low: Polynomial | None, high: Polynomial | None) -> None:
        """Express a variable by one that begins at 0."""
        binder = Var(f"b{len(self.binders)}", INT)
        extent = Polynomial.of(UNKNOWN) if low is None or high is None else high - low + 1
        offset = Polynomial.of(binder)
        value = low + offset if low is not None else offset if high is None else high - offset
        self.binders[binder] = extent.substitute(self.values).to_expr()
        self.values[var] = value.substitute(self.values)

    def plainer(self, bound: Polynomial) -> Polynomial:
        """A bound in fewer words that is no less where the part runs: n for n - n % 2 + 1, where n - n % 2 < n."""
        others = [bound + gap for gap in self.gaps if self.binders.keys().isdisjoint(gap.free_vars)]
        return min((bound, *others), key=lambda other: len(other.terms))

    def over(self, extent: Expr) -> list[Polynomial | None]:
        """The greatest values of an extent, None for one that is not known; the greatest of all is that of the extent."""
        wanted = self.plainer(index(extent).substitute(self.values))
        bounds = [greatest(each.substitute(self.values), self.binders) for each in unfolded(wanted)]
        return [each for bound in bounds for each in ([None] if bound is None else unfolded(bound))]


def unfolded(value: Polynomial) -> list[Polynomial]:
    """The values of which one with max(0, n) in it is the greatest."""
    for atom in value.atoms:
        match atom:
            case Apply(Operator.MAX, (low, high)) if is_number(low, 0) and certain(rest := value.coefficient(atom)):
                most_of = value.substitute({atom: index(high)})
                least_of = value.substitute({atom: Polynomial()})
                smaller = not certain(-least_of) and not rest.atoms
                return [*unfolded(most_of), *(unfolded(least_of) if smaller else ())]
    return [value]


def gaps_of(cond: Expr) -> list[Polynomial]:
    """What is at least 0 where a condition on integers holds."""
    match cond:
        case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)) if is_integer(type_of(left)):
            gap = index(left) - index(right)
            return [each - 1 for each in (gap, -gap) if certain(each)]
        case _:
            return list(rooms(cond, read=index))


UNKNOWN = Var("?extent", INT)


def maxima(extent: Expr) -> tuple[Expr, ...]:
    """The numbers of which an extent is the greatest."""
    if isinstance(extent, Apply) and extent.op is Operator.MAX:
        return tuple(part for arg in extent.args for part in maxima(arg))
    return (extent,)


def most(values: Sequence[Polynomial]) -> Expr:
    """The greatest of several bounds."""
    kept: list[Polynomial] = []
    for value in dict.fromkeys(values):
        if any(certain(other - value) for other in kept):
            continue
        kept = [other for other in kept if not certain(value - other)]
        kept.append(value)
    greatest_one = kept[0].to_expr()
    for value in kept[1:]:
        greatest_one = Apply(Operator.MAX, (greatest_one, value.to_expr()))
    return greatest_one

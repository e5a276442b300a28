"""Where an index lies relative to a written window: inside, outside, or not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, less
from metalift.ir.expr.nodes import Apply, Expr, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import MachineInt, is_integer

Ranges = Mapping[Var, Expr]  # binders in scope and their extents
_SIZE = MachineInt(64, False)
_NOTHING = Facts()


def solve_indices(
    binders: Sequence[Var], indices: Sequence[Expr], wanted: Sequence[Expr], ranges: Ranges
) -> tuple[Polynomial, ...] | None:
    """Values of the binders at which the indices are the wanted ones; None where none are found."""
    if len(indices) != len(wanted):
        return None
    found: dict[Var, Polynomial] = {}
    for index, want in zip(indices, wanted, strict=True):
        solved = _solve(binders, Polynomial.of(index), Polynomial.of(want), ranges)
        if solved is None:
            return None
        for binder, value in solved.items():
            if found.setdefault(binder, value) != value:
                return None
    if any(binder not in found for binder in binders):
        return None
    return tuple(found[binder] for binder in binders)


def _solve(binders: Sequence[Var], index: Polynomial, want: Polynomial, ranges: Ranges) -> dict[Var, Polynomial] | None:
    """One index: binders with a coefficient that a binder in scope has too are that one; the last is what is left."""
    affine = index.affine_in(binders)
    if affine is None:
        return None
    coefficients = {binder: factor for binder, factor in affine[0].items() if factor != Polynomial()}
    left = want - affine[1]
    found: dict[Var, Polynomial] = {}
    for binder, factor in coefficients.items():
        if factor in (Polynomial.constant(1), Polynomial.constant(-1)):
            continue
        value = _quotient(left, factor, ranges)
        found[binder] = value
        left = left - factor * value
    units = [binder for binder in coefficients if binder not in found]
    if len(units) > 1:
        return None
    if not units:
        return found if left == Polynomial() else None
    found[units[0]] = left * coefficients[units[0]]
    return found


def _quotient(value: Polynomial, factor: Polynomial, ranges: Ranges) -> Polynomial:
    """The binders in scope that occur in the value with the factor, each as often as it does."""
    total = Polynomial()
    for binder in ranges:
        own = value.coefficient(binder)
        quotient, rest = own.divide(factor) if own != Polynomial() else (Polynomial(), Polynomial())
        if rest == Polynomial() and quotient.is_constant:
            total = total + quotient * Polynomial.atom(binder)
    return total


def within(value: Polynomial, extent: Expr, ranges: Ranges) -> bool | None:
    """Whether 0 <= value < extent for all values of the binders in scope: true, false for none of them, or not known."""
    low, high = bound(value, ranges, upper=False), bound(value, ranges, upper=True)
    size = Polynomial.of(extent)
    if low is not None and high is not None and never_negative(low) and _is_below(high, size, ranges):
        return True
    if (high is not None and never_negative(-high - 1)) or (low is not None and never_negative(low - size)):
        return False
    return None


def condition_within(value: Polynomial, extent: Expr, ranges: Ranges) -> Expr:
    """That 0 <= value < extent, without the part that holds for all values of the binders in scope."""
    low, high = bound(value, ranges, upper=False), bound(value, ranges, upper=True)
    number = value.to_expr()
    parts = [] if low is not None and never_negative(low) else [at_most(integer(0), number)]
    below = high is not None and _is_below(high, Polynomial.of(extent), ranges)
    return conj(*parts, *(() if below else (less(number, extent),)))


def _is_below(high: Polynomial, size: Polynomial, ranges: Ranges) -> bool:
    """Whether high < size, where the extents of binders in scope are at least 1."""
    least = (Polynomial.constant(1), *(Polynomial.of(each) for each in ranges.values()))
    return any(never_negative(size - each - high) for high in _at_most(high) for each in least)


def _at_most(value: Polynomial) -> Iterator[Polynomial]:
    """The value, and what it is at most: with an operand for a minimum in it."""
    yield value
    for atom in value.atoms:
        match atom:
            case Apply(Operator.MIN, args) if value.degree(atom) == 1 and never_negative(value.coefficient(atom)):
                yield from (value.substitute({atom: Polynomial.of(arg)}) for arg in args)


def bound(value: Polynomial, ranges: Ranges, *, upper: bool) -> Polynomial | None:
    """The least or greatest value over all binders in scope, each taken to have at least one value."""
    for binder, extent in reversed(list(ranges.items())):
        factor = value.coefficient(binder)
        if factor == Polynomial():
            if binder in value.free_vars:
                return None
            continue
        if value.degree(binder) > 1 or not (never_negative(factor) or never_negative(-factor)):
            return None
        last = never_negative(factor) == upper
        value = value.substitute({binder: Polynomial.of(extent) - 1 if last else Polynomial()})
    return None if not value.free_vars.isdisjoint(ranges) else value


def never_negative(value: Polynomial) -> bool:
    """Whether it is at least 0 when its variables are: those that occur in sizes are required to be where they are used.

    Nothing is required of variables inside of quotients and other terms, so they count as they are.
    """
    plain = [atom for atom in value.atoms if isinstance(atom, Var)]
    sizes: dict[Expr, Polynomial] = {atom: Polynomial.atom(Var(atom.name, _SIZE)) for atom in plain}
    return _NOTHING.never_negative(value.substitute(sizes) if sizes else value)


def when_outer_exist(extents: Sequence[Expr]) -> Iterator[Expr]:
    """The extents of a result as they are where all outer ones are positive: elsewhere there are no rows to have a length."""
    positive: list[Polynomial] = []
    for extent in extents:
        match extent:
            case Ite(cond, then, other) if (holds := _decided(cond, positive)) is not None:
                extent = then if holds else other
            case _:
                pass
        yield extent
        positive.append(Polynomial.of(extent))


def _decided(cond: Expr, positive: Sequence[Polynomial]) -> bool | None:
    """Whether a comparison with 0 holds, given what is positive; None where that does not say, as of floats."""
    match cond:
        case Apply(Operator.LT | Operator.LE | Operator.EQ, (left, _)) if not is_integer(type_of(left)):
            return None
        case Apply(Operator.LT, (left, right)):
            greater = Polynomial.of(right) - Polynomial.of(left)
            return True if any(never_negative(greater - each) for each in positive) else None
        case Apply(Operator.LE, (left, right)):
            greater = Polynomial.of(right) - Polynomial.of(left) + 1
            smaller = Polynomial.of(left) - Polynomial.of(right)
            if any(never_negative(greater - each) for each in positive):
                return True
            return False if any(never_negative(smaller - each) for each in positive) else None
        case Apply(Operator.EQ, (left, right)):
            differences = (Polynomial.of(left) - Polynomial.of(right), Polynomial.of(right) - Polynomial.of(left))
            return False if any(difference == each for difference in differences for each in positive) else None
        case Apply(Operator.NOT, (inner,)):
            holds = _decided(inner, positive)
            return None if holds is None else not holds
        case _:
            return None

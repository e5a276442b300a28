"""What is known of the sign of an index expression: sizes and scalars are taken as non-negative, binders lie in their ranges."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from metalift.ir.arith.bounds import FLOORING, Facts
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import FALSE, Apply, Expr, Operator, Var, is_number
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import free_vars, substitute
from metalift.synth.derive.division import ARITHMETIC, arithmetic, whole_parts
from metalift.synth.derive.normal_terms import Place, both, index, parts_of
from metalift.synth.derive.promises import by_promises, room

Ranges: TypeAlias = Mapping[Var, Expr]
"""The extent of each binder in scope, inner binders after outer ones."""
_NOTHING = Facts()


def least(value: Polynomial, ranges: Ranges) -> Polynomial | None:
    """The polynomial at the binders' values that make it smallest; None where a binder's coefficient has no known sign."""
    for binder in reversed(list(ranges)):
        if binder not in value.free_vars:
            continue
        parts = value.affine_in((binder,))
        if parts is None:
            found = _least_quotient(value, binder, ranges)
            if found is None:
                return None
            value = found
            continue
        slope, rest = parts[0][binder], parts[1]
        if not_negative(slope, ranges):
            value = rest
        elif not_negative(-slope, ranges):
            value = rest + slope * (index(ranges[binder]) - 1)
        else:
            return None
    return value


def _least_quotient(value: Polynomial, binder: Var, ranges: Ranges) -> Polynomial | None:
    """The same for one binder that occurs only in what is divided by a number: quotients grow with their dividends."""
    match [atom for atom in value.atoms if binder in free_vars(atom)]:
        case [Apply(Operator.FDIV, (dividend, divisor)) as atom] if (index(divisor).constant_value or 0) > 0:
            quotient = Var("?", INT)
            parts = value.substitute({atom: Polynomial.atom(quotient)}).affine_in((quotient,))
        case _:
            return None
    if parts is None:
        return None
    slope, rest = parts[0][quotient], parts[1]
    own = {binder: ranges[binder]}
    if not_negative(slope, ranges):
        bound = least(index(dividend), own)
    else:
        bound = greatest(index(dividend), own) if not_negative(-slope, ranges) else None
    return None if bound is None else rest + slope * arithmetic(Operator.FDIV, (bound, index(divisor)))


def greatest(value: Polynomial, ranges: Ranges) -> Polynomial | None:
    """The polynomial at the binders' values that make it largest."""
    found = least(-value, ranges)
    return None if found is None else -found


def not_negative(value: Polynomial, ranges: Ranges) -> bool:
    """Whether it is known to be >= 0."""
    value = sized(value)
    bound = value if value.free_vars.isdisjoint(ranges) else least(value, ranges)
    if bound is None:
        return False
    return _no_minus(bound) or any(_no_minus(bound - index(extent)) for extent in ranges.values())


def _no_minus(value: Polynomial) -> bool:
    """Whether no term is negative once what is taken off by n // c * c is at most n, and with what is promised."""
    value = by_promises(value)
    for monomial, factor in value.terms:
        match monomial:
            case (Apply(Operator.FDIV | Operator.TDIV, (size, by)),) if factor < 0:
                step = index(by).constant_value
                if step is not None and step > 0:
                    value = (value - Polynomial.make(((monomial, factor),))) * step + index(size) * factor
    return all(factor >= 0 for _, factor in value.terms)


def sign(value: Polynomial, ranges: Ranges) -> int | None:
    """1 where it is known to be positive, -1 negative, 0 zero, None unknown."""
    if not value.terms:
        return 0
    if not_negative(value - 1, ranges):
        return 1
    if not_negative(-value - 1, ranges):
        return -1
    return None


def implied(cond: Expr, ranges: Ranges) -> Expr:
    """The condition without the parts that hold for all binders in their ranges; an extent is then at least 1."""
    if isinstance(cond, Apply) and cond.op is Operator.AND:
        return both(*(implied(part, ranges) for part in cond.args))
    gap = room(cond)
    if gap is None:
        return cond
    known = [index(extent) - 1 for extent in ranges.values()]
    if _exceeds(gap, Polynomial(), ranges) or any(_exceeds(gap, extent, ranges) for extent in known):
        return both()
    return FALSE if any(_exceeds(-gap - 1, extent, ranges) for extent in (Polynomial(), *known)) else cond


def _exceeds(value: Polynomial, known: Polynomial, ranges: Ranges) -> bool:
    """Whether value >= known, by the ranges alone; nothing is assumed of the sizes."""
    bound = least(value - known, ranges)
    return bound is not None and certain(bound)


def follows(value: Polynomial, cond: Expr) -> bool:
    """Whether value >= 0 is a consequence of one part of the condition."""
    rooms = (room(part) for part in parts_of(cond))
    return any(certain(value - each) for each in rooms if each is not None)


@lru_cache(maxsize=1 << 14)
def certain(value: Polynomial) -> bool:
    """Whether it is >= 0 whatever the signed variables are."""
    return _NOTHING.never_negative(value)


def clamped(value: Polynomial) -> Polynomial:
    """max(0, value), plain where it cannot be negative."""
    zero = Polynomial()
    return value if certain(value) else index(Apply(Operator.MAX, (zero.to_expr(), value.to_expr())))


def unclamped(value: Polynomial, unless: Callable[[Expr], bool] = lambda high: False) -> Polynomial:
    """An index with max(0, n) taken as n, also where that is divided: where it differs, nothing is read or written."""
    plain: dict[Expr, Polynomial] = {}
    for atom in value.atoms:
        match atom:
            case Apply(Operator.MAX, (low, high)) if is_number(low, 0) and not unless(high):
                plain[atom] = unclamped(index(high), unless)
            case Apply(Operator.FMOD, (size, by)) if (inner := unclamped(index(size), unless)) != index(size):
                plain[atom] = arithmetic(Operator.FMOD, (inner, index(by)))
    return whole_parts(value.substitute(plain)) if plain else value


def plain_index(value: Expr, binders: Container[Var] = ()) -> Expr:
    """An index of an element: where a loop counts to n, max(0, n) is n; what is chosen by the function's own values, or by
    binders, stays, as in x[max(0, i - 1)].
    """
    return unclamped(index(value), lambda high: any("." in var.name or var in binders for var in free_vars(high))).to_expr()


def sized(value: Polynomial) -> Polynomial:
    """A size, of which negative values count as 0: also with C's division as floor division.

    What is left of n after whole blocks, n - max(0, n // c) * c, is max(0, n) % c.
    """
    plain: dict[Expr, Polynomial] = {}
    for atom in value.atoms:
        match atom:
            case Apply(Operator.MAX, (low, high)) if is_number(low, 0):
                plain[atom] = sized(index(high))
            case Apply(op, args) if op in ARITHMETIC and op is not Operator.FMOD:
                by = index(args[-1]).constant_value
                floor = FLOORING.get(op, op) if by is not None and by > 0 else op
                plain[atom] = arithmetic(floor, tuple(sized(index(arg)) for arg in args))
    if not plain:
        return with_rest(value)
    rests: dict[Expr, Polynomial] = {}
    found = whole_parts(value.substitute(plain))
    divided = [part.atoms for atom, part in plain.items() if not (isinstance(atom, Apply) and atom.op is Operator.MAX)]
    known = value.atoms.union(*divided)
    for monomial, factor in found.terms:
        match monomial:
            case (Apply(Operator.FMOD, (size, step)) as rest,) if factor > 0 and rest not in known:
                rests[rest] = arithmetic(Operator.FMOD, (clamped(index(size)), index(step)))
    return with_rest(found.substitute(rests))


def with_rest(value: Polynomial) -> Polynomial:
    """The size n for that of its whole blocks and what is left after them, n - n % c + max(0, n) % c."""
    for atom in value.atoms:
        match atom:
            case Apply(Operator.FMOD, (Apply(Operator.MAX, (low, size)), by)) if is_number(low, 0):
                rest = arithmetic(Operator.FMOD, (index(size), index(by)))
                if value == index(size) + Polynomial.atom(atom) - rest:
                    return index(size)
    return value


def divided_as_sizes(value: Polynomial) -> tuple[Polynomial, ...]:
    """What is divided in a size, where C's division and that of `sized` differ for the size itself if it is negative."""
    found: list[Polynomial] = []
    for monomial, factor in value.terms:
        match monomial:
            case (Apply(Operator.TREM | Operator.TDIV as op, (left, right)),):
                if (index(right).constant_value or 0) > 0 and (op is Operator.TREM or factor < 0):
                    found.append(index(left))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Solution:
    """The values of binders for which a cell is the wanted one, where the pairs in `rest` are equal as well."""

    values: dict[Var, Polynomial]
    rest: tuple[tuple[Polynomial, Polynomial], ...] = ()


def solve(cells: Place, binders: tuple[Var, ...], wanted: Place, ranges: Ranges) -> Solution | None:
    """Values of the binders for which `cells`, affine in them, is `wanted`: an axis after the other, those with the fewest
    unknown binders first.

    None where no such values are found. Where the binders' cells are distinct, the values are the only ones.
    """
    found: dict[Var, Polynomial] = {}
    rest: list[tuple[Polynomial, Polynomial]] = []
    axes = list(zip(cells, wanted, strict=True))
    while axes:
        axes.sort(key=lambda axis: len(axis[0].free_vars & (set(binders) - found.keys())))
        for position, (at, target) in enumerate(axes):
            unknown = tuple(binder for binder in binders if binder in at.free_vars and binder not in found)
            at = put_in(at, found)
            values = _solve_axis(at, unknown, target, ranges) if unknown else {}
            if values is None:
                continue
            if not unknown and at != target:
                rest.append((at, target))
            found.update(values)
            del axes[position]
            break
        else:
            return None
    return Solution(found, tuple(rest)) if len(found) == len(binders) else None


def put_in(value: Polynomial, values: Mapping[Var, Polynomial]) -> Polynomial:
    """The polynomial with variables replaced everywhere."""
    if value.free_vars.isdisjoint(values):
        return value
    return index(substitute(value.to_expr(), {var: by.to_expr() for var, by in values.items()}))


def _solve_axis(
    cells: Polynomial, binders: tuple[Var, ...], wanted: Polynomial, ranges: Ranges
) -> dict[Var, Polynomial] | None:
    """The same for one axis: a flattened index taken apart, the largest stride first."""
    parts = cells.affine_in(binders)
    if parts is None:
        return None
    slopes, offset = parts
    rest = wanted - offset
    found: dict[Var, Polynomial] = {}
    for binder in stride_order(binders, slopes):
        slope = slopes[binder]
        if not slope.terms:
            return None
        quotient, rest = _split(rest, slope, ranges)
        found[binder] = quotient
    return None if rest.terms else found


def stride_order(binders: tuple[Var, ...], slopes: Mapping[Var, Polynomial]) -> list[Var]:
    """Binders by the degree of their coefficient, then its size, largest first."""

    def size(binder: Var) -> tuple[int, int]:
        terms = slopes[binder].terms
        return (max((len(m) for m, _ in terms), default=0), max((abs(f) for _, f in terms), default=0))

    return sorted(binders, key=size, reverse=True)


def _split(value: Polynomial, slope: Polynomial, ranges: Ranges) -> tuple[Polynomial, Polynomial]:
    """A quotient and a rest such that value = quotient * slope + rest.

    For a constant slope, each term goes where it divides; a constant term goes to the quotient rounded down.
    """
    factor = slope.constant_value
    if factor is None:
        return value.divide(slope)
    if abs(factor) == 1:
        return value * factor, Polynomial()
    quotient = Polynomial.make((m, f // factor) for m, f in value.terms if f % factor == 0 or not m)
    return quotient, value - quotient * factor

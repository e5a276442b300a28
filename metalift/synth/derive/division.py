"""Integer division and other arithmetic that is not polynomial, as atoms in normal form.

C's division and remainder become those of floor division where nothing can be negative: counters and unsigned numbers.
"""

from __future__ import annotations

from metalift.ir.arith.bounds import FLOORING, Facts
from metalift.ir.arith.polynomial import Monomial, Polynomial
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Var
from metalift.ir.expr.types import IntType

ARITHMETIC = frozenset(
    {
        Operator.TDIV,
        Operator.TREM,
        Operator.FDIV,
        Operator.FMOD,
        Operator.MIN,
        Operator.MAX,
        Operator.ABS,
        Operator.SHL,
        Operator.SHR,
        Operator.BITAND,
        Operator.BITOR,
        Operator.BITXOR,
    }
)
_COUNTS = Facts(natural=lambda atom: isinstance(atom, Var) and isinstance(atom.type, IntType))  # counters are of type INT


def arithmetic(op: Operator, args: tuple[Polynomial, ...]) -> Polynomial:
    """The operator applied to integers."""
    if len(args) != 2:
        return _atom(op, *args)
    left, right = args
    if op in FLOORING and _COUNTS.never_negative(left) and _COUNTS.never_negative(right):
        op = FLOORING[op]
    shift = right.constant_value
    match op:
        case Operator.MIN | Operator.MAX:
            return _extremum(op, left, right)
        case Operator.SHR if shift is not None and 0 <= shift < 64:
            return _quotient(left, Polynomial.constant(1 << shift))
        case Operator.BITAND if shift is not None and shift > 0 and shift & (shift + 1) == 0:
            return _remainder(left, Polynomial.constant(shift + 1))
        case Operator.FDIV if right.terms:
            return _quotient(left, right)
        case Operator.FMOD if right.terms:
            return _remainder(left, right)
        case Operator.TDIV if right.terms and not (exact := left.divide(right))[1].terms:
            return exact[0]
        case _:
            return _atom(op, left, right)


def _extremum(op: Operator, left: Polynomial, right: Polynomial) -> Polynomial:
    """The lesser or the greater of two, where it is known which is."""
    for low, high in ((left, right), (right, left)):
        gap = _at_least(high - low).constant_value
        if gap is not None and gap >= 0:
            return low if op is Operator.MIN else high
    return _atom(op, left, right)


def _at_least(value: Polynomial) -> Polynomial:
    """A bound from below, with n // c * c between n - c + 1 and n, and n % c between 0 and c - 1."""
    for monomial, factor in value.terms:
        match monomial:
            case (Apply(Operator.FDIV, (size, Const(by, _))),) if isinstance(by, int) and by > 0 and factor % by == 0:
                inner = Polynomial.of(size) - (by - 1 if factor > 0 else 0)
                value = value - _term(monomial, factor) + inner * (factor // by)
            case (Apply(Operator.FMOD, (_, Const(by, _))),) if isinstance(by, int) and by > 0:
                value = value - _term(monomial, factor) + min(0, factor) * (by - 1)
    return value


def _atom(op: Operator, *args: Polynomial) -> Polynomial:
    return Polynomial.atom(Apply(op, tuple(arg.to_expr() for arg in args)))


def _quotient(left: Polynomial, right: Polynomial) -> Polynomial:
    """left // right: what divides is taken out, where that leaves less to divide."""
    by = right.constant_value
    if by is None:
        whole, rest = left.divide(right)
        if len(rest.terms) >= len(left.terms):
            whole, rest = Polynomial(), left
    else:
        left = _multiples(left, by)
        whole = Polynomial.make((monomial, factor // by) for monomial, factor in left.terms if factor % by == 0)
        rest = left - whole * by
    if (number := rest.constant_value) is not None and by is not None:
        return whole + number // by
    if number == -1:
        return whole - 1  # divisors are taken as positive
    return whole + (_atom(Operator.FDIV, rest, right) if rest.terms else rest)


def _remainder(left: Polynomial, right: Polynomial) -> Polynomial:
    """left % right, without what divides."""
    by = right.constant_value
    if by is None:
        _, rest = left.divide(right)
        rest = rest if len(rest.terms) < len(left.terms) else left
    else:
        left = _multiples(left, by)
        rest = Polynomial.make((monomial, factor) for monomial, factor in left.terms if factor % by)
    if (number := rest.constant_value) is not None and by is not None:
        return Polynomial.constant(number % by)
    return _atom(Operator.FMOD, rest, right) if rest.terms else rest


def _multiples(value: Polynomial, by: int) -> Polynomial:
    """With n % by written as n - n // by * by, so that multiples of `by` show."""
    total = Polynomial()
    for monomial, factor in value.terms:
        match monomial:
            case (Apply(Operator.FMOD, (size, step)),) if Polynomial.of(step).constant_value == by:
                inner = Polynomial.of(size)
                total = total + (inner - _atom(Operator.FDIV, inner, Polynomial.constant(by)) * by) * factor
            case _:
                total = total + _term(monomial, factor)
    return total


def whole_parts(value: Polynomial) -> Polynomial:
    """With n // c * c written as n - n % c, for n without a constant term; (n + 3) // 4 * 4 stays."""
    total = Polynomial()
    for monomial, factor in value.terms:
        found = next((atom for atom in monomial if _is_whole_part(atom, factor)), None)
        if isinstance(found, Apply):
            place = monomial.index(found)
            others = _term(monomial[:place] + monomial[place + 1 :], 1)
            size, by = (Polynomial.of(arg) for arg in found.args)
            total = total + (size - _atom(Operator.FMOD, size, by)) * (factor // by.constant_term) * others
        else:
            total = total + _term(monomial, factor)
    return total


def _is_whole_part(atom: Expr, factor: int) -> bool:
    match atom:
        case Apply(Operator.FDIV, (size, Const(by, _))):
            return by != 0 and factor % int(by) == 0 and Polynomial.of(size).constant_term == 0
        case _:
            return False


def _term(monomial: Monomial, factor: int) -> Polynomial:
    return Polynomial.make(((monomial, factor),))
